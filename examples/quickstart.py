"""Runs the module of quickstart.cc on real XLA and compares it with NumPy."""

import sys

import numpy as np

import xla

rng = np.random.default_rng(0)
x = rng.standard_normal((8, 784), np.float32)
w = rng.standard_normal((784, 10), np.float32)
bias = np.arange(10, dtype=np.float32)

with open(sys.argv[1], "rb") as file:
    (y,) = xla.run(file.read(), [x, w, bias])
expected = x @ w + bias

print("  XLA    y[0,:5] =", np.round(y[0, :5], 4))
print("  NumPy  y[0,:5] =", np.round(expected[0, :5], 4))
print("  largest difference of all", y.shape, "=", f"{np.abs(y - expected).max():.1e}")
if not np.allclose(y, expected, rtol=1e-4, atol=1e-3):
    sys.exit("they differ")
print("they agree")
