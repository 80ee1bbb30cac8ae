# SPDX-License-Identifier: Apache-2.0
"""Names that the package doesn't have, and what stands here for those of other packages: of numpy, jax, torch, XLA and MLIR."""

import re
from typing import TYPE_CHECKING, Any

from ._refusal import NAME, nearest, refused
from .errors import NoAttribute


class Named:
    """The base of classes that tell, where an attribute isn't there, which one was probably meant."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise missing(type(self).__name__.lower(), name, dir(self))


_NUMBERS = "b.build(x).eval(...) gives numbers"
_TO_GRAPH = "for instruction in module.graph"

# By the class that is asked: the name, and the call that does it.
_ELSEWHERE: "dict[str, dict[str, str]]" = {
    "builder": {
        "absolute": "b.abs",
        "argsort": "b.sort([x, places], lambda p, q, i, j: p < q), with places = b.iota(...)",
        "array": "b.constant",
        "asarray": "b.constant",
        "bmm": "b.matmul",
        "cat": "b.concatenate",
        "compile": 'indim.Client("cpu").compile(b.build(y))',
        "conv": "b.convolution",
        "conv2d": "b.convolution",
        "conv_general_dilated": "b.convolution",
        "eval": "b.build(y).eval(...)",
        "identity": "b.eye",
        "input": "b.parameter",
        "jnp": "b itself: b.exp(x)",
        "lax": "b itself: b.dynamic_slice(x, ...)",
        "linalg": "b itself: b.cholesky(x)",
        "mm": "b.matmul",
        "moveaxis": "b.transpose",
        "nn": "b itself: b.relu(x)",
        "norm": "b.sqrt((x * x).sum())",
        "permute": "b.transpose",
        "permute_dims": "b.transpose",
        "placeholder": "b.parameter",
        "random": "b.random_normal, b.random_uniform, ...",
        "run": "b.build(y).run(...)",
        "unsqueeze": "b.expand_dims",
        "view": "b.reshape",
    },
    "value": {
        "cast": "x.astype",
        "cpu": _NUMBERS,
        "detach": "indim.stop_gradient(x)",
        "double": 'x.astype("f64")',
        "float": 'x.astype("f32")',
        "half": 'x.astype("f16")',
        "int": 'x.astype("s32")',
        "item": _NUMBERS,
        "long": 'x.astype("s64")',
        "numpy": _NUMBERS,
        "permute": "x.transpose",
        "repeat": "b.tile(x, ...)",
        "t": "x.T",
        "to": "x.astype",
        "tolist": _NUMBERS,
        "type_as": "x.astype(y.dtype)",
        "unsqueeze": "b.expand_dims(x, ...)",
        "view": "x.reshape",
    },
    "module": {
        "as_hlo_text": "module.to_text",
        "as_serialized_hlo_module_proto": "module.to_bytes",
        "as_text": "module.to_text",
        "compile": 'indim.Client("cpu").compile(module)',
        "computations": "module.graph.computations",
        "entry": "module.graph.entry",
        "execute": "module.run",
        "grad": "module.gradient",
        "instructions": _TO_GRAPH,
        "root": "module.graph.entry.root",
        "save": "module.write",
        "serialize": "module.to_bytes",
        "shape": "module.result",
        "to_hlo": "module.to_text",
        "to_mlir": "module.to_stablehlo",
        "to_proto": "module.to_bytes",
        "validate": "module.check",
        "verify": "module.check",
    },
    "graph": {
        "instructions": "for instruction in graph",
        "nodes": "for instruction in graph",
        "parameters": "graph.entry.parameters",
        "root": "graph.entry.root",
    },
    "shape": {"dim": "shape.dims", "dtype": "shape.element_type", "ndim": "shape.rank", "shape": "shape.dims", "sizes": "shape.dims"},
    "editor": {"build": "editor.finish", "remove": "editor.erase", "rename": "editor.set_name", "replace": "editor.replace_all_uses"},
    "literal": {"dtype": "literal.shape.element_type", "numpy": "literal.value()", "tolist": "literal.value().tolist()"},
    "package": {
        "Tensor": "indim.Value",
        "XlaBuilder": "indim.Builder",
        "compile": 'indim.Client("cpu").compile(module)',
        "ComputationBuilder": "indim.Builder",
        "jit": "indim.build",
        "load": "indim.read",
        "loads": "indim.parse",
        "open": "indim.read",
        "save": "module.write",
        "trace": "indim.build",
    },
}
# How calls of an object are written, and what the object is.
_WRITTEN = {
    "builder": ("b.{}", "method of a builder"),
    "value": ("x.{}", "method of values"),
    "package": ("indim.{}", "name of the package"),
}


def _of_operations() -> "dict[str, str]":
    """The builder's methods by the names of HLO's operations, as a method would have them."""
    from .inference import op_table

    return {name.replace("-", "_"): str(op["python"]) for name, op in op_table().items()}


def missing(kind: str, name: str, known: "list[str]") -> Any:
    """The error of a name that an object of this kind doesn't have."""
    form, what = _WRITTEN.get(kind, (kind + ".{}", f"attribute of {'an' if kind[0] in 'aeiou' else 'a'} {kind}"))
    known = [of for of in known if not of.startswith("_")]
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    fix = _ELSEWHERE.get(kind, {}).get(name, "")
    if not fix and kind == "builder":
        meant = plain if plain in known else _of_operations().get(plain, "")
        fix = form.format(meant) if meant else ""
    if not fix:
        fix = nearest(name, known, form, most=30) or nearest(plain, known, form, most=0)
    return refused(NAME, repr(name), what, fix=fix or f"dir({form.format('').rstrip('.')}) lists all {len(known)}", kind=NoAttribute)
