# SPDX-License-Identifier: Apache-2.0
"""Sorts headers for programs: sort_headers.py FOLDER API,API,... HEADER...

Copies headers below FOLDER as they are installed: those of the API as indim/NAME, others that these include, directly or
not, as indim/internal/NAME, with the includes of both changed to match. Headers that the API doesn't need are left out.
Each HEADER is a path in which "/indim/" stands before the name that sources include it by ("ir/module.h")."""

import os
import re
import sys

INCLUDE = re.compile(r'^#include "indim/([^"]+)"', re.MULTILINE)


def needed(api, text_of):
    """The names that `api` reaches."""
    found = set()
    todo = list(api)
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        todo += INCLUDE.findall(text_of[name])
    return found


def main(folder, api, paths):
    text_of = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text_of[path.rpartition("/indim/")[2]] = file.read()

    def installed(name):
        return name if name in api else "internal/" + name

    def changed(match):
        return '#include "indim/%s"' % installed(match.group(1))

    for name in sorted(needed(api, text_of)):
        path = os.path.join(folder, "indim", installed(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(INCLUDE.sub(changed, text_of[name]))


if __name__ == "__main__":
    main(sys.argv[1], set(sys.argv[2].split(",")), sys.argv[3:])
