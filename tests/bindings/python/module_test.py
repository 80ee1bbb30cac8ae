# SPDX-License-Identifier: Apache-2.0
"""Modules: reading, writing, checking, walking, computing."""

import os
import pathlib
import pickle
import tempfile
import time
import unittest

import indim
import numpy
import support
from support import AFFINE, WRONG


class Modules(unittest.TestCase):
    def setUp(self) -> None:
        self.module = indim.parse(AFFINE)

    def assert_same(self, other: indim.Module) -> None:
        """The same but for names and layouts, which StableHLO doesn't have."""
        self.assertEqual(self.module.to_stablehlo().replace("affine", "main"), other.to_stablehlo().replace("affine", "main"))

    def test_all_formats_there_and_back(self) -> None:
        text = self.module.to_text()
        for data in (
            self.module.to_bytes(),
            self.module.to_pbtxt().encode(),
            text.encode(),
            self.module.to_stablehlo().encode(),
            self.module.to_stablehlo(generic=True).encode(),
            self.module.to_stablehlo_artifact(),
        ):
            with self.subTest(data[:30]):
                self.assert_same(indim.read(data))
        self.assertEqual(indim.read(memoryview(text.encode())).to_text(), text)
        self.assertEqual(pickle.loads(pickle.dumps(self.module)).to_bytes(), self.module.to_bytes())

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.pb", "a.pbtxt", "a.hlo", "a.mlir", "a.mlirbc"):
                path = os.path.join(folder, name)
                self.module.write(path)
                self.assert_same(indim.read(path))
            with self.assertRaises(indim.NotFound):
                indim.read(os.path.join(folder, "none.pb"))
            with self.assertRaises(indim.Error):
                self.module.write(os.path.join(folder, "none", "a.pb"))

    def test_texts_that_are_no_modules(self) -> None:
        with self.assertRaises(indim.InvalidArgument) as caught:
            indim.parse(AFFINE.replace("dot(", "dott("))
        self.assertIn("dott", str(caught.exception))
        for data in (b"", b"\xff\xff\xff", b"HloModule"):
            with self.subTest(data), self.assertRaises(indim.Error):
                indim.read(data)
        with self.assertRaisesRegex(ValueError, "stablehlo"):
            indim.read(b"", format="xml")

    def test_checks(self) -> None:
        self.assertTrue(self.module.check().ok)
        self.module.check().raise_for_errors()
        report = indim.parse(WRONG).check()
        self.assertFalse(report.ok)
        self.assertEqual(report.errors[0].instruction, 3)
        self.assertEqual(report.errors[0].computation, 0)
        self.assertEqual(report.errors[0].text_line, 7)
        with self.assertRaises(indim.InvalidArgument) as caught:
            report.raise_for_errors()
        self.assertEqual(caught.exception.diagnostics, tuple(report))

    def test_inference(self) -> None:
        text = AFFINE.replace("[2,3]", "[n,3]").replace("[2,4]", "[n,4]")
        module = indim.parse(text)
        self.assertEqual(str(module.result), "f32[n,4]{1,0}")
        self.assertEqual(str(module.infer(n=8).result), "f32[8,4]{1,0}")
        self.assertEqual(str(module.infer("n=2*m").result), "f32[2*m,4]{1,0}")
        self.assertEqual(str(indim.parse(WRONG).infer(drop=True).result.dims), "(2, 4)")
        with self.assertRaises(indim.InvalidArgument):
            indim.parse(AFFINE.replace("f32[3,4] parameter", "f32[5,4] parameter")).infer()
        with self.assertRaises(indim.Error):
            module.infer("n=")
        self.assertIn("f32[2,5]", self.module.diff(indim.parse(WRONG)))

    def test_what_it_holds_and_costs(self) -> None:
        self.assertEqual([found.name for found in self.module.find_all("tanh")], [])
        self.assertEqual([found.name for found in self.module.find_all("dot")], ["d"])
        stats = self.module.stats()
        self.assertEqual(stats.operations, {"add": 1, "dot": 1, "parameter": 2})
        self.assertEqual((stats.parameters.count, stats.parameters.bytes), (2, 4 * (6 + 12)))
        cost = self.module.cost(by="opcode")
        self.assertEqual((cost.total.flops, cost.total, cost.loops, cost.unknown), (2 * 24 + 8, cost.xla, {}, ()))
        self.assertEqual(list(cost.rows), ["dot", "add"])
        self.assertEqual(cost.rows["dot"].flops, 48)
        assert cost.memory is not None
        self.assertEqual(cost.memory.arguments, 72)
        named = indim.parse(AFFINE.replace("[2,3]", "[n,3]").replace("[2,4]", "[n,4]")).cost()
        self.assertEqual((named.total.flops, named.memory), ("28*n", None))
        with self.assertRaisesRegex(indim.InvalidArgument, "opcode"):
            self.module.cost(by="opcod")
        with self.assertRaisesRegex(indim.InvalidArgument, "'c' is no conditional"):
            self.module.cost(branches={"c": [0.5, 0.5]})

    def test_walks(self) -> None:
        graph = self.module.graph
        self.assertEqual(graph.opcodes, ["parameter", "parameter", "dot", "add"])
        self.assertEqual(graph.names, ["x", "w", "d", "y"])
        entry = graph.entry
        self.assertEqual((entry.name, entry.root.name, len(entry)), ("affine", "y", 4))
        dot = graph.find("d")
        self.assertEqual([operand.name for operand in dot.operands], ["x", "w"])
        self.assertEqual(dot.attributes, "lhs_contracting_dims={1}, rhs_contracting_dims={0}")
        self.assertEqual((str(dot.shape), dot.shape_text), ("f32[2,4]{1,0}", "f32[2,4]{1,0}"))
        self.assertIn("dot", str(dot))
        self.assertEqual([str(shape) for shape in self.module.parameters], ["f32[2,3]{1,0}", "f32[3,4]{1,0}"])
        with self.assertRaises(KeyError):
            graph.find("z")
        with self.assertRaises(IndexError):
            graph[4]
        with self.assertRaises(indim.NotFound):
            dot.literal

    def test_walks_calls_and_names_that_are_not_ascii(self) -> None:
        b = indim.Builder("f")
        x = b.parameter("f32[4]", "größe")
        module = b.build(x.sum().named("次"))
        self.assertEqual(module.graph.find("größe").opcode, "parameter")
        reduce = module.graph.find("次")
        self.assertEqual([instruction.opcode for instruction in reduce.callees[0]], ["parameter", "parameter", "add"])
        self.assertEqual(float(module.graph.find(reduce.operands[1].name).literal.value()), 0.0)
        self.assertEqual(reduce.location[0], __file__)

    def test_walks_100000_instructions_within_a_second(self) -> None:
        b = indim.Builder("long")
        x = b.parameter("f32[8]")
        y = x
        for _ in range(100_000):
            y = y + x
        module = b.build(y)
        start = time.process_time()
        graph = module.graph
        count = 0
        for position, opcode in enumerate(graph.opcodes):
            operands = graph.operands[graph.operand_first[position] : graph.operand_first[position + 1]]
            shape = graph.shape_texts[graph.shape_numbers[position]]
            count += opcode == "add" and len(operands) == 2 and shape == "f32[8]" and bool(graph.names[position])
        self.assertEqual(count, 100_000)
        self.assertLess(time.process_time() - start, 1.0)

    def test_evaluates(self) -> None:
        x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        w = numpy.ones((3, 4), numpy.float32)
        result = self.module.eval(x, w)
        numpy.testing.assert_array_equal(result, 2 * (x @ w))
        self.assertEqual(result.dtype, numpy.float32)
        result[0, 0] = 1  # results may be changed
        numpy.testing.assert_array_equal(self.module.eval(x.tolist(), numpy.asfortranarray(w)), 2 * (x @ w))
        with self.assertRaisesRegex(TypeError, "2 arguments"):
            self.module.eval(x)
        with self.assertRaises(indim.InvalidArgument):
            self.module.eval(w, x)
        with self.assertRaises(indim.Error):
            self.module.eval(x, w, max_steps=1)

    def test_open_sizes_are_those_of_the_arguments(self) -> None:
        x = numpy.arange(6, dtype=numpy.float32).reshape(3, 2)
        texts = [
            "HloModule f\nENTRY f {\n x = f32[n,2] parameter(0)\n y = f32[n,2] parameter(1)\n ROOT z = f32[n,2] add(x, y)\n}",
            """func.func @main(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
              %z = stablehlo.add %x, %y : tensor<?x2xf32>
              return %z : tensor<?x2xf32>
            }""",
        ]
        for text in texts:
            with self.subTest(text[:9]):
                module = indim.parse(text)
                numpy.testing.assert_array_equal(module.eval(x, x), 2 * x)
                numpy.testing.assert_array_equal(module.eval(x[:1], x[:1].tolist()), 2 * x[:1])
                with self.assertRaisesRegex(indim.InvalidArgument, "IND0"):
                    module.eval(x, x[:2])

    def test_limits_and_sizes_are_named_as_here(self) -> None:
        x = numpy.zeros((1, 2), numpy.float32)
        with self.assertRaisesRegex(indim.ResourceExhausted, "max_steps=N allows more"):
            indim.build(lambda x: x @ x.T, "f32[9,9]").eval(numpy.zeros((9, 9), numpy.float32), max_steps=1)
        module = indim.parse("HloModule f\nENTRY f {\n ROOT x = f32[n,2] parameter(0)\n}")
        with self.assertRaisesRegex(indim.Error, r"module.infer\(n=8\)"):
            module.to_bytes(for_xla=True)
        with self.assertRaisesRegex(indim.Error, "to fix: n=8"):
            module.infer("n")
        self.assertEqual(str(module._refined_for([x]).result), "f32[1,2]{1,0}")

    def test_errors_name_keywords(self) -> None:
        named = b"HloModule f\nENTRY f {\n ROOT x = f32[n,2] parameter(0)\n}"
        with self.assertRaisesRegex(indim.Error, "names with symbols=True"):
            indim.read(named)
        self.assertEqual(str(indim.read(named, symbols=True).result), "f32[n,2]{1,0}")
        with self.assertRaisesRegex(indim.Error, 'looks like HLO text .format="hlo".'):
            indim.read(named, format="pb")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.bin"
            path.write_bytes(b"\1\2")
            with self.assertRaisesRegex(indim.Error, 'or format="pb", "pbtxt", "hlo" or "stablehlo"'):
                indim.read(path)
            with self.assertRaisesRegex(indim.Error, "mlirbc, or format=.hlo."):
                self.module.write(path)

    def test_bounded_sizes_are_those_of_the_run(self) -> None:
        module = indim.parse(
            """HloModule cut
            ENTRY main {
              x = f32[5,2] parameter(0)
              n = s32[] parameter(1)
              y = f32[<=5,2] set-dimension-size(x, n), dimensions={0}
              ROOT r = (f32[<=5,2], f32[5,2]) tuple(y, x)
            }"""
        )
        x = numpy.arange(10, dtype=numpy.float32).reshape(5, 2)
        cut, whole = module.eval(x, numpy.int32(3))
        numpy.testing.assert_array_equal(cut, x[:3])
        numpy.testing.assert_array_equal(whole, x)


