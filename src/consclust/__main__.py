"""``python -m consclust`` is the command ``consclust``."""

from consclust.cli import main

if __name__ == "__main__":
    main()
