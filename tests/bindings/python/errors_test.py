# SPDX-License-Identifier: Apache-2.0
"""What the package refuses itself: each place that raises, its code, its line, and fixes that work in Python."""

import ast
import pathlib
import pickle
import unittest
import warnings
from typing import Callable

import indim
import numpy
from indim import _library, _refusal, jax, meanings
from support import AFFINE, line

PACKAGE = pathlib.Path(indim.__file__).parent


class Things:
    """What wrong calls are made with."""

    def __init__(self) -> None:
        self.b = b = indim.Builder("main")
        self.x = b.parameter("f32[2,3]", "x")
        self.i = b.parameter("s32[4]", "i")
        self.n = b.parameter("f32[n,3]", "n")
        self.s = b.parameter("f32[]", "s")
        self.pair = b.tuple(self.x, self.s)
        self.other = indim.Builder("second").parameter("f32[2,3]", "z")
        self.module = indim.parse(AFFINE)
        self.editor = self.module.edit()
        self.strange = indim.Literal([1], "u4[1]")


class Capsule:
    def __dlpack__(self, **_: object) -> object:
        return 3


class Elsewhere:
    """Has a dtype that XLA doesn't."""

    dtype, shape = numpy.dtype("datetime64[s]"), (2,)


# A wrong call, and what of the message says what is wrong. Each place of the package that refuses has one.
CASES = [
    ("IND1350", lambda t: indim.Module(3), "Module takes an object of the library, not int"),
    ("IND1350", lambda t: t.x + "a", "add takes a value, a number or an array, not 'a'"),
    ("IND1350", lambda t: [1.0] + t.x, "to fix: b.constant([...])"),
    ("IND1350", lambda t: t.b.exp(numpy.exp), "not exp as operand 0"),
    ("IND1350", lambda t: numpy.exp(t.x), "numpy.exp takes arrays, not <indim.Value 0: f32[2,3] parameter>"),
    ("IND1350", lambda t: t.b.add(t.x, None), "not None as operand 1"),
    ("IND1350", lambda t: t.pair.sum(), "x[0], or b.get_tuple_element(x, index=0)"),
    ("IND1350", lambda t: t.x.named(3), "takes a text for name, not 3"),
    ("IND1350", lambda t: t.module.diff(None), "an indim.Module, not NoneType"),
    ("IND1350", lambda t: t.b.inline(t.x, t.x), "indim.read, indim.parse, indim.build or indim.from_jax"),
    ("IND1350", lambda t: t.b.parameter(numpy.float32), "a Shape or an array for a shape"),
    ("IND1350", lambda t: t.x.sum(axis="rows"), "integers for an axis, not 'rows'"),
    ("IND1350", lambda t: len(t.s), "len() takes an array with dims"),
    ("IND1350", lambda t: t.x["a"], "an index takes integers"),
    ("IND1350", lambda t: t.x[1.5], "not 1.5"),
    ("IND1350", lambda t: t.x[[0.5]], "not [0.5]"),
    ("IND1350", lambda t: t.x["a":], "not slice('a', None, None)"),
    ("IND1350", lambda t: t.x[t.s], 'to fix: index.astype("s32")'),
    ("IND1350", lambda t: t.pair[t.i], "takes integers"),
    ("IND1350", lambda t: t.b.parameter(3), "parameter takes a text, a Shape or an array for a shape, not int"),
    ("IND1350", lambda t: t.b.parameter([2, 3]), 'to fix: "f32[2,3]"'),
    ("IND1350", lambda t: t.b.reverse(t.x, dimensions=object()), "not object"),
    ("IND1350", lambda t: indim.Literal.of(object()), "arrays, buffers, numbers, lists and Literals"),
    ("IND1350", lambda t: indim.Literal(t.strange), "the literal itself"),
    ("IND1350", lambda t: indim.Literal([[1], ["a"]]), "lists of numbers"),
    ("IND1350", lambda t: indim.Literal.from_dlpack(Capsule()), "tensors that nobody has taken"),
    ("IND1350", lambda t: numpy.asarray(indim.Literal((1.0, 2))), "literal.elements"),
    ("IND1350", lambda t: indim.Literal(memoryview(b"ab").cast("c")), "of format 'c'"),
    ("IND1350", lambda t: indim.from_jax(lambda x: x), "jax.jit(f).lower(*arguments)"),
    ("IND1350", lambda t: indim.build(lambda x: None, "f32[2]"), "return the result"),
    ("IND1350", lambda t: indim.build(lambda x: (x, {"k": [x, "a"]}), "f32[2]"), "not 'a' at result[1]['k'][1]"),
    ("IND1350", lambda t: indim.build(lambda x: [[x], print], "f32[2]"), "not print at result[1]"),
    ("IND1350", lambda t: indim.build(lambda x: (y for y in [x]), "f32[2]"), "> at result  ["),
    ("IND1350", lambda t: t.b.call(lambda x: None, t.x), "not one that returns None"),
    ("IND1350", lambda t: indim.Literal.from_dlpack([1]), "something with __dlpack__, not list"),
    ("IND1350", lambda t: numpy.concatenate([t.x, t.x]), "numpy.concatenate takes arrays"),
    ("IND1350", lambda t: t.b.zeros(2, 3), "takes the name of an element type, or a dtype, not 3"),
    ("IND1350", lambda t: t.b.tile(t.x, ["2"]), "takes lists of numbers, not one with '2'"),
    ("IND1350", lambda t: t.b.tuple([t.x]), "not a list of values as operand 0"),
    ("IND1351", lambda t: t.x.sum(axis=(0, -2)), "each dim once"),
    ("IND1351", lambda t: t.x.reshape(-1, 4), "x.reshape(-1)"),
    ("IND1351", lambda t: t.b.cond(t.s, lambda: t.x, lambda: t.x), "x != 0"),
    ("IND1351", lambda t: t.b.switch(t.s, [lambda: t.x, lambda: t.x]), "must be of s32[]"),
    ("IND1351", lambda t: indim.Literal([1, 2, 3], "f32[2]"), 'to fix: "f32[3]"'),
    ("IND1351", lambda t: indim.Literal(numpy.zeros(3), "f32[3]"), 'to fix: array.astype("float32")'),
    ("IND1351", lambda t: t.b.pad(t.x, 0.0, [1, 1]), "[(1, 0), (0, 2)]"),
    ("IND1351", lambda t: t.b.constant(2**40, "s32"), "one that s32 has"),
    ("IND1351", lambda t: t.b.dynamic_slice(t.x, [0.5, 0], (1, 1)), "the number is 0.5, but must be one that s32 has"),
    ("IND1351", lambda t: t.b.full(3, float("nan"), "s8"), "the number is nan, but must be one that s8 has"),
    ("IND1351", lambda t: t.b.full_like(t.i, float("inf")), "the number is inf, but must be one that s32 has"),
    ("IND1351", lambda t: t.x.broadcast_to(2, 3, 4), "x.reshape(2, 3, 1).broadcast_to(2, 3, 4)"),
    ("IND0657", lambda t: t.x.squeeze(1), "only a static 1 can be removed"),
    ("IND1359", lambda t: t.b.zeros((2, 0)).argmax(1), "no elements along axis 1"),
    ("IND1350", lambda t: indim.grad(lambda x: x)(numpy.ones(3)), "values of a builder, not none"),
    ("IND1350", lambda t: indim.grad(lambda x: (x, x))(t.x), "a function that returns a scalar"),
    ("IND1350", lambda t: indim.grad(lambda x: x, has_aux=True)(t.x), "returns two values, its result and aux"),
    ("IND1358", lambda t: indim.grad(lambda x: x.sum(), argnums=1)(t.x), "argnums has 1, but got 1 positional argument"),
    ("IND1350", lambda t: indim.grad(lambda x: x.sum(), argnums="0")(t.x), "an integer or several for argnums"),
    ("IND1350", lambda t: indim.grad(lambda x: x.sum(), argnums=())(t.x), "an integer or more for argnums"),
    ("IND1351", lambda t: indim.grad(lambda x: x.sum(), argnums=(0, -1))(t.x), "each argument once"),
    ("IND1350", lambda t: indim.grad(lambda x: x.sum())(t.i), "floats for arguments, not s32[4]"),
    ("IND1350", lambda t: indim.grad(lambda x: (x * 1j).sum())(t.x), "holomorphic=True, or y.real"),
    ("IND1350", lambda t: indim.grad(lambda x: x)(t.x), "a function that returns a scalar, not f32[2,3]"),
    ("IND1350", lambda t: indim.grad(lambda x: x[1].sum())({1: t.x, "a": t.x}), "dicts whose keys have an order, not [1, 'a']"),
    ("IND1350", lambda t: indim.jvp(lambda x: x, t.x, (t.x,)), "tuples or lists of primals and of tangents"),
    ("IND1350", lambda t: indim.jvp(lambda x: x, (t.x,), (t.x, t.x)), "jvp takes a tree as (*,) is, not (*, *)"),
    ("IND1351", lambda t: indim.jvp(lambda x: x, (t.x,), (t.i,)), "the tangent of f32[2,3] is of s32[4], but must be of f32[2,3]"),
    ("IND1351", lambda t: indim.jvp(lambda x: x, (t.i,), (t.i,)), "must be of type float0"),
    ("IND1350", lambda t: indim.vjp(lambda x: x, t.x)[1]((t.x, t.x)), "vjp takes a tree as * is, not (*, *)"),
    ("IND1351", lambda t: indim.vjp(lambda x: x, t.x)[1](t.s), "the cotangent of f32[2,3] is of f32[]"),
    ("IND1359", lambda t: indim.custom_jvp(abs)(t.x), "abs has no rule yet"),
    ("IND1350", lambda t: indim.custom_jvp(lambda *, x: x)(x=t.x), "arguments that have a place, not x"),
    ("IND1350", lambda t: indim.custom_gradient(lambda x: x)(t.x), "its result and a function of cotangents"),
    ("IND1358", lambda t: indim.custom_gradient(lambda x: (x, lambda ct: (ct, ct)))(t.x), "for each of 1 argument, but got 2"),
    ("IND1351", lambda t: indim.custom_gradient(lambda x: (x, lambda ct: ct[0]))(t.x), "a cotangent of its rule is f32[3], but must be f32[2,3]"),
    ("IND1352", lambda t: t.module.gradient(loops="state"), 'loops="states"'),
    ("IND1352", lambda t: t.module.gradient("ww"), 'to fix: wrt="w"'),
    ("IND1352", lambda t: t.module.cost(by="opcod"), 'by="opcode"'),
    ("IND1359", lambda t: t.b.composite("split", t.x, count=2), 'b.composites("split", ...)'),
    ("IND1359", lambda t: t.x.astype("f8e5m2") + t.x.astype("f8e4m3fn"), "have no common type"),
    ("IND1359", lambda t: (t.x > 0) - (t.x > 1), "b.xor(x1, x2)"),
    ("IND1359", lambda t: -(t.x > 0), '-x.astype("s32")'),
    ("IND1359", lambda t: t.i ** -1, "integers have no power -1"),
    ("IND1359", lambda t: t.b.round(t.b.complex(t.x, t.x)), "b.complex(b.round(x.real), b.round(x.imag)) is jax's meaning"),
    ("IND1359", lambda t: t.b.isfinite(t.b.complex(t.x, t.x)), "b.isfinite(x.real) & b.isfinite(x.imag) is jax's meaning"),
    ("IND1359", lambda t: t.b.maximum(t.b.complex(t.x, t.x), 1), "b.where(x1 > x2, x1, x2) is jax's meaning"),
    ("IND1359", lambda t: t.b.sign(t.i.astype("u8")), "(x != 0).astype(x.dtype) is jax's meaning"),
    ("IND1359", lambda t: t.i.astype("s2") / 1, 'x.astype("f32"); HLO\'s division is b.div(x, y)'),
    ("IND1359", lambda t: t.b.isposinf(t.x.astype("f4e2m1fn")), 'b.isposinf(x.astype("f32"))'),
    ("IND1359", lambda t: t.b.one_hot(t.i.astype("s8"), 129), 'b.one_hot(x.astype("s32"), 129)'),
    ("IND1359", lambda t: t.b.arange(3, 1, 0), "the step isn't 0"),
    ("IND0102", lambda t: t.b.isnan(t.b.complex(t.x, t.x)), "b.isnan(x.real) | b.isnan(x.imag) is jax's meaning"),
    ("IND0204", lambda t: t.b.take_along_axis(t.x, t.i, 1), ": error: take_along_axis: s32[4] and f32[2,3]"),
    ("IND0102", lambda t: t.b.complex(t.x, t.x).max(), ": error: max: operand 0 is c64[2,3]"),
    ("IND0102", lambda t: t.b.composite("reduce_max", t.b.complex(t.x, t.x)), ": error: reduce_max: "),
    ("IND0102", lambda t: t.b.one_hot(t.x, 3), 'b.one_hot of x.astype("s32")'),
    ("IND0102", lambda t: t.b.einsum("i,i->", t.i > 0, t.i > 0), 'b.einsum of x.astype("s32"), which counts truths'),
    ("IND0102", lambda t: t.b.layer_norm(t.i, t.i, t.i), 'i.astype("f32") as operand 0: f32[4]'),
    ("IND0120", lambda t: t.b.tile(t.x, -1), "reps is -1, but must be at least 0"),
    ("IND1359", lambda t: t.x @ t.s, "a scalar has no rows"),
    ("IND1359", lambda t: round(t.x, 1), "to fix: b.round(x * 10) / 10"),
    ("IND1352", lambda t: t.b.compare(t.x, t.x, direction="<"), 'to fix: direction="LT"'),
    ("IND1359", lambda t: t.x << 1, 'x1.astype("s32")'),
    ("IND1359", lambda t: t.x & t.x, "f32 has no bits"),
    ("IND1359", lambda t: t.i ^ 1.5, "b.logical_xor(x1, x2)"),
    ("IND1359", lambda t: t.b.eye(3, k=1), "triangle_mask"),
    ("IND1359", lambda t: t.b.split(t.x, [2, 1]), "isn't ascending"),
    ("IND1359", lambda t: t.b.clip(t.b.complex(t.x, t.x), 0), "complex numbers have no order"),
    ("IND1359", lambda t: t.b.zeros((0, 2)).take(t.i, axis=0), "nothing to take along axis 0"),
    ("IND1359", lambda t: t.x.take(t.i, mode="raise"), '"fill", "clip" or "wrap"'),
    ("IND1359", lambda t: t.b.take_along_axis(t.x, t.i, None, mode="clip"), 'to fix: "fill"'),
    ("IND1359", lambda t: t.b.softmax(t.b.zeros(3, "s32")), 'b.softmax(x.astype("f32"))'),
    ("IND1359", lambda t: t.b.softmax(t.b.zeros(3, "s32"), axis=0), "softmax(x) doesn't do this: x is of s32"),
    ("IND1359", lambda t: t.b.subtract(t.b.zeros(3, "pred"), t.b.zeros(3, "pred")), "subtract(x1, x2) doesn't do this"),
    ("IND1351", lambda t: t.b.reverse(t.x, dimensions=slice(3)), "slice(0, 8)"),
    ("IND1351", lambda t: t.b.constant(2**70, "s64"), "one of 64 bits"),
    ("IND1351", lambda t: t.b.constant(numpy.zeros(2), "f32"), 'array.astype("float32")'),
    ("IND1351", lambda t: indim.Literal([300], "u8[1]"), "in 0..255, as u8 has it"),
    ("IND1351", lambda t: indim.Literal([1j], "f32[1]"), "c64 or c128"),
    ("IND1351", lambda t: indim.Literal([1], "(f32[1])"), "what (f32[1]) has"),
    ("IND1351", lambda t: indim.Literal([[1, 2], [3]]), "a list of 2"),
    ("IND1351", lambda t: t.module.graph.instruction(9), "in 0..3"),
    ("IND1351", lambda t: t.b.convolution(t.x, t.x, dim_labels="NCX,OIW->NCW"), "NHWC,HWIO->NHWC"),
    ("IND1351", lambda t: t.b.convolution(t.x, t.x, dim_labels=("NHWC", "HWIO")), "NHWC,HWIO->NHWC"),
    ("IND1351", lambda t: t.b.convolution(t.x, t.x, dim_labels="NHWC,HIO->NHWC"), "NHWC,HWIO->NHWC"),
    ("IND1351", lambda t: t.b.convolution(t.x, t.x, dim_labels=7), "NHWC,HWIO->NHWC"),
    ("IND1352", lambda t: indim.Shape.array("f31", [2]), 'to fix: "f32"'),
    ("IND1352", lambda t: t.x.astype("flot32"), 'to fix: "float32"'),
    ("IND1352", lambda t: indim.Builder(broadcasting="nunpy"), 'to fix: "numpy"'),
    ("IND1352", lambda t: indim.read("f.hlo", format="hol"), 'to fix: format="hlo"'),
    ("IND1352", lambda t: t.module.graph.find("yy"), 'to fix: graph.find("y")'),
    ("IND1352", lambda t: t.module.graph.find("d").parameter_number, "d is no parameter, but a dot"),
    ("IND1352", lambda t: indim.from_jax(jax_like(), form="mhlo"), 'form="stablehlo"'),
    ("IND1352", lambda t: t.editor.ref("yy"), 'to fix: "y"'),
    ("IND1350", lambda t: t.editor.erase(t.x), "to fix: editor.insert(at, value)"),
    ("IND1351", lambda t: t.editor.insert(t.editor.after("d"), t.x), "of this insertion"),
    ("IND1352", lambda t: t.x.exp(), "to fix: b.exp(x)"),
    ("IND1352", lambda t: t.x.reshap(3, 2), "to fix: x.reshape"),
    ("IND1352", lambda t: t.b.expp(t.x), "to fix: b.exp"),
    ("IND1353", lambda t: t.x.sum(axis=2), "axis 2 is outside f32[2,3], which has 2 dims"),
    ("IND1353", lambda t: t.s.sum(axis=0), "which has 0 dims"),
    ("IND1354", lambda t: t.x[2], "2 is outside dim 0, whose size is 2"),
    ("IND1354", lambda t: t.x[0, 0, 0], "it has 3 parts, but the value has 2 dims"),
    ("IND1354", lambda t: t.x[..., 0, ...], "several ellipses"),
    ("IND1354", lambda t: t.x[::0], "the step of the slice along dim 0 is 0"),
    ("IND1354", lambda t: t.x[[0, 3]], "3 is outside dim 0"),
    ("IND1354", lambda t: t.x[[True, False, True]], "dim 0 of the mask is 3, but dim 0 is 2"),
    ("IND1354", lambda t: t.x[[0, 1], [0, 1, 2]], "its arrays are of sizes [2] and [3], which don't match"),
    ("IND1354", lambda t: t.b.zeros((0, 2))[t.i], "dim 0 has no elements"),
    ("IND1354", lambda t: t.pair[2], "2 is outside the tuple, which has 2 elements"),
    ("IND1355", lambda t: bool(t.x), "b.where(condition, x, y)"),
    ("IND1355", lambda t: float(t.s), "module.eval()"),
    ("IND1355", lambda t: int(t.s), "module.eval()"),
    ("IND1355", lambda t: complex(t.s), "module.eval()"),
    ("IND1355", lambda t: numpy.exp(numpy.asarray(t.x)), "b.exp(x)"),
    ("IND1355", lambda t: t.module.eval(t.x, t.x), "has no elements until the module runs"),
    ("IND1356", lambda t: t.n.size, "f32[n,3] has dim 0 of size n"),
    ("IND1356", lambda t: t.n[0], "module.infer(n=8)"),
    ("IND1357", lambda t: t.x + t.other, "operand 1 is <indim.Value 0: f32[2,3] parameter> of the builder 'second', not of 'main'"),
    ("IND1357", lambda t: t.b.maximum(t.x, t.other), "maximum: operand 1"),
    ("IND1357", lambda t: t.editor.ref(t.module.edit().ref("x")), "an edit: operand 0"),
    ("IND1358", lambda t: t.module.eval([1.0]), "to fix: module.eval(x, w)"),
    ("IND1358", lambda t: t.module.eval([1.0]), "affine takes 2 arguments (x: f32[2,3]{1,0}, w: f32[3,4]{1,0}), but got 1 argument"),
    ("IND1358", lambda t: indim.Literal.of((1, 2, 3), "(s32[], s32[])"), "has 2 elements, but got 3 values"),
    ("IND1358", lambda t: t.b.slice(t.x, [0], [1, 2]), "one for each dim"),
    ("IND1358", lambda t: indim.build(lambda left, right: left, "f32[2]"), "<lambda> is a function of (left, right), but got 1 shape"),
    ("IND1358", lambda t: t.b.switch(t.i[0], []), "it takes a branch or more"),
    ("IND1358", lambda t: t.b.call(lambda x, y: x, t.x), "a function of 1 parameter"),
    ("IND1358", lambda t: t.x.broadcast_to(3), "2 sizes"),
    ("IND0601", lambda t: leaked(t) + 1.0, "belongs to a builder that was destroyed, or to a region that has ended"),
    ("IND0601", lambda t: leaked(t).shape, "to fix: use the result of"),
    ("IND0603", lambda t: built(t) + 1.0, "this computation is already built"),
    ("IND1359", lambda t: t.x.__setitem__(0, 1.0), "y = b.where(mask, update, x)"),
    ("IND1359", lambda t: t.b.concatenate([]), "there is no array"),
    ("IND1359", lambda t: t.b.stack([]), "there is no array"),
    ("IND1301", lambda t: t.b.zeros((2, -1)), "a size can't be negative"),
    ("IND1359", lambda t: t.x[t.x > 0.0], "b.where(mask, x, 0) keeps the sizes"),
    ("IND1359", lambda t: t.x[t.i[0] :], "b.dynamic_slice(x, [start, ...], [size, ...])"),
    ("IND1350", lambda t: indim.read("HloModule m\n"), "to fix: indim.parse(text)"),
    ("IND1350", lambda t: indim.parse("a/model.hlo"), "to fix: indim.read('a/model.hlo')"),
    ("IND1350", lambda t: t.b.gradient(t.x.sum(), 0), "values for wrt, not the number 0"),
    ("IND1359", lambda t: t.module.infer("n=3", drop=True), "module.infer(drop=True).infer(n=8)"),
]  # fmt: skip


