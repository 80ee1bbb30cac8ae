"""Every name of jax.numpy and jax.nn that docs/python_names.md gives, beside jax: equal values and types, or an error with a code.

    beside_jax.py [--all] [--names=sum,mean] [--types=bf16] [--write]

Each case is played on each element type, with random and special values, empty arrays, axes negative, several and none. What comes
out is the table in docs/python_names.md, which --write writes: "=" equal; "r" refused, by an error with a code; "+" computed,
where jax refuses. A difference fails in any case. Without --all it plays a part of the cases, another one each day.
"""

import argparse
import pathlib
import random
import sys
import warnings
from typing import Any, Iterator

import indim
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax_cases import TYPES, Case, all_cases, dtype_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
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
    if special and made.size:
        flat = made.reshape(-1)
        for place in rng.choice(flat.size, min(3, flat.size), replace=False):
            flat[place] = [0.0, -0.0, np.inf, -np.inf, np.nan, 3.0, -2.5][rng.integers(7)]
    return made.astype(dtype)


# --- Playing ---------------------------------------------------------------------------------------------------------------------


def ours(case: Case, of: str, operands: "list[Any]") -> Any:
    """What Indim computes; an indim.Error where it refuses."""
    b = indim.Builder("f", broadcasting=case.rule)
    try:
        parameters = [b.parameter(f"{t}[{','.join(map(str, o.shape))}]") for t, o in operands]
        made = case.ours(b, *parameters) if parameters else case.ours(b, of)
        module = b.build(made)
        module.check().raise_for_errors()
        return module.eval(*[o for _, o in operands])
    except indim.Error as error:
        return error


WIDE = ("s64", "u64", "f64", "c128")


def jaxs(plays: "list[Play]", wide: bool) -> "list[Any]":
    """What jax computes for each, in one program; exceptions where it refuses."""
    found: "list[Any]" = [None] * len(plays)
    places = [range(0)] * len(plays)

    def program(operands: "list[Any]") -> "list[Any]":
        made: "list[Any]" = []
        for number, play in enumerate(plays):
            try:
                given = operands[number]
                shift = play.case.name in ("right_shift", "x >> y")
                if shift and {str(o.dtype) for o in given} == {"uint4"}:  # XLA's CPU takes them for signed ones
                    given = [o.astype("uint8") for o in given]
                results = play.case.theirs(*given) if given else play.case.theirs(play.of)
                results = results.astype("uint4") if given is not operands[number] else results
                parts = [jnp.asarray(part) for part in (results if isinstance(results, tuple) else (results,))]
                places[number] = range(len(made), len(made) + len(parts))
                found[number] = isinstance(results, tuple)
                made += parts
            except Exception as error:  # whatever jax raises
                found[number] = error
        return made

    with jax.enable_x64(wide):
        try:
            made = [np.asarray(part) for part in jax.jit(program)([[o for _, o in play.operands] for play in plays])]
        except Exception as error:  # what XLA's CPU doesn't compile
            return [error] if len(plays) == 1 else [jaxs([play], wide)[0] for play in plays]
    for number, several in enumerate(found):
        if not isinstance(several, Exception):
            parts = [made[place] for place in places[number]]
            found[number] = tuple(parts) if several else parts[0]
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
            if not (close | near).all():
                return f"{got.tolist()}, not {want.tolist()}"
    return ""


def mixed_type(of: str, rng: "np.random.Generator") -> str:
    return TYPES[int(rng.integers(len(TYPES)))]


def at_most_one(array: Any) -> Any:
    if array.dtype.kind in "biu" or "int" in array.dtype.name:
        return array
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    with np.errstate(all="ignore"):
        return np.where(np.abs(wide) > 1, 1 / wide, wide).astype(array.dtype)


