"""Attributes of operations: Python values as HLO text."""

import ctypes
import functools
from typing import Any, Mapping

from . import _abi

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
        raise ValueError(f"{name!r} is no broadcasting rule; to fix: one of {', '.join(_RULES)}") from None


def attribute_text(value: Any) -> str:
    """A value as HLO text has it: true, {0,1}, {{0},{1}}, {[0:2],[1:8:3]}; a text stands as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, slice):
        if value.start is None or value.stop is None:
            raise ValueError("a slice among attributes names its start and its stop")
        step = "" if value.step is None else f":{value.step}"
        return f"[{value.start}:{value.stop}{step}]"
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "__index__"):
        return str(value.__index__())
    return "{" + ",".join(attribute_text(part) for part in value) + "}"


def attributes_text(attributes: "Mapping[str, Any]") -> str:
    """HLO text of attributes; those that are None are left out. async_ and the like stand for Python's keywords."""
    return ", ".join(
        f"{name.rstrip('_')}={attribute_text(value)}" for name, value in attributes.items() if value is not None
    )


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
        self.raw = _abi.indim_attributes(struct_size=ctypes.sizeof(_abi.indim_attributes))
        self.raw.broadcast_rule = rule_number(rule)
        self.raw.broadcast_axis = -1
        self.raw.text = ctypes.addressof(self._text)
        self.raw.text_size = len(text)

    def pointer(self) -> Any:
        """The argument of a call; None: there are no attributes."""
        return None if self._empty else ctypes.byref(self.raw)


@functools.lru_cache(maxsize=1024)
def _known(rule: str, text: str) -> Attributes:
    return Attributes(rule, text)