def leaked(t: Things) -> indim.Value:
    kept: "list[indim.Value]" = []
    t.b.call(lambda x: kept.append(x) or x, t.x)
    return kept[0]


def built(t: Things) -> indim.Value:
    t.b.build(t.x)
    return t.x


def jax_like() -> object:
    class Lowered:
        def as_text(self) -> str:
            return ""

    return Lowered()


def refusals() -> "dict[tuple[str, int], str]":
    """The lines of the package that call refused(), by file and function."""
    found = {}
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "refused":
                found[(path.name, node.lineno)] = path.name
    return found


class Refusals(unittest.TestCase):
    def test_each_names_its_code_its_line_and_what_would_work(self) -> None:
        for code, call, text in CASES:
            with self.subTest(text):
                self.check_one(code, call, text)

    def check_one(self, code: str, call: "Callable[[Things], object]", text: str) -> None:
        with self.assertRaises(indim.Error) as caught:
            call(Things())
        error = caught.exception
        self.assertEqual(error.code, code, error)
        self.assertIn(text, str(error))
        place = __file__, call.__code__.co_firstlineno
        self.assertEqual((error.file, error.line), place)
        said = error.diagnostics[0]
        self.assertEqual((said.file, said.line), place)
        self.assertIn(f"{__file__}:{said.line}: error: ", str(error))
        self.assertIn(code, indim.code_table())
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.diagnostics), (type(error), str(error), error.diagnostics))

    def test_the_builder_goes_on(self) -> None:
        for code, call, text in CASES:
            t = Things()
            with self.subTest(text), self.assertRaises(indim.Error):
                call(t)
            if code != "IND0603":  # the builder is done
                with self.subTest(text):
                    self.assertTrue(t.b.build(t.x + t.s).check())

    def test_it_goes_on_behind_functions_that_fail(self) -> None:
        def wrong(*values: indim.Value) -> indim.Value:
            return values[0].reshape(7)

        def raises(*values: indim.Value) -> indim.Value:
            raise KeyError("mine")

        def within(*values: indim.Value) -> indim.Value:
            return values[0].builder.call(raises, *values)

        for function in (wrong, raises, within, lambda *values: None, lambda: 1, lambda *values: "a"):
            t = Things()
            for call in [
                lambda: t.b.call(function, t.x),
                lambda: t.b.while_loop(lambda x: x[0, 0] < 1.0, function, t.x),
                lambda: t.b.while_loop(function, lambda x: x, t.x),
                lambda: t.b.fori_loop(0, 3, function, t.x),
                lambda: t.b.cond(t.s > 0.0, lambda x: x, function, t.x),
                lambda: t.b.switch(t.i[0], [function, function], t.x),
                lambda: t.b.reduce(t.x, 0.0, function, [0]),
                lambda: t.b.sort(t.x, function),
                lambda: t.b.map(function, t.x),
                lambda: t.b.fusion(function, t.x),
                lambda: t.b.scan(function, t.x, t.s),
            ]:  # fmt: skip
                with self.assertRaises((indim.Error, KeyError)) as caught:
                    call()
                if isinstance(caught.exception, indim.Error) and not isinstance(caught.exception, KeyError):
                    self.assertEqual(caught.exception.file, __file__)
            module = t.b.build(t.x + t.s)
            self.assertTrue(module.check())
            self.assertEqual(len(module.graph.computations), 1)

    def test_every_place_that_refuses_is_tried(self) -> None:
        reached = set()
        inner = _refusal.refused

        def noting(*arguments: object, **named: object) -> indim.Error:
            import sys

            frame = sys._getframe(1)
            reached.add((pathlib.Path(frame.f_code.co_filename).name, frame.f_lineno))
            return inner(*arguments, **named)

        modules = [m for m in vars(indim).values() if hasattr(m, "refused")]
        modules += [m for name, m in list(__import__("sys").modules.items()) if name.startswith("indim.") and hasattr(m, "refused")]
        before = [(m, m.refused) for m in modules]
        for module in modules:
            module.refused = noting
        try:
            for _, call, _ in CASES:
                with self.assertRaises(indim.Error):
                    call(Things())
        finally:
            for module, function in before:
                module.refused = function
        # A call of several lines is reached at one of them.
        missed = [place for place in refusals() if not any((place[0], place[1] + i) in reached for i in range(8))]
        # A buffer needs a plugin: with_plugin.py. A pass needs jax: jax_passes.py. Calls are calls_test.py's.
        elsewhere = ("plugins.py", "_passes.py", "_calls.py")
        self.assertEqual([place for place in missed if place[0] not in elsewhere], [])

    def test_nothing_else_is_raised(self) -> None:
        """Every raise of the package raises an Error of its own, what a function of the user's raised, or what Python demands."""
        allowed = {"refused", "raise_error", "error_of", "named", "with_fix", "ImportError", "InvalidArgument", "AttributeError", "missing", "_missing", "refusal"}
        # Expectations fail as Python's tests do; a pass hands on what it caught, with its place.
        of_file = {"testing.py": {"AssertionError"}, "_passes.py": {"_refused", "error"}}
        for path in sorted(PACKAGE.glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            helpers = {
                node.name
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef)
                and any(isinstance(r, ast.Return) and isinstance(r.value, ast.Call) and getattr(r.value.func, "id", "") == "refused" for r in ast.walk(node))
            }
            for node in ast.walk(tree):
                if not isinstance(node, ast.Raise) or node.exc is None or isinstance(node.exc, ast.Subscript):
                    continue
                with self.subTest(f"{path.name}:{node.lineno}"):
                    function = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                    name = getattr(function, "id", "") or getattr(function, "attr", "")
                    self.assertIn(name, allowed | helpers | of_file.get(path.name, set()))

    def test_what_jax_means_can_be_written_so(self) -> None:
        b = indim.Builder("f", broadcasting="numpy")
        x, y = b.parameter("c64[4]"), b.parameter("c64[4]")
        for text in meanings.OF_COMPLEX.values():
            with self.subTest(text):
                self.assertIsInstance(eval(text, {"b": b, "x": x, "y": y}), indim.Value)
        for text in meanings.OF_FLOATS.values():
            self.assertIsInstance(eval(text, {"b": b, "x": b.parameter("f32[4]"), "n": 3}), indim.Value)

    def test_an_edits_message_is_the_message_alone(self) -> None:
        editor = Things().editor
        with self.assertRaises(indim.Error) as caught:
            editor.erase("x")
        said = caught.exception.diagnostics[0]
        self.assertEqual(said.message, "erase: x is a parameter")
        self.assertEqual(said.fix, "add or remove it as a parameter of its computation")
        self.assertEqual(said.code, "IND1010")

    def test_are_of_pythons_classes_too(self) -> None:
        t = Things()
        for call, kind in [
            (lambda: t.x[5], IndexError),
            (lambda: t.x.sum(axis=5), ValueError),
            (lambda: bool(t.x), TypeError),
            (lambda: t.x + "a", TypeError),
            (lambda: t.module.graph.find("q"), KeyError),
            (lambda: t.x.reshape(-1, 4), ValueError),
        ]:
            with self.assertRaises(kind) as caught:
                call()
            self.assertIsInstance(caught.exception, indim.Error)
            self.assertNotIn("\\n", str(caught.exception))

    def test_of_the_library_have_a_code_and_the_line(self) -> None:
        t = Things()
        for call in [
            lambda: indim.Shape("f32["),
            lambda: indim.infer("add", "f32[2,4]", "f32[2,3]"),
            lambda: indim.infer("ad", "f32[2]"),
            lambda: indim.broadcast("f32[2]", "f32[3]"),
            lambda: indim.parse("HloModule"),
            lambda: indim.read("/nowhere.hlo"),
            lambda: t.b.add_op("ad", t.x),
            lambda: t.b.add_op("reverse", t.x, dimensiosn=[0]),
            lambda: t.module.infer(m=3),
            lambda: t.editor.ref("q"),
            lambda: t.editor.run_pass("q"),
            lambda: indim.explain(""),
            lambda: t.b.constant(300, "u8"),
            lambda: t.module.eval([1.0, 2], [3.0]),
        ]:  # fmt: skip
            with self.subTest(line=call.__code__.co_firstlineno), self.assertRaises(indim.Error) as caught:
                call()
            self.assertRegex(caught.exception.code, "^IND[0-9]{4}$")
            self.assertEqual((caught.exception.file, caught.exception.line), (__file__, call.__code__.co_firstlineno))


