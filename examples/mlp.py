"""A network of two layers, its training step as one module, and ten steps: on the evaluator, or on XLA through a plugin.

    python examples/mlp.py [cpu | cuda | PLUGIN.so]
"""

import sys

import indim
import numpy as np


def loss(weights, x, y):
    w1, b1, w2, b2 = weights
    hidden = x.builder.tanh(x @ w1 + b1)
    return x.builder.soft_cross_entropy(hidden @ w2 + b2, y).mean()


def step(x, y, *weights):
    value, gradients = indim.value_and_grad(loss)(weights, x, y)
    return [w - 0.5 * g for w, g in zip(weights, gradients)] + [value]


shapes = "f32[32,16]", "f32[32,5]", "f32[16,24]", "f32[24]", "f32[24,5]", "f32[5]"
module = indim.build(step, *shapes, broadcasting="numpy")


def main():
    random = np.random.default_rng(0)
    x = random.standard_normal((32, 16), np.float32)
    labels = np.argmax(x @ random.standard_normal((16, 5)), axis=1)
    y = np.eye(5, dtype=np.float32)[labels]
    w1, w2 = random.standard_normal((16, 24), np.float32) / 4, random.standard_normal((24, 5), np.float32) / 5
    weights = [w1, np.zeros(24, np.float32), w2, np.zeros(5, np.float32)]
    run = module.eval if len(sys.argv) < 2 else indim.Client(sys.argv[1]).compile(module)
    for number in range(10):
        *weights, value = run(x, y, *weights)
        print("  step", number, " loss", np.round(float(value), 4))


if __name__ == "__main__":
    main()
