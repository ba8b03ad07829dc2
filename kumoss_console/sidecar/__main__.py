"""``python -m kumoss_console.sidecar``: the bundled IaC service as a program of its own."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from kumoss_console.errors import ConsoleError, ExitCode
from kumoss_console.sidecar.serve import serve


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m kumoss_console.sidecar", description="The bundled IaC service.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8082, help="port to listen on, 0 for a free one (default: %(default)s)")
    options = parser.parse_args(argv)
    try:
        serve(options.host, options.port, os.environ)
    except ConsoleError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(main())
