# SPDX-License-Identifier: Apache-2.0
"""The builder: operators, functions, control flow, errors with their lines."""

import unittest

import indim
import numpy
from support import line


def run(function, *arrays, broadcasting="xla"):
    """A function of values, built, checked and evaluated."""
    module = indim.build(function, *arrays, broadcasting=broadcasting)
    module.check().raise_for_errors()
    return module.eval(*arrays)


X = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
Y = numpy.array([[3, 1, 2], [5, 4, 6]], dtype=numpy.float32)
I = numpy.array([[3, 1, 2], [5, 4, 6]], dtype=numpy.int32)


class Programs(unittest.TestCase):
    def test_agree_with_numpy(self) -> None:
        cases = [
            ("operators", lambda x, y: (x + y) * x - y / 2.0, (X, Y)),
            ("numbers on the left", lambda x: 1.0 - 2.0 * x, (X,)),
            ("power", lambda x: (x + 1) ** 2.0, (X,)),
            ("negation", lambda x: -x, (X,)),
            ("abs", lambda x: abs(x - 2), (X,)),
            ("bits", lambda x: (x & 3) | (x ^ 1), (I,)),
            ("comparisons", lambda x, y: (x < y) | (x >= y), (X, Y)),
            ("equality", lambda x, y: x == y, (X, X)),
            ("inequality", lambda x, y: x != y, (X, Y)),
            ("matmul", lambda x, y: x @ y.T, (X, Y)),
            ("stacks of matrices", lambda x, y: x @ y, (numpy.stack([X, Y]), numpy.stack([X.T, Y.T]))),
            ("vectors", lambda x, y: x @ y, (X[0], Y[0])),
            ("reshape", lambda x: x.reshape(3, -1), (X,)),
            ("transpose", lambda x: x.transpose(1, 0), (X,)),
            ("sum", lambda x: x.sum(), (X,)),
            ("sum of an axis", lambda x: x.sum(axis=-1, keepdims=True), (X,)),
            ("max", lambda x: x.max(0), (Y,)),
            ("min of integers", lambda x: x.min(1), (I,)),
            ("mean", lambda x: x.mean(1), (Y,)),
            ("prod", lambda x: x.prod(0), (Y,)),
            ("index", lambda x: x[1], (X,)),
            ("negative index", lambda x: x[-1, -2], (X,)),
            ("slices", lambda x: x[:, 1:3], (X,)),
            ("steps", lambda x: x[..., ::2], (X,)),
            ("new dims", lambda x: x[:, None, 1], (X,)),
            ("astype", lambda x: x.astype(numpy.int32) if isinstance(x, numpy.ndarray) else x.astype("s32"), (X,)),
        ]
        for name, function, arrays in cases:
            with self.subTest(name):
                expected = numpy.asarray(function(*arrays))
                found = run(function, *arrays)
                self.assertEqual(found.shape, expected.shape)
                self.assertEqual(found.dtype, expected.dtype)
                numpy.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_broadcasting_is_named(self) -> None:
        row = X[0]
        with self.assertRaises(indim.InvalidArgument) as caught:
            run(lambda x, r: x + r, X, row)
        self.assertEqual(caught.exception.code, "IND0007")
        numpy.testing.assert_array_equal(run(lambda x, r: x + r, X, row, broadcasting="numpy"), X + row)
        numpy.testing.assert_array_equal(run(lambda x, r: x.builder.add(x, r, rule="numpy"), X, row), X + row)
        numpy.testing.assert_array_equal(run(lambda x, r: x.builder.add(x, r, broadcast_dimensions=[1]), X, row), X + row)
        b = indim.Builder("f")
        x, r = b.parameter("f32[2,3]"), b.parameter("f32[3]")
        with b.broadcasting("numpy"):
            self.assertEqual((x + r).shape, (2, 3))
            self.assertEqual((x < r).dtype, "pred")
        with self.assertRaises(indim.InvalidArgument):
            x + r
        with self.assertRaisesRegex(ValueError, "numpy"):
            indim.Builder("f", broadcasting="guess")

    def test_functions(self) -> None:
        cases = [
            ("exp", lambda x: x.builder.exp(x), numpy.exp(X)),
            ("maximum", lambda x: x.builder.maximum(x, 2.0), numpy.maximum(X, 2)),
            ("select", lambda x: x.builder.select(x > 2.0, x, -x), numpy.where(X > 2, X, -X)),
            ("clamp", lambda x: x.builder.clamp(1.0, x, 3.0), numpy.clip(X, 1, 3)),
            ("concatenate", lambda x: x.builder.concatenate([x, x], -1), numpy.concatenate([X, X], -1)),
            ("broadcast_to", lambda x: x[0].broadcast_to(2, 3), numpy.broadcast_to(X[0], (2, 3))),
            ("broadcast_to of 1", lambda x: x[:, :1].broadcast_to(2, 3), numpy.broadcast_to(X[:, :1], (2, 3))),
            ("iota", lambda x: x.builder.iota("s32[2,3]", 1), numpy.broadcast_to(numpy.arange(3, dtype=numpy.int32), (2, 3))),
            ("full", lambda x: x.builder.full("f32[2]", 7), numpy.full(2, 7, numpy.float32)),
            ("reverse", lambda x: x.builder.reverse(x, dimensions=[0]), X[::-1]),
            ("constant", lambda x: x.builder.constant([[1, 2]], "s8"), numpy.array([[1, 2]], numpy.int8)),
            ("any", lambda x: (x > 4.0).any(), numpy.array(True)),
            ("all", lambda x: (x > 4.0).all(1), numpy.array([False, False])),
            ("add_op", lambda x: x.builder.add_op("reverse", x, dimensions=[1]), X[:, ::-1]),
            ("sort", lambda x: x.builder.sort(-x), numpy.sort(-X)),
            ("sort by a function", lambda x: x.builder.sort(x, lambda a, b: a > b), -numpy.sort(-X)),
            ("pad", lambda x: x.builder.pad(x, 9.0, [(1, 0), (0, 2)]), numpy.pad(X, [(1, 0), (0, 2)], constant_values=9)),
            ("pad between", lambda x: x.builder.pad(x[0], 0, [(0, 0, 1)]), numpy.array([0, 0, 1, 0, 2], numpy.float32)),
            ("tuples", lambda x: x.builder.tuple(x, x + 1.0)[1], X + 1),
            (
                "dynamic_update_slice",
                lambda x: x.builder.dynamic_update_slice(x, x[:1, :1] + 7.0, [1, 2]),
                numpy.where(numpy.arange(6).reshape(2, 3) == 5, 7, X).astype(numpy.float32),
            ),
            ("dynamic index", lambda x: x[x.builder.constant(1, "s32")], X[1]),
        ]
        for name, function, expected in cases:
            with self.subTest(name):
                found = run(function, X)
                self.assertEqual(found.dtype, expected.dtype)
                numpy.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_lambdas(self) -> None:
        cases = [
            ("while", lambda x: x.builder.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + x), 0, x)[1], X * 6),
            ("fori", lambda x: x.builder.fori_loop(0, 3, lambda i, s: s * 2.0, x), X * 8),
            ("cond", lambda x: x.builder.cond(x[0, 1] > 0.0, lambda v: v + x, lambda v: v, x), X * 2),
            ("switch", lambda x: x.builder.switch(1, [lambda: x, lambda: -x]), -X),
            ("call", lambda x: x.builder.call(lambda a, b: a * b, x, x), X * X),
            ("map", lambda x: x.builder.map(lambda a: a * a, x), X * X),
            ("reduce", lambda x: x.builder.reduce(x, 0.0, lambda a, b: a + b, [0]), X.sum(0)),
            (
                "reduce_window",
                lambda x: x.builder.reduce_window(x, float("-inf"), lambda a, b: x.builder.maximum(a, b), "{size=1x2}"),
                X[:, 1:],
            ),
        ]
        for name, function, expected in cases:
            with self.subTest(name):
                numpy.testing.assert_allclose(run(function, X), expected, rtol=1e-6)

    def test_equal_functions_of_elements_are_one_computation(self) -> None:
        b = indim.Builder("f")
        x = b.parameter("f32[2,3]", "x")
        i = b.parameter("s32[2,3]", "i")
        results = [b.reduce(x, 0.0, lambda p, q: p + q, [d]) for d in (0, 1)]
        results += [b.reduce(x, 0.0, lambda p, q: p + q, [0, 1])]  # written again
        results += [b.reduce(i, 0, lambda p, q: p + q, [0])]  # of another type
        results += [b.reduce(x, 0.0, lambda p, q: q + p, [0])]  # another function
        results += [b.sort(x), b.sort(-x), b.map(lambda p: p * p, x), b.map(lambda p: p * p, x)]
        results += [b.fusion(lambda p: -p, x), b.fusion(lambda p: -p, x)]  # each its own kernel
        module = b.build(results)
        module.check().raise_for_errors()
        # The entry, three sums, less, one or two squares, two kernels.
        self.assertIn(len(module.graph.computations), (8, 9))
        called = [c.number for instruction in module.graph for c in instruction.callees if instruction.opcode == "reduce"]
        self.assertEqual([called[0]] * 3, called[:3])
        self.assertEqual(len(set(called)), 3)
        got = module.eval(X, I)
        for found, expected in zip(got, [X.sum(0), X.sum(1), X.sum(), I.sum(0), X.sum(0), numpy.sort(X), numpy.sort(-X), X * X]):
            numpy.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_several_results(self) -> None:
        found = run(lambda x: (x.sum(), x.max()), X)
        self.assertEqual([float(value) for value in found], [15.0, 5.0])
        keys, values = run(lambda x, y: x.builder.sort([x, y]), Y, X)
        numpy.testing.assert_array_equal(keys, numpy.sort(Y))
        numpy.testing.assert_array_equal(values, numpy.take_along_axis(X, numpy.argsort(Y), -1))
        sums, ends = run(
            lambda x, y: x.builder.reduce([x, y], [0.0, 0.0], lambda a, b, c, d: (a + c, b + d), [0]), X, Y
        )
        numpy.testing.assert_array_equal(sums, X.sum(0))
        numpy.testing.assert_array_equal(ends, Y.sum(0))

    def test_named_sizes(self) -> None:
        b = indim.Builder("f")
        x = b.parameter("f32[n,4]")
        y = b.parameter("f32[4,m]")
        z = b.exp(x @ y).astype("bf16")
        self.assertEqual(str(z.type), "bf16[n,m]")
        self.assertEqual((z.shape, z.ndim, z.dtype), ((-1, -1), 2, "bf16"))
        with self.assertRaises(ValueError):
            z.size
        module = b.build(z)
        self.assertEqual(str(module.infer(n=8, m=2).result), "bf16[8,2]")

    def test_custom_calls(self) -> None:
        b = indim.Builder("f")
        x = b.parameter("f32[2]")
        module = b.build(b.custom_call("my \"target\"", x, result="f32[3]"))
        self.assertIn('custom_call_target="my \\"target\\""', module.to_text())
        self.assertEqual(str(module.result), "f32[3]")

    def test_what_compilers_make(self) -> None:
        b = indim.Builder("f")
        x, c = b.parameter("f32[2,3]", "x"), b.parameter("f32[3]", "c")
        fused = b.fusion(lambda a: a * 2.0 + 1.0, x)
        doubled, exponential = b.fusion(lambda a: (a * 2.0, b.exp(a)), x, kind="kInput")
        started = b.async_start(lambda a: a - 1.0, x, execution_thread="host")
        done = b.async_done(b.async_update(started))
        self.assertEqual(str(started.type), "((f32[2,3]), f32[2,3])")
        products, carry = b.scan(lambda row, total: (row * total, row + total), x, c)
        backwards, _ = b.scan(lambda row, total: (total, row + total), x, c, is_reverse=True)
        reduced = b.all_reduce_done(b.all_reduce_start(x, lambda p, q: p + q))
        module = b.build([fused, doubled, exponential, done, products, carry, backwards, reduced])
        module.check().raise_for_errors()
        self.assertIn('async_execution_thread="host"', module.to_text())
        zero = numpy.zeros(3, numpy.float32)
        wanted = [X * 2 + 1, X * 2, numpy.exp(X), X - 1, numpy.stack([X[0] * zero, X[1] * X[0]]), X.sum(0)]
        wanted += [numpy.stack([X[1], zero]), X]
        for got, want in zip(module.eval(X, zero), wanted):
            numpy.testing.assert_allclose(got, want, rtol=1e-6)
        with self.assertRaises(indim.InvalidArgument):
            b.fusion(lambda a: a + x, x)  # a value from outside

    def test_inline(self) -> None:
        square = indim.build(lambda x: x * x, "f32[2,3]")
        numpy.testing.assert_array_equal(run(lambda x: x.builder.inline(square, x) + x, X), X * X + X)

    def test_trees_of_results(self) -> None:
        x = numpy.array([1, 2], numpy.float32)
        loss = lambda a, b, c: (a * b * c).sum()  # noqa: E731
        with_aux = lambda a: ((a * a).sum(), {"a": a})  # noqa: E731
        cases = [
            (lambda a: (a, (a + 1, a + 2)), 1, [x, x + 1, x + 2]),
            (lambda a: [a, [a + 1, [a + 2]]], 1, [x, x + 1, x + 2]),
            (lambda a: {"b": a, "a": (a + 1, None, 2.0)}, 1, [x + 1, 2, x]),
            (lambda a: ((a,), a.builder.tuple(a, a)), 1, [x, (x, x)]),
            (lambda a: (a, numpy.ones(2, numpy.int32)), 1, [x, [1, 1]]),
            (lambda a: [[], None, {}], 1, []),
            (indim.value_and_grad(loss, argnums=(0, 2)), 3, [9, x * x, x * x]),
            (indim.value_and_grad(with_aux, has_aux=True), 1, [5, x, 2 * x]),
        ]
        for number, (function, parameters, wanted) in enumerate(cases):
            with self.subTest(number):
                got = indim.build(function, *["f32[2]"] * parameters).eval(*[x] * parameters)
                self.assertEqual(len(got), len(wanted))
                for one, want in zip(got, wanted):
                    numpy.testing.assert_array_equal(one, want)

    def test_names_and_parameters(self) -> None:
        module = indim.build(lambda left, right: (left + right).named("total"), "f32[2]", "f32[2]", name="f")
        self.assertEqual(module.graph.names, ["left", "right", "total"])
        self.assertEqual(module.name, "f")