class Play:
    """A case on one element type."""

    def __init__(self, case: Case, of: str, seed: int) -> None:
        self.case, self.of = case, of
        rng = np.random.default_rng(seed)
        types = [given or of for given in case.types]
        if case.mixed and len(types) > 1:
            types[1] = mixed_type(of, rng)
        # Of indices no ends of the type: take_along_axis() of jax takes 32 bits of them.
        special = [case.special and (given is None or case.name[:4] != "take") for given in case.types]
        self.operands = [(t, values(t, shape, rng, ends)) for t, shape, ends in zip(types, case.shapes, special)]
        if case.name in ("divide", "true_divide", "x / y") and len(types) == 2 and types[0] == "pred":
            # XLA makes a selection of it, which has 0 for False / 0: sometimes NaN, sometimes not.
            by = self.operands[1][1]
            self.operands[1] = (types[1], np.where(by == np.zeros((), by.dtype), np.ones((), by.dtype), by))
        if "prod" in case.name and "product" not in case.name:
            # Where products of many overflow depends on their order: none is above 1 then.
            self.operands = [(t, at_most_one(o) if o.size > 8 else o) for t, o in self.operands]
        self.wide = any(t in WIDE for t in [*types, case.text, of if case.text.endswith("type") else ""])

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
        if isinstance(want, Exception):
            return "+", f"{self}: jax: {str(want).splitlines()[0] if str(want) else type(want)}"
        # Attention jax computes in f32. Sums of many have the roundings of their order.
        least = 2.0**-23 if self.case.name == "dot_product_attention" else 0.0
        if any(word in self.case.name for word in ("sum", "mean")):
            # Numbers that cancel each other leave the roundings of the largest.
            with np.errstate(all="ignore"):
                sizes = [np.abs(o.astype(complex)).reshape(-1) for _, o in self.operands]
            largest = max((float(of[np.isfinite(of)].max(initial=0.0)) for of in sizes), default=0.0)
        else:
            largest = 0.0
        said = same(got, want, least, max(1.0, max((o.size for _, o in self.operands), default=0) / 24), largest)
        return ("!", f"{self}: {said}" + f"  operands {[o.tolist() for _, o in self.operands]}") if said else ("=", str(self))


def groups(plays: "list[Play]") -> "Iterator[list[Play]]":
    """Plays that jax computes in one program."""
    by: "dict[tuple[str, bool], list[Play]]" = {}
    for play in plays:
        by.setdefault((play.case.name, play.wide), []).append(play)
    for group in by.values():
        for start in range(0, len(group), 40):
            yield group[start : start + 40]


# --- The table -------------------------------------------------------------------------------------------------------------------

HEAD = """# What each name computes

The names of `jax.numpy` and `jax.nn` that the Python package has, and what they do on each element type, beside jax 0.10.2:

| mark | |
|---|---|
| = | the same value and type as jax; 64-bit types as with `jax_enable_x64`, others as without it |
| r | jax computes, Indim refuses: an error whose fix says how to write what was meant |
| + | Indim computes, jax refuses |
| - | both refuse |

Values are equal to within the roundings of the type: what jax computes in bf16 or f16 step by step, Indim computes in f32 and rounds once.
The page is made by `beside_jax.py --write`, and `//tests/python:jax_test` plays each mark, and other calls of each name:
other sizes, empty arrays, axes, mixed types, Python's numbers.

"""

TAIL = """
## Calls that are refused

- `x ** y` and `b.power` of two integer arrays, and of an integer to a negative number: jax takes 6 bits of the exponent, HLO all of them.
  `x.astype("f32") ** y` has fractions, `b.add_op("power", x, y)` is HLO's.
- `b.max`, `b.min`, `b.argmax` and `b.argmin` of no elements: `b.reduce_max` and `b.reduce_min` give the type's least or greatest value.
- Arrays of types without a common one (`f8e5m2` and `f8e4m3fn`, `s4` and `s32`): `x.astype(...)` says which is meant.
- `b.softmax`, `b.log_softmax` and `b.log_sigmoid` of integers: jax subtracts in their own type, which wraps around:
  `b.softmax(x.astype("f32"))`.
- The difference and the negative of truths, shifts of floats, the order of complex numbers, as in jax.

An index of 64 bits beyond 2^31 is outside in `b.take_along_axis`; jax takes its low 32 bits.
"""


def marks_on_page() -> "dict[str, dict[str, str]]":
    """What the page says."""
    found: "dict[str, dict[str, str]]" = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []:
        if line.startswith("| `"):
            name, *marks = line.replace("\\|", "\0").strip("| ").split(" | ")
            found[name.strip("`").replace("\0", "|")] = dict(zip(TYPES, marks))
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
        if not any(0 in shape for shape in case.shapes):
            found.setdefault(case.name, case)
    return list(found.values())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="all cases")
    parser.add_argument("--names", default="", help="only these")
    parser.add_argument("--types", default="", help="only these")
    parser.add_argument("--part", type=float, default=0.02, help="how many of the cases beside those of the table, 0..1")
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
    cases = [case for case in all_cases() if not names or case.name in names]
    core = core_of(cases)
    for of in given.types.split(",") if given.types else TYPES:
        plays = [
            Play(case, of, number)
            for number, case in enumerate(cases)
            if case in core or given.all or chosen.random() < given.part
        ]
        for group in groups(plays):
            for play, want in zip(group, jaxs(group, group[0].wide)):
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
    elif not names and not given.types and PAGE.read_text(encoding="utf-8") != page_of(rows):
        page = PAGE.read_text(encoding="utf-8")
        print(f"{PAGE.relative_to(ROOT)} isn't what comes out; to fix: beside_jax.py --write")
        print("".join(row for row in map(row_of, rows, rows.values()) if row not in page), end="")
        wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
