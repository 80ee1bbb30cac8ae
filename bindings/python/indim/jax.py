# SPDX-License-Identifier: Apache-2.0
"""JAX's modules, through JAX's public interfaces alone; jax is imported only where a function needs it."""

import importlib
import pathlib
import tempfile
from contextlib import contextmanager
from typing import Any, Iterator

from ._passes import Captured, Pass, PassWarning, capture, register_pass
from ._refusal import NAME, TYPE, refused
from .errors import Diagnostic, InvalidArgument, WrongType
from .modules import Module, Report, read


def from_jax(lowered: Any, *, form: str = "stablehlo") -> Module:
    """The module of what jax.jit(f).lower(...) or jax.export.export(f)(...) gives.

    `form` "hlo" takes the HLO that XLA makes of a Lowered, rather than JAX's StableHLO. A text or bytes of a module work too.
    """
    if isinstance(lowered, (bytes, bytearray, memoryview)):
        return read(lowered)
    if isinstance(lowered, str):
        return read(lowered.encode("utf-8"))
    artifact = getattr(lowered, "mlir_module_serialized", None)
    if artifact is not None:
        return read(artifact)
    if not hasattr(lowered, "as_text"):
        fix = "jax.jit(f).lower(*arguments)" if callable(lowered) else ""
        taken = "what jax.jit(f).lower(...) or jax.export.export(f)(...) gives"
        raise refused(TYPE, taken, type(lowered).__name__, fix=fix, kind=WrongType)
    if form == "hlo":
        return read(lowered.compiler_ir(dialect="hlo").as_serialized_hlo_module_proto())
    if form != "stablehlo":
        raise refused(NAME, repr(form), "form", fix='form="stablehlo" or form="hlo"')
    return read(_text(lowered).encode("utf-8"))


def _text(lowered: Any) -> str:
    try:
        # With locations, so that diagnostics name the Python line that JAX saw.
        return str(lowered.as_text(dialect="stablehlo", debug_info=True))
    except TypeError:
        return str(lowered.as_text())


class Checked:
    """What checking() saw: a report for each module, by its name."""

    def __init__(self) -> None:
        self.reports: "list[tuple[str, Report]]" = []

    @property
    def modules(self) -> int:
        """How many there were."""
        return len(self.reports)

    @property
    def diagnostics(self) -> "tuple[Diagnostic, ...]":
        """What was found in all of them."""
        return tuple(d for _, report in self.reports for d in report)


@contextmanager
def checking() -> "Iterator[Checked]":
    """Checks every module that JAX lowers inside, at the end of the block; raises InvalidArgument if one isn't right.

        with indim.jax.checking() as checked:
            jax.jit(step)(params, batch)
        assert checked.modules

    It lets JAX write its modules to a folder of its own (the option jax_dump_ir_to, which it restores). What JAX finds in its cache
    isn't lowered again, and so isn't checked.
    """
    jax: Any = importlib.import_module("jax")
    checked = Checked()
    before = jax.config.values["jax_dump_ir_to"]
    with tempfile.TemporaryDirectory(prefix="indim-jax-") as folder:
        jax.config.update("jax_dump_ir_to", folder)
        try:
            yield checked
        finally:
            jax.config.update("jax_dump_ir_to", before)
        wrong = []
        for path in sorted(pathlib.Path(folder).rglob("*.mlir")):
            module = read(path.read_bytes(), name=path.name)
            report = module.check()
            checked.reports.append((path.stem, report))
            wrong += [(path.stem, d) for d in report.errors]
        if wrong:
            text = "\n".join(f"{name}: {d}" for name, d in wrong)
            raise InvalidArgument(text, 3, tuple(d for _, d in wrong))
