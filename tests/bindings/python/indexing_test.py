# SPDX-License-Identifier: Apache-2.0
"""x[index]: as numpy has it, for random indices of every form."""

import random
import unittest

import indim
import numpy

SHAPE = (3, 4, 2)
X = numpy.arange(24, dtype=numpy.float32).reshape(SHAPE)
E = numpy.zeros((2, 0, 3), numpy.float32)


def ours(function, *arrays):
    return indim.build(function, *arrays).eval(*arrays)


class Indices(unittest.TestCase):
    def check_one(self, x: numpy.ndarray, index: object) -> None:
        with self.subTest(shape=x.shape, index=index):
            try:
                expected = x[index]
            except IndexError:
                with self.assertRaises(IndexError) as caught:
                    ours(lambda v: v[index], x)
                self.assertIsInstance(caught.exception, indim.Error)
                return
            found = ours(lambda v: v[index], x)
            self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
            numpy.testing.assert_array_equal(found, expected)

    def test_by_hand(self) -> None:
        mask = numpy.array([True, False, True])
        for index in [
            [0, 2], [-1, 0, 0], ([0, 2], slice(1, 3)), ([0, 1], [1, 2]), (0, [0, 3]), ([0, 2], 1), ([2, 0], slice(None), 1),
            (1, slice(None), [0, 1]), (slice(None), [3, 0]), (..., [1, 0]), (None, [0, 1]), ([0, 1], None), ([0, 1], None, [1, 2]),
            mask, [True, False, False], (mask, 0), (slice(None), numpy.array([True, False, True, True])), (mask, [1, 3]),
            X[..., 0] > 5, X > 3, numpy.array([[0, 1], [2, 2]]), (numpy.array([[0], [1]]), numpy.array([[0, 3]])), [], ([], slice(0, 2)),
            slice(None, None, -1), (slice(2, 0, -1), slice(None, None, -2)), slice(0, 2, -1), slice(5, 1), (slice(-1, -4, -2), [1]),
            numpy.int64(1), numpy.array(1), (numpy.array(-2), ...), numpy.array([True, True, True]), (), ..., None, (..., None),
            (None, 0, [True, False, True, True], ..., [0, 1, 1]), ([0, 1], ..., 1, 0), (0, ..., 1, [1]), (..., [1], 0, 1),
            [3], [-4], (0, 0, 2), (0, 0, 0, 0), numpy.array([True]), ([0, 1], [0, 1, 2]),
        ]:  # fmt: skip
            self.check_one(X, index)
        for index in [0, [0], [0, 1], slice(1), (slice(None), slice(0)), (slice(None, None, -1), slice(None), 1), (0, [])]:
            self.check_one(E, index)

    def test_random(self) -> None:
        draw = random.Random(7)

        def part(size: int) -> object:
            kind = draw.randrange(6)
            if kind == 0:
                return draw.randrange(-size - 1, size + 1) if draw.random() < 0.1 else draw.randrange(-size, size)
            if kind == 1:
                ends = [draw.choice([None, *range(-size - 1, size + 2)]) for _ in range(2)]
                return slice(*ends, draw.choice([None, 1, 2, 3, -1, -2]))
            if kind == 2:
                return [draw.randrange(-size, size) for _ in range(2)]
            if kind == 3:
                return numpy.array([[draw.randrange(-size, size)] for _ in range(3)])
            if kind == 4:
                return numpy.array([draw.random() < 0.6 for _ in range(size)])
            return slice(None)

        for _ in range(300):
            parts = [part(size) for size in SHAPE[: draw.randrange(4)]]
            if draw.random() < 0.3:
                parts.insert(draw.randrange(len(parts) + 1), None)
            if draw.random() < 0.2:
                parts.insert(draw.randrange(len(parts) + 1), ...)
            self.check_one(X, tuple(parts))

    def test_at_run_time(self) -> None:
        i = numpy.array([1, -1, 0], numpy.int32)
        one = numpy.array(-2, numpy.int32)
        small = numpy.array([-1, 2], numpy.int8)
        cases = [
            (lambda x, i: x[i], X[i], i),
            (lambda x, i: x[:, i], X[:, i], i),
            (lambda x, i: x[i, 1], X[i, 1], i),
            (lambda x, i: x[i, :, 1], X[i, :, 1], i),
            (lambda x, i: x[i, [0, 1, 2]], X[i, [0, 1, 2]], i),
            (lambda x, i: x[i.reshape(3, 1), i], X[i.reshape(3, 1), i], i),
            (lambda x, i: x[i], X[one], one),
            (lambda x, i: x[0, i, None], X[0, one, None], one),
            (lambda x, i: x[i, 1:3, i], X[one, 1:3, one], one),
            (lambda x, i: x[i], X[small], small),
            (lambda x, i: x[i, :, i], X[numpy.uint8(1), :, numpy.uint8(1)], numpy.array(1, numpy.uint8)),
            # Outside: the nearest inside, as jax has it.
            (lambda x, i: x[i], X[[2, 0]], numpy.array([9, -9], numpy.int32)),
        ]
        for function, expected, places in cases:
            found = ours(function, X, places)
            self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
            numpy.testing.assert_array_equal(found, expected)

    def test_slices_at_run_time(self) -> None:
        """Starts below 0 count from the end, as jax.lax has it; where they aren't allowed they are 0, as in HLO."""
        update = numpy.full((1, 2, 2), 9, numpy.float32)
        updated = X.copy()
        updated[2:, 1:3] = update
        for of in (numpy.int32, numpy.int64, numpy.int8, numpy.uint8):
            below = -2 if of(0) - 1 < 0 else 2
            i = numpy.array(below, of)
            cases = [
                (lambda x, i: x.builder.dynamic_slice(x, [i - i, i, i - i], (2, 2, 1)), X[:2, 2:, :1]),
                (lambda x, i: x.builder.dynamic_slice(x, [-1, i, numpy.int64(0)], (1, 2, 2)), X[2:, 2:]),
                (lambda x, i: x.builder.dynamic_slice(x, [i, 0, 0], (1, 4, 2), allow_negative_indices=False), X[:1] if below < 0 else X[2:]),
                (lambda x, i: x.builder.dynamic_update_slice(x, update, [-1, 1, i + 2 if below < 0 else i - 2]), updated),
            ]
            for function, expected in cases:
                with self.subTest(of=of, line=function.__code__.co_firstlineno):
                    numpy.testing.assert_array_equal(ours(function, X, i), expected)
        b = indim.Builder("f")
        x, i = b.parameter("f32[n,4]", "x"), b.parameter("s32[]", "i")
        module = b.build(b.dynamic_slice(x, [i, 0], (2, 4)))
        numpy.testing.assert_array_equal(module.eval(X[..., 0], numpy.int32(-2)), X[1:, :, 0])

    def test_values_go_into_parts(self) -> None:
        b = indim.Builder("f")
        x = b.parameter("f32[2,6]")
        values, places = b.top_k(x, 2)
        first, second = x
        module = b.build([values, places, first, second])
        given = numpy.array([[3, 1, 4, 1, 5, 9], [2, 7, 1, 8, 2, 8]], numpy.float32)
        got = module.eval(given)
        numpy.testing.assert_array_equal(got[0], [[9, 5], [8, 8]])
        numpy.testing.assert_array_equal(got[1], [[5, 4], [3, 5]])
        numpy.testing.assert_array_equal(got[2], given[0])
        numpy.testing.assert_array_equal(got[3], given[1])


