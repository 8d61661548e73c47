"""The typed configuration: ``config/config.yaml`` and one folder per study in ``studies/``.

Mistakes are found before any job starts; each is one line that names file, key, value and remedy.
"""
