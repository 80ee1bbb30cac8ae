# SPDX-License-Identifier: Apache-2.0
"""The calls that beside_jax.py plays: of each name of jax.numpy and jax.nn with arrays of all sizes, axes, other types and numbers."""

import random
from typing import Any, Callable, Iterator

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from indim.shapes import DTYPE_NAMES

TYPES = """pred s2 s4 s8 s16 s32 s64 u2 u4 u8 u16 u32 u64 f4e2m1fn f8e3m4 f8e4m3 f8e4m3b11fnuz f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu
f16 bf16 f32 f64 c64 c128""".split()
# What comes of Python's own numbers: only of these types values are weakly typed.
WEAK_TYPES = "s32 s64 f32 f64 c64 c128".split()


def dtype_of(of: str) -> Any:
    name = DTYPE_NAMES[of]
    try:
        return np.dtype(name)
    except TypeError:
        return np.dtype(getattr(ml_dtypes, name))


class Case:
    """A call: of a builder's method and of jax's function, with operands of these shapes, all of one type, or as `types` say.

    `weak`: which operands are weakly typed. `then`: what takes the result and the last operand, ours and jax's.
    """

    def __init__(
        self, name: str, ours: "Callable[..., Any]", theirs: "Callable[..., Any]", shapes: "list[tuple[int, ...]]", *,
        types: "list[str | None] | None" = None, special: bool = True, text: str = "", rule: str = "numpy", mixed: bool = False,
        weak: "tuple[bool, ...]" = (), then: "tuple[Callable[..., Any], Callable[..., Any]] | None" = None,
    ) -> None:  # fmt: skip
        self.name, self.ours, self.theirs, self.shapes, self.special = name, ours, theirs, shapes, special
        self.types = types or [None] * len(shapes)
        self.text, self.rule, self.mixed = text, rule, mixed
        self.weak, self.then = weak or (False,) * len(shapes), then


def theirs(name: str) -> "Callable[..., Any]":
    for home in (jnp, jax.nn):
        if hasattr(home, name):
            found: "Callable[..., Any]" = getattr(home, name)
            return found
    raise AttributeError(name)


SHAPES: "list[tuple[int, ...]]" = [(7,), (3, 4), (2, 3, 2), (0, 3), (2, 0), ()]

UNARY = """abs negative sign floor ceil round square reciprocal exp exp2 expm1 log log1p log2 sqrt cbrt sin cos tan sinh cosh tanh acos acosh asin
asinh atan atanh arctan real imag isnan isinf isposinf isneginf isfinite logical_not bitwise_not invert zeros_like ones_like copy relu
relu6 leaky_relu elu sigmoid silu softplus log_sigmoid gelu""".split()
BINARY = """add subtract multiply divide true_divide floor_divide remainder mod power pow maximum minimum atan2 arctan2 logaddexp
nextafter equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or
bitwise_xor left_shift right_shift""".split()
OPERATORS: "dict[str, Callable[[Any, Any], Any]]" = {
    "x + y": lambda x, y: x + y, "x - y": lambda x, y: x - y, "x * y": lambda x, y: x * y, "x / y": lambda x, y: x / y,
    "x // y": lambda x, y: x // y, "x % y": lambda x, y: x % y, "x ** y": lambda x, y: x**y, "x & y": lambda x, y: x & y,
    "x | y": lambda x, y: x | y, "x ^ y": lambda x, y: x ^ y, "x << y": lambda x, y: x << y, "x >> y": lambda x, y: x >> y,
    "x < y": lambda x, y: x < y, "x <= y": lambda x, y: x <= y, "x > y": lambda x, y: x > y, "x >= y": lambda x, y: x >= y,
    "x == y": lambda x, y: x == y, "x != y": lambda x, y: x != y,
}  # fmt: skip
REDUCTIONS = "sum prod mean max min all any var std logsumexp".split()
NUMBERS: "list[Any]" = [2, 3, 0.5, True, 2.0, 1, np.float64(1.5)]


def method(name: str, *more: Any, **given: Any) -> "Callable[..., Any]":
    return lambda b, *operands: getattr(b, name)(*operands, *more, **given)