class Fixes(unittest.TestCase):
    """Fixes that the library knows are calls of this package, and work."""

    def test_work_as_they_stand(self) -> None:
        cases = [
            ("f32[8,784]", "f32[10,784]", lambda b, x, y: x @ y, "x @ y.T"),
            ("f32[784,8]", "f32[784,10]", lambda b, x, y: b.dot(x, y), "x.T @ y"),
            ("f32[8,10]", "f32[10]", lambda b, x, y: x + y, "b.add(x, y, broadcast_dimensions=[1])"),
            ("f32[8,10]", "f32[10]", lambda b, x, y: b.maximum(x, y), "b.maximum(x, y, broadcast_dimensions=[1])"),
            ("f32[8,10]", "f32[10]", lambda b, x, y: x < y, "b.compare(x, y, direction=\"LT\", broadcast_dimensions=[1])"),
            ("f32[2,3]", "s32[2,3]", lambda b, x, y: b.add_op("add", x, y), "y.astype(\"f32\")"),
            ("f32[2,3]", "f32[6]", lambda b, x, y: b.select(b.compare(x, x, direction="EQ"), x, y), "y.reshape(2,3)"),
            ("f32[2,3,4]", "f32[2,5,4]", lambda b, x, y: b.dot_general(x, y, ([2], [1]), ([0], [0])), "b.dot_general(x, y, ([2], [2]), ([0], [0]))"),
        ]  # fmt: skip
        for first, second, wrong, fix in cases:
            with self.subTest(fix):
                b = indim.Builder("f")
                x, y = b.parameter(first, "x"), b.parameter(second, "y")
                with self.assertRaises(indim.InvalidArgument) as caught:
                    wrong(b, x, y)
                self.assertIn(fix, caught.exception.fix)
                self.assertIn("to fix: " + caught.exception.fix, str(caught.exception))
                eval(fix, {"b": b, "x": x, "y": y})

    def test_name_functions_as_python_has_them(self) -> None:
        b = indim.Builder("f")
        x = b.parameter("f32[4]", "x")
        module = indim.build(lambda p, q: p + q, "f32[4]", "f32[4]")
        editor = module.edit()
        for call, name in [
            (lambda: b.inline(module, x), "inline's call: its computation takes 2 parameters"),
            (lambda: editor.set_operand("add.3", 5, "p"), "set_operand: add.3 has no operand 5"),
            (lambda: editor.erase("p"), "erase: p is a parameter"),
            (lambda: indim.Builder("g").build(), "build: "),
        ]:
            with self.subTest(name), self.assertRaises(indim.Error) as caught:
                call()
            self.assertRegex(str(caught.exception), f"(?m)^{__file__}:[0-9]+: error: {name}")
            self.assertIn(name, caught.exception.diagnostics[0].message)

    def test_name_no_call_of_cplusplus(self) -> None:
        wrong = AFFINE.replace("w = f32[3,4]", "w = f32[4,3]")
        report = indim.parse(wrong).check()
        self.assertIn("x @ w.T", report.errors[0].fix)
        with self.assertRaises(indim.InvalidArgument) as caught:
            indim.infer("dot", "f32[2,3]", "f32[4,3]", lhs_contracting_dims=[1], rhs_contracting_dims=[0])
        self.assertIn("x0 @ x1.T", caught.exception.fix)
        with self.assertRaises(indim.InvalidArgument) as caught:
            indim.infer("transpose", "f32[2,3]", dimensions=[1, 2])
        self.assertIn("dimensions=[", caught.exception.fix)


