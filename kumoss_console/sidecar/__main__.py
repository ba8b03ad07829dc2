"""``python -m kumoss_console.sidecar``: the bundled IaC service as a program of its own."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from kumoss_console.errors import ConsoleError, ExitCode
from kumoss_console.sidecar.serve import serve
from kumoss_console.sidecar.variables import OPTIONS, overlaid


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m kumoss_console.sidecar", description="The bundled IaC service.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8082, help="port to listen on, 0 for a free one (default: %(default)s)")
    for variable in OPTIONS:
        parser.add_argument(variable.option, dest=variable.name, metavar=variable.kind, help=variable.summary)
    options = parser.parse_args(argv)
    given = {variable.name: getattr(options, variable.name) for variable in OPTIONS}
    try:
        serve(options.host, options.port, overlaid(os.environ, given))
    except ConsoleError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(main())
