# SPDX-License-Identifier: Apache-2.0
"""Calls of the package with arguments that it doesn't have or doesn't take: Python's own errors of these become errors that name the
argument and what would work. A call that works takes one more frame of Python for this."""

import functools
import inspect
import re
import sys
from typing import Any, Callable, Iterator, TypeVar

from ._library import GUARDS, is_own
from ._refusal import ARGUMENTS, COUNT, NAME, RECORDED, TYPE, counted, nearest, refused
from .errors import Error, WrongType

Guarded = TypeVar("Guarded", bound=Callable[..., Any])

# Words of this and of other packages for one argument.
_SYNONYMS = (
    {"axis", "axes", "dim", "dims", "dimension", "dimensions", "iota_dimension", "broadcast_dimensions", "broadcast_dims", "perm"},
    {"keepdims", "keepdim", "keep_dims"},
    {"epsilon", "eps"},
    {"dtype", "type"},
    {"min", "low", "a_min", "lower", "minimum"},
    {"max", "high", "a_max", "upper", "maximum"},
    {"contracting", "dimension_numbers"},
    {"num_classes", "depth", "num"},
    {"broadcasting", "rule"},
    {"argnums", "argnum", "wrt"},
    {"indices", "index"},
)


def _parts(annotation: str, mark: str) -> "Iterator[str]":
    """The parts of an annotation between marks, but none within brackets."""
    depth, part = 0, ""
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == mark and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += letter
    yield part.strip()


def _inside(annotation: str) -> "list[str]":
    return list(_parts(annotation[annotation.index("[") + 1 : annotation.rindex("]")], ","))


def _is_value(given: Any) -> bool:
    return hasattr(type(given), "weak_type")


# What annotations mean: what is taken, in words, and whether a value is one. What isn't here takes anything.
_KINDS: "dict[str, tuple[str, Callable[[Any], bool]]]" = {
    "None": ("None", lambda given: given is None),
    "bool": ("True or False", lambda given: isinstance(given, bool)),
    "float": ("a number", lambda given: isinstance(given, (int, float)) or hasattr(given, "__float__") and not _is_value(given)),
    "int": ("an integer", lambda given: hasattr(given, "__index__")),
    "str": ("a text", lambda given: isinstance(given, str)),
    "Function": ("a function", callable),
    "Value": ("a value", _is_value),
    "Operand": ("a value, a number or an array", lambda given: not isinstance(given, (str, bytes, dict, type(None))) and not callable(given)),
    "ShapeLike": ("a shape", lambda given: isinstance(given, str) or hasattr(given, "shape") or hasattr(given, "elements")),
}


def _takes(annotation: str, given: Any) -> bool:
    """Whether an annotation takes a value, as far as that is easily seen."""
    for part in _parts(annotation, "|"):
        if part.startswith("Callable"):
            part = "Function"
        if part.startswith("Sequence["):
            of = _inside(part)[0]
            if hasattr(given, "__iter__") and not isinstance(given, (str, bytes, dict)) and not (_is_value(given) and of != "Operand"):
                if not isinstance(given, (list, tuple)) or all(_takes(of, one) for one in given):
                    return True
        elif part.startswith("tuple["):
            of_each = _inside(part)
            if isinstance(given, (list, tuple)) and len(given) == len(of_each) and all(map(_takes, of_each, given)):
                return True
        elif part not in _KINDS or _KINDS[part][1](given):
            return True
    return False


def _words(annotation: str, many: bool = False) -> str:
    """What an annotation takes, in words."""
    said = []
    for part in _parts(annotation, "|"):
        if part.startswith("Callable"):
            part = "Function"
        if part.startswith("Sequence["):
            said.append(("lists of " if many else "a list of ") + _words(_inside(part)[0], True))
        elif part.startswith("tuple["):
            said.append(f"a pair of {_words(_inside(part)[0], True)}")
        elif part != "None":
            word = _KINDS[part][0] if part in _KINDS else part
            said.append(re.sub(r"^an? (\w+).*", r"\1s", word) if many else word)
    return " or ".join(said)


def _annotation(parameter: inspect.Parameter) -> str:
    """The text of it, however it is written."""
    of = parameter.annotation
    if of is inspect.Parameter.empty:
        return "Any"
    text = of if isinstance(of, str) else getattr(of, "__name__", "") if isinstance(of, type) else str(of)
    text = text.replace("typing.", "").strip("\"'")
    return {"NoneType": "None"}.get(text, text) if not text.startswith("Union[") else "Operand" if "Value" in text else "Any"


def _shown(given: Any) -> str:
    if _is_value(given):
        return "x"
    if isinstance(given, (list, tuple)):
        inside = ", ".join(map(_shown, given))
        return f"[{inside}]" if isinstance(given, list) else f"({inside}{',' * (len(given) == 1)})"
    text = repr(given)
    return text if isinstance(given, (str, int, float, bool)) and len(text) <= 40 else "..."


