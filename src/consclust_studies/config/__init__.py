"""The typed configuration: ``config/config.yaml`` and one file per study in ``config/studies/``.

Mistakes are found before any job starts; each is one line that names file, key, value and remedy.
"""
