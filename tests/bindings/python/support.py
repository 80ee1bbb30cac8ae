# SPDX-License-Identifier: Apache-2.0
"""What several tests use."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]

AFFINE = """HloModule affine

ENTRY affine {
  x = f32[2,3] parameter(0)
  w = f32[3,4] parameter(1)
  d = f32[2,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[2,4] add(d, d)
}
"""

# The add's result is wrong.
WRONG = AFFINE.replace("ROOT y = f32[2,4]", "ROOT y = f32[2,5]")


def line() -> int:
    """The line of the caller."""
    return sys._getframe(1).f_lineno
