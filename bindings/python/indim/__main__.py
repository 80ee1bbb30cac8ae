# SPDX-License-Identifier: Apache-2.0
"""The command: python -m indim check model.hlo."""

import ctypes
import sys

from ._library import lib


def main() -> int:
    words = [word.encode("utf-8", "surrogateescape") for word in sys.argv[1:]]
    array = (ctypes.c_char_p * len(words))(*words)
    sys.stdout.flush()
    status: int = lib.indim_command(array, len(words))
    return status


if __name__ == "__main__":
    sys.exit(main())
