# SPDX-License-Identifier: Apache-2.0
"""Arrays that cross without numpy: DLPack."""

import gc
import unittest
from typing import Any

import indim
import numpy

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "bool"]


class Tensor:
    """Of a package that has __dlpack__ and nothing else."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Literals(unittest.TestCase):
    def test_there_and_back(self) -> None:
        for dtype in TYPES:
            array = numpy.arange(6).reshape(2, 3).astype(dtype)
            for given in (array, array.T, array[:, ::-1], array[1:], array[:0], array[0, 1]):
                with self.subTest(f"{dtype} {numpy.shape(given)}"):
                    given = numpy.asarray(given)
                    literal = indim.Literal.from_dlpack(given)
                    numpy.testing.assert_array_equal(literal.value(), given)
                    back = numpy.from_dlpack(literal)
                    numpy.testing.assert_array_equal(back, given)
                    self.assertEqual(back.dtype, given.dtype)

    def test_the_memory_outlives_the_literal(self) -> None:
        back = numpy.from_dlpack(indim.Literal([1.0, 2.0, 3.0]))
        gc.collect()
        self.assertEqual(back.tolist(), [1, 2, 3])

    def test_a_copy_is_the_callers(self) -> None:
        class Copied(Tensor):
            def __dlpack__(self, **options: Any) -> Any:
                return self.array.__dlpack__(copy=True)

        literal = indim.Literal([1.0, 2.0])
        back = numpy.from_dlpack(Copied(literal))
        address = back.__array_interface__["data"][0]
        self.assertNotEqual(address, numpy.from_dlpack(literal).__array_interface__["data"][0])

    def test_a_capsule_that_nobody_takes(self) -> None:
        for _ in range(100):
            indim.Literal([1.0] * 1000).__dlpack__()
        capsule = indim.Literal([1.0]).__dlpack__()
        self.assertIn("dltensor", repr(capsule))

    def test_a_tensor_is_a_value(self) -> None:
        module = indim.build(lambda x: x * 2.0, "f32[2]")
        result = module.eval(Tensor(numpy.array([1, 2], numpy.float32)))
        self.assertEqual(result.tolist(), [2, 4])

    def test_wrong_ones(self) -> None:
        class Elsewhere(Tensor):
            def __dlpack__(self, **options: Any) -> Any:
                return "no capsule"

        with self.assertRaises(TypeError):
            indim.Literal.from_dlpack(Elsewhere(None))
        with self.assertRaises(indim.Unimplemented):
            indim.Literal((1.0, 2.0)).__dlpack__()
        with self.assertRaises(AttributeError):
            indim.Literal.from_dlpack([1.0])


if __name__ == "__main__":
    unittest.main()