class Warnings(unittest.TestCase):
    def test_go_to_pythons_with_the_line(self) -> None:
        b = indim.Builder("f")
        x, y = b.parameter("f32[2]"), b.parameter("bf16[2]")
        at, z = line(), b.add_op("add", x, y)
        with self.assertWarns(indim.IndimWarning) as caught:
            b.build(z)
        self.assertEqual((caught.filename, caught.lineno), (__file__, at))
        self.assertRegex(caught.warning.diagnostic.code, "^IND")
        self.assertIn(caught.warning.diagnostic.code, str(caught.warning))

    def test_of_edits(self) -> None:
        editor = indim.build(lambda x, y: x + y, "f32[2]", "f32[2]").edit()
        at = editor.before("add.3")
        editor.set_operand("add.3", 1, editor.insert(at, at.convert(at.use("y"), "bf16")))
        with self.assertWarns(indim.IndimWarning) as caught:
            editor.finish()
        self.assertEqual(caught.filename, __file__)

    def test_of_one_operation(self) -> None:
        with self.assertWarns(indim.IndimWarning) as caught:
            at, _ = line(), indim.infer("add", "f32[2]", "bf16[2]")
        self.assertEqual((caught.filename, caught.lineno), (__file__, at))
        found: "list[indim.Diagnostic]" = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            indim.infer("add", "f32[2]", "bf16[2]", warnings=found)
        self.assertEqual(len(found), 1)


