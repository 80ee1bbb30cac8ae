"""Runs the module of affine_on_xla.cc on real XLA, through Python, on the same values, and compares."""

import sys

import numpy as np

import xla

path = sys.argv[1]
arguments = [np.load(f"{path}.{i}.npy") for i in range(3)]
evaluated = np.load(f"{path}.result.npy")

with open(path, "rb") as file:
    (y,) = xla.run(file.read(), arguments)

print("  XLA        y[0,:5] =", " ".join(f"{value:.4f}" for value in y[0, :5]))
print("  largest difference of all", y.shape, "=", f"{np.abs(y - evaluated).max():.1e}")
if not np.allclose(y, evaluated, rtol=1e-4, atol=1e-3):
    sys.exit("they differ")
print("they agree")
