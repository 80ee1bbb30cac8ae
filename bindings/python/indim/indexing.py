# SPDX-License-Identifier: Apache-2.0
"""What operand[index] means: as numpy and jax.numpy have it."""

import dataclasses
from typing import TYPE_CHECKING, Any, NoReturn, Sequence

from ._refusal import INDEX, REFUSED, TYPE, counted, refused
from .errors import InvalidArgument, OutOfRange, WrongType
from .shapes import Shape
from .values import Value

if TYPE_CHECKING:
    from .builder import Builder


@dataclasses.dataclass(frozen=True)
class Places:
    """The numbers that a list or an array names along one dim."""

    sizes: "tuple[int, ...]"
    numbers: "tuple[int, ...]"


def _wrong(value: Value, why: str, fix: str = "", dim: "int | None" = None) -> NoReturn:
    raise refused(INDEX, value.type, why, operand=0, dim=dim, fix=fix, kind=OutOfRange)


def _nearest(number: int, size: int) -> str:
    """The fix for a place outside."""
    return f"{min(max(number, -size), size - 1)} in the place of {number}" if size else ""


def _no_index(part: Any) -> NoReturn:
    taken = "integers, slices, None, ..., lists and arrays of integers or bools"
    raise refused(TYPE, taken, repr(part)[:60], operand=0, kind=WrongType)


def _as_array(part: Any) -> "tuple[tuple[int, ...], list[Any]]":
    """The sizes and the elements of a list, or of something that becomes a numpy array."""
    if hasattr(part, "__array__"):
        import numpy

        array = numpy.asarray(part)
        return array.shape, array.reshape(-1).tolist()
    from .literals import flat_numbers

    return flat_numbers(part)


