"""`python -m streamsave`."""

from streamsave.cli import main

if __name__ == "__main__":
    main(prog_name="streamsave")
