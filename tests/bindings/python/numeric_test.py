# SPDX-License-Identifier: Apache-2.0
"""Functions that jax.numpy and jax.nn have, beside numpy's."""

import unittest
from typing import Any, Callable

import indim
import numpy

X = numpy.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.0]], numpy.float32)
PLACES = numpy.array([2, 0, 7, -1], numpy.int32)


def softmax(x: Any, axis: int) -> Any:
    powers = numpy.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


class Functions(unittest.TestCase):
    def check_all(self, cases: "list[tuple[Callable[..., Any], Any]]", *arguments: Any, rule: str = "xla") -> None:
        """Each function of a builder and values, beside what it gives."""
        for function, want in cases:
            with self.subTest(line=function.__code__.co_firstlineno):
                b = indim.Builder("f", broadcasting=rule)
                values = [b.parameter(argument) for argument in arguments]
                module = b.build(function(b, *values))
                module.check().raise_for_errors()
                got = module.eval(*arguments)
                want = numpy.asarray(want)
                self.assertEqual(got.shape, want.shape)
                numpy.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-6)

    def test_types_meet_before_or_after(self) -> None:
        """-2 is 65534 in the unsigned type of the other operand, and 0 isn't 0 in f8e8m0fnu, which has no 0."""
        cases: "list[tuple[Callable[..., Any], Any]]" = [
            (lambda b, x, y: b.arctan2(b.full((2,), -2), x), numpy.arctan2(-2, [1, 3])),
            (lambda b, x, y: b.atan2(b.full((2,), -2), x), numpy.arctan2(65534, [1, 3])),
            (lambda b, x, y: b.logical_and(y, y.astype("f8e8m0fnu")), [True, True]),
            (lambda b, x, y: b.logical_and(y, x), [False, True]),
        ]
        self.check_all(cases, numpy.array([1, 3], numpy.uint16), numpy.array([0, 2], numpy.int32))

    def test_powers_that_the_type_lacks(self) -> None:
        """257 is 256 in bf16, 9 is 8 in f8e5m2, and s8 has no 300."""
        cases: "list[tuple[Callable[..., Any], Any]]" = [
            (lambda b, x, i: (x.astype("bf16") ** 257).astype("f32"), [-1, 1, 0, 0]),
            (lambda b, x, i: (x.astype("bf16") ** -257).astype("f32"), [-1, 1, -numpy.inf, numpy.inf]),
            (lambda b, x, i: (x.astype("f16") ** 2049).astype("f32"), [-1, 1, 0, 0]),
            (lambda b, x, i: (x.astype("f8e5m2") ** 9).astype("f32"), [-1, 1, -(2.0**-9), 2.0**-9]),
            (lambda b, x, i: x ** (2**24 + 1), [-1, 1, 0, 0]),
            (lambda b, x, i: i**301, [-1, 1, 0, 83]),
        ]
        self.check_all(cases, numpy.array([-1, 1, -0.5, 0.5], numpy.float32), numpy.array([-1, 1, 2, 3], numpy.int8))

    def test_numbers_of_numpy(self) -> None:
        """A float64 is one of 64 bits beside others of them, and else of 32; it isn't weakly typed."""
        third = numpy.float64(1) / 3
        for of, want in (("f32", "f32"), ("bf16", "f32"), ("s8", "f32"), ("f64", "f64"), ("s64", "f64"), ("u64", "f64"), ("c64", "c64")):
            b = indim.Builder("f")
            x = b.parameter(f"{of}[]")
            for made in (x * third, third - x, b.where(x == x, x, third)):
                self.assertEqual((made.dtype, made.weak_type), (want, False))
            if want == "f64":
                self.assertEqual(b.build(x * third).eval(1), third)

    def test_of_floats(self) -> None:
        cases: "list[tuple[Callable[..., Any], Any]]" = [
            (lambda b, x: b.where(x > 0, x, 0.0), numpy.where(X > 0, X, 0)),
            (lambda b, x: b.where(x > 0, x, x[0]), numpy.where(X > 0, X, X[0])),
            (lambda b, x: b.clip(x, -1.0, 2.0), X.clip(-1, 2)),
            (lambda b, x: b.relu(x), numpy.maximum(X, 0)),
            (lambda b, x: b.tile(x, (2, 1, 3)), numpy.tile(X, (2, 1, 3))),
            (lambda b, x: b.arange(7, 1, -2), numpy.arange(7, 1, -2)),
            (lambda b, x: b.arange(7, 1, -2, "u8"), numpy.arange(7, 1, -2)),
            (lambda b, x: b.reduce_and(b.constant([7, 14, 6])), 6),
            (lambda b, x: b.reduce_or(b.constant([1, 4, -8]), keepdims=True), [-3]),
            (lambda b, x: b.constant([2, -3, 0, 0, 5]) ** b.constant([5, 3, 0, 2, 1]), [32, -27, 1, 0, 5]),
            (lambda b, x: b.sigmoid(x), 1 / (1 + numpy.exp(-X))),
            (lambda b, x: b.silu(x), X / (1 + numpy.exp(-X))),
            (lambda b, x: b.softmax(x), softmax(X, -1)),
            (lambda b, x: b.softmax(x, axis=0), softmax(X, 0)),
            (lambda b, x: b.log_softmax(x), numpy.log(softmax(X, -1))),
            (lambda b, x: b.logsumexp(x), numpy.log(numpy.exp(X).sum())),
            (lambda b, x: b.logsumexp(x, axis=1, keepdims=True), numpy.log(numpy.exp(X).sum(1, keepdims=True))),
            (lambda b, x: x.var(), X.var()),
            (lambda b, x: x.std(axis=0, keepdims=True), X.std(0, keepdims=True)),
            (lambda b, x: x.cumsum(0), X.cumsum(0)),
            (lambda b, x: x.cumsum(-1), X.cumsum(-1)),
            (lambda b, x: x.argmax(1), X.argmax(1)),
            (lambda b, x: x.argmin(0), X.argmin(0)),
            (lambda b, x: b.stack([x, x + x]), numpy.stack([X, X + X])),
            (lambda b, x: b.stack([x, x], axis=-1), numpy.stack([X, X], -1)),
            (lambda b, x: b.squeeze(b.expand_dims(x, 0)), X),
            (lambda b, x: x[:1].squeeze(0), X[0]),
            (lambda b, x: x.swapaxes(0, -1), X.swapaxes(0, -1)),
            (lambda b, x: x.flatten(), X.flatten()),
            (lambda b, x: x.dot(x.T), X @ X.T),
            (lambda b, x: b.tile(x, 2), numpy.tile(X, 2)),
            (lambda b, x: b.tile(x, (3, 1, 2)), numpy.tile(X, (3, 1, 2))),
            (lambda b, x: b.tile(x, (2, 1)), numpy.tile(X, (2, 1))),
            (lambda b, x: b.zeros((2, 3)) + b.ones("f32[2,3]") + b.full((2, 3), 2.5), numpy.full((2, 3), 3.5)),
            (lambda b, x: b.zeros(4), numpy.zeros(4)),
            (lambda b, x: b.arange(5), numpy.arange(5)),
            (lambda b, x: b.arange(7, 1, -2), numpy.arange(7, 1, -2)),
            (lambda b, x: b.arange(2, 9, 3, "f32"), numpy.arange(2, 9, 3)),
        ]
        self.check_all(cases, X)
        self.check_all(cases, X, rule="numpy")
        self.check_all(cases[2:], X, rule="none")  # there x > 0 isn't one

    def test_places(self) -> None:
        nan = numpy.nan
        self.check_all(
            [
                (lambda b, x, i: b.take(x, i), [3, 1.5, nan, -6]),
                (lambda b, x, i: b.take(x, i, axis=0), [[nan] * 3, X[0], [nan] * 3, X[1]]),
                (lambda b, x, i: x.take(i, axis=1), numpy.stack([X[:, 2], X[:, 0], [nan] * 2, X[:, 2]], 1)),
                (lambda b, x, i: b.take(x, i.reshape(2, 2), axis=-1, mode="clip"), X[:, [[2, 0], [2, 0]]]),
                (lambda b, x, i: b.take(x, i, axis=0, mode="wrap"), X[[0, 0, 1, 1]]),
                (lambda b, x, i: b.take(x, i[1], 0), X[0]),
                (lambda b, x, i: b.take_along_axis(x, i[:2].reshape(2, 1), 1), [[3.0], [0.25]]),
                (lambda b, x, i: b.one_hot(i, 3), (PLACES[:, None] == numpy.arange(3)).astype("float32")),
            ],
            X,
            PLACES,
        )

    def test_bits(self) -> None:
        for dtype in ("int32", "uint8", "bool"):
            array = numpy.array([[7, 5, 4], [6, 7, 15]]).astype(dtype)
            with self.subTest(dtype):
                self.check_all(
                    [
                        (lambda b, x: b.reduce_and(x, axis=1), numpy.bitwise_and.reduce(array, 1)),
                        (lambda b, x: b.reduce_or(x, axis=(0, -1), keepdims=True), [[numpy.bitwise_or.reduce(array, (0, 1))]]),
                    ],
                    array,
                )

    def test_extremes(self) -> None:
        for row in ([1, 1, 0], [numpy.nan, 2, numpy.nan], [2, numpy.nan, 3], [-numpy.inf] * 3, [numpy.inf] * 3, [0.0, -0.0, 0.0]):
            array = numpy.array(row, numpy.float32)
            with self.subTest(str(row)):
                self.check_all(
                    [(lambda b, x: x.argmax(0), array.argmax()), (lambda b, x: x.argmin(0), array.argmin())], array
                )
        for dtype in ("int8", "uint16", "int64", "bool"):
            array = numpy.array([0, 1, 1, 0]).astype(dtype)
            with self.subTest(dtype):
                self.check_all(
                    [(lambda b, x: x.argmax(0), array.argmax()), (lambda b, x: x.argmin(0), array.argmin())], array
                )
        huge = numpy.array([1000, 1000], numpy.float32)
        self.check_all([(lambda b, x: b.logsumexp(x), 1000 + numpy.log(2)), (lambda b, x: b.softmax(x), [0.5, 0.5])], huge)
        none = numpy.array([-numpy.inf] * 2, numpy.float32)
        self.check_all([(lambda b, x: b.logsumexp(x), -numpy.inf)], none)

    def test_wrong_ones(self) -> None:
        b = indim.Builder("f")
        x = b.parameter(X)
        for call, error in (
            (lambda: numpy.asarray(x), TypeError),
            (lambda: x.squeeze(0), ValueError),
            (lambda: x.argmax(2), ValueError),
            (lambda: b.parameter("f32[0]").argmax(0), ValueError),
            (lambda: b.stack([x, x[0]]), indim.InvalidArgument),
        ):
            with self.subTest(line=call.__code__.co_firstlineno), self.assertRaises(error):
                call()


if __name__ == "__main__":
    unittest.main()