def _listed(given: "list[Any]") -> str:
    """A list, in which each value has a name of its own."""
    names = iter("xyzuvwabcdefg")
    return "[" + ", ".join(next(names, "x") if _is_value(one) else _shown(one) for one in given) + "]"


def _methods() -> "set[str]":
    from .builder import Builder

    return {name for name in dir(Builder) if not name.startswith("_")}


def _mended(name: str, annotation: str, given: Any) -> str:
    """The argument as it would be taken; "": nobody knows."""
    for part in _parts(annotation, "|"):
        if part.startswith("Sequence[") and _takes(_inside(part)[0], given):
            return f"{name}={_listed([given])}"
        if part.startswith("tuple["):
            return f"{name}=([1], [0])"
        if part == "int" and isinstance(given, float) and given.is_integer():
            return f"{name}={int(given)}"
        if part == "int" and isinstance(given, (list, tuple)) and given and all(hasattr(one, "__index__") for one in given):
            return ", ".join(map(str, given)) + " without the brackets"
        if part == "bool" and given in (0, 1):
            return f"{name}={bool(given)}"
        if part.startswith(("Callable", "Function")) and _is_value(given):
            return f"{name}=lambda: x"
        if part.startswith(("Callable", "Function")) and isinstance(given, str) and given in _methods():
            return f"{name}=b.{given}"
        if part in ("int", "float") and isinstance(given, str) and re.fullmatch(r"-?\d+(\.\d+)?", given):
            return f"{name}={given}"
        if part == "str" and isinstance(given, (int, float)):
            return f'{name}="{given}"'
        if part == "ShapeLike" and isinstance(given, (list, tuple)) and all(hasattr(size, "__index__") for size in given):
            return f'{name}="f32[{",".join(map(str, given))}]"'
    return ""


