# SPDX-License-Identifier: Apache-2.0
"""Attributes of operations: Python values as HLO text."""

import ctypes
import functools
import re
from typing import Any, Mapping

from . import _abi
from ._refusal import ARGUMENTS, NAME, RESULT_SHAPE, TYPE, VALUE, nearest, refused
from .errors import Error, WrongType

_RULES = {
    "xla": _abi.BROADCAST_XLA,
    "none": _abi.BROADCAST_NONE,
    "numpy": _abi.BROADCAST_NUMPY,
    "pdpd": _abi.BROADCAST_PDPD,
    "bidirectional": _abi.BROADCAST_BIDIRECTIONAL,
}


def rule_number(name: str) -> int:
    """The number of a broadcasting rule."""
    try:
        return _RULES[name]
    except KeyError:
        raise refused(NAME, repr(name), "broadcasting rule", fix=nearest(str(name), _RULES)) from None


def attribute_text(value: Any) -> str:
    """A value as HLO text has it: true, {0,1}, {{0},{1}}, {[0:2],[1:8:3]}; a text stands as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, slice):
        if value.start is None or value.stop is None:
            raise refused(VALUE, "the slice", value, "of a known start and a known stop", fix="slice(0, 8)")
        step = "" if value.step is None else f":{value.step}"
        return f"[{value.start}:{value.stop}{step}]"
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if not hasattr(value, "__iter__"):
        raise refused(TYPE, "texts, numbers and lists for attributes", type(value).__name__, kind=WrongType)
    return "{" + ",".join(attribute_text(part) for part in value) + "}"


def attributes_text(attributes: "Mapping[str, Any]") -> str:
    """HLO text of attributes; those that are None are left out. async_ and the like stand for Python's keywords."""
    return ", ".join(
        f"{name.rstrip('_')}={_SPELLINGS.get(name, attribute_text)(value)}"
        for name, value in attributes.items()
        if value is not None
    )


def fix_of_call(error: Error, attributes: "Mapping[str, Any]") -> str:
    """What would have worked where a call's attributes or its lack of a result's shape were refused; "": the error says it, or nobody knows."""
    if error.code == RESULT_SHAPE:
        return 'result="f32[2,3]", with the shape of the result'
    if error.code == ARGUMENTS and 'expected "{"' in error.message:
        for name, value in attributes.items():
            if hasattr(value, "__index__") and f"{name.rstrip('_')}={value}" in error.message:
                return f"{name}=[{value}]"
    return ""


def dim_labels_text(value: Any) -> str:
    """HLO's b01f_01io->b01f; NHWC,HWIO->NHWC and jax's ("NHWC", "HWIO", "NHWC") mean the same, the kernel's order being the window's."""
    parts = list(value) if isinstance(value, (tuple, list)) else re.split(r",|->", value) if isinstance(value, str) else []
    if not all(isinstance(part, str) and part.isupper() for part in parts) or not parts:
        if isinstance(value, str):
            return value
        raise _no_labels(value)
    if len(parts) != 3 or not all(_is_layout(part, "IO" if place == 1 else "NC") for place, part in enumerate(parts)):
        raise _no_labels(value)
    spatial = [letter for letter in parts[1] if letter not in "IO"]
    written = {"N": "b", "C": "f", "I": "i", "O": "o", **{letter: str(place) for place, letter in enumerate(spatial)}}
    if not all(set(part) <= set(written) and len(part) == len(parts[1]) for part in parts):
        raise _no_labels(value)
    lhs, rhs, result = ("".join(written[letter] for letter in part) for part in parts)
    return f"{lhs}_{rhs}->{result}"


def _is_layout(part: str, both: str) -> bool:
    return len(set(part)) == len(part) and set(both) <= set(part)


def _no_labels(value: Any) -> Exception:
    known = "an input's letters, a kernel's and the result's, each once"
    return refused(VALUE, "dim_labels", repr(value), known, fix='dim_labels="NHWC,HWIO->NHWC" or dim_labels="b01f_01io->b01f"')


# Attributes that may be written as other packages have them.
_SPELLINGS = {"dim_labels": dim_labels_text}


class Attributes:
    """An indim_attributes and the memory that it points to. It never changes."""

    __slots__ = ("raw", "_text", "_empty")

    @staticmethod
    def of(rule: str, attributes: "Mapping[str, Any]") -> "Attributes":
        """Graphs have few different ones, so that they are made once."""
        return _known(rule, attributes_text(attributes))

    def __init__(self, rule: str, written: str) -> None:
        text = written.encode("utf-8")
        # Text that is the same for many calls is read once by the library.
        self._text = ctypes.create_string_buffer(text, len(text) + 1)
        self._empty = not text and rule == "xla"
        self.raw = _abi.indim_attributes(
            broadcast_rule=rule_number(rule), broadcast_axis=-1, text=ctypes.addressof(self._text), text_size=len(text)
        )

    def pointer(self) -> Any:
        """The argument of a call; None: there are no attributes."""
        return None if self._empty else ctypes.byref(self.raw)


@functools.lru_cache(maxsize=1024)
def _known(rule: str, text: str) -> Attributes:
    return Attributes(rule, text)
