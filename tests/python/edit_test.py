"""Editing."""

import unittest

import indim
import numpy
from support import AFFINE

X = numpy.array([[-1, 2, -3], [4, -5, 6]], numpy.float32)
W = numpy.ones((3, 4), numpy.float32)


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

    def test_looks(self) -> None:
        editor = self.editor
        dot = editor["d"]
        self.assertEqual(dot.operands, [editor["x"], editor["w"]])
        self.assertEqual(dot.users, [editor["y"]])
        self.assertEqual(editor.root(), editor[3])
        self.assertEqual(editor[self.module.graph.find("d")], dot)
        self.assertTrue(dot.exists)
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