class Literals(unittest.TestCase):
    def test_dtypes_there_and_back(self) -> None:
        dtypes = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
        dtypes += ["float16", "float32", "float64", "complex64", "complex128"]
        for dtype in dtypes:
            with self.subTest(dtype):
                array = numpy.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
                back = indim.Literal.of(array).value()
                self.assertEqual(back.dtype, array.dtype)
                numpy.testing.assert_array_equal(back, array)
        big = numpy.array([1, 2], dtype=">i4")
        numpy.testing.assert_array_equal(indim.Literal.of(big).value(), [1, 2])

    def test_small_types(self) -> None:
        import ml_dtypes

        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4"):
            with self.subTest(name):
                array = numpy.array([0, 1, 2]).astype(getattr(ml_dtypes, name))
                back = indim.Literal.of(array).value()
                self.assertEqual(back.dtype, array.dtype)
                self.assertEqual(back.tobytes(), array.tobytes())

    def test_numbers_and_buffers(self) -> None:
        import array

        self.assertEqual(str(indim.Literal.of([[1, 2], [3, 4]]).shape), "s32[2,2]")
        self.assertEqual(indim.Literal.of(1.5).value(), numpy.float32(1.5))
        self.assertEqual(indim.Literal.of(2**63 - 1, "s64[]").value(), 2**63 - 1)
        self.assertEqual(indim.Literal.of(1 + 2j, "c64[]").value(), numpy.complex64(1 + 2j))
        numpy.testing.assert_array_equal(indim.Literal.of(array.array("d", [1, 2])).value(), [1.0, 2.0])
        pair = indim.Literal.of((1.0, [1, 2]))
        self.assertEqual(str(pair.shape), "(f32[], s32[2])")
        self.assertEqual(pair.value()[1].tolist(), [1, 2])
        for wrong in ([[1], [1, 2]], [1, [2]]):
            with self.subTest(wrong), self.assertRaises(ValueError):
                indim.Literal.of(wrong)
        with self.assertRaises(ValueError):
            indim.Literal.of(300, "u8[]")
        with self.assertRaises(TypeError):
            indim.Literal.of(object())
        self.assertEqual(indim.Literal.of(1.0), indim.Literal.of(1.0))
        self.assertNotEqual(indim.Literal.of(1.0), indim.Literal.of(2.0))


class Pages(unittest.TestCase):
    def test_the_first_hour(self) -> None:
        """Every program of docs/python.md runs, in order, and prints what the page says."""
        page = (support.ROOT / "docs" / "python.md").read_text()
        import doctest

        failed, ran = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(page, {}, "python.md", None, 0))
        self.assertGreater(ran, 10)
        self.assertEqual(failed, 0)


if __name__ == "__main__":
    unittest.main()
