# SPDX-License-Identifier: Apache-2.0
"""indim.testing: expectations of modules, and golden files."""

import pathlib
import tempfile
import unittest

import indim
import releases
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


FRAMES = """HloModule m

FileNames
1 "/home/me/f.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=2 end_line=2 column=1 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY main {
  x = f32[4] parameter(0)
  ROOT t = f32[4] tanh(x), metadata={op_name="jit(f)/tanh" stack_frame_id=1}
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
        self.assertIn("jit(f)/attention/mul", [i.op_name for i in self.module.graph])
        self.assertEqual([i.name for i in expect(self.module).matches("parameter(1)")], ["y"])

    def test_what_does_not_hold(self) -> None:
        for fails, words in (
            (lambda: expect(self.module).count("tanh", 2), ["1 instructions match tanh, expected 2", "f.py:7"]),
            (lambda: expect(self.module).none("add"), ["1 instructions match add, expected 0", "add("]),
            (lambda: expect(self.module).has("add(dot, *)"), ["0 instructions match", "same operation", "add(", " is no dot"]),
            (lambda: expect(self.module).inside("ENTRY").has("tanh"), ["in ENTRY, expected some"]),
            (lambda: expect(self.module).inside("loop"), ["no computation is named 'loop'; there are body, main"]),
            (lambda: expect(self.module).callees_of("while"), ["0 instructions match while, expected some that call"]),
            (lambda: expect(self.module).callees_of("tanh"), ["1 instructions match tanh, expected some that call"]),
            (lambda: expect(self.module).op_name("absent"), ["no instruction has 'absent' in the op_name"]),
            (lambda: expect(self.module).inside("ENTRY").op_name("tanh"), ["no instruction in ENTRY has 'tanh'"]),
            # The name of a file isn't an op_name.
            (lambda: expect(self.module).op_name("f.py"), ["no instruction has 'f.py' in the op_name"]),
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

    def test_layouts_count_where_asked_for(self) -> None:
        text = "HloModule m\n\nENTRY main {\n  x = f32[4,2]{1,0} parameter(0)\n  ROOT t = f32[4,2]{1,0} tanh(x)\n}\n"
        one, two = indim.parse(text), indim.parse(text.replace("{1,0} tanh", "{0,1} tanh"))
        assert_same_graph(one, two)
        with self.assertRaisesRegex(AssertionError, r"\{0,1\} tanh"):
            assert_same_graph(one, two, layouts=True)

    def test_what_the_diff_does_not_show(self) -> None:
        text = """HloModule m

ENTRY main {
  zero = f32[] constant(0)
  one = f32[] constant(1)
  r = f32[] rng(zero, one), distribution=rng_uniform
  q = f32[] rng(zero, one), distribution=rng_uniform
  ROOT d = f32[] subtract(r, q)
}
"""
        one, two = indim.parse(text), indim.parse(text.replace("(r, q)", "(r, r)"))
        assert_same_graph(one, indim.parse(text))
        with self.assertRaisesRegex(AssertionError, "the diff is empty"):
            assert_same_graph(one, two)

    def test_channel_numbers_and_schedules_do_not_count(self) -> None:
        text = """HloModule m

ENTRY main {
  x = f32[4] parameter(0)
  ROOT p = f32[4] collective-permute(x), channel_id=1, source_target_pairs={{0,1}}
}
"""
        other = text.replace("channel_id=1", "channel_id=7").replace("HloModule m", "HloModule m, is_scheduled=true")
        assert_same_graph(indim.parse(text), indim.parse(other))

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


    def test_golden_of_frames_has_no_files(self) -> None:
        module = indim.parse(FRAMES)
        self.assertIn("/home/me/f.py", module.to_text())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.hlo"
            assert_golden(module, path, update=True)
            text = path.read_text(encoding="utf-8")
            for word in ("/home/me", "FileNames", "StackFrames", "metadata"):
                self.assertNotIn(word, text)
            assert_golden(module, path, update=False)

    def test_golden_that_cannot_be_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.hlo"
            path.write_text("HloModule m\n\n<<<<<<< ours\n", encoding="utf-8")
            with self.assertRaises(indim.errors.Error):
                assert_golden(self.module, path, update=False)
            assert_golden(self.module, path, update=True)
            assert_golden(self.module, path, update=False)

    def test_golden_of_what_text_has_no_place_for(self) -> None:
        program = 'func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = "device"}) -> tensor<4xf32> { return %a : tensor<4xf32> }'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.hlo"
            assert_golden(indim.parse(program), path, update=True)
            assert_golden(indim.parse(program), path, update=False)


class ReleasesTest(unittest.TestCase):
    def test_expectations_hold_over_releases(self) -> None:
        paths = sorted(releases.DATA.glob("jaxlib_*.txt"))
        self.assertGreaterEqual(len(paths), 6)
        newest = releases.kept(releases.RELEASES[-1])
        for path in paths:
            self.assertEqual(releases.hold(releases.kept(path.stem.split("_")[1]), newest), [], path)


if __name__ == "__main__":
    unittest.main()
