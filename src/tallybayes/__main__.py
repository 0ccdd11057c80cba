"""``python -m tallybayes`` is the program ``tallybayes``."""

from tallybayes.cli import main

if __name__ == "__main__":
    main()
