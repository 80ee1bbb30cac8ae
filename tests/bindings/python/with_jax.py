# SPDX-License-Identifier: Apache-2.0
"""The package beside jax: what JAX lowers is read, checked and computed."""

import unittest

import indim
import jax
import jax.export
import jax.numpy as jnp
import numpy

X = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)


def model(x):
    return jax.nn.softmax(jnp.sin(x) @ x.T, axis=-1)


class WithJax(unittest.TestCase):
    def test_reads_what_jax_lowers(self) -> None:
        expected = numpy.asarray(model(X))
        lowered = jax.jit(model).lower(X)
        forms = [lowered, jax.export.export(jax.jit(model))(X), lowered.as_text()]
        modules = [indim.from_jax(form) for form in forms] + [indim.from_jax(lowered, form="hlo")]
        for module in modules:
            module.check().raise_for_errors()
            numpy.testing.assert_allclose(numpy.ravel(module.eval(X)), numpy.ravel(expected), rtol=1e-5)
        with self.assertRaises(TypeError):
            indim.from_jax(3)

    def test_checks_what_jax_lowers_inside(self) -> None:
        with indim.jax.checking() as checked:
            jax.jit(lambda x: model(x) * 3)(X)
        self.assertGreaterEqual(checked.modules, 1)
        self.assertEqual([d for d in checked.diagnostics if d.severity == "error"], [])
        self.assertIsNone(jax.config.values["jax_dump_ir_to"] or None)

    def test_an_exception_inside_passes(self) -> None:
        with self.assertRaises(ZeroDivisionError), indim.jax.checking():
            raise ZeroDivisionError
        self.assertIsNone(jax.config.values["jax_dump_ir_to"] or None)

    def test_jax_compiles_what_the_builder_makes(self) -> None:
        module = indim.build(lambda x: (x @ x.T).max(-1), X)
        self.assertEqual(str(module.result), "f32[2]")
        numpy.testing.assert_allclose(module.eval(X), numpy.asarray((X @ X.T).max(-1)))


if __name__ == "__main__":
    unittest.main()
