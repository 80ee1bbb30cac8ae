"""Trains with the module of train_step.cc on real XLA, on made-up data."""

import sys

import numpy as np

import xla

BATCH, INPUTS, HIDDEN, CLASSES = 32, 16, 24, 5  # as in train_step.cc

random = np.random.default_rng(0)
x = random.standard_normal((BATCH, INPUTS), np.float32)
labels = np.argmax(x @ random.standard_normal((INPUTS, CLASSES)), axis=1)
y = np.eye(CLASSES, dtype=np.float32)[labels]
weights = [
    random.standard_normal((INPUTS, HIDDEN), np.float32) / 4,
    np.zeros(HIDDEN, np.float32),
    random.standard_normal((HIDDEN, CLASSES), np.float32) / 5,
    np.zeros(CLASSES, np.float32),
]

with open(sys.argv[1], "rb") as file:
    module = file.read()
for step in range(10):
    *weights, loss = xla.run(module, [x, y] + weights)
    print("  step", step, " loss", np.round(float(loss), 4))
