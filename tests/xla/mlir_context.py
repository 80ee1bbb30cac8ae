# SPDX-License-Identifier: Apache-2.0
"""The MLIR of jaxlib with the dialects of StableHLO's programs."""
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo


def context():
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    c = ir.Context()
    c.append_dialect_registry(registry)
    stablehlo.register_dialect(c)
    chlo.register_dialect(c)
    sdy.register_dialect(c)
    return c
