# SPDX-License-Identifier: Apache-2.0
"""Calls with arguments, or by names, that the package doesn't have: each error says in its line what would have worked, and that works."""

import pathlib
import tempfile
import unittest

import indim
import numpy
from support import AFFINE

# A wrong call, the fix that is printed, and the call after somebody did what it says.
CASES = [
    # Names of arguments.
    ("b.sum(x, dims=[0])", "axis=[0]", "b.sum(x, axis=[0])"),
    ("b.softmax(x, dim=1)", "axis=1", "b.softmax(x, axis=1)"),
    ("b.mean(x, keepdim=True)", "keepdims=True", "b.mean(x, keepdims=True)"),
    ("b.reduce(x, 0.0, b.add, axes=[0])", "dimensions=[0]", "b.reduce(x, 0.0, b.add, dimensions=[0])"),
    ("b.reduce(x, 0.0, b.add, axis=0)", "dimensions=[0]", "b.reduce(x, 0.0, b.add, dimensions=[0])"),
    ("b.sort(x, axis=1)", "dimension=1", "b.sort(x, dimension=1)"),
    ("b.iota('s32[3]', axis=0)", "dimension=0", "b.iota('s32[3]', dimension=0)"),
    ("b.reverse(x, axis=0)", "dimensions=[0]", "b.reverse(x, dimensions=[0])"),
    ("b.add(x, row, dims=[1])", "broadcast_dimensions=[1]", "b.add(x, row, broadcast_dimensions=[1])"),
    ("b.clip(x, low=0)", "min=0", "b.clip(x, min=0)"),
    ("b.layer_norm(x, row, row, eps=1e-5)", "epsilon=1e-05", "b.layer_norm(x, row, row, epsilon=1e-05)"),
    ("b.relu(x, inplace=True)", "b.relu(x), without it", "b.relu(x)"),
    ("indim.Builder('f', rule='numpy')", "broadcasting='numpy'", "indim.Builder('f', broadcasting='numpy')"),
    ("module.check(strict=True)", "module.check(), without it", "module.check()"),
    # As many arguments as there are.
    ("b.add(x)", "b.add(x1, x2)", "b.add(x, x)"),
    ("b.reshape(x, 3, 2)", "dims=[3, 2]", "b.reshape(x, dims=[3, 2])"),
    ("b.broadcast_to(x, 4, 2, 3)", "dims=[4, 2, 3]", "b.broadcast_to(x, dims=[4, 2, 3])"),
    ("b.compare(x, x, 'LT')", "direction='LT'", "b.compare(x, x, direction='LT')"),
    ("b.build(x, row)", "root=[x, y]", "b.build(root=[x, row])"),
    ("indim.Builder('f', 'numpy')", "broadcasting='numpy'", "indim.Builder('f', broadcasting='numpy')"),
    ("module.cost('opcode')", "by='opcode'", "module.cost(by='opcode')"),
    ("indim.build(lambda x, y: x, 'f32[2]')", 'shape "f32[8]" for each parameter', "indim.build(lambda x, y: x, 'f32[2]', 'f32[8]')"),
    # Arguments of other types.
    ("b.reduce(x, 0.0, b.add, 0)", "dimensions=[0]", "b.reduce(x, 0.0, b.add, dimensions=[0])"),
    ("b.reduce(x, 0.0, 'add', [0])", "function=b.add", "b.reduce(x, 0.0, function=b.add, dimensions=[0])"),
    ("b.broadcast_in_dim(x, 'f32[4,2,3]', 1)", "dimensions=[1]", "b.broadcast_in_dim(row, 'f32[4,3,3]', dimensions=[1])"),
    ("b.dot_general(x, w, [1], [0])", "contracting=([1], [0])", "b.dot_general(x, w, contracting=([1], [0]))"),
    ("b.max_pool(x, 2)", "window=[2]", "b.max_pool(row, window=[2])"),
    ("b.dynamic_slice(row, 0, [1])", "starts=[0]", "b.dynamic_slice(row, starts=[0], sizes=[1])"),
    ("b.cond(p, x, x)", "true=lambda: x", "b.cond(p, lambda: x, lambda: x)"),
    ("b.min(x, 0, 1)", "keepdims=True", "b.min(x, 0, keepdims=True)"),
    ("b.eye((3, 4))", "3, 4 without the brackets", "b.eye(3, 4)"),
    ("b.arange('10')", "start=10", "b.arange(start=10)"),
    ("b.einsum(x, w, 'ij,jk->ik')", "'ij,jk->ik' as argument 1", "b.einsum('ij,jk->ik', x, w)"),
    ("indim.build('f32[2]', lambda x: x)", "the function as argument 1", "indim.build(lambda x: x, 'f32[2]')"),
    ("b.concatenate(x, x)", "b.concatenate([x, y])", "b.concatenate([x, x])"),
    ("b.max(x, x)", "b.maximum(x, y)", "b.maximum(x, x)"),
    ("b.tuple([x, x])", "x, y for several operands; b.stack([x, y]) makes an array of values", "b.tuple(x, x)"),
    ("x.sum(0, 1)", "several sizes or axes in parentheses, as one argument: (2, 3)", "x.sum((0, 1))"),
    ("b.zeros(2, 3)", "several sizes or axes in parentheses, as one argument: (2, 3)", "b.zeros((2, 3))"),
    ("indim.build(lambda x: x, ['f32[2]'])", '"f32[2]", each an argument of its own; or one tuple: "(f32[2])"', "indim.build(lambda x: x, 'f32[2]')"),
    ("x + '1'", "1", "x + 1"),
    ("x @ s", "x * y", "x * s"),
    ("round(x, 2)", "b.round(x * 100) / 100", "b.round(x * 100) / 100"),
    ("indim.parse(b'HloModule m')", "indim.read(data)", "indim.read(text.encode())"),
    ("module.eval()", "module.eval(x, w)", "module.eval(a, a.T)"),
    ("module.run(a)", "module.eval(x, w)", "module.eval(a, a.T)"),
    ("module.graph['y']", "graph.find('y')", "module.graph.find('y')"),
    ("b.compare(x, x, direction='<=')", 'direction="LE"', 'b.compare(x, x, direction="LE")'),
    # Attributes of HLO, and shapes.
    ("b.add_op('reverse', x, dimensions=0)", "dimensions=[0]", "b.add_op('reverse', x, dimensions=[0])"),
    ("b.add(x, row, broadcast_dimensions=1)", "broadcast_dimensions=[1]", "b.add(x, row, broadcast_dimensions=[1])"),
    ("b.add_op('reverse', x, dimension=[0])", "dimensions", "b.add_op('reverse', x, dimensions=[0])"),
    ("b.add_op('iota', iota_dimension=0)", 'result="f32[2,3]", with the shape of the result', 'b.add_op("iota", iota_dimension=0, result="f32[2,3]")'),
    ("b.composite('softmax', x, dims=1)", "dims=[1]", "b.composite('softmax', x, dims=[1])"),
    ("b.composite('softmaxx', x)", "softmax", "b.composite('softmax', x)"),
    ("b.parameter('f32[2,3')", "f32[2,3]", "b.parameter('f32[2,3]')"),
    ("b.parameter('float32(2, 3)')", "f32[2,3]", "b.parameter('f32[2,3]')"),
    ("b.parameter('tensor<2x3xf32>')", "f32[2,3]", "b.parameter('f32[2,3]')"),
    ("b.parameter('f32')", "f32[]", "b.parameter('f32[]')"),
    ("x.astype(float)", '"float32" is jax\'s meaning; "float64" is numpy\'s', 'x.astype("float32")'),
    ("x.astype('double')", '"float64"', 'x.astype("float64")'),
    # Names.
    ("b.exponential(x)", "b.exp", "b.exp(x)"),
    ("b.BroadcastInDim(row, 'f32[2,3]', [1])", "b.broadcast_in_dim", "b.broadcast_in_dim(row, 'f32[2,3]', [1])"),
    ("b.unsqueeze(x, 0)", "b.expand_dims", "b.expand_dims(x, 0)"),
    ("x.permute(1, 0)", "x.transpose", "x.transpose(1, 0)"),
    ("x.t()", "x.T", "x.T"),
    ("x.view(3, 2)", "x.reshape", "x.reshape(3, 2)"),
    ("numpy.sum(x)", "b.sum(x)", "b.sum(x)"),
    ("module.to_mlir()", "module.to_stablehlo", "module.to_stablehlo()"),
    ("module.save('f.hlo')", "module.write", "module.write"),
    ("module.fingerprnt()", "module.fingerprint", "module.fingerprint()"),
    ("module.graph.root", "graph.entry.root", "module.graph.entry.root"),
    ("module.graph.entry.root.opcod", "instruction.opcode", "module.graph.entry.root.opcode"),
    ("module.result.ndim", "shape.rank", "module.result.rank"),
    ("indim.load('f.hlo')", "indim.read", "indim.read"),
    ("indim.bulid(lambda x: x, 'f32[2]')", "indim.build", "indim.build(lambda x: x, 'f32[2]')"),
]  # fmt: skip

