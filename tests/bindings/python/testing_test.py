# SPDX-License-Identifier: Apache-2.0
"""indim.testing: expectations of modules, and golden files."""

import pathlib
import tempfile
import unittest

import indim
from indim.testing import assert_golden, assert_same_graph, expect

TEXT = """HloModule m

body {
  s = f32[4] parameter(0)
  ROOT t = f32[4] tanh(s), metadata={op_name="jit(f)/while/tanh" source_file="f.py" source_line=7}
}

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  p = f32[4] multiply(x, y), metadata={op_name="jit(f)/attention/mul"}
  a = f32[4] add(p, x)
  ROOT c = f32[4] call(a), to_apply=body
}
"""


class ExpectTest(unittest.TestCase):
    def setUp(self) -> None:
        self.module = indim.parse(TEXT)

    def test_what_holds(self) -> None:
        expect(self.module).count("tanh", 1).none("dot").has("add(multiply(?a, ?b), ?a)").count("*: f32[4]", 7)
        expect(self.module).inside("ENTRY").none("tanh").count("call", 1)
        expect(self.module).inside("body").count("tanh", 1).none("add")
        expect(self.module).callees_of("call").has("tanh(parameter(0))").none("multiply")
        expect(self.module).op_name("attention").count("*", 1).has("multiply")
        self.assertEqual([i.name for i in expect(self.module).matches("parameter(1)")], ["y"])

    def test_what_does_not_hold(self) -> None:
        for fails, words in (
            (lambda: expect(self.module).count("tanh", 2), ["1 instructions match tanh, expected 2", "f.py:7"]),
            (lambda: expect(self.module).none("add"), ["1 instructions match add, expected 0", "add("]),
            (lambda: expect(self.module).has("add(dot, *)"), ["0 instructions match", "same operation", "add("]),
            (lambda: expect(self.module).inside("ENTRY").has("tanh"), ["in ENTRY, expected some"]),
            (lambda: expect(self.module).inside("loop"), ["no computation is named 'loop'; there are body, main"]),
        ):
            with self.assertRaises(AssertionError) as raised:
                fails()
            for word in words:
                self.assertIn(word, str(raised.exception))

    def test_no_pattern(self) -> None:
        with self.assertRaises(indim.errors.InvalidArgument):
            expect(self.module).has("add(")
        with self.assertRaises(indim.errors.InvalidArgument):
            expect(self.module).has("ad")


class SameGraphTest(unittest.TestCase):
    def setUp(self) -> None:
        self.module = indim.parse(TEXT)
        self.renamed = indim.parse(TEXT.replace("multiply(x, y)", "multiply(x, why)").replace("y = f32", "why = f32"))
        self.other = indim.parse(TEXT.replace("add(p, x)", "subtract(p, x)"))

    def test_names_do_not_count(self) -> None:
        assert_same_graph(self.renamed, self.module)
        self.assertEqual(self.renamed.fingerprint(), self.module.fingerprint())
        self.assertNotEqual(self.other.fingerprint(), self.module.fingerprint())
        with self.assertRaisesRegex(AssertionError, "subtract"):
            assert_same_graph(self.other, self.module)

    def test_golden(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.hlo"
            with self.assertRaisesRegex(AssertionError, "INDIM_UPDATE_GOLDEN"):
                assert_golden(self.module, path, update=False)
            assert_golden(self.module, path, update=True)
            text = path.read_text(encoding="utf-8")
            self.assertNotIn("metadata", text)
            assert_golden(self.renamed, path, update=True)
            self.assertEqual(path.read_text(encoding="utf-8"), text)
            with self.assertRaisesRegex(AssertionError, "subtract"):
                assert_golden(self.other, path, update=False)
            assert_golden(self.other, path, update=True)
            self.assertIn("subtract", path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
