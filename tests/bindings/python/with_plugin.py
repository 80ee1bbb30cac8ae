# SPDX-License-Identifier: Apache-2.0
"""XLA's CPU through a PJRT plugin, whose path is the argument: modules run, buffers stay on the device, DLPack shares them."""

import sys
import unittest
from typing import Any

import indim
import numpy

PLUGIN = sys.argv.pop()
X = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
W = numpy.ones((3, 4), numpy.float32)


def affine() -> indim.Module:
    b = indim.Builder("affine", broadcasting="numpy")
    x, w, bias = b.parameter("f32[2,3]", "x"), b.parameter("f32[3,4]", "w"), b.parameter("f32[4]", "bias")
    return b.build(b.tanh(x @ w + bias))


class OnXla(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.client = indim.Client(PLUGIN)

    def test_runs_as_the_evaluator(self) -> None:
        module = affine()
        bias = numpy.array([0, 1, 2, -3], numpy.float32)
        numpy.testing.assert_allclose(module.run(X, W, bias, plugin=PLUGIN), module.eval(X, W, bias), rtol=1e-5)
        # Several results, integers.
        two = indim.build(lambda x: x.builder.tuple(x + x, x.sum(0)), "s64[3]")
        open_sizes = indim.parse("HloModule f\nENTRY f {\n x = f32[n,2] parameter(0)\n ROOT y = f32[n,2] add(x, x)\n}")
        rows = numpy.ones((3, 2), numpy.float32)
        numpy.testing.assert_array_equal(open_sizes.run(rows, plugin=PLUGIN), 2 * rows)
        compiled = indim.plugins.client(PLUGIN).compile(open_sizes, sizes={"n": 3})
        numpy.testing.assert_array_equal(compiled(rows), 2 * rows)
        got = two.run([1, 2, 3], plugin=PLUGIN)
        self.assertEqual([part.tolist() for part in got], [[2, 4, 6], 6])

    def test_buffers_stay(self) -> None:
        client = self.client
        self.assertEqual(client.platform, "cpu")
        self.assertGreaterEqual(client.device_count, 1)
        step = client.compile(indim.build(lambda s, x: s + x, "f32[2,3]", "f32[2,3]"))
        state, x = client.buffer(numpy.zeros_like(X)), client.buffer(X)
        for _ in range(5):
            (state,) = step.execute(state, x)
        numpy.testing.assert_array_equal(state.value(), 5 * X)
        self.assertEqual(numpy.asarray(state).shape, (2, 3))
        with self.assertRaises(indim.Error):
            step.execute(state)
        with self.assertRaises(indim.OutOfRange):
            client.buffer(X, device=1000)

    def test_dlpack(self) -> None:
        client = self.client
        given = numpy.arange(1000, dtype=numpy.float32)
        buffer = client.from_dlpack(given)
        self.assertEqual(buffer.__dlpack_device__(), (1, 0))
        double = client.compile(indim.build(lambda x: x * 2.0, "f32[1000]"))
        (result,) = double.execute(buffer)
        seen: Any = numpy.from_dlpack(result)
        del result, buffer
        numpy.testing.assert_array_equal(seen, 2 * given)

    def test_errors(self) -> None:
        with self.assertRaisesRegex(indim.NotFound, "IND1100"):
            indim.Client("/no/such/plugin.so")
        with self.assertRaises(indim.InvalidArgument) as caught:
            indim.build(lambda x: x, "f32[2]").run([1.0, 2.0, 3.0], plugin=PLUGIN)
        self.assertTrue(str(caught.exception))
        with self.assertRaises(indim.InvalidArgument):
            self.client.compile(indim.parse("ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[3] negate(x)\n}"))


if __name__ == "__main__":
    unittest.main()