def function(name: str, *more: Any, **given: Any) -> "Callable[..., Any]":
    return lambda *operands: theirs(name)(*operands, *more, **given)


def together(put: "Callable[..., Any]", x: Any, y: Any, axis: int) -> Any:
    """jax's concatenate or stack. For integers of 2 bits XLA's CPU has no code, and ends the process."""
    of = jnp.result_type(x, y)
    if of.name not in ("int2", "uint2"):
        return put([x, y], axis)
    return put([x.astype("int8"), y.astype("int8")], axis).astype(of)


def both(name: str, shapes: "list[tuple[int, ...]]", *more: Any, **given: Any) -> Case:
    text = ", ".join([*map(str, more), *(f"{key}={value}" for key, value in given.items())])
    return Case(name, method(name, *more, **given), function(name, *more, **given), shapes, text=text)


def axes_of(shape: "tuple[int, ...]") -> "list[Any]":
    rank = len(shape)
    axes: "list[Any]" = [None, *range(-rank, rank), ()]
    if rank > 1:
        axes += [(0, -1), (1, 0)]
    if rank > 2:
        axes += [(0, 1, 2), (-1, -2)]
    return axes


def elementwise() -> "Iterator[Case]":
    for name in UNARY:
        for shape in SHAPES:
            yield both(name, [shape])
    for shape in SHAPES:
        yield both("gelu", [shape], approximate=False)
        yield Case("-x", lambda b, x: -x, lambda x: -x, [shape])
        yield Case("~x", lambda b, x: ~x, lambda x: ~x, [shape])
        yield Case("abs(x)", lambda b, x: abs(x), lambda x: abs(x), [shape])
    pairs: "list[list[tuple[int, ...]]]" = [[(24,), (24,)], [(3, 4), (3, 4)], [(3, 4), (4,)], [(2, 1), (3,)], [(3,), ()], [(0, 3), (1, 3)], [(), ()]]
    named: "list[tuple[str, Callable[..., Any], Callable[..., Any]]]" = [(name, method(name), function(name)) for name in BINARY]
    for text, of in OPERATORS.items():
        named.append((text, lambda b, x, y, of=of: of(x, y), of))
    for name, ours, other in named:
        for pair in pairs:
            yield Case(name, ours, other, pair)
            yield Case(name, ours, other, pair, mixed=True, text="mixed")
        for number in NUMBERS:
            yield Case(name, lambda b, x, ours=ours, n=number: ours(b, x, n), lambda x, other=other, n=number: other(x, n), [(9,)], text=f"x, {number}")
            yield Case(name, lambda b, x, ours=ours, n=number: ours(b, n, x), lambda x, other=other, n=number: other(n, x), [(9,)], text=f"{number}, x")


def along_dims() -> "Iterator[Case]":
    for name in REDUCTIONS:
        for shape in [*SHAPES, (300,)]:
            for axis in axes_of(shape):
                yield both(name, [shape], axis=axis)
                yield both(name, [shape], axis=axis, keepdims=True)
                if name in ("var", "std"):
                    yield both(name, [shape], axis=axis, ddof=1)
                if name != "logsumexp":
                    yield Case(
                        f"x.{name}()", lambda b, x, n=name, a=axis: getattr(x, n)(axis=a), lambda x, n=name, a=axis: getattr(x, n)(axis=a), [shape],
                        text=f"axis={axis}",
                    )  # fmt: skip
    for name in ("softmax", "log_softmax"):
        for shape in SHAPES:
            for axis in axes_of(shape)[1:]:
                yield both(name, [shape], axis=axis)
    for name in ("argmax", "argmin", "cumsum", "cumprod"):
        for shape in [*SHAPES, (40,)]:
            for axis in [None, *range(-len(shape), len(shape))]:
                yield both(name, [shape], axis=axis)
                if name[0] == "a":
                    yield both(name, [shape], axis=axis, keepdims=True)
    for name in ("sum", "prod", "mean", "cumsum"):
        for of in ("s8", "s32", "f32", "bf16"):
            yield Case(name, lambda b, x, n=name, of=of: getattr(b, n)(x, dtype=of), lambda x, n=name, of=of: theirs(n)(x, dtype=dtype_of(of)), [(2, 3)], special=False, text=f"dtype={of}")