# What is no name of anything: all that there is, rather than a name that means something else.
FAR = ["b.linspace(0, 1, 5)", "b.frobnicate(x)"]


def scope() -> "dict[str, object]":
    b = indim.Builder("f")
    made = {"x": "f32[2,3]", "w": "f32[3,4]", "row": "f32[3]", "s": "f32[]", "p": "pred[]"}
    values = {name: b.parameter(shape, name) for name, shape in made.items()}
    a = numpy.ones((2, 3), numpy.float32)
    text = AFFINE.replace("f32[3,4]", "f32[3,2]").replace("f32[2,4]", "f32[2,2]")
    return {"b": b, "indim": indim, "numpy": numpy, "a": a, "text": text, "module": indim.parse(text), **values}


class Calls(unittest.TestCase):
    def test_fixes_work_when_they_are_typed(self) -> None:
        for wrong, fix, right in CASES:
            with self.subTest(wrong):
                with self.assertRaises(indim.Error) as caught:
                    eval(wrong, scope())
                error = caught.exception
                self.assertEqual(error.fix, fix, error)
                self.assertEqual((error.file, error.line), ("<string>", 1), error)
                self.assertIn(fix, str(error))
                self.assertNotRegex(str(error), "_retold|guarded|operator:")
                eval(right, scope())

    def test_no_other_thing_is_suggested(self) -> None:
        for wrong in FAR:
            with self.subTest(wrong), self.assertRaises(indim.NoAttribute) as caught:
                eval(wrong, scope())
            self.assertRegex(caught.exception.fix, r"^dir\(b\) lists all [0-9]+$")

    def test_each_name_of_other_packages_is_here(self) -> None:
        from indim import _names

        objects = {**scope(), "at": None}
        objects["editor"] = objects["module"].edit()  # type: ignore[attr-defined]
        objects["graph"] = objects["module"].graph  # type: ignore[attr-defined]
        objects["shape"] = objects["module"].result  # type: ignore[attr-defined]
        objects["literal"] = indim.Literal([1.0])
        for kind, names in _names._ELSEWHERE.items():
            for name, fix in names.items():
                with self.subTest(f"{kind}: {name}"):
                    owner, _, rest = fix.partition(".")
                    if owner in objects and rest.replace("_", "").replace(".", "").isalnum():
                        eval(fix, objects)

    def test_errors_of_the_program_stay_its_own(self) -> None:
        x = scope()["x"]

        def wrong(value: indim.Value) -> indim.Value:
            return value.sum(*[0, None, True, 1])  # of its own: it isn't call()'s

        def raises(value: indim.Value) -> indim.Value:
            raise TypeError("mine")

        b = x.builder  # type: ignore[attr-defined]
        with self.assertRaisesRegex(TypeError, "^mine$"):
            b.call(raises, x)
        with self.assertRaisesRegex(indim.Error, "sum: it takes"):
            b.call(wrong, x)

    def test_a_file_by_a_name_that_is_nearly_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "affine.hlo"
            path.write_text(AFFINE, encoding="utf-8")
            with self.assertRaises(indim.NotFound) as caught:
                indim.read(path.with_name("afine.hlo"))
            self.assertEqual(caught.exception.fix, str(path))


if __name__ == "__main__":
    unittest.main()
