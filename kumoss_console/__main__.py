"""``python -m kumoss_console``."""

from kumoss_console.cli.main import run

if __name__ == "__main__":
    run()
