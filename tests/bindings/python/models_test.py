# SPDX-License-Identifier: Apache-2.0
"""Random numbers, parts of models, and every composite by its name."""

import ctypes
import json
import unittest
from typing import Any

import indim
import numpy
from indim._library import bytes_of, lib

COUNT = 20000


def drawn(draw: Any, *more: Any, algorithm: str = "three_fry", seed: int = 42) -> Any:
    """What draw(b, state, *parameters) gives, for the values of `more`."""
    b = indim.Builder("f")
    state = b.random_state(seed, algorithm)
    parameters = [b.parameter(argument) for argument in more]
    return b.build(list(draw(b, state, *parameters))).eval(*more)


class RandomNumbers(unittest.TestCase):
    def test_moments(self) -> None:
        for algorithm in ("three_fry", "philox"):
            for of, low, high in (("f32", -1.0, 3.0), ("f64", 0.0, 1.0), ("bf16", 0.0, 1.0), ("f16", 2.0, 4.0)):
                with self.subTest(algorithm=algorithm, of=of):
                    made, _ = drawn(lambda b, s: b.random_uniform(s, f"{of}[{COUNT}]", low, high), algorithm=algorithm)
                    made = made.astype("float64")
                    self.assertGreaterEqual(made.min(), low)
                    self.assertLessEqual(made.max(), high)
                    self.assertAlmostEqual(made.mean(), (low + high) / 2, delta=0.02 * (high - low))
                    self.assertAlmostEqual(made.var(), (high - low) ** 2 / 12, delta=0.03 * (high - low) ** 2)
                    made, _ = drawn(lambda b, s: b.random_normal(s, f"{of}[{COUNT}]", 1.0, 2.0), algorithm=algorithm)
                    off = (made.astype("float64") - 1) / 2
                    for power, moment, delta in ((1, 0, 0.05), (2, 1, 0.05), (3, 0, 0.1), (4, 3, 0.25)):
                        self.assertAlmostEqual((off**power).mean(), moment, delta=delta)

    def test_states(self) -> None:
        def twice(b: indim.Builder, state: indim.Value) -> Any:
            first, state = b.random_uniform(state, "f32[100]")
            second, state = b.random_uniform(state, "f32[100]")
            return first, second, state

        first, second, state = drawn(twice)
        again, _, _ = drawn(twice)
        other, _, _ = drawn(twice, seed=2**64 - 1)
        numpy.testing.assert_array_equal(first, again)
        self.assertFalse((first == second).any())
        self.assertFalse((first == other).any())
        self.assertEqual(state.dtype, numpy.uint64)

    def test_dropout(self) -> None:
        x = numpy.ones(COUNT, numpy.float32)
        made, _ = drawn(lambda b, s, x: b.dropout(s, x, 0.25), x)
        self.assertEqual(sorted(set(made.tolist())), [0.0, numpy.float32(1 / 0.75)])
        self.assertAlmostEqual((made == 0).mean(), 0.25, delta=0.02)

    def test_categories(self) -> None:
        logits = numpy.tile(numpy.log(numpy.array([0.1, 0.2, 0.7], numpy.float32)), (COUNT, 1))
        made, _ = drawn(lambda b, s, x: b.random_categorical(s, x), logits)
        for category, share in enumerate((0.1, 0.2, 0.7)):
            self.assertAlmostEqual((made == category).mean(), share, delta=0.02)


