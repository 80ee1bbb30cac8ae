# SPDX-License-Identifier: Apache-2.0
"""Objects of the library are made by it alone: what is no object of it never gets there as one."""

import unittest

import indim
import numpy
from support import AFFINE


class Constructors(unittest.TestCase):
    def test_shapes(self) -> None:
        self.assertEqual(indim.Shape("f32[2,3]"), indim.Shape.parse("f32[2,3]"))
        self.assertEqual(eval(repr(indim.Shape("(f32[2], s32[])")), {"Shape": indim.Shape}), "(f32[2], s32[])")
        self.assertEqual(indim.Shape(numpy.zeros((2, 3), numpy.int32)), "s32[2,3]")
        self.assertEqual(indim.Shape(indim.Shape("f32[4]")), "f32[4]")
        for wrong in (0, 140000000000000, None, 1.5, ["f32[2]"]):
            with self.subTest(wrong), self.assertRaises(TypeError):
                indim.Shape(wrong)
        with self.assertRaises(indim.InvalidArgument):
            indim.Shape("f32[")

    def test_literals(self) -> None:
        self.assertEqual(indim.Literal(5), indim.Literal.of(5))
        self.assertEqual(indim.Literal([1, 2], "f32[2]").shape, "f32[2]")
        for wrong in (None, object(), "f32[2]", indim.Literal(5)):
            with self.subTest(str(wrong)), self.assertRaises(TypeError):
                indim.Literal(wrong)

    def test_others(self) -> None:
        module = indim.parse(AFFINE)
        for make in (indim.Module, lambda of: indim.Executable(of, module), lambda of: indim.Insertion(module.edit(), of)):
            for wrong in (0, 1234567, "HloModule m", b"bytes", None, module):
                with self.subTest(str(wrong)), self.assertRaises(TypeError):
                    make(wrong)
        with self.assertRaisesRegex(TypeError, "to fix: indim.read"):
            indim.Module("m.hlo")

    def test_bytes(self) -> None:
        editor = indim.parse(AFFINE).edit()
        with self.assertRaises(TypeError):
            editor.set_sharding("y", "replicated")
        with self.assertRaises(TypeError):
            editor.set_metadata("y", "text")
        editor.set_sharding("y", b"\x08\x01")


if __name__ == "__main__":
    unittest.main()