class Errors(unittest.TestCase):
    def setUp(self) -> None:
        self.b = indim.Builder("f")
        self.x = self.b.parameter("f32[2,3]", "x")
        self.y = self.b.parameter("f32[4]", "y")

    def test_point_at_the_line(self) -> None:
        b, x, y = self.b, self.x, self.y
        calls = [
            lambda: (x + y, line())[0],
            lambda: b.dot(x, x),
            lambda: b.add_op("transpose", x, dimensions=[0, 0]),
            lambda: b.reshape(x, [7]),
            lambda: b.reduce(x, 0.0, lambda p, q: p < q, [0]),
            lambda: x.sum(axis=5) if False else b.concatenate([x, x], 5),
            lambda: b.iota("f32[2]", 3) if False else b.bitcast_convert(x, "f64[2,3]"),
            lambda: b.while_loop(lambda s: s, lambda s: s, x),
        ]
        for call in calls:
            with self.subTest(line=call.__code__.co_firstlineno), self.assertRaises(indim.Error) as caught:
                call()
            said = caught.exception.diagnostics[0]
            self.assertEqual(said.file, __file__)
            self.assertEqual(said.line, call.__code__.co_firstlineno)
            self.assertIn(f"{__file__}:{said.line}", str(caught.exception))

    def test_leave_the_builder_as_it_was(self) -> None:
        for _ in range(3):
            with self.assertRaises(indim.InvalidArgument):
                self.x + self.y
        module = self.b.build(self.x.sum() + self.y.sum())
        self.assertTrue(module.check().ok)

    def test_misuse(self) -> None:
        b, x = self.b, self.x
        other = indim.Builder("g").parameter("f32[2,3]")
        for call, error in [
            (lambda: x + other, ValueError),
            (lambda: b.add(x, other), ValueError),
            (lambda: bool(x < x), TypeError),
            (lambda: x + "a", TypeError),
            (lambda: {x: 1}, TypeError),
            (lambda: x[5], IndexError),
            (lambda: x[0, 0, 0], IndexError),
            (lambda: x.reshape(-1, 4), ValueError),
            (lambda: x.sum(axis=2), ValueError),
            (lambda: b.constant(300, "u8"), indim.Error),
            (lambda: b.parameter("f32[2"), indim.InvalidArgument),
            (lambda: b.add_op("ad", x, x), indim.Error),
            (lambda: b.parameter("f32[2]", number=0), indim.InvalidArgument),
        ]:
            with self.subTest(line=call.__code__.co_firstlineno), self.assertRaises(error):
                call()
        b.build(x)
        with self.assertRaises(indim.Error):
            x + x

    def test_an_exception_in_a_function_drops_its_region(self) -> None:
        def body(_: indim.Value) -> indim.Value:
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            self.b.call(body, self.x)

    def test_weak_types(self) -> None:
        """As jax has them: what comes of Python's numbers takes the type of what it meets. jax_test plays all of it."""
        b = indim.Builder("f", broadcasting="numpy")
        s32, bf16, f64, mask = (b.parameter(f"{of}[3]") for of in ("s32", "bf16", "f64", "pred"))
        half = s32 + 0.5
        self.assertEqual((half.dtype, half.weak_type), ("f32", True))
        for value, dtype, weak in [
            (half + bf16, "bf16", False),
            (bf16 + half, "bf16", False),
            (half * 2 + 1.0, "f32", True),
            (half + half, "f32", True),
            (half.astype("f32"), "f32", False),
            (half.sum(), "f32", False),
            (b.where(mask, half, 1.0), "f32", True),
            (b.where(mask, half, bf16), "bf16", False),
            (b.exp(half)[1:], "f32", True),
            (half + f64, "f64", False),
            (mask + 1, "s32", True),
            (s32 / 2, "f32", False),
            (half < bf16, "pred", False),
            (b.full(3, 0.5) + bf16, "bf16", False),
            (b.full(3, 0.5, "f32") + bf16, "f32", False),
            (b.constant(0.5) + bf16, "bf16", False),
            (b.constant([0.5, 1, 2]) + bf16, "f32", False),
            (b.fori_loop(0, 3, lambda i, v: v * 2, half), "f32", True),
            (b.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v), 0, bf16)[0], "s32", True),
            (b.cond(b.constant(True), lambda: half, lambda: s32.astype("f32")), "f32", False),
            (b.call(lambda v: v + 1, half), "f32", True),
            (b.reduce(half, 0.0, lambda x, y: x + y, [0]), "f32", True),
            (b.sort(half), "f32", True),
        ]:
            with self.subTest(value=str(value)):
                self.assertEqual((value.dtype, value.weak_type), (dtype, weak))

    def test_warnings(self) -> None:
        b = indim.Builder("f")
        x, y = b.parameter("f32[2]"), b.parameter("bf16[2]")
        self.assertEqual((x + y).dtype, "f32")  # jax's promotion
        self.assertEqual(b.diagnostics(), ())
        b.add_op("add", x, y)  # XLA's own
        self.assertEqual([d.severity for d in b.diagnostics()], ["warning"])
        strict = indim.Builder("f", strict_types=True)
        x, y = strict.parameter("f32[2]"), strict.parameter("bf16[2]")
        with self.assertRaises(indim.InvalidArgument):
            x + y


if __name__ == "__main__":
    unittest.main()