class Reports(unittest.TestCase):
    def test_say_what_was_counted(self) -> None:
        report = indim.parse(AFFINE).check()
        self.assertRegex(str(report), "^ok: 4 instructions: 2 inferred, 2 related, 0 unchecked; [1-9] broadcastable$")
        self.assertEqual(repr(report), f"<indim.Report {report}>")
        self.assertTrue(report)
        self.assertEqual(report.counts["instructions"], 4)
        wrong = indim.parse(AFFINE.replace("ROOT y = f32[2,4]", "ROOT y = f32[2,5]")).check()
        self.assertFalse(wrong)
        self.assertRegex(str(wrong), "^1 error: 4 instructions: ")
        self.assertIn(wrong.errors[0].message, str(wrong))


class Documentation(unittest.TestCase):
    def test_everything_public_has_a_docstring(self) -> None:
        for name in indim.__all__:
            thing = getattr(indim, name)
            with self.subTest(name):
                self.assertTrue(thing.__doc__)
            if not isinstance(thing, type):
                continue
            for of in thing.__mro__:
                if not of.__module__.startswith("indim"):
                    continue
                for member, value in vars(of).items():
                    function = value.__func__ if isinstance(value, staticmethod) else value
                    if member.startswith("_") or not (callable(function) or isinstance(function, property)):
                        continue
                    with self.subTest(f"{name}.{member}"):
                        self.assertTrue((function.__doc__ or "").strip())


class Settings(unittest.TestCase):
    def test_name_sizes_that_there_are(self) -> None:
        module = indim.build(lambda x: x + x, "f32[n,k]")
        self.assertEqual(str(module.infer(n=3, k=2).result), "f32[3,2]")
        for setting in ({"m": 3}, {"m": "n"}):
            with self.assertRaises(indim.InvalidArgument) as caught:
                module.infer(**setting)
            self.assertEqual(caught.exception.code, "IND0195")
            self.assertIn("no size of the module is named m; these are: k, n", str(caught.exception))
        with self.assertRaisesRegex(indim.InvalidArgument, "no size of the module is named m"):
            module.infer("m>=1")


if __name__ == "__main__":
    assert _library and jax
    unittest.main()
