"""What the reports of several studies show: a new kind is a class with a literal ``kind`` in a file of this folder.

What one study alone shows is in a file of its own folder, ``studies/<id>/exhibits``.
"""
