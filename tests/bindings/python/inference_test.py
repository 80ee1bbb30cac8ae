# SPDX-License-Identifier: Apache-2.0
"""Inference and broadcasting without a graph."""

import pickle
import unittest

import indim


class Inference(unittest.TestCase):
    def test_results(self) -> None:
        cases = [
            ("f32[2,3]", "add", ["f32[2,3]", "f32[2,3]"], {}),
            ("f32[2,3]", "add", ["f32[2,1]", "f32[2,3]"], {}),
            ("f32[2,3]", "add", ["f32[2,3]", "f32[3]"], {"broadcast_dimensions": [1]}),
            ("f32[2,3]", "add", ["f32[2,3]", "f32[3]"], {"rule": "numpy"}),
            ("f32[8,10]", "dot", ["f32[8,784]", "f32[784,10]"], {"lhs_contracting_dims": [1], "rhs_contracting_dims": [0]}),
            ("pred[4]", "compare", ["s32[4]", "s32[4]"], {"direction": "LT"}),
            ("f32[3,2]", "transpose", ["f32[2,3]"], {"dimensions": [1, 0]}),
            ("f32[6]", "reshape", ["f32[2,3]"], {"result": "f32[6]"}),
            ("f32[2*n]", "concatenate", ["f32[n]", "f32[n]"], {"dimensions": [0]}),
            ("f32[1,2]", "slice", ["f32[8,8]"], {"slice": [slice(0, 2, 2), slice(3, 5)]}),
        ]
        for expected, op, operands, rest in cases:
            with self.subTest(op=op, operands=operands):
                self.assertEqual(str(indim.infer(op, *operands, **rest)), expected)

    def test_a_callee(self) -> None:
        callee = indim.Signature(["f32[]", "f32[]"], "f32[]")
        shape = indim.infer("reduce", "f32[2,3]", "f32[]", dimensions=[1], callees=[callee])
        self.assertEqual(str(shape), "f32[2]")

    def test_errors_carry_their_diagnostics(self) -> None:
        with self.assertRaises(indim.InvalidArgument) as caught:
            indim.infer("add", "f32[8,10]", "f32[10]")
        error = caught.exception
        self.assertEqual(error.code, "IND0007")
        self.assertEqual(error.diagnostics[0].slug, "ranks-differ")
        self.assertEqual(error.diagnostics[0].fix_dimensions, (1,))
        self.assertIn("f32[8,10]", error.diagnostics[0].message)
        self.assertIn(error.diagnostics[0].message, str(error))
        self.assertIsInstance(error, ValueError)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.diagnostics), (str(error), error.diagnostics))

    def test_places_of_a_diagnostic(self) -> None:
        with self.assertRaises(indim.InvalidArgument) as caught:
            indim.infer("add", "f32[2,4]", "f32[2,3]")
        said = caught.exception.diagnostics[0]
        self.assertEqual((said.dim, said.severity), (1, "error"))

    def test_unknown_operation(self) -> None:
        with self.assertRaises(indim.NotFound) as caught:
            indim.infer("ad", "f32[]", "f32[]")
        self.assertIn("add", str(caught.exception))

    def test_plans(self) -> None:
        plan = indim.broadcast("f32[4]", "f32[1,2]", dimensions=[0])
        self.assertEqual((plan.dims, plan.places), ((4, 2), ((0,), (0, 1))))
        plan = indim.broadcast("f32[?]", "f32[3,1]", rule="numpy")
        self.assertEqual((plan.dims, plan.places), ((3, -1), ((1,), (0, 1))))
        self.assertEqual(indim.broadcast_to("f32[3]", "f32[2,3]", rule="numpy").places, ((1,),))
        plan = indim.broadcast("f32[?]", "f32[?]")
        self.assertEqual(len(plan.conditions), 1)
        with self.assertRaises(indim.InvalidArgument):
            indim.broadcast("f32[2]", "f32[3]")
        with self.assertRaisesRegex(ValueError, "numpy"):
            indim.broadcast("f32[2]", "f32[2]", rule="guess")

    def test_tables(self) -> None:
        ops = indim.op_table()
        self.assertEqual(len(ops), 137)
        self.assertTrue(ops["add"]["row"]["broadcastable"])
        self.assertEqual(indim.code_table()["IND0007"]["slug"], "ranks-differ")
        self.assertIn("f32[4,2]", indim.explain("f32[4] + f32[1,2] {0}"))
        for word, said in (("matmul", "jnp.matmul"), ("@", "MatMul"), ("IND7", "IND0007"), ("InDim", "InDim"), ("ops", "negate")):
            self.assertIn(said, indim.explain(word))
        answer = indim.query({"op": "add", "operands": ["f32[2,1]", "f32[2,3]"]})
        self.assertEqual(answer["shape"], "f32[2,3]")


class Shapes(unittest.TestCase):
    def test_parts(self) -> None:
        cases = [
            ("f32[8,784]", "array", "f32", (8, 784), True),
            ("f32[n,<=8,?]", "array", "f32", (-1, 8, -1), False),
            ("s32[]", "array", "s32", (), True),
            ("(f32[2], s32[])", "tuple", "", (), False),
            ("token[]", "token", "", (), False),
        ]
        for text, kind, element_type, dims, static in cases:
            with self.subTest(text):
                shape = indim.Shape.parse(text)
                self.assertEqual(str(shape), text)
                self.assertEqual((shape.kind, shape.dims, shape.is_static), (kind, dims, static))
                if kind == "array":
                    self.assertEqual(shape.element_type, element_type)
                self.assertEqual(shape, indim.Shape.parse(text))
                self.assertEqual(pickle.loads(pickle.dumps(shape)), shape)

    def test_making(self) -> None:
        self.assertEqual(str(indim.Shape.array("bf16", [2, -1])), "bf16[2,?]")
        pair = indim.Shape.tuple_of(["f32[2]", "s32[]"])
        self.assertEqual([str(element) for element in pair.elements], ["f32[2]", "s32[]"])
        self.assertEqual(indim.Shape.parse("f32[2,3]{0,1}").minor_to_major, (0, 1))
        self.assertNotEqual(indim.Shape.parse("f32[2]"), indim.Shape.parse("f32[3]"))

    def test_wrong_ones(self) -> None:
        for text in ("f32[", "f99[2]", "", "f32[2,]x"):
            with self.subTest(text), self.assertRaises(indim.InvalidArgument):
                indim.Shape.parse(text)
        with self.assertRaises(ValueError):
            indim.Shape.array("f99", [2])


if __name__ == "__main__":
    unittest.main()