class Layouts(unittest.TestCase):
    def test_dim_labels_as_other_packages_write_them(self) -> None:
        for labels, text in [
            ("NHWC,HWIO->NHWC", "b01f_01io->b01f"),
            (("NCHW", "OIHW", "NCHW"), "bf01_oi01->bf01"),
            (("NHWC", "HWIO", "NCHW"), "b01f_01io->bf01"),
            ("NWHC,HWIO->NHWC", "b10f_01io->b01f"),
            ("NCW,WIO->NCW", "bf0_0io->bf0"),
            ("NDHWC,DHWIO->NDHWC", "b012f_012io->b012f"),
            ("b01f_01io->b01f", "b01f_01io->b01f"),
        ]:
            with self.subTest(labels):
                b = indim.Builder("f")
                spatial = text.count("0") and sum(c.isdigit() for c in text.split("_")[0])
                shape = {"b": 2, "f": 3, "i": 3, "o": 5}
                x = b.parameter(f"f32[{','.join(str(shape.get(c, 8)) for c in text.split('_')[0])}]", "x")
                w = b.parameter(f"f32[{','.join(str(shape.get(c, 3)) for c in text.split('_')[1].split('->')[0])}]", "w")
                y = b.convolution(x, w, dim_labels=labels, window="{size=" + "x".join("3" * spatial) + "}")
                self.assertIn(f"dim_labels={text}", b.build(y).to_text())


if __name__ == "__main__":
    unittest.main()
