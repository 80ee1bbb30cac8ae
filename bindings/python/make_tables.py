#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of the package that git doesn't have: _abi.py and _ops.py.

    python3 bindings/python/make_tables.py LIBRARY [FOLDER]

LIBRARY is a libindim_c.so of this machine, FOLDER the package of this checkout unless named. Wheels and tests have both files;
who imports the package from a checkout runs this.
"""

import pathlib
import sys

sys.dont_write_bytecode = True  # nothing of it among the sources

import make_abi  # noqa: E402
import make_ops  # noqa: E402


def tables(library: pathlib.Path) -> "dict[str, str]":
    """The files by name; the library is asked for the operations that it has."""
    return {"_abi.py": make_abi.made(), "_ops.py": make_ops.made(library)}


def main(library: str, folder: str = str(pathlib.Path(__file__).absolute().parent / "indim")) -> None:
    for name, text in tables(pathlib.Path(library)).items():
        (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
