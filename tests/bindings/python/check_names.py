# SPDX-License-Identifier: Apache-2.0
"""Each name of docs/names.md is there: JAX's and NumPy's in these packages, Python's in the package indim."""

import importlib
import re
import sys
import unittest
from typing import Any, Iterator

import indim

PREFIXES = {"jnp": "jax.numpy", "lax": "jax.lax", "nn": "jax.nn"}


def rows(page: str) -> "Iterator[list[list[str]]]":
    """Of each row of the page's first table its cells, of each cell its names."""
    with open(page, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("## "):
                return
            if line.startswith("| `") or line.startswith("|  |"):
                cells = re.split(r"(?<!\\)\|", line)[1:-1]
                yield [[name.replace("\\|", "|") for name in re.findall("`([^`]*)`", cell)] for cell in cells]


def find(path: str) -> Any:
    """The object of a dotted path: modules as far as there are some, then attributes."""
    parts = path.split(".")
    parts[:1] = PREFIXES.get(parts[0], parts[0]).split(".")
    found = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:i]))
        found = getattr(found, part)
    return found


class NamesTest(unittest.TestCase):
    def test_names(self) -> None:
        count = 0
        for _, _, python, _, _, jax, numpy in rows("docs/names.md"):
            # optax isn't installed here.
            jax = [name for name in jax if not name.startswith("optax.")]
            for name in jax + [name if name.startswith("scipy.") else f"numpy.{name}" for name in numpy]:
                with self.subTest(name):
                    find(name)
                    count += 1
            for call in python:
                with self.subTest(call):
                    self.check_call(call)
        self.assertGreater(count, 300)

    def check_call(self, call: str) -> None:
        composite = re.fullmatch(r"b\.composite\('(\w+)', \.\.\.\)", call)
        if composite:
            with self.assertRaises(indim.Error) as raised:
                indim.Builder("f").composite(composite[1])
            self.assertNotIn("there is no composite", str(raised.exception))
        elif call.startswith("b."):
            self.assertTrue(callable(getattr(indim.Builder, call[2:])))
        elif call != "x[i, ...]":
            b = indim.Builder("f")
            of = "s32[2,2]" if re.search("[~&|^<>]", call) else "f32[2,2]"
            eval(call, {}, {"x": b.parameter(of), "y": b.parameter(of)})


if __name__ == "__main__":
    sys.exit(unittest.main())
