# SPDX-License-Identifier: Apache-2.0
"""Mistakes in calls of a builder: each has the line, and its fix works when it is typed in the place of what was wrong."""

import ast
import re
import unittest

import indim

# Shapes of x, y, z, u; a wrong call; the fix that is printed. "": none is.
MISTAKES = [
    ("f32[784,8]; f32[10,784]", "x @ y", "y as operand 0, x as operand 1"),
    ("f32[8,784]; f32[10,784]", "x @ y", "x @ y.T matches dim 1 of x with dim 1 of y (784 = 784)"),
    ("f32[784,8]; f32[784,10]", "b.dot(x, y)", "x.T @ y matches dim 0 of x with dim 0 of y (784 = 784)"),
    ("f32[2,3,4]; f32[2,5,4]", "x @ y", "x @ y.swapaxes(-1, -2), which transposes y"),
    ("f32[2,4,3]; f32[2,4,5]", "x @ y", "x.swapaxes(-1, -2) @ y, which transposes x"),
    ("f32[2,4,3]; f32[2,5,4]", "x @ y", "y @ x"),
    ("f32[2,3,4]; f32[3,4,5]", "x @ y", ""),
    ("f32[2,3,4]; f32[2,5,4]", "b.dot_general(x, y, ([2], [1]), ([0], [0]))", "b.dot_general(x, y, ([2], [2]), ([0], [0])) matches dim 2 of x with dim 2 of y (4 = 4)"),
    ("f32[2,3,4]; f32[2,4,5]", "b.dot_general(x, y, ([2], [0]))", "b.dot_general(x, y, ([2], [1]), ([0], [0])) multiplies batch by batch, as x @ y does"),
    ("f32[2,3,4]; f32[2,5,4]", "b.dot_general(x, y, ([2], [0]))", "b.dot_general(x, y, ([2], [2]), ([0], [0])) multiplies batch by batch, as x @ y.swapaxes(-1, -2) does"),
    ("f32[8,4]; f32[8]", "x @ y", "b.dot_general(x, y, ([0], [0]), ([], [])) matches dim 0 of x with dim 0 of y (8 = 8)"),
    ("f32[8]; f32[4]", "b.dot(x, y)", "operand 1 of shape f32[8]"),
    ("f32[8,10]; f32[10]", "x + y", "b.add(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("f32[8,10]; f32[8]", "x + y", "b.add(x, y, broadcast_dimensions=[0]) matches dim 0 of y with dim 0 of x (8 = 8)"),
    ("f32[8]; f32[8,10]", "x - y", "b.sub(x, y, broadcast_dimensions=[0]) matches dim 0 of x with dim 0 of y (8 = 8)"),
    ("f32[8,10]; f32[8]", "x * y", "b.mul(x, y, broadcast_dimensions=[0]) matches dim 0 of y with dim 0 of x (8 = 8)"),
    ("f32[8,10]; f32[8]", "x / y", "b.div(x, y, broadcast_dimensions=[0]) matches dim 0 of y with dim 0 of x (8 = 8)"),
    ("f32[8,10]; f32[8]", "x ** y", "b.power(x, y, broadcast_dimensions=[0]) matches dim 0 of y with dim 0 of x (8 = 8)"),
    ("f32[8,10]; f32[10]", "b.maximum(x, y)", "b.maximum(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("f32[8,10]; f32[10]", "x < y", 'b.compare(x, y, direction="LT", broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)'),
    ("f32[8,10]; f32[10]", "x == y", 'b.compare(x, y, direction="EQ", broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)'),
    ("s32[8,10]; s32[10]", "x & y", "b.and_(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("pred[8,10]; pred[10]", "x | y", "b.or_(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("s32[8,10]; s32[10]", "x << y", "b.shift_left(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("f32[8,10]; f32[10]", "b.atan2(x, y)", "b.atan2(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("f32[8,10]; f32[10]", "b.complex(x, y)", "b.complex(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("f32[8,10]; f32[10]", "b.sub(x, y)", "b.sub(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("s32[8,10]; s32[10]", "b.rem(x, y)", "b.rem(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("f32[8,10]; f32[8]", "b.add(x, y, broadcast_dimensions=[1])", "b.add(x, y, broadcast_dimensions=[0]) matches dim 0 of y with dim 0 of x (8 = 8)"),
    ("f32[8,10]; f32[8,10]", "b.add(x, y, broadcast_dimensions=[1, 0])", "b.add(x, y) without broadcast_dimensions"),
    ("f32[8,10]; f32[10]", "b.add(x, y, broadcast_dimensions=[0, 1])", "b.add(x, y, broadcast_dimensions=[1]) matches dim 0 of y with dim 1 of x (10 = 10)"),
    ("f32[8,10]; f32[8,9]", "x + y", ""),
    ("(f32[8], s32[]); f32[8]", "x + y", "x[0] as operand 0: f32[8]"),
    ("f32[8]; s32[8]", "b.add_op('add', x, y)", 'y.astype("f32") as operand 1: f32[8]'),
    ("f32[8]; s32[8]", "b.sub(x, y)", 'y.astype("f32") as operand 1: f32[8]'),
    ("s32[8]; f32[8]; f32[8]", "b.select(x, y, z)", "x != 0 as operand 0: pred[8]"),
    ("pred[8]; f32[8]; s32[8]", "b.select(x, y, z)", 'z.astype("f32") as operand 2: f32[8]'),
    ("pred[2,3]; f32[2,3]; f32[6]", "b.select(x, y, z)", "z.reshape(2,3) as operand 2: f32[2,3]"),
    ("pred[2,3]; f32[2,3]; f32[3]", "b.select(x, y, z)", 'b.broadcast_in_dim(z, "f32[2,3]", [1]) as operand 2: f32[2,3]'),
    ("f32[8,3]; f32[8,4]", "b.concatenate([x, y], axis=0)", "operand 1 of shape f32[8,3]"),
    ("f32[8,3]; s32[8,3]", "b.add_op('concatenate', x, y, dimensions=[0])", 'y.astype("f32") as operand 1: f32[8,3]'),
    ("f32[8,3]; f32[8,4]", "b.stack([x, y])", "operand 1 of shape f32[8,3]"),
    ("f32[8,3]", "x.reshape(5, 5)", "x.reshape(4,6)"),
    ("f32[8,3]", "x.reshape(5, -1)", "x.reshape(-1)"),
    ("f32[8,3]", "x.reshape(-1, -1)", "x.reshape(-1)"),
    ("f32[8,3]", "b.transpose(x, axes=[1])", "axes=[1,0]"),
    ("f32[8,3]", "b.transpose(x, axes=[1, 2])", "axes=[1,0]"),
    ("f32[8,3]", "b.sum(x, axis=3)", "axis=1"),
    ("f32[8,3]", "b.softmax(x, axis=2)", "axis=1"),
    ("f32[8,3]", "b.cumsum(x, axis=-3)", "axis=-2"),
    ("f32[8,3]", "b.argmax(x, axis=2)", "axis=1"),
    ("f32[8,3]; s32[]", "b.reduce(x, y, lambda p, q: p + q, dimensions=[0])", 'operand 1 of shape f32[]'),
    ("f32[8,3]; f32[]", "b.reduce(x, y, lambda p, q: p + q, dimensions=[2])", "dimensions=[1]"),
    ("f32[8,3]; f32[]", "b.reduce(x, y, lambda p, q: p + q, dimensions=[0, 0])", "dimensions=[0]"),
    ("f32[8,28,28,3]; f32[3,3,3,16]", "b.convolution(x, y, dim_labels='bf01_oi01->bf01')", 'x is NHWC and y is HWIO: b.convolution(x, y, dim_labels="b01f_01io->b01f", ...)'),
    ("f32[8,3,28,28]; f32[16,3,3,3]", "b.convolution(x, y, dim_labels='NHWC,HWIO->NHWC')", 'x is NCHW and y is OIHW: b.convolution(x, y, dim_labels="bf01_oi01->bf01", ...)'),
    ("f32[8,3,28,28]; f32[16,4,3,3]", "b.convolution(x, y, dim_labels='NCHW,OIHW->NCHW')", "operand 1 of shape f32[16,3,3,3]"),
    ("f32[3]", "b.broadcast_in_dim(x, 'f32[2,4]', [1])", ""),
    ("f32[3]", "b.broadcast_in_dim(x, 'f32[3,4]', dimensions=[1])", 'dimensions=[0]'),
    ("f32[3]", "b.broadcast_in_dim(x, 'f32[2,3]', dimensions=[2])", 'dimensions=[1]'),
    ("f32[8,3]", "x.broadcast_to(3, 8)", 'x.T'),
    ("f32[8,3]", "b.slice(x, starts=[0, 0], limits=[9, 3])", "limits=[8,3]"),
    ("f32[8,3]", "b.slice(x, starts=[0], limits=[8])", 'starts=[0,0], limits=[8,3]'),
    ("f32[8,3]", "b.slice(x, starts=[0, 0], limits=[8, 3], strides=[0, 1])", "strides=[1,1]"),
    ("f32[8,3]", "b.slice(x, starts=[5, 0], limits=[4, 3])", ""),
    ("f32[8,3]; s32[]", "b.dynamic_slice(x, [y], sizes=[2, 3])", ""),
    ("f32[8,3]; f32[]", "b.dynamic_slice(x, [y, y], sizes=[2, 3])", ""),
    ("f32[8,3]; s32[]", "b.dynamic_slice(x, [y, y], sizes=[2, 4])", "sizes=[2,3]"),
    ("f32[8,3]; s32[]", "b.dynamic_slice(x, [y, y], sizes=[2])", 'sizes=[2,3]'),
    ("f32[8,3]; f32[2,3]; s32[]", "b.dynamic_update_slice(x, y, [z])", ""),
    ("f32[8,3]; s32[2,3]; s32[]", "b.dynamic_update_slice(x, y, [z, z])", 'y.astype("f32") as operand 1: f32[2,3]'),
    ("f32[8,3]; f32[3]; s32[]", "b.dynamic_update_slice(x, y, [z, z])", 'y.reshape(1,3) as operand 1: f32[1,3]'),
    ("f32[8,3]; f32[9,3]; s32[]", "b.dynamic_update_slice(x, y, [z, z])", "operand 1 of shape f32[8,3]"),
    ("f32[8,3]; s32[]", "b.pad(x, y, padding=[(1, 1, 0), (0, 0, 0)])", 'y.astype("f32") as operand 1: f32[]'),
    ("f32[8,3]; f32[]", "b.pad(x, y, padding=[(1, 1, 0)])", "padding=[(1,1,0), (0,0,0)]"),
    ("f32[8,3]; f32[2]", "b.pad(x, y, padding=[(1, 1, 0), (0, 0, 0)])", "operand 1 of shape f32[]"),
    ("f32[8,3]; f32[]", "b.pad(x, y, padding=[(1, 1, -1), (0, 0, 0)])", 'padding=[(1, 1, 0), (0, 0, 0)]'),
    ("s32[]; f32[8]", "b.while_loop(lambda i, v: i, lambda i, v: (i + 1, v), x, y)", '!= 0 behind what the condition returns'),
    ("pred[]; f32[8]", "b.cond(x, lambda v: v, lambda v: v.sum(), y)", ""),
    ("s32[]; f32[8]", "b.cond(x, lambda v: v, lambda v: v * 2, y)", "x != 0"),
    ("f32[8]; s32[9]", "b.sort([x, y], lambda p, q, r, s: p < q)", "operand 1 of shape s32[8]"),
    ("f32[8,3]", "b.sort(x, lambda p, q: p < q, dimension=2)", "dimension=1"),
    ("f32[8,3]; s32[4]", "b.gather(x, y, offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, slice_sizes=[1, 4])", "slice_sizes=[1,3]"),
    ("f32[8,3]; s32[4]", "b.gather(x, y, offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=2, slice_sizes=[1, 3])", "index_vector_dim=1"),
    ("f32[8,3]; f32[4]", "b.gather(x, y, offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, slice_sizes=[1, 3])", 'y.astype("s32") as operand 1: s32[4]'),
    ("f32[8,3]; s32[4]", "b.gather(x, y, offset_dims=[2], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, slice_sizes=[1, 3])", "offset_dims=[1]"),
    ("f32[]; f32[8]; f32[9]", "b.clamp(x, y, z)", "operand 2 of shape f32[8]"),
    ("s32[]; f32[8]; f32[]", "b.clamp(x, y, z)", 'x.astype("f32") as operand 0: f32[]'),
    ("f32[8]", "~x", 'x.astype("s32") as operand 0: s32[8]'),
    ("f32[8]; f32[8]", "x & y", "b.logical_and(x1, x2), which takes what isn't 0 for true; b.bitcast_convert(x1, ...) has the bits"),
    ("u32[8]", "b.add_op('abs', x)", 'leave abs out, u32 has no sign; or x.astype("s64") as operand 0: s64[8]'),
    ("s32[8]", "b.add_op('exponential', x)", 'x.astype("f32") as operand 0: f32[8]'),
    ("s32[8]", "b.is_finite(x)", 'x.astype("f32") as operand 0: f32[8]'),
    ("f32[8,1]", "b.squeeze(x, axis=0)", "axis=[1]"),
    ("f32[8]", "b.expand_dims(x, axis=4)", "axis=1"),
    ("f32[8,16]; f32[8]; f32[16]", "b.layer_norm(x, y, z)", "operand 1 of shape f32[16]"),
    ("f32[8,4]; f32[5,4]", "b.einsum('ij,jk->ik', x, y)", ""),
    ("f32[8]", "b.get_tuple_element(x, index=0)", "x itself instead of this op: it is the value, not a tuple of it"),
    ("(f32[8], s32[])", "b.get_tuple_element(x, index=2)", "index=1"),
    ("(f32[8], s32[])", "x[2]", '1 in the place of 2'),
    ("f32[8,3]", "x[8]", '7 in the place of 8'),
    ("f32[8,3]", "x[0, 3]", '2 in the place of 3'),
    ("f32[8,3]", "b.top_k(x, k=4)", 'k=3'),
    ("f32[8,3]", "b.cholesky(x)", "operand 0 of shape f32[8,8]"),
    ("f32[8,8]; f32[3,8]", "b.triangular_solve(x, y, left_side=True, transpose_a='NO_TRANSPOSE')", "operand 1 of shape f32[8,8]"),
    ("f32[8,8]", "b.fft(x, fft_type='FFT', fft_length=[8])", 'x.astype("c64") as operand 0: c64[8,8]'),
    ("f32[8]; s32[8]", "b.compare(x, y, direction='LT')", 'y.astype("f32") as operand 1: f32[8]'),
    ("f32[8,8]", "b.reverse(x, dimensions=[2])", "dimensions=[1]"),
    ("f32[8,8]", "b.reverse(x, dimensions=[0, 0])", "dimensions=[0]"),
    ("f32[8,8]", "b.reduce_precision(x, exponent_bits=0, mantissa_bits=7)", "exponent_bits=1"),
    ("f32[8,3]", "b.get_dimension_size(x, dimensions=[2])", "dimensions=[1]"),
    ("f32[8,3]; f32[]", "b.set_dimension_size(x, y, dimensions=[0])", 'y.astype("s32") as operand 1: s32[]'),
    ("f32[8,3]; s32[]", "b.set_dimension_size(x, y, dimensions=[2])", "dimensions=[1]"),
    ("f32[8,3]", "b.tile(x, reps=-1)", "reps=[1]"),
    ("f32[8,3]; s32[3]", "b.take_along_axis(x, y, 1)", 'b.broadcast_in_dim(y, "s32[8,3]", [1]) as operand 1: s32[8,3]'),
    ("f32[8,3]; s32[8]", "b.take_along_axis(x, y, 1)", "y.reshape(8,1) as operand 1: s32[8,1]"),
    ("f32[8,3]; s32[2,4,1]", "b.take_along_axis(x, y, 0)", "operand 1 of shape s32[8,3]"),
    ("f32[8,3]; f32[8,3]", "b.take_along_axis(x, y, 0)", 'y.astype("s32") as operand 1: s32[8,3]'),
    ("f32[2,3,4]", "x.broadcast_to(4, 2, 3)", "x.transpose(2, 0, 1)"),
    ("f32[8,3]", "x.exp()", "b.exp(x)"),
    ("f32[8,3]", "b.add_op('exponentail', x)", '"exponential"'),
]  # fmt: skip

NAMES = "xyzu"


class _Replaced(ast.NodeTransformer):
    """Names of operands are expressions instead."""

    def __init__(self, expressions: "dict[str, str]") -> None:
        self._expressions = expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self._expressions.get(node.id, node.id), mode="eval").body


def typed(call: str, shapes: "list[str]", fix: str) -> "tuple[str, list[str]]":
    """The call and the shapes after somebody did what the fix says."""
    if fix == "y as operand 0, x as operand 1":
        return ast.unparse(_Replaced({"x": "y", "y": "x"}).visit(ast.parse(call, mode="eval"))), shapes
    if found := re.fullmatch(r"operand (\d) of shape (.*)", fix):
        shapes = list(shapes)
        shapes[int(found[1])] = found[2]
        return call, shapes
    if found := re.fullmatch(r"(\S+) in the place of (\S+)", fix):
        return re.sub(rf"(?<=[\[ ]){found[2]}(?=\])", found[1], call), shapes
    if fix.startswith("!= 0 behind"):
        tree = ast.parse(call, mode="eval")
        assert isinstance(tree.body, ast.Call) and isinstance(tree.body.args[0], ast.Lambda)
        tree.body.args[0].body = ast.parse(f"({ast.unparse(tree.body.args[0].body)}) != 0", mode="eval").body
        return ast.unparse(tree), shapes
    if fix.startswith('"'):
        return re.sub(r"'\w+'", fix, call, count=1), shapes
    if found := re.fullmatch(r"(?:.*; or )?(.*) as operand (\d): .*", fix):
        return ast.unparse(_Replaced({NAMES[int(found[2])]: found[1]}).visit(ast.parse(call, mode="eval"))), shapes
    if re.fullmatch(r"[a-z_]+=[^=]*(, [a-z_]+=[^=]*)*", fix):
        tree = ast.parse(call, mode="eval")
        assert isinstance(tree.body, ast.Call)
        for keyword in ast.parse(f"f({fix})", mode="eval").body.keywords:
            given = [k for k in tree.body.keywords if k.arg == keyword.arg]
            assert given, f"{call} has no {keyword.arg}"
            given[0].value = keyword.value
        return ast.unparse(tree), shapes
    fix = re.sub(r"\bx([12])\b", lambda found: NAMES[int(found[1]) - 1], fix)
    code = re.sub(r"^.* is [A-Z]+ and .* is [A-Z]+: ", "", fix)
    code = re.split(r" matches | multiplies |, which | without | itself instead of ", code)[0]
    return code.replace(", ...)", ")"), shapes


def run(call: str, shapes: "list[str]") -> object:
    b = indim.Builder("f")
    values = {name: b.parameter(shape, name) for name, shape in zip(NAMES, shapes)}
    made = eval(call, {"b": b, "indim": indim, **values})
    b.build(made if isinstance(made, indim.Value) else made[0])
    return made


class Fixes(unittest.TestCase):
    def test_work_when_they_are_typed(self) -> None:
        for shapes, call, fix in MISTAKES:
            with self.subTest(call):
                given = shapes.split("; ")
                with self.assertRaises(indim.Error) as caught:
                    run(call, given)
                self.assertEqual(caught.exception.fix, fix, str(caught.exception))
                self.assertEqual(caught.exception.file, "<string>")
                if fix:
                    self.assertIn(f"to fix: {fix}", str(caught.exception))
                    self.assertNotRegex(fix, r"[{}]|::|[A-Z]\w*\(", "of C++")
                    run(*typed(call, given, fix))

    def test_each_operation_has_the_function_that_fixes_name(self) -> None:
        for name, op in indim.op_table().items():
            with self.subTest(name):
                self.assertTrue(callable(getattr(indim.Builder, op["python"], None)), op["python"])

    def test_most_mistakes_have_one(self) -> None:
        self.assertGreater(sum(bool(fix) for _, _, fix in MISTAKES), 0.9 * len(MISTAKES))


if __name__ == "__main__":
    unittest.main()