def choosing() -> "Iterator[Case]":
    for shapes in ([(3, 4), (3, 4), (3, 4)], [(4,), (3, 1), ()], [(), (3,), (3,)], [(0, 3), (3,), (1,)]):
        yield Case("where", method("where"), function("where"), shapes, types=["pred", None, None])
        yield Case("where", method("where"), function("where"), shapes, text="any condition")
        yield Case("clip", method("clip"), function("clip"), shapes)
        for other in ("u32", "s32", "f32"):  # the first bound meets x before the second one does
            yield Case("clip", method("clip"), function("clip"), shapes, types=[None, other, None], text=f"min of {other}")
            yield Case("clip", method("clip"), function("clip"), shapes, types=[None, None, other], text=f"max of {other}")
    for number in NUMBERS:
        yield Case("where", lambda b, c, x, n=number: b.where(c, x, n), lambda c, x, n=number: jnp.where(c, x, n), [(5,), (5,)], types=["pred", None], text=str(number))
        yield Case("clip", lambda b, x, n=number: b.clip(x, n), lambda x, n=number: jnp.clip(x, n), [(9,)], text=str(number))
        yield Case("clip", lambda b, x, n=number: b.clip(x, max=n), lambda x, n=number: jnp.clip(x, max=n), [(9,)], text=f"max={number}")
    for of in ("s32", "s8", "u8", "s64", "u32", "pred", "f32"):
        for shape, places in (((5,), (6,)), ((3, 4), (2, 3)), ((2, 3, 2), ()), ((0, 3), (2,)), ((2, 3), (0,))):
            for axis in [None, *range(-len(shape), len(shape))] if of == "s32" else (-1,):
                for mode in (None, "clip", "wrap"):
                    given = {} if mode is None else {"mode": mode}
                    case = both("take", [shape, places], axis=axis, **given)
                    case.types = [None, of]
                    yield case
        for shape, places, axis in (((5,), (6,), 0), ((3, 4), (3, 2), -1), ((3, 4), (2, 4), 0), ((3, 4), (5,), None), ((3, 4), (1, 2), 1), ((1, 4), (3, 2), -1), ((2, 1, 3), (1, 4, 1), 1)):
            case = both("take_along_axis", [shape, places], axis=axis)
            case.types = [None, of]
            yield case
    for axis in (-1, 0, 1):
        yield both("one_hot", [(4,)], 5, axis=axis) if axis < 1 else both("one_hot", [(2, 3)], 5, axis=axis)
    yield both("one_hot", [(2, 3)], 4)
    for k in (-1, 0, 2):
        for name in ("tril", "triu"):
            yield both(name, [(3, 4)], k)
            yield both(name, [(2, 3, 3)], k)


