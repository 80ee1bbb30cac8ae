# SPDX-License-Identifier: Apache-2.0
"""examples/mlp.py trains: on the evaluator, and, with a plugin's path as the argument, on XLA."""

import subprocess
import sys
import unittest

from support import ROOT

PLUGIN = sys.argv[1:]
EXAMPLE = ROOT / "examples" / "mlp.py"

# What NumPy computes, with the gradients written out (tests/xla/numpy_models.py).
LOSSES = [1.7497, 1.4267, 1.2102, 1.0473, 0.9158, 0.8062, 0.7133, 0.6336, 0.5646, 0.5046]


class Mlp(unittest.TestCase):
    def test_losses(self) -> None:
        run = subprocess.run([sys.executable, str(EXAMPLE), *PLUGIN], stdout=subprocess.PIPE, universal_newlines=True, check=True)
        losses = [float(line.split()[-1]) for line in run.stdout.splitlines()]
        self.assertEqual(len(losses), len(LOSSES))
        for got, want in zip(losses, LOSSES):
            self.assertAlmostEqual(got, want, delta=2e-3)

    def test_size(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        model = text[text.index("def loss") : text.index("shapes = ")]
        self.assertLessEqual(len([line for line in model.splitlines() if line.strip()]) + 2, 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
