"""Reports: what they show as plain data, how it is worded, and how it becomes PDF, HTML, LaTeX and Markdown."""