def _misfit(function: Any, args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "tuple[str, str, Any] | None":
    """The first argument that its annotation doesn't take: the name, the annotation, the argument."""
    signature = inspect.signature(function)
    for name, given in signature.bind(*args, **kwargs).arguments.items():
        parameter = signature.parameters[name]
        annotation = _annotation(parameter)
        several = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if name != "self" and not several and not _takes(annotation, given) and given is not parameter.default:
            return name, annotation, given
    return None


# What calls of a class's methods begin with.
_OBJECTS = {"Builder": "b.", "Value": "x.", "Insertion": "at."}


def _written(function: Any, args: "tuple[Any, ...]") -> "tuple[str, str]":
    """The function as a program writes it, and its required arguments."""
    required = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self" or parameter.default is not parameter.empty or parameter.kind == parameter.VAR_KEYWORD:
            continue
        star = "*" * (parameter.kind == parameter.VAR_POSITIONAL)
        required.append(f"{name}=..." if parameter.kind == parameter.KEYWORD_ONLY else star + name)
    inside = ", ".join(required)
    if function.__name__ == "__init__":
        return f"indim.{type(args[0]).__name__}", inside
    owner = type(args[0]).__name__ if "." in function.__qualname__ and args else ""
    if "self" not in inspect.signature(function).parameters:
        return f"indim.{function.__qualname__}", inside
    return _OBJECTS.get(owner, owner.lower() + ".") + function.__name__, inside


def _name(written: "tuple[str, str]") -> str:
    return written[0].rpartition(".")[2]


def _unknown_keyword(parameters: "list[inspect.Parameter]", kwargs: "dict[str, Any]", written: "tuple[str, str]") -> "Error | None":
    known = [of.name for of in parameters if of.kind in (of.POSITIONAL_OR_KEYWORD, of.KEYWORD_ONLY) and of.name != "self"]
    for name, given in kwargs.items():
        if name in known:
            continue
        alike = [of for synonyms in _SYNONYMS if name in synonyms for of in known if of in synonyms]
        near = alike[0] if alike else nearest(name, known, "{}", most=0)
        fix = f"{written[0]}({written[1]}), without it"
        if near:
            annotation = _annotation(next(of for of in parameters if of.name == near))
            fix = _mended(near, annotation, given) if not _takes(annotation, given) else ""
            several = annotation == "Any" and near.endswith("ions") and hasattr(given, "__index__") and not isinstance(given, bool)
            fix = fix or f"{near}={_listed([given]) if several else _shown(given)}"
        taken = f"argument of {written[0]}(), which takes {', '.join(known)}" if known else f"argument of {written[0]}()"
        return refused(NAME, repr(name), taken, what=_name(written), fix=fix, kind=WrongType)
    return None


def _too_many(function: Any, args: "tuple[Any, ...]", kwargs: "dict[str, Any]", parameters: "list[inspect.Parameter]") -> str:
    """The fix where there are more arguments than places; "": there aren't, or nobody knows one."""
    places = [of for of in parameters if of.kind in (of.POSITIONAL_ONLY, of.POSITIONAL_OR_KEYWORD)]
    surplus = list(args[len(places) :])
    if not surplus:
        return ""
    last = places[-1]
    parts = list(_parts(_annotation(last), "|"))
    together = [args[len(places) - 1], *surplus]
    values = parts == ["Any"] and all(map(_is_value, together))
    if values or any(part.startswith("Sequence[") and all(_takes(_inside(part)[0], one) for one in together) for part in parts):
        return f"{last.name}={_listed(together)}"
    free = [of for of in parameters if of.kind == of.KEYWORD_ONLY and of.name not in kwargs]
    if len(surplus) <= len(free) and all(_annotation(of) != "Any" and _takes(_annotation(of), one) for of, one in zip(free, surplus)):
        return ", ".join(f"{of.name}={_shown(one)}" for of, one in zip(free, surplus))
    return ""


def _unbound(function: Any, args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> Error:
    """The error of a call whose arguments have no places."""
    parameters = list(inspect.signature(function).parameters.values())
    written = _written(function, args)
    if not any(of.kind == of.VAR_KEYWORD for of in parameters):
        found = _unknown_keyword(parameters, kwargs, written)
        if found is not None:
            return found
    count = len(args) + len(kwargs) - (parameters[:1] != [] and parameters[0].name == "self")
    fix = _too_many(function, args, kwargs, parameters) or f"{written[0]}({written[1]})"
    shown = inspect.signature(function)
    own = shown.replace(
        parameters=[of.replace(annotation=of.empty) for of in parameters if of.name != "self"], return_annotation=shown.empty
    )
    return refused(COUNT, f"it takes {own}", counted(count, "argument"), what=_name(written), fix=fix, kind=WrongType)


def _retold(function: Any, args: "tuple[Any, ...]", kwargs: "dict[str, Any]", error: Exception) -> "Error | None":
    """What says better what was wrong with a call that failed; None: nothing does."""
    # The frame of the guard, and what it called.
    inner = error.__traceback__ and error.__traceback__.tb_next
    if inner is None:
        return _unbound(function, args, kwargs) if isinstance(error, TypeError) and not isinstance(error, Error) else None
    while inner.tb_next is not None:
        inner = inner.tb_next
    if not is_own(inner.tb_frame.f_code.co_filename):
        return None
    if isinstance(error, Error) and error.code not in (ARGUMENTS, RECORDED, TYPE):
        return None
    misfit = _misfit(function, args, kwargs)
    if misfit is None:
        return None
    name, annotation, given = misfit
    words = _words(annotation)
    if isinstance(error, Error) and error.code == TYPE and not (words in ("a function", "a text") or callable(given)):
        return None
    what = getattr(given, "__name__", "") if callable(given) else repr(given)[:60]
    fix = _mended(name, annotation, given)
    if not fix and annotation.startswith(("str", "Callable", "Function")):
        swapped = [other for other in args if other is not given and not _is_value(other) and _takes(annotation, other)]
        place = [of for of in inspect.signature(function).parameters if of != "self"].index(name) + 1
        fix = f"{'the function' if callable(swapped[0]) else repr(swapped[0])} as argument {place}" if swapped else ""
    if isinstance(error, Error) and error.fix and not fix:
        return None
    return refused(TYPE, f"{words} for {name}", what, what=_name(_written(function, args)), fix=fix, kind=WrongType)


def guarded(function: "Guarded") -> "Guarded":
    """The function, whose wrong calls are told as this package tells errors."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            # Inside the package its own functions are called with arguments of its own.
            if is_own(sys._getframe(1).f_code.co_filename):
                raise
            refusal = _retold(function, args, kwargs, error)
            if refusal is None:
                raise
            raise refusal from None

    made: Any = call
    GUARDS.add(made.__code__)
    return made  # type: ignore[no-any-return]


def guard_methods(*classes: type, without_init: bool = False) -> None:
    """Guards all public methods of classes."""
    for cls in classes:
        for name in dir(cls):
            if name.startswith("_") and (name not in ("__init__", "__call__") or without_init):
                continue
            owner = next(of for of in cls.__mro__ if name in vars(of))
            found = vars(owner)[name]
            function = found.__func__ if isinstance(found, staticmethod) else found
            if not owner.__module__.startswith("indim") or not inspect.isfunction(function) or function.__code__ in GUARDS:
                continue
            made = guarded(function)
            setattr(cls, name, staticmethod(made) if isinstance(found, staticmethod) else made)