def _marked(value: Value, first: int, sizes: "Sequence[int]", marks: "Sequence[bool]") -> "list[Any]":
    """The places that a mask marks, for each of its dims: what numpy.nonzero gives."""
    known = value._static(range(first, first + len(sizes)))[first : first + len(sizes)]
    for dim, (size, of) in enumerate(zip(sizes, known)):
        if size != of:
            _wrong(value, f"dim {dim} of the mask is {size}, but dim {first + dim} is {of}", dim=first + dim)
    found = [position for position, mark in enumerate(marks) if mark]
    columns: "list[Any]" = []
    for dim in range(len(sizes)):
        below = 1
        for size in sizes[dim + 1 :]:
            below *= size
        columns.append(Places((len(found),), tuple(position // below % sizes[dim] for position in found)))
    return columns


def _parts(value: Value, index: Any) -> "tuple[list[Any], int]":
    """A part for each dim, and None between them for new dims: numbers, scalar Values, slices, and Places or Values for arrays; and
    the place of an ellipsis that stands for no dim, which parts arrays all the same; -1: there is none."""
    given = list(index) if isinstance(index, tuple) else [index]
    parts: "list[Any]" = []
    rank = value.ndim
    masks: "list[tuple[int, Any, Any]]" = []
    for part in given:
        if isinstance(part, Value):
            parts.append(_run_time(value, part))
        elif part is None or part is Ellipsis or isinstance(part, slice):
            parts.append(part)
        elif isinstance(part, (list, tuple)) or (hasattr(part, "__array__") and not hasattr(part, "__index__")) or _has_dims(part):
            sizes, elements = _as_array(part)
            if elements and all(isinstance(element, bool) for element in elements):
                masks.append((len(parts), sizes, elements))
                parts.extend(Places((), ()) for _ in sizes)
            elif all(hasattr(element, "__index__") and not isinstance(element, bool) for element in elements):
                parts.append(Places(tuple(sizes), tuple(int(element) for element in elements)))
            else:
                _no_index(part)
        elif hasattr(part, "__index__") and not isinstance(part, bool):
            parts.append(part.__index__())
        else:
            _no_index(part)
    dims = sum(1 for part in parts if part is not None and part is not Ellipsis)
    if dims > rank:
        _wrong(value, f"it has {dims} parts, but the value has {rank} dims", "None for a new dim" if rank else "x itself")
    ellipses = [place for place, part in enumerate(parts) if part is Ellipsis]
    if len(ellipses) > 1:
        _wrong(value, "it has several ellipses, and nobody knows how many dims each stands for", "one ...")
    at = ellipses[0] if ellipses else len(parts)
    fill: "list[Any]" = [slice(None)] * (rank - dims)
    for place, sizes, marks in masks:
        first = sum(1 for part in parts[:place] if part is not None and part is not Ellipsis)
        first += len(fill) if place > at else 0
        parts[place : place + len(sizes)] = _marked(value, first, sizes, marks)
    return parts[:at] + fill + parts[at + 1 :], at if ellipses and not fill else -1


def _has_dims(part: Any) -> bool:
    """Whether it is an array with dims: numpy's arrays of one element have __index__ too."""
    return hasattr(part, "__array__") and len(getattr(part, "shape", ())) > 0


def _run_time(value: Value, part: Value) -> Value:
    kind = part.dtype
    if kind == "pred":
        raise refused(
            REFUSED,
            "a recorded mask takes a number of elements that isn't known until the module runs",
            operand=0,
            fix="b.where(mask, x, 0) keeps the sizes; a numpy array of bools is known now",
        )
    if kind[:1] not in "su":
        raise refused(TYPE, "integers for an index", f"elements of {kind}", fix='index.astype("s32")', operand=0, kind=WrongType)
    return part


def index_of(b: "Builder", value: Value, index: Any) -> Value:
    """operand[index] (Value.__getitem__)."""
    if value.type.kind == "tuple":
        return _element(b, value, index)
    parts, gap = _parts(value, index)
    arrays = [place for place, part in enumerate(parts) if isinstance(part, Places) or (isinstance(part, Value) and part.ndim)]
    if not arrays:
        return _basic(b, value, parts)
    # Arrays and numbers that stand side by side give dims where they stand, others the first ones: numpy's rule.
    advanced = [place for place, part in enumerate(parts) if isinstance(part, (Places, Value, int))]
    together = advanced == list(range(advanced[0], advanced[-1] + 1)) and not advanced[0] < gap <= advanced[-1]
    rest = [slice(None) if place in arrays else part for place, part in enumerate(parts)]
    dims = [sum(1 for part in rest[:place] if not isinstance(part, (int, Value))) for place in arrays]
    return _gathered(b, _basic(b, value, rest), [parts[place] for place in arrays], dims, together)


def _element(b: "Builder", value: Value, index: Any) -> Value:
    count = len(value.type.elements)
    if not hasattr(index, "__index__"):
        _no_index(index)
    place = index.__index__()
    if not -count <= place < count:
        why = f"{place} is outside the tuple, which has {counted(count, 'element')}"
        _wrong(value, why, _nearest(place, count))
    return b.get_tuple_element(value, index=place % count)


def _gathered(b: "Builder", value: Value, parts: "list[Any]", dims: "list[int]", together: bool) -> Value:
    """The elements whose places along `dims` the arrays name together."""
    sizes = value._static()
    places = [_indices(b, value, part, dim, sizes[dim]) for part, dim in zip(parts, dims)]
    if len({place.dtype for place in places}) > 1:
        places = [b.convert(place, "s64") for place in places]
    try:
        places = b._matched(places)
    except InvalidArgument as error:
        shown = " and ".join(f"[{','.join(map(str, place.shape))}]" for place in places)
        why = f"its arrays are of sizes {shown}, which don't match"
        raise refused(INDEX, value.type, why, operand=0, kind=OutOfRange) from error
    rank = places[0].ndim
    indices = places[0] if len(places) == 1 else b.concatenate([b.expand_dims(place, rank) for place in places], rank)
    first = dims[0] if together else 0
    others = [dim for dim in range(len(sizes)) if dim not in dims]
    if any(sizes[dim] == 0 for dim in dims):
        # No places, then, and no slice of size 1 for a gather.
        kept = [sizes[dim] for dim in others]
        zero = b.constant(0, value.dtype)
        return b.broadcast_to(zero, [*kept[:first], *places[0].shape, *kept[first:]])
    return b.gather(
        value,
        indices,
        offset_dims=[place if place < first else place + rank for place in range(len(others))],
        collapsed_slice_dims=dims,
        start_index_map=dims,
        index_vector_dim=rank,
        slice_sizes=[1 if dim in dims else size for dim, size in enumerate(sizes)],
    )


def _indices(b: "Builder", value: Value, part: "Places | Value", dim: int, size: int) -> Value:
    """An array of places, none of which is negative."""
    if isinstance(part, Value):
        if size == 0:
            _wrong(value, f"dim {dim} has no elements", dim=dim)
        return from_end(b, part, size)
    for number in part.numbers:
        if not -size <= number < size:
            _wrong(value, f"{number} is outside dim {dim}, whose size is {size}", _nearest(number, size), dim)
    flat = [number + size if number < 0 else number for number in part.numbers]
    made = b.constant(flat, "s32") if flat else b.iota(Shape.array("s32", [0]))
    return made if len(part.sizes) == 1 else b.reshape(made, part.sizes)


# Of these -1 and a size don't have one type.
SMALL_INTEGERS = frozenset(("s2", "s4", "s8", "s16", "u2", "u4", "u8", "u16"))


def from_end(b: "Builder", places: Value, size: "int | Value") -> Value:
    """Places where negative ones count from the end."""
    if places.dtype in SMALL_INTEGERS:
        places = b.convert(places, "s32")
    if places.dtype[0] == "u":
        return places
    below = b.compare(places, b.constant(0, places.dtype), direction="LT", rule="numpy")
    end = b.constant(size, places.dtype) if isinstance(size, int) else b.convert(size, places.dtype)
    return b.select(below, b.add(places, end, rule="numpy"), places, rule="xla")


def _basic(b: "Builder", value: Value, parts: "list[Any]") -> Value:
    """An index of numbers, scalars at run time and slices."""
    from .operands import sizes_text

    texts, shape = sizes_text(value), value.shape
    ranges: "list[slice]" = []
    dynamic: "list[Value | None]" = []
    kept: "list[str]" = []
    reversed_dims: "list[int]" = []
    dim = 0
    for part in parts:
        if part is None:
            kept.append("1")
            continue
        whole = slice(0, shape[dim], 1)
        if isinstance(part, Value) or (isinstance(part, slice) and _is_whole(part)):
            ranges.append(whole)
            kept += [] if isinstance(part, Value) else [texts[dim]]
        else:
            found, backwards = _range(value, part, dim)
            ranges.append(found)
            reversed_dims += [dim] if backwards else []
            if isinstance(part, slice):
                kept.append(str(len(range(found.start, found.stop, found.step))))
        dynamic.append(part if isinstance(part, Value) else None)
        dim += 1
    if any(found != slice(0, shape[place], 1) for place, found in enumerate(ranges)):
        value._static()
        value = b.slice(value, [r.start for r in ranges], [r.stop for r in ranges], [r.step for r in ranges])
    if reversed_dims:
        value = b.reverse(value, dimensions=reversed_dims)
    value = _at_run_time(b, value, dynamic)
    return value if sizes_text(value) == kept else b.reshape(value, kept)


def _is_whole(part: slice) -> bool:
    return part.start is None and part.stop is None and part.step is None


def _at_run_time(b: "Builder", value: Value, places: "list[Value | None]") -> Value:
    """The slices of size 1 at scalars that are known when the module runs."""
    if all(place is None for place in places):
        return value
    starts = [0 if place is None else place for place in places]
    return b.dynamic_slice(value, starts, [size if place is None else 1 for size, place in zip(value._static(), places)])


def _range(value: Value, part: Any, dim: int) -> "tuple[slice, bool]":
    """The slice of one part of an index, with numbers for start, stop and a positive step, and whether it is read backwards."""
    size = value._static([dim])[dim]
    if not isinstance(part, slice):
        if not -size <= part < size:
            _wrong(value, f"{part} is outside dim {dim}, whose size is {size}", _nearest(part, size), dim)
        place = part + size if part < 0 else part
        return slice(place, place + 1, 1), False
    if any(isinstance(end, Value) for end in (part.start, part.stop, part.step)):
        raise refused(
            REFUSED,
            "a slice whose ends are recorded would have a size that isn't known",
            operand=0,
            dim=dim,
            fix="b.dynamic_slice(x, [start, ...], [size, ...]), of a known size",
        )
    for end in (part.start, part.stop, part.step):
        if end is not None and not hasattr(end, "__index__"):
            _no_index(part)
    if part.step is not None and part.step.__index__() == 0:
        _wrong(value, f"the step of the slice along dim {dim} is 0", dim=dim)
    start, stop, step = part.indices(size)
    count = len(range(start, stop, step))
    if count == 0:
        return slice(0, 0, 1), False
    if step < 0:
        return slice(start + (count - 1) * step, start + 1, -step), True
    return slice(start, stop, step), False
