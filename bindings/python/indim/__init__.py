# SPDX-License-Identifier: Apache-2.0
"""Indim: build, check, explain, convert and run XLA's HLO modules, without building XLA.

    import indim

    b = indim.Builder("affine", broadcasting="numpy")
    x, w, bias = b.parameter("f32[8,784]"), b.parameter("f32[784,10]"), b.parameter("f32[10]")
    module = b.build(x @ w + bias)
    print(module.to_stablehlo())

docs/python.md is the first hour.
"""

import pathlib as _pathlib
import typing as _typing

if not all((_pathlib.Path(__file__).parent / name).exists() for name in ("_abi.py", "_ops.py")):
    raise ImportError(
        "a checkout has no indim/_abi.py and _ops.py yet; to make them, at its top: ./bazelw build //packaging/install:indim_c && "
        "python3 bindings/python/make_tables.py bazel-bin/packaging/install/libindim_c.so; then INDIM_LIBRARY names that library"
    )

from . import jax
from ._library import version as _version
from .builder import Builder, build
from .costs import CostReport, Costs, MemoryUse, ModuleStatistics
from .transforms import checkpoint, custom_gradient, custom_jvp, grad, hessian, jacfwd, jacobian, jacrev, jvp, stop_gradient, value_and_grad, vjp
from .edit import Editor, Insertion, Ref, reduce
from .errors import (
    Diagnostic,
    Error,
    IndimWarning,
    InvalidArgument,
    NoAttribute,
    NotFound,
    OutOfRange,
    ResourceExhausted,
    Unimplemented,
    Unshared,
    WrongType,
)
from .graph import Computation, Graph, Instruction
from .inference import Plan, Signature, broadcast, broadcast_to, code_table, explain, infer, op_table, query
from .jax import from_jax
from .literals import Literal
from .modules import Module, Report, parse, read
from .plugins import Buffer, Client, Executable
from .shapes import Shape
from .values import Value

from ._calls import guard_methods as _guard_methods, guarded as _guarded
from ._names import missing as _missing

__version__ = _version()

_guard_methods(Buffer, Builder, Client, Editor, Executable, Graph, Insertion, Literal, Module, Shape)
_guard_methods(Value, without_init=True)
broadcast, broadcast_to, build, infer = _guarded(broadcast), _guarded(broadcast_to), _guarded(build), _guarded(infer)
explain, from_jax, parse, query, read, reduce = _guarded(explain), _guarded(from_jax), _guarded(parse), _guarded(query), _guarded(read), _guarded(reduce)
grad, hessian, jacfwd, jacobian, jacrev = _guarded(grad), _guarded(hessian), _guarded(jacfwd), _guarded(jacobian), _guarded(jacrev)
jvp, value_and_grad, vjp = _guarded(jvp), _guarded(value_and_grad), _guarded(vjp)

__all__ = [
    "Buffer",
    "Builder",
    "Client",
    "Computation",
    "CostReport",
    "Costs",
    "Diagnostic",
    "Editor",
    "Error",
    "Executable",
    "Graph",
    "IndimWarning",
    "Insertion",
    "Instruction",
    "InvalidArgument",
    "Literal",
    "MemoryUse",
    "Module",
    "ModuleStatistics",
    "NoAttribute",
    "NotFound",
    "OutOfRange",
    "Plan",
    "Ref",
    "Report",
    "ResourceExhausted",
    "Shape",
    "Signature",
    "Unimplemented",
    "Unshared",
    "Value",
    "WrongType",
    "broadcast",
    "broadcast_to",
    "build",
    "checkpoint",
    "code_table",
    "custom_gradient",
    "custom_jvp",
    "explain",
    "from_jax",
    "grad",
    "hessian",
    "infer",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jax",
    "jvp",
    "op_table",
    "parse",
    "query",
    "read",
    "reduce",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        raise _missing("package", name, __all__)
