# SPDX-License-Identifier: Apache-2.0
"""Which element type several operands have together: jax's rule, with 64 bits where an operand has them (jax_enable_x64 is off for
types up to 32 bits and on for those of 64)."""

import functools
from typing import Any

# Of Python's own numbers, which are no type of an array yet: jax calls them weak.
INT, FLOAT, COMPLEX = "int", "float", "complex"
_WEAK = (INT, FLOAT, COMPLEX)

_SMALL_FLOATS = (
    "f4e2m1fn", "f8e3m4", "f8e4m3", "f8e4m3b11fnuz", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0fnu"
)  # fmt: skip

# The next higher types of each, as in jax's "Type promotion semantics".
_HIGHER: "dict[str, tuple[str, ...]]" = {
    "pred": (INT,),
    INT: ("u2", "u4", "u8", "s2", "s4", "s8"),
    "u2": (), "u4": (), "s2": (), "s4": (),
    "u8": ("s16", "u16"), "u16": ("s32", "u32"), "u32": ("s64", "u64"), "u64": (FLOAT,),
    "s8": ("s16",), "s16": ("s32",), "s32": ("s64",), "s64": (FLOAT,),
    FLOAT: (*_SMALL_FLOATS, "bf16", "f16", COMPLEX),
    **{small: () for small in _SMALL_FLOATS},
    "bf16": ("f32",), "f16": ("f32",), "f32": ("f64", "c64"), "f64": ("c128",),
    COMPLEX: ("c64",), "c64": ("c128",), "c128": (),
}  # fmt: skip

# Where no operand has 64 bits.
_HIGHER_OF_32 = {**_HIGHER, "u32": ("s32", "u64")}

_HALF = {"s64": "s32", "u64": "u32", "f64": "f32", "c128": "c64"}
_DEFAULT = {INT: "s32", FLOAT: "f32", COMPLEX: "c64"}
_DEFAULT_64 = {INT: "s64", FLOAT: "f64", COMPLEX: "c128"}

# Before the type of a value that came of Python's own numbers and took no type since: "~f32", as jax prints it.
WEAK = "~"


def has_64_bits(element_type: str) -> bool:
    return element_type in _HALF


def half(element_type: str) -> str:
    """The type of 32 bits in the place of one of 64."""
    return _HALF.get(element_type, element_type)


def is_float(element_type: str) -> bool:
    return element_type[:1] == "f" or element_type == "bf16"


def is_complex(element_type: str) -> bool:
    return element_type in ("c64", "c128")


def is_inexact(element_type: str) -> bool:
    return is_float(element_type) or is_complex(element_type)


def is_signed(element_type: str) -> bool:
    return element_type[:1] == "s"


def is_unsigned(element_type: str) -> bool:
    return element_type[:1] == "u"


def is_integer(element_type: str) -> bool:
    return element_type[:1] in ("s", "u")


def is_number(operand: Any) -> bool:
    """Whether it is a number of Python's own, which takes the type of what it meets."""
    return type(operand) in (bool, int, float, complex)


def is_weak_number(operand: Any) -> bool:
    """Whether it is a number whose type jax calls weak: a bool's isn't."""
    return type(operand) in (int, float, complex)


def number_type(number: Any) -> str:
    """What a number of Python's counts as."""
    kind = type(number)
    return "pred" if kind is bool else INT if kind is int else FLOAT if kind is float else COMPLEX


def _kind(element_type: str) -> str:
    """What a weak value of this type counts as."""
    if element_type == "pred":
        return element_type
    return COMPLEX if is_complex(element_type) else FLOAT if is_float(element_type) else INT


def _above(of: str, higher: "dict[str, tuple[str, ...]]") -> "dict[str, None]":
    """All that a type can become, itself first."""
    found = {of: None}
    for one in list(found):
        for next_one in higher[one]:
            found.update(_above(next_one, higher))
    return found


def _joined(types: "tuple[str, ...]", higher: "dict[str, tuple[str, ...]]") -> "str | None":
    """The least type that all can become; None: there is none."""
    common = [of for of in _above(types[0], higher) if all(of in _above(other, higher) for other in types[1:])]
    least = [of for of in common if all(other in _above(of, higher) for other in common)]
    return least[0] if least else None


@functools.lru_cache(maxsize=None)
def promoted(*types: str) -> "tuple[str, bool] | None":
    """The type of a result of operands of these types, and whether it is weak; None: jax has none.

    A type is an element type, such a one behind WEAK, or INT, FLOAT or COMPLEX. jax's lattice_result_type() says the same."""
    weak = [of in _WEAK or of[:1] == WEAK for of in types]
    wide = any(has_64_bits(of.lstrip(WEAK)) for of in types)
    default = _DEFAULT_64 if wide else _DEFAULT
    plain = [default.get(of, of.lstrip(WEAK)) for of in types]
    if len(set(plain)) == 1:
        return plain[0], all(weak) and plain[0] != "pred"
    if not all(weak):
        plain = [_kind(of) if is_weak else of for of, is_weak in zip(plain, weak)]
    joined = _joined(tuple(dict.fromkeys(plain)), _HIGHER if wide else _HIGHER_OF_32)
    if joined in _WEAK:
        return default[joined], True
    return None if joined is None else (joined if wide else half(joined), all(weak))


def numeric(element_type: str) -> str:
    """The type in which a truth is 0 or 1."""
    return "s32" if element_type == "pred" else element_type


def inexact(element_type: str) -> str:
    """The type in which an integer gets a fraction."""
    if is_float(element_type) or is_complex(element_type):
        return element_type
    return "f64" if has_64_bits(element_type) else "f32"


def of_sum(element_type: str) -> str:
    """The type of a sum or a product."""
    if element_type == "pred" or element_type in ("s2", "s4", "s8", "s16"):
        return "s32"
    return "u32" if element_type in ("u2", "u4", "u8", "u16") else element_type


def real(element_type: str) -> str:
    """The type of a complex number's parts."""
    return {"c64": "f32", "c128": "f64"}.get(element_type, element_type)


def wrapped(number: "float | int", element_type: str) -> "float | int":
    """A number as a type has it: integers have no fraction, and what is above the greatest goes on at the least."""
    if not is_integer(element_type):
        return number
    bits = int(element_type[1:])
    low: int = int(number) % 2**bits
    return low - 2**bits if is_signed(element_type) and low >= 2 ** (bits - 1) else low


# How many bits the integers have that a type has without a gap, but for those of 8 and 4 bits.
_WHOLE_BITS = {"bf16": 8, "f16": 11, "f32": 24, "c64": 24, "f64": 53, "c128": 53}


def has_all_to(element_type: str, number: int) -> bool:
    """Whether a type has a number and all integers between it and 0."""
    if is_integer(element_type):
        return wrapped(number, element_type) == number
    return abs(number) <= 1 << _WHOLE_BITS.get(element_type, 1)
