"""The report of base clusterings without classes: diagnosis, what is shown of it, the PDF and the page."""
