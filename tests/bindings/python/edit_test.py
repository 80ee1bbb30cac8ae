# SPDX-License-Identifier: Apache-2.0
"""Editing."""

import unittest

import indim
import numpy
from support import AFFINE

X = numpy.array([[-1, 2, -3], [4, -5, 6]], numpy.float32)
W = numpy.ones((3, 4), numpy.float32)


CALLS = """HloModule calls

f {
  a = f32[2] parameter(0)
  ROOT b = f32[2] negate(a)
}

g {
  c = f32[2] parameter(0)
  ROOT d = f32[2] sine(c)
}

ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=f
  ROOT z = f32[2] add(y, y)
}
"""


class Editing(unittest.TestCase):
    def setUp(self) -> None:
        self.module = indim.parse(AFFINE)
        self.editor = self.module.edit()

    def finish(self) -> indim.Module:
        changed = self.editor.finish()
        changed.check().raise_for_errors()
        return changed

    def test_inserts(self) -> None:
        at = self.editor.after("d")
        relu = self.editor.insert(at, at.maximum(at.use("d"), 0.0))
        self.assertEqual(str(relu.shape), "f32[2,4]{1,0}")
        self.editor.set_operands("y", [relu, relu])
        numpy.testing.assert_array_equal(self.finish().eval(X, W), 2 * numpy.maximum(X @ W, 0))

    def test_what_goes_in_is_of_the_insertion(self) -> None:
        at, other = self.editor.after("d"), self.editor.after("d")
        with self.assertRaisesRegex(indim.errors.WrongType, "editor.insert"):
            self.editor.set_root(at.use("d") * 2)
        with self.assertRaisesRegex(indim.InvalidArgument, "of this insertion"):
            self.editor.insert(at, other.use("d") * 2)
        self.assertIsNone(self.editor.insert(at, at.use("d") * 2).instruction)

    def test_looks(self) -> None:
        editor = self.editor
        dot = editor["d"]
        self.assertEqual(dot.operands, [editor["x"], editor["w"]])
        self.assertEqual(dot.users, [editor["y"]])
        self.assertEqual(editor.root(), editor[3])
        self.assertEqual(editor[self.module.graph.find("d")], dot)
        self.assertTrue(dot.exists)
        self.assertEqual(dot.instruction, self.module.graph.find("d"))
        self.assertIn("d = f32[2,4]{1,0} dot", repr(dot))
        with self.assertRaises(indim.NotFound):
            editor["z"]
        with self.assertRaises(ValueError):
            self.module.edit().ref(dot)

    def test_changes(self) -> None:
        editor = self.editor
        editor.set_root("d")
        editor.erase("y")
        self.assertFalse(editor[3].exists)
        editor.set_name("d", "product")
        self.assertEqual(self.finish().graph.names, ["x", "w", "product"])

    def test_parameters_and_passes(self) -> None:
        editor = self.editor
        bias = editor.add_parameter("f32[2,4]", "bias")
        editor.set_operand("y", 1, bias)
        clone = editor.clone("d")
        self.assertTrue(clone.exists)
        self.assertEqual(editor.run_pass("dead-code"), 1)
        changed = self.finish()
        bias_value = numpy.full((2, 4), 10, numpy.float32)
        numpy.testing.assert_array_equal(changed.eval(X, W, bias_value), X @ W + bias_value)

    def test_outline_and_inline(self) -> None:
        call = self.editor.outline(["d", "y"], "part")
        numpy.testing.assert_array_equal(self.editor.finish().eval(X, W), 2 * (X @ W))
        self.assertTrue(call.exists)

    def test_computations(self) -> None:
        module = indim.parse(CALLS)
        editor = module.edit()
        copy = editor.clone_computation("g", "h")
        editor.set_callee("y", 0, copy)
        self.assertEqual(editor["y"].callees, [copy])
        self.assertIn("call(%x), to_apply=%h", editor.finish().to_text())
        editor = module.edit()
        editor.set_entry("g")
        self.assertEqual(editor.finish().graph.entry.name, "g")
        with self.assertRaises(indim.NotFound):
            module.edit().set_entry("k")

    def test_a_cycle_is_not_copied(self) -> None:
        editor = indim.parse(CALLS.replace("ROOT b = f32[2] negate(a)", "n = f32[2] negate(a)\n  ROOT b = f32[2] sine(n)")).edit()
        editor.set_operand("n", 0, "b")
        for call in (
            lambda: editor.clone_computation("f", "k"),
            lambda: editor.inline_call("y"),
            lambda: editor.outline(["n", "b"]),
        ):
            with self.subTest(line=call.__code__.co_firstlineno), self.assertRaisesRegex(indim.InvalidArgument, "IND1006"):
                call()
        editor.set_operand("n", 0, "a")
        editor.finish().check().raise_for_errors()

    def test_extracts(self) -> None:
        editor = indim.parse(CALLS).edit()
        editor.extract(["z"], inputs=["y"])
        self.assertEqual(editor.finish().graph.opcodes, ["parameter", "add"])
        with self.assertRaises(indim.InvalidArgument):
            indim.parse(CALLS).edit().extract([])

    def test_reduces(self) -> None:
        module = indim.parse(CALLS)
        seen = []

        def fails(smaller: indim.Module) -> bool:
            seen.append(smaller)
            return "negate" in smaller.graph.opcodes

        smallest = indim.reduce(module, fails)
        self.assertEqual(smallest.graph.opcodes, ["parameter", "negate"])
        with self.assertRaises(indim.InvalidArgument):  # after the call it is nothing any more
            seen[-1].to_bytes()
        with self.assertRaisesRegex(indim.Error, "doesn't fail"):
            indim.reduce(module, lambda smaller: False)
        with self.assertRaises(ZeroDivisionError):
            indim.reduce(module, lambda smaller: 1 // 0)
        with self.assertRaises(ZeroDivisionError):
            indim.reduce(module, lambda smaller: len(smaller) == len(module) or 1 // 0)
        self.assertEqual(len(indim.reduce(module, fails, max_tests=1)), len(module))

    def test_wrong_edits(self) -> None:
        for call in (
            lambda: self.editor.set_operand("y", 5, "d"),
            lambda: self.editor.erase("d"),
            lambda: self.editor.run_pass("magic"),
            lambda: self.editor.set_attributes("d", dimensions=[1]),
            lambda: self.editor[99].shape,
        ):
            with self.subTest(line=call.__code__.co_firstlineno), self.assertRaises(indim.Error):
                call()
        self.assertEqual(self.finish().diff(self.module), "")


if __name__ == "__main__":
    unittest.main()
