"""Runs a module on real XLA (CPU): run_on_xla.py MODULE.pb INPUT.npy..."""

import sys

import numpy as np

import xla

with open(sys.argv[1], "rb") as file:
    module = file.read()
for result in xla.run(module, [np.load(path) for path in sys.argv[2:]]):
    print(result)
