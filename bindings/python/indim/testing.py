# SPDX-License-Identifier: Apache-2.0
"""Tests of HLO by meaning: what a module must have, as patterns; and golden files that names, ids, order and spelling don't break.

    from indim.testing import assert_same_graph, expect

    expect(module).count("dot", 2).none("all-gather: f32[1024,*]").has("add(multiply(?a, ?b), ?c)")

Patterns are those of docs/editing.md. A failure is an AssertionError that shows the nearest instructions, with their source lines.
"""

import os
import pathlib
from typing import Any, Callable, Union

from ._wire import fields
from .edit import Ref
from .errors import Error
from .graph import Instruction
from .jax import from_jax
from .modules import Module, parse, read

# How many instructions a failure shows.
_MOST_SHOWN = 10

# The number of HloModuleProto.stack_frame_index.
_STACK_FRAME_INDEX = 17


def _module(given: Any) -> Module:
    """A module, or what JAX gives for one."""
    return given if isinstance(given, Module) else from_jax(given)


class Expectation:
    """What is expected of some instructions of a module; each method returns the expectation, or raises AssertionError."""

    def __init__(self, module: Module, keep: "Callable[[Instruction], bool]" = lambda i: True, where: str = "") -> None:
        self._module = module
        self._editor = module.edit()
        self._keep = keep
        self._where = where

    def _only(self, keep: "Callable[[Instruction], bool]", where: str) -> "Expectation":
        return Expectation(self._module, lambda i: self._keep(i) and keep(i), f"{self._where} {where}")

    def inside(self, computation: str) -> "Expectation":
        """Of the instructions of the computation with this name alone; "ENTRY": the entry."""
        graph = self._module.graph
        found = [graph.entry] if computation == "ENTRY" else [c for c in graph.computations if c.name == computation]
        if not found:
            raise AssertionError(f"no computation is named {computation!r}; there are {', '.join(c.name for c in graph.computations)}")
        positions = found[0].positions
        return self._only(lambda i: i.position in positions, f"in {computation}")

    def callees_of(self, pattern: str) -> "Expectation":
        """Of the computations alone that the matches call: "while", "fusion: f32[8,*]"."""
        matches = self.matches(pattern)
        callees = [c.positions for i in matches for c in i.callees]
        if not callees:
            self._fail(pattern, matches, "some that call computations")
        return self._only(lambda i: any(i.position in positions for positions in callees), f"in what {pattern} calls")

    def op_name(self, scope: str) -> "Expectation":
        """Of the instructions alone whose op_name has `scope` in it: "transpose(jvp(", "attention"."""
        found = {i.position for i in self._module.graph if self._keep(i) and scope in i.op_name}
        if not found:
            raise AssertionError(f"{self._module.name}: no instruction{self._where} has {scope!r} in the op_name")
        return self._only(lambda i: i.position in found, f"with {scope!r} in the op_name")

    def matches(self, pattern: str) -> "list[Instruction]":
        """The instructions that match."""
        return self._kept(self._editor.find_all(pattern))

    def _kept(self, refs: "list[Ref]") -> "list[Instruction]":
        return [i for i in (self._module.graph[ref.number] for ref in refs) if self._keep(i)]

    def count(self, pattern: str, number: int) -> "Expectation":
        """Exactly so many match."""
        found = self.matches(pattern)
        return self if len(found) == number else self._fail(pattern, found, str(number))

    def none(self, pattern: str) -> "Expectation":
        """None matches."""
        return self.count(pattern, 0)

    def has(self, pattern: str) -> "Expectation":
        """At least one matches."""
        found = self.matches(pattern)
        return self if found else self._fail(pattern, found, "some")

    def _fail(self, pattern: str, found: "list[Instruction]", expected: str) -> "Expectation":
        lines = [f"{self._module.name}: {len(found)} instructions match {pattern}{self._where}, expected {expected}"]
        shown = found or self._kept(self._editor.find_near(pattern))
        if shown and not found:
            lines.append("these are of the same operation:")
        for i in shown[:_MOST_SHOWN]:
            file, line = i.location or ("", 0)
            lines.append(f"  {i}" + (f"  {file}:{line}" if file else ""))
            misfit = self._editor.misfit(pattern, i)
            lines += [f"    {misfit}"] * bool(misfit)
        if len(shown) > _MOST_SHOWN:
            lines.append(f"  and {len(shown) - _MOST_SHOWN} more")
        raise AssertionError("\n".join(lines))


def expect(module: Any) -> Expectation:
    """What is expected of a Module, or of what jax.jit(f).lower(...) gives."""
    return Expectation(_module(module))


def assert_same_graph(got: Any, want: Any, *, layouts: bool = False) -> None:
    """Raises AssertionError, with a diff, unless both have the same fingerprint: names, ids, order, metadata, the numbers of channels and
    spelling don't count, nor do layouts unless they are asked for."""
    got, want = _module(got), _module(want)
    same, difference = want.compare(got, layouts=layouts)
    if same:
        return
    difference = difference or (
        "  (the diff is empty: they differ in which of equal instructions or computations is used where, in which instructions share a"
        " channel, or in what HLO text has no place for)"
    )
    raise AssertionError(f"{got.name} isn't the graph of {want.name}:\n{difference}")


def _golden_text(module: Module) -> str:
    """HLO text without metadata, and without the tables of source files that it refers to."""
    editor = module.edit()
    for i in module.graph:
        editor.set_metadata(i, b"")
    all_fields = fields(editor.finish().to_bytes())
    return read(b"".join(record for number, _, record in all_fields if number != _STACK_FRAME_INDEX), format="pb").to_text()


def assert_golden(got: Any, path: "Union[str, os.PathLike[str]]", *, layouts: bool = False, update: "bool | None" = None) -> None:
    """Compares with the module of a file by meaning; with `update`, by default where INDIM_UPDATE_GOLDEN is set, writes the file if it
    isn't there, can't be read or means another thing: HLO text without metadata, for people to read. What HLO text has no place for
    isn't compared."""
    text = _golden_text(_module(got))
    file = pathlib.Path(path)
    if update is None:
        update = bool(os.environ.get("INDIM_UPDATE_GOLDEN"))
    if not file.exists() and not update:
        raise AssertionError(f"there is no {file}; to fix: INDIM_UPDATE_GOLDEN=1 writes it")
    if file.exists():
        try:
            return assert_same_graph(parse(text), read(file, symbols=True), layouts=layouts)
        except (AssertionError, Error):
            if not update:
                raise
    file.write_text(text, encoding="utf-8")
