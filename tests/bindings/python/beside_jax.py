# SPDX-License-Identifier: Apache-2.0
"""Every name of jax.numpy and jax.nn that docs/python_names.md gives, beside jax: equal values and types, or an error with a code.

    beside_jax.py [--all] [--names=sum,mean] [--types=bf16] [--write]

Each case is played on each element type, with random and special values, empty arrays, axes negative, several and none. What comes
out is the table in docs/python_names.md, which --write writes: "=" equal; "r" refused, by an error with a code; "+" computed,
where jax refuses. A difference fails in any case. Without --all it plays those of the page's table, and --part of the others.
"""

import argparse
import os
import pathlib
import random
import sys
import warnings
from typing import Any, Iterator

# It computes little, and compiles much.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")

import indim
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax_cases import TYPES, WEAK_TYPES, Case, all_cases, dtype_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "python_names.md"


def is_integer(of: str) -> bool:
    return of[0] in "su"


def values(of: str, shape: "tuple[int, ...]", rng: "np.random.Generator", special: bool) -> Any:
    """Random elements; `special`: with infinities, NaNs, zeros and the ends of the type among them."""
    dtype = dtype_of(of)
    if of == "pred":
        return rng.integers(0, 2, shape).astype(bool)
    if is_integer(of):
        bits = int(of[1:])
        low, high = (0, 2**bits - 1) if of[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        made = rng.integers(max(low, -9), min(high, 9), shape, endpoint=True).astype(np.int64)
        if special and made.size:
            flat = made.reshape(-1).astype(object)
            for place in rng.choice(flat.size, min(3, flat.size), replace=False):
                flat[place] = [low, high, 0, int(rng.integers(max(low, -(2**62)), min(high, 2**62)))][rng.integers(4)]
            return np.array([int(number) for number in flat], object).astype(dtype if bits >= 8 else np.int64).astype(dtype).reshape(shape)
        return made.astype(dtype)
    if of[0] == "c":
        part = "f32" if of == "c64" else "f64"
        return (values(part, shape, rng, False) + 1j * values(part, shape, rng, False)).astype(dtype)
    made = rng.normal(0, 2, shape)
    if of == "f8e8m0fnu":  # powers of 2
        made = np.abs(made)
    if special and made.size:
        flat = made.reshape(-1)
        for place in rng.choice(flat.size, min(3, flat.size), replace=False):
            flat[place] = [0.0, -0.0, np.inf, -np.inf, np.nan, 3.0, -2.5][rng.integers(7)]
    if dtype.itemsize == 1:  # XLA's CPU keeps their NaNs in some operations and loses them in others
        made = np.nan_to_num(made, nan=1.0, posinf=2.0, neginf=-2.0)
    return made.astype(dtype)


# --- Playing ---------------------------------------------------------------------------------------------------------------------


def ours(case: Case, of: str, operands: "list[Any]") -> Any:
    """What Indim computes, and which results are weakly typed; an indim.Error where it refuses."""
    b = indim.Builder("f", broadcasting=case.rule)
    try:
        values = [b.parameter(f"{t}[{','.join(map(str, o.shape))}]") for t, o in operands]
        values = [indim.Value(b, value.number, value.dtype, weak) for value, weak in zip(values, case.weak)]
        last = [values.pop()] if case.then else []
        made = case.ours(b, *values) if values else case.ours(b, of)
        if case.then:
            made = case.then[0](b, made, *last)
        module = b.build(made)
        module.check().raise_for_errors()
        found = module.eval(*[o for _, o in operands])
        return found, [part.weak_type for part in (made if isinstance(made, tuple) else [made])]
    except indim.Error as error:
        return error


WIDE = ("s64", "u64", "f64", "c128")
# Only XLA's fusion emitters have code for these. Without them it compiles twice as fast, and doesn't die of x & y.astype("s32") of s64.
NARROW = {"s2", "s4", "u2", "u4", "f4e2m1fn"}


def wider(name: str, types: "set[str]") -> str:
    """A type for which XLA's CPU plays the case in another one, which gives the same; "": it plays it itself."""
    if name in ("right_shift", "x >> y") and types <= {"uint2", "uint4"} and len(types) == 1:  # it takes them for signed ones
        return types.pop()
    # It begins with an infinity, which most floats of a byte don't have.
    if name in ("softmax", "log_softmax") and all(of[:6] in ("float4", "float8") for of in types):
        return next(iter(types))
    return ""


def weakened(array: Any, weak: bool) -> Any:
    return jax._src.lax.lax._convert_element_type(array, weak_type=True) if weak else array


def jaxs(plays: "list[Play]") -> "list[Any]":
    """What jax computes for each, in one program, and which results are weakly typed; exceptions where it refuses."""
    if not plays[0].case.then:
        found = in_one_program(plays, [[o for _, o in play.operands] for play in plays], [play.case.theirs for play in plays], plays[0].wide)
    else:
        # Of each step the operands say whether it has 64 bits.
        firsts = in_one_program(plays, [[o for _, o in play.operands[:-1]] for play in plays], [play.case.theirs for play in plays], plays[0].wide)
        good = [number for number, first in enumerate(firsts) if not isinstance(first, Exception)]
        given = [[firsts[number][0], plays[number].operands[-1][1]] for number in good]
        chosen = [plays[number] for number in good]
        seconds = in_one_program(chosen, given, [play.case.then[1] for play in chosen], plays[0].wide or plays[0].wide_then) if good else []
        found = list(firsts)
        for number, second in zip(good, seconds):
            found[number] = second
    return [one if isinstance(one, Exception) else (one if len(one) > 1 else one[0]) for one in found]


def in_one_program(plays: "list[Play]", given_operands: "list[list[Any]]", functions: "list[Any]", wide: bool) -> "list[Any]":
    """The results of each, as a tuple of jax's arrays."""
    found: "list[Any]" = [None] * len(plays)
    places = [range(0)] * len(plays)

    def program(operands: "list[Any]") -> "list[Any]":
        made: "list[Any]" = []
        for number, play in enumerate(plays):
            try:
                given = [weakened(o, weak) for o, weak in zip(operands[number], play.case.weak)]
                if play.case.then:
                    given = operands[number]
                strong = [o for o, weak in zip(given, play.case.weak) if not weak]
                narrow = wider(play.case.name, {str(o.dtype) for o in strong or given})
                if narrow:
                    of = "uint8" if narrow[0] == "u" else "float32" if narrow[0] == "f" else "int8"
                    given = [o.astype(narrow).astype(of) for o in given]
                results = functions[number](*given) if given else functions[number](play.of)
                results = results.astype(narrow) if narrow else results
                parts = [jnp.asarray(part) for part in (results if isinstance(results, tuple) else (results,))]
                places[number] = range(len(made), len(made) + len(parts))
                made += parts
            except Exception as error:  # whatever jax raises
                found[number] = error
        return made

    with jax.enable_x64(wide):
        try:
            compiled = jax.jit(program, compiler_options={"xla_cpu_use_fusion_emitters": plays[0].narrow})
            made = [part.block_until_ready() for part in compiled(given_operands)]
        except Exception as error:  # what XLA's CPU doesn't compile
            if len(plays) == 1:
                return [error]
            each = zip(plays, given_operands, functions)
            return [in_one_program([play], [given], [function], wide)[0] for play, given, function in each]
    for number, failed in enumerate(found):
        if not isinstance(failed, Exception):
            found[number] = tuple(made[place] for place in places[number])
    return found


def epsilon(dtype: Any) -> float:
    return float(ml_dtypes.finfo(dtype).eps)


def same(got: Any, want: Any, least: float, times: float, largest: float) -> str:
    """"" or what differs, by more than a few times the precision of the type, or `least`; so many `times`. `largest`: what was summed."""
    if isinstance(want, tuple):
        if not isinstance(got, tuple) or len(got) != len(want):
            return f"{len(want)} results"
        return next((said for said in (same(g, w, least, times, largest) for g, w in zip(got, want)) if said), "")
    got = np.asarray(got)
    if got.dtype != want.dtype:
        return f"type {got.dtype}, not {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    kind = want.dtype.kind
    if kind in "biu" or "int" in want.dtype.name:
        return "" if (got == want).all() else f"{got.tolist()}, not {want.tolist()}"
    wide = np.complex128 if kind == "c" else np.float64
    eps = max(epsilon(want.dtype), least) * (times if epsilon(want.dtype) < 1e-4 else 1)
    a, b = got.astype(wide), want.astype(wide)
    parts = [(a.real, b.real), (a.imag, b.imag)] if kind == "c" else [(a, b)]
    with np.errstate(all="ignore"):
        size = np.abs(b[np.isfinite(b)]).max(initial=0.0)
        near = np.abs(a - b) <= (24 * eps * np.abs(b) if kind == "c" else 0)
        for x, y in parts:
            # What jax computes in a narrow type, Indim computes in f32 and rounds once.
            close = np.isclose(x, y, rtol=24 * eps, atol=8 * eps * max(min(size, 1.0), largest), equal_nan=True)
            # Denormals may be 0; what overflows a narrow type may have been the greatest number.
            tiny = float(ml_dtypes.finfo(want.dtype).tiny) if kind != "c" else 1e-37
            close |= (np.abs(x) <= tiny) & (np.abs(y) <= tiny)
            if want.dtype.itemsize == 1:  # a step of jax's may have overflowed, or have been rounded to what still is a number
                greatest = float(ml_dtypes.finfo(want.dtype).max)
                close |= np.isnan(y) | np.isfinite(x) & ~np.isfinite(y) | np.isinf(x) & (np.abs(x.clip(-greatest, greatest) - y) <= 8 * eps * largest)
            if not (close | near).all():
                at = tuple(np.argwhere(~(close | near))[0])
                return f"{got[at]}, not {want[at]}, at {at} of {got.tolist()}"
    return ""


def mixed_type(types: "list[str]", rng: "np.random.Generator") -> str:
    return types[int(rng.integers(len(types)))]


def at_most_one(array: Any) -> Any:
    if array.dtype.kind in "biu" or "int" in array.dtype.name:
        return array
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    with np.errstate(all="ignore"):
        return np.where(np.abs(wide) > 1, 1 / wide, wide).astype(array.dtype)


SELECTIONS = ("divide", "true_divide", "x / y", "multiply", "x * y")


def not_of_zero(array: Any) -> Any:
    """With 1 for 0, infinities and NaNs."""
    with np.errstate(all="ignore"):
        plain = array == np.zeros((), array.dtype)
        if array.dtype.kind not in "biu" and "int" not in array.dtype.name:
            plain |= ~np.isfinite(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    return np.where(plain, np.ones((), array.dtype), array)


def off_the_cut(angles: Any) -> Any:
    """Angles where pi and -pi are one: of a complex point on that line a rounding decides."""
    return np.where(np.abs(np.abs(angles.real) - np.pi) < 1e-3, np.abs(angles.real) + 1j * np.abs(angles.imag), angles).astype(angles.dtype)


class Play:
    """A case on one element type."""

    def __init__(self, case: Case, of: str, seed: int) -> None:
        self.case, self.of = case, of
        rng = np.random.default_rng(seed)
        types = [given or of for given in case.types]
        if case.mixed and len(types) > 1:
            types[1] = mixed_type(WEAK_TYPES if case.weak[1] else TYPES, rng)
        # Of indices no ends of the type: take_along_axis() of jax takes 32 bits of them.
        special = [case.special and (given is None or case.name[:4] != "take") for given in case.types]
        self.operands = [(t, values(t, shape, rng, ends)) for t, shape, ends in zip(types, case.shapes, special)]
        if case.name in SELECTIONS and len(types) == 2 and "pred" in types:
            # XLA may make a selection of it, which has 0 for False / 0 and for False * infinity: sometimes NaN, sometimes not.
            other = 1 - types.index("pred")
            self.operands[other] = (types[other], not_of_zero(self.operands[other][1]))
        if case.text.removeprefix("dtype=") in TYPES and is_integer(case.text.removeprefix("dtype=")):
            # XLA's CPU takes 6, the greatest number, for an infinity where it makes an integer of it.
            self.operands = [(t, np.clip(o, -4, 4).astype(o.dtype) if t == "f4e2m1fn" else o) for t, o in self.operands]
        if "prod" in case.name and "product" not in case.name:
            # Where products of many overflow depends on their order: none is above 1 then.
            self.operands = [(t, at_most_one(o) if o.size > 8 else o) for t, o in self.operands]
        used = types if not case.then else [] if case.text.startswith("full, ") else types[:-1]
        self.narrow = not NARROW.isdisjoint([*types, of, case.text])
        self.wide = any(t in WIDE for t in [*used, case.text, of if case.text.endswith("type") else ""])
        self.wide_then = bool(case.then) and types[-1] in WIDE
        weak_types = [t for t, weak in zip(types, case.weak) if weak]
        self.meant = all(t in WEAK_TYPES for t in weak_types)
        if case.text.startswith("atan2, 0.5j; x ") and case.text.split()[-2][0] in "<>=!":
            self.meant = False  # its real part is 0 or pi / 2 but for a rounding
        if len(weak_types) == len(types) and len({t in WIDE for t in weak_types}) > 1:
            self.meant = False  # in jax they have 64 bits, all or none
        divides = any(word in case.name for word in ("mean", "var", "std"))
        if divides and {"s2", "u2"} & set(types) and any(o.size % 4 == 0 for _, o in self.operands):
            self.meant = False  # jax divides by the number of elements in 2 bits, 0; XLA dies of it when it compiles

    def __str__(self) -> str:
        of = " ".join(f"{t}{list(o.shape)}" for t, o in self.operands) or self.of
        return f"{self.case.name}({self.case.text}) of {of}"

    def verdict(self, want: Any) -> "tuple[str, str]":
        """"=", "r", "+" or "-" (both refuse), or "!" and what differs."""
        got = ours(self.case, self.of, self.operands)
        if isinstance(got, indim.Error):
            if not got.code and "[IND" not in str(got):
                return "!", f"{self}: an error without a code: {got}"
            return ("-" if isinstance(want, Exception) else "r"), f"{self}: {str(got).splitlines()[0]}"
        got, weak = got
        if isinstance(want, Exception):
            return "+", f"{self}: jax: {str(want).splitlines()[0] if str(want) else type(want)}"
        # Attention jax computes in f32, and so a first step. Sums of many have the roundings of their order.
        least = 2.0**-23 if self.case.name == "dot_product_attention" or self.wide_then else 0.0
        if self.case.then:  # the first one may be of a narrower type than the result
            least = max([least, *(epsilon(o.dtype) for _, o in self.operands if o.dtype.kind not in "biu" and "int" not in o.dtype.name)])
        if any(word in self.case.name for word in ("sum", "mean", "gelu")):
            # Numbers that cancel each other leave the roundings of the largest.
            with np.errstate(all="ignore"):
                sizes = [np.abs(o.astype(complex)).reshape(-1) for _, o in self.operands]
            largest = max((float(of[np.isfinite(of)].max(initial=0.0)) for of in sizes), default=0.0)
            if any(o.dtype.itemsize == 1 for _, o in self.operands):  # jax rounds each sum on the way, which is larger than they are
                largest *= max(1.0, max(of.size for of in sizes) / 24) ** 0.5
        else:
            largest = 0.0
        parts = want if isinstance(want, tuple) else (want,)
        for is_weak, part in zip(weak, parts):
            if part.weak_type != is_weak and str(part.dtype) != "bool":
                return "!", f"{self}: weakly typed: {is_weak}, not {part.weak_type}"
        want = tuple(np.asarray(part) for part in parts) if isinstance(want, tuple) else np.asarray(want)
        if "tan2" in self.case.name and not isinstance(want, tuple) and want.dtype.kind == "c":
            got, want = off_the_cut(got), off_the_cut(want)
            largest = 1.0  # of a logarithm of about 1
        said = same(got, want, least, max(1.0, max((o.size for _, o in self.operands), default=0) / 24), largest)
        return ("!", f"{self}: {said}" + f"  operands {[o.tolist() for _, o in self.operands]}") if said else ("=", str(self))


def groups(plays: "list[Play]") -> "Iterator[list[Play]]":
    """Plays that jax computes in one program."""
    by: "dict[tuple[bool, ...], list[Play]]" = {}
    for play in plays:
        by.setdefault((bool(play.case.then), play.narrow, play.wide, play.wide_then), []).append(play)
    for group in by.values():
        for start in range(0, len(group), 80):
            yield group[start : start + 80]


# --- The table -------------------------------------------------------------------------------------------------------------------

HEAD = """# What each name computes

The names of `jax.numpy` and `jax.nn` that the Python package has, and what they do on each element type, beside jax 0.10.2:

| mark | |
|---|---|
| = | the same value and type as jax; 64-bit types as with `jax_enable_x64`, others as without it |
| r | jax computes, Indim refuses: an error whose fix says how to write what was meant |
| + | Indim computes, jax refuses |
| - | both refuse |

Values are equal to within the roundings of the type: what jax computes in bf16, f16 or floats of 8 and 4 bits step by step, Indim
computes in f32 and rounds once. Of 8 and 4 bits a step of jax's may overflow, and give an infinity or a NaN, where Indim has a number, or the sum's own infinity;
`b.softmax` and `b.log_softmax` of them are beside jax's in f32, since its own begin with an infinity.
Results are weakly typed where jax's are, `x.weak_type`: `(x + 0.5) + y` has the type of `y` where `x` is of integers.
The page is made by `beside_jax.py --write`, and `//tests/bindings/python:jax_test` plays each mark, and other calls of each name:
other sizes, empty arrays, axes, mixed types, Python's numbers.

"""

TAIL = """
## Calls that are refused

- `x ** -1` of integers, as in jax: `x.astype("f32") ** -1`. Of two integer arrays `x ** y` and `b.power` have jax's meaning, which takes the
  low 6 bits of the exponent; `b.add_op("power", x, y)` is HLO's, which takes all of them.
- `b.max`, `b.min`, `b.argmax` and `b.argmin` of no elements: `b.reduce_max` and `b.reduce_min` give the type's least or greatest value.
- Arrays of types without a common one (`f8e5m2` and `f8e4m3fn`, `s4` and `s32`): `x.astype(...)` says which is meant.
- `b.softmax`, `b.log_softmax` and `b.log_sigmoid` of integers: jax subtracts in their own type, which wraps around:
  `b.softmax(x.astype("f32"))`.
- Fractions of `s2` and `u2` (`x / y`, `b.mean`), which jax keeps whole: `x.astype("f32")`. `b.one_hot` of more classes than the integers of
  its type: in jax they wrap around.
- Of `f8e8m0fnu`, which has no 0, `b.leaky_relu`, `b.argmax` and `b.argmin`, of `f4e2m1fn`, which has no infinity, `b.isposinf` and
  `b.isneginf`: jax compares with another number. `x.astype("f32")` says what is meant.
- `b.maximum` and `b.minimum` of complex numbers, which HLO compares by their real parts, and jax by the imaginary ones where those are equal.
- A number of Python's that the other operand's type doesn't have (`x + 300` and `x < -1` of `u8`): in jax it wraps around. `b.clip` and `b.where`
  likewise; `x ** 300` is fine.
- The difference and the negative of truths, shifts of floats, the order of complex numbers, as in jax.

`b.einsum` takes equal sizes for a letter; in jax one may be 1. An index of 64 bits beyond 2^31 is outside in `b.take_along_axis`; jax takes its low 32 bits.
"""


def marks_on_page() -> "dict[str, dict[str, str]]":
    """What the page says."""
    found: "dict[str, dict[str, str]]" = {}
    types: "list[str]" = []
    for line in PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []:
        if line.startswith("| | "):
            types = line.strip("| ").split(" | ")
        if line.startswith("| `"):
            name, *marks = line.replace("\\|", "\0").strip("| ").split(" | ")
            found[name.strip("`").replace("\0", "|")] = dict(zip(types, marks))
    return found


def row_of(name: str, marks: "dict[str, str]") -> str:
    return f"| `{name.replace('|', chr(92) + '|')}` | " + " | ".join(marks.get(of, "") for of in TYPES) + " |\n"


def page_of(table: "dict[str, dict[str, str]]") -> str:
    head = "| | " + " | ".join(TYPES) + " |\n|---|" + "---|" * len(TYPES) + "\n"
    return HEAD + head + "".join(row_of(name, marks) for name, marks in table.items()) + TAIL


def core_of(cases: "list[Case]") -> "list[Case]":
    """The case of each name that its marks are of."""
    found: "dict[str, Case]" = {}
    for case in cases:
        if not any(0 in shape for shape in case.shapes) and not case.then:
            found.setdefault(case.name, case)
    return list(found.values())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="all cases")
    parser.add_argument("--names", default="", help="only these")
    parser.add_argument("--types", default="", help="only these")
    parser.add_argument("--text", default="", help="only cases with this in what they are told by, such as weak")
    parser.add_argument("--part", type=float, default=0, help="how many of the cases beside those of the table, 0..1")
    parser.add_argument("--seed", type=int, default=1, help="which part")
    parser.add_argument("--show", default="!", help="of which verdicts a line is printed")
    parser.add_argument("--limit", type=int, default=40, help="of how many")
    parser.add_argument("--write", action="store_true", help="writes the page")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = given.names.split(",") if given.names else []
    counts: "dict[str, int]" = {}
    marks: "dict[str, dict[str, str]]" = {}
    chosen = random.Random(given.seed)
    shown = 0
    every = all_cases()
    seeds = {id(case): number for number, case in enumerate(every)}  # the same operands, whatever is asked for
    cases = [case for case in every if (not names or case.name in names) and given.text in case.text]
    core = core_of(cases)
    for of in given.types.split(",") if given.types else TYPES:
        plays = [
            Play(case, of, seeds[id(case)])
            for case in cases
            if case in core or given.all or chosen.random() < given.part
        ]
        plays = [play for play in plays if play.meant]
        for group in groups(plays):
            for play, want in zip(group, jaxs(group)):
                said, what = play.verdict(want)
                counts[said] = counts.get(said, 0) + 1
                if play.case in core:
                    marks.setdefault(play.case.name, {})[of] = said
                if said in given.show and shown < given.limit:
                    shown += 1
                    print(said, what[:600], flush=True)
        jax.clear_caches()
    print(counts)
    wrong = bool(counts.get("!"))
    rows = {case.name: marks[case.name] for case in core}
    if given.write:
        page = marks_on_page()
        rows = {name: {**page.get(name, {}), **row} for name, row in {**page, **rows}.items()}
        PAGE.write_text(page_of(rows), encoding="utf-8")
    elif not (names or given.types or given.text) and PAGE.read_text(encoding="utf-8") != page_of(rows):
        page = PAGE.read_text(encoding="utf-8")
        print(f"{PAGE.relative_to(ROOT)} isn't what comes out; to fix: beside_jax.py --write")
        print("".join(row for row in map(row_of, rows, rows.values()) if row not in page), end="")
        wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