class Layers(unittest.TestCase):
    def test_beside_numpy(self) -> None:
        rng = numpy.random.default_rng(1)
        x = rng.normal(size=(2, 4, 6)).astype("float32")
        scale, offset = rng.normal(size=6).astype("float32"), rng.normal(size=6).astype("float32")
        labels = numpy.array([[1, 5, -1, 0], [2, 2, 3, 4]], numpy.int32)
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        logs = x - numpy.log(numpy.exp(x).sum(-1, keepdims=True))
        picked = numpy.take_along_axis(logs, labels.clip(0)[..., None], -1)[..., 0]
        weights = numpy.exp(logs)
        cases: "list[tuple[Any, Any]]" = [
            (lambda b, x, s, o, i: b.layer_norm(x, s, o), (x - mean) / numpy.sqrt(var + 1e-5) * scale + offset),
            (lambda b, x, s, o, i: b.rms_norm(x, s), x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale),
            (lambda b, x, s, o, i: b.cross_entropy(x, i), numpy.where(labels < 0, 0, -picked)),
            (lambda b, x, s, o, i: b.soft_cross_entropy(x, b.softmax(x)), -(weights * logs).sum(-1)),
            (lambda b, x, s, o, i: b.soft_cross_entropy(x, x, axis=(1, 2)).reshape(2), None),
            (lambda b, x, s, o, i: b.max_pool(x, (1, 2, 3), (1, 2, 3)), x.reshape(2, 2, 2, 2, 3).max((2, 4))),
            (lambda b, x, s, o, i: b.avg_pool(x, (1, 2, 3), (1, 2, 3)), x.reshape(2, 2, 2, 2, 3).mean((2, 4))),
            (lambda b, x, s, o, i: b.avg_pool(x, (1, 1, 1), padding="SAME"), x),
        ]
        for function, want in cases:
            with self.subTest(line=function.__code__.co_firstlineno):
                b = indim.Builder("f")
                arguments = (x, scale, offset, labels)
                module = b.build(function(b, *[b.parameter(argument) for argument in arguments]))
                module.check().raise_for_errors()
                got = module.eval(*arguments)
                if want is not None:
                    numpy.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)

    def test_optimizers(self) -> None:
        rng = numpy.random.default_rng(2)
        w, g, m = (rng.normal(size=(3, 4)) for _ in range(3))
        v, step, rate = m * m, 4, 0.1
        velocity, mean, square = g + 0.9 * m, 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        change = mean / (1 - 0.9**5) / (numpy.sqrt(square / (1 - 0.999**5)) + 1e-8)
        cases: "list[tuple[Any, Any]]" = [
            (lambda b, w, g, m, v: b.sgd(w, g, m, rate), (w - rate * velocity, velocity)),
            (lambda b, w, g, m, v: b.sgd(w, g, m, rate, nesterov=True), (w - rate * (g + 0.9 * velocity), velocity)),
            (lambda b, w, g, m, v: b.adam(w, g, m, v, step, b.constant(rate, "f64")), (w - rate * change, mean, square)),
            (lambda b, w, g, m, v: b.adam_w(w, g, m, v, step, rate, 0.5), (w - rate * (change + w / 2), mean, square)),
        ]
        for dtype, near in (("float64", 1e-12), ("float32", 1e-5)):
            for function, want in cases:
                with self.subTest(line=function.__code__.co_firstlineno, dtype=dtype):
                    b = indim.Builder("f")
                    arguments = [array.astype(dtype) for array in (w, g, m, v)]
                    made = function(b, *[b.parameter(argument) for argument in arguments])
                    for got, wanted in zip(b.build(b.tuple(*made)).eval(*arguments), want):
                        self.assertEqual(got.dtype, dtype)
                        numpy.testing.assert_allclose(got, wanted, rtol=near, atol=near)


class Composites(unittest.TestCase):
    def test_all_have_a_name(self) -> None:
        made = ctypes.c_void_p()
        self.assertIsNone(lib.indim_composite_table_json(ctypes.byref(made)))
        rows = json.loads(bytes_of(made.value))["composites"]
        self.assertGreater(len(rows), 90)
        for row in rows:
            b = indim.Builder("f")
            with self.subTest(row["name"]):
                if any(not p["operand"] and "default" not in p for p in row["parameters"]):
                    continue
                operands = [b.parameter("f32[2,2]") for p in row["parameters"] if p["operand"]]
                try:
                    for made_value in b.composites(row["name"], *operands):
                        self.assertIsInstance(made_value, indim.Value)
                except indim.InvalidArgument as error:
                    # Not of floats, or not of two such operands: by a diagnostic of the composite's own.
                    self.assertNotEqual(error.code, "IND1300", str(error))

    def test_arguments(self) -> None:
        b = indim.Builder("f")
        x = b.parameter("f32[2,3]")
        self.assertEqual(b.composite("full_like", x, value=float("-inf")).type, "f32[2,3]")
        self.assertEqual(b.composite("full_like", b.zeros(2, "u64"), value=2**64 - 1).type, "u64[2]")
        self.assertEqual(len(b.composites("split", x, count=3, dim=-1)), 3)
        with self.assertRaises(indim.InvalidArgument) as caught:
            b.composite("softmax", x, dim=[0])
        self.assertIn('did you mean "dims"', str(caught.exception))


if __name__ == "__main__":
    unittest.main()