def shaping() -> "Iterator[Case]":
    for shape in SHAPES:
        rank = len(shape)
        for axis in range(-rank - 1, rank + 1):
            yield both("expand_dims", [shape], axis)
            yield Case("stack", lambda b, x, y, a=axis: b.stack([x, y], a), lambda x, y, a=axis: together(jnp.stack, x, y, a), [shape, shape], text=str(axis))
        yield both("expand_dims", [shape], (0, -1))
        yield both("squeeze", [(1, *shape, 1)])
        yield both("squeeze", [(1, *shape, 1)], (0, -1))
        yield both("squeeze", [(1, *shape)], 0)
        yield both("tile", [shape], 2)
        yield both("tile", [shape], (2, 1, 3))
        yield both("broadcast_to", [shape], (2, *shape))
        yield both("reshape", [shape], [-1] if 0 not in shape else [0])
        yield both("transpose", [shape])
        for axis in range(-rank, rank):
            yield both("swapaxes", [shape], axis, 0)
            for mixed in (False, True):
                yield Case("concatenate", lambda b, x, y, a=axis: b.concatenate([x, y], a), lambda x, y, a=axis: together(jnp.concatenate, x, y, a), [shape, shape], text=str(axis), mixed=mixed)
    for sections in (2, [1, 3], [2], [-1], [1, 1]):
        yield Case("split", lambda b, x, s=sections: tuple(b.split(x, s)), lambda x, s=sections: tuple(jnp.split(x, s)), [(4, 2)], text=str(sections))
        yield Case("split", lambda b, x, s=sections: tuple(b.split(x, s, -1)), lambda x, s=sections: tuple(jnp.split(x, s, -1)), [(2, 4)], text=f"{sections}, -1")
    for to in TYPES:
        yield Case("astype", lambda b, x, to=to: x.astype(to), lambda x, to=to: x.astype(dtype_of(to)), [(9,)], special=False, text=to)
    for mixed in (False, True):
        for shapes in ([(3,), (3,)], [(2, 3), (3,)], [(3,), (3, 2)], [(2, 3), (3, 4)], [(5, 2, 3), (3, 4)], [(5, 2, 3), (1, 3, 2)], [(0, 3), (3, 2)], [(2, 0), (0, 2)]):
            yield Case("matmul", method("matmul"), function("matmul"), shapes, special=False, mixed=mixed)
            yield Case("x @ y", lambda b, x, y: x @ y, lambda x, y: x @ y, shapes, special=False, mixed=mixed)
            if len(shapes[0]) < 3 or shapes[1][0] != 1:
                yield Case("dot", method("dot"), function("dot"), shapes, special=False, mixed=mixed)
        yield Case("dot", method("dot"), function("dot"), [(), (3,)], special=False, mixed=mixed)
        for text, shapes in (("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,kj", [(2, 3), (4, 3)]), ("i,i->", [(3,), (3,)]), ("...ij,...jk->...ik", [(5, 2, 3), (5, 3, 2)])):
            yield Case("einsum", lambda b, x, y, t=text: b.einsum(t, x, y), lambda x, y, t=text: jnp.einsum(t, x, y), shapes, special=False, mixed=mixed, text=text)
    yield Case("einsum", lambda b, x: b.einsum("ii->i", x), lambda x: jnp.einsum("ii->i", x), [(3, 3)])
    yield Case("einsum", lambda b, x: b.einsum("ij->", x), lambda x: jnp.einsum("ij->", x), [(3, 3)], special=False)
    attention: "list[tuple[int, ...]]" = [(2, 4, 2, 8)] * 3
    for causal in (False, True):
        yield Case("dot_product_attention", lambda b, q, k, v, c=causal: b.dot_product_attention(q, k, v, is_causal=c), lambda q, k, v, c=causal: jax.nn.dot_product_attention(q, k, v, is_causal=c), attention, special=False)


def making() -> "Iterator[Case]":
    """Of a type that the call names."""
    for name in ("zeros", "ones"):
        for shape in ((2, 3), 4, (), (0,)):
            yield Case(name, lambda b, of, n=name, s=shape: getattr(b, n)(s, of), lambda of, n=name, s=shape: getattr(jnp, n)(s, dtype_of(of)), [], text=f"{shape}, type")
            yield Case(name, lambda b, of, n=name, s=shape: getattr(b, n)(s), lambda of, n=name, s=shape: getattr(jnp, n)(s), [], text=f"{shape}")
    for number in [*NUMBERS, 1j]:
        yield Case("full", lambda b, of, n=number: b.full((2, 3), n), lambda of, n=number: jnp.full((2, 3), n), [], text=f"{number}")
        yield Case("full", lambda b, of, n=number: b.full((2, 3), n, of), lambda of, n=number: jnp.full((2, 3), n, dtype_of(of)), [], text=f"{number}, type")
        yield Case("full_like", lambda b, x, n=number: b.full_like(x, n), lambda x, n=number: jnp.full_like(x, n), [(2, 3)], text=f"{number}")
    for given in ((5,), (2, 5), (7, 1, -2), (0,), (5, 2), (0.0, 1.0, 0.25), (1.5,), (3, 0.5, -0.5)):
        yield Case("arange", lambda b, of, g=given: b.arange(*g), lambda of, g=given: jnp.arange(*g), [], text=f"{given}")
        yield Case("arange", lambda b, of, g=given: b.arange(*g, dtype=of), lambda of, g=given: jnp.arange(*g, dtype=dtype_of(of)), [], text=f"{given}, type")
    for size in ((3,), (2, 3), (3, 2)):
        yield Case("eye", lambda b, of, s=size: b.eye(*s, dtype=of), lambda of, s=size: jnp.eye(*s, dtype=dtype_of(of)), [], text=f"{size}, type")


