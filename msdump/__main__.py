"""`python -m msdump`."""

from msdump.cli import main

if __name__ == "__main__":
    main()