def of_weak_operands(cases: "list[Case]") -> "Iterator[Case]":
    """A case of each name with weakly typed operands: each, and all; the other ones of other types."""
    found: "dict[str, Case]" = {}
    for case in cases:
        if case.shapes and not any(0 in shape for shape in case.shapes):
            found.setdefault(case.name, case)
    for case in found.values():
        free = [place for place, of in enumerate(case.types) if of is None]
        for places in [*([place] for place in free), *([free] if len(free) > 1 else [])]:
            weak = tuple(place in places for place in range(len(case.shapes)))
            for mixed in (False, True) if len(free) == 2 and free[1] == 1 else (False,):
                yield Case(
                    case.name, case.ours, case.theirs, case.shapes, types=case.types, special=case.special, rule=case.rule, weak=weak, mixed=mixed,
                    text=f"{case.text} weak {places}{' mixed' if mixed else ''}",
                )  # fmt: skip


# A value and a number; what that gives, and a value of another type.
FIRST: "dict[str, tuple[Callable[..., Any], Callable[..., Any]]]" = {
    **{text: (lambda b, x, y, of=OPERATORS[text]: of(x, y), OPERATORS[text]) for text in ("x + y", "x * y", "x / y", "x - y")},
    "number first": (lambda b, x, y: y + x, lambda x, y: y + x),
    **{name: (method(name), function(name)) for name in ("maximum", "atan2", "power")},
    "where": (lambda b, x, y: b.where(x == x, x, y), lambda x, y: jnp.where(x == x, x, y)),
    "full": (lambda b, x, y: b.full((3,), y), lambda x, y: jnp.full((3,), y)),
}
SECOND: "dict[str, tuple[Callable[..., Any], Callable[..., Any]]]" = {
    **{text: (lambda b, x, y, of=of: of(x, y), of) for text, of in OPERATORS.items()},
    **{name: (method(name), function(name)) for name in ("minimum", "arctan2", "logaddexp", "power", "matmul", "add")},
    "where": (lambda b, x, y: b.where(y == y, x, y), lambda x, y: jnp.where(y == y, x, y)),
    "concatenate": (lambda b, x, y: b.concatenate([x, y]), lambda x, y: together(jnp.concatenate, x, y, 0)),
    "clip": (lambda b, x, y: b.clip(y, x), lambda x, y: jnp.clip(y, x)),
    "sum": (lambda b, x, y: b.sum(x) + y, lambda x, y: jnp.sum(x) + y),
    "exp": (lambda b, x, y: b.exp(x) + y, lambda x, y: jnp.exp(x) + y),
    "x[1:2]": (lambda b, x, y: x[1:2] + y, lambda x, y: x[1:2] + y),
    "cond": (
        lambda b, x, y: b.cond(b.constant(True), lambda v: v, lambda v: v + 1, x) + y,
        lambda x, y: jax.lax.cond(True, lambda v: v, lambda v: v + 1, x) + y,
    ),
    "fori_loop": (lambda b, x, y: b.fori_loop(0, 3, lambda i, v: v + 1, x) + y, lambda x, y: jax.lax.fori_loop(0, 3, lambda i, v: v + 1, x) + y),
}  # fmt: skip


def chains() -> "Iterator[Case]":
    """A number, then a value of each type."""
    chosen = random.Random(7)
    for of in TYPES:
        for number in (2, 0.5, True, 0.5j):
            for _ in range(3):
                first, second = chosen.choice(list(FIRST)), chosen.choice(list(SECOND))
                ours, other = FIRST[first]
                yield Case(
                    "two_steps", lambda b, x, o=ours, n=number: o(b, x, n), lambda x, o=other, n=number: o(x, n), [(3,), (3,)], types=[None, of],
                    special=False, text=f"{first}, {number}; {second}", then=SECOND[second],
                )  # fmt: skip


def all_cases() -> "list[Case]":
    cases = [*elementwise(), *along_dims(), *choosing(), *shaping(), *making()]
    return [*cases, *of_weak_operands(cases), *chains()]
