# SPDX-License-Identifier: Apache-2.0
"""Proves, with Z3, that a plan and its conditions are the document's rule for every run-time size.

  prove_plans.py PRINT_PLANS PAGE

Asks PRINT_PLANS for the plans of each suite, three times with other numbers for the letters p < q < r < s, and wants the
same plans; then it takes the letters for any sizes from 2 up in that order, and run-time sizes for any numbers from 0 up.
Each dim of a result, with the operands' dims that the document places there, is a claim of its own: they share no size, so
a plan is right when all of its dims are. Claims are proved once.

Documents' rules: refused plans, where some dim has no sizes that fit; else
  conditions hold exactly where the document accepts; every size that comes out is in the result's dim; and both of its
  ends do come out (no end: every large number does)
xla: conditions only where the document accepts, with a result in the dim. That it isn't exact is counted.

INDIM_ALL_CASES: all plans; else a sample of them (SUITES). The numbers are compared with those of PAGE.
"""

import collections
import functools
import itertools
import json
import os
import subprocess
import sys

import z3

ALL = "INDIM_ALL_CASES" in os.environ
# Each suite, and the step from a plan to the next that is asked without INDIM_ALL_CASES; None: it isn't asked.
SUITES = {"pairs": 1, "ranks2": 1, "ranks3": None, "three": 97, "trait": 97}
NUMBERS = [(2, 3, 4, 5), (2, 3, 1000, 1073741823), (7, 19, 2147483, 2147484)]

P, Q, R, S, LARGE = LETTERS = z3.Ints("p q r s large")
ENDS = {"0": z3.IntVal(0), "1": z3.IntVal(1), "p": P, "q": Q, "r": R, "s": S}
ORDER = z3.And(P >= 2, P < Q, Q < R, R < S, S < LARGE)

solver = z3.Solver()
solver.add(ORDER)
queries = 0


def holds_always(claim):
  """Whether `claim` holds for all sizes and all p, q, r, s."""
  global queries
  queries += 1
  solver.push()
  solver.add(z3.Not(claim))
  answer = solver.check()
  solver.pop()
  if answer == z3.unknown:
    raise RuntimeError("Z3 doesn't know: %s" % claim)
  return answer == z3.unsat


def inside(size, dim):
  lower, upper = dim.split("..")
  return z3.And(size >= ENDS[lower], True if upper == "inf" else size <= ENDS[upper])


# --- The documents' rules, for sizes at one dim of the result ------------------------------------------------------------


def numpy_dim(sizes):
  """Accepted, and the result: MLIR's fold, OpenVINO's rules 3 and 4."""
  accepted, result = z3.BoolVal(True), sizes[0]
  for size in sizes[1:]:
    accepted = z3.And(accepted, z3.Or(result == size, result == 1, size == 1))
    result = z3.If(result == 1, size, result)
  return accepted, result


def none_dim(sizes):
  return z3.And([size == sizes[0] for size in sizes]), sizes[0]


def pdpd_dim(sizes):
  """A, and where B has a dim there, B: 1 or equal."""
  if len(sizes) == 1:
    return z3.BoolVal(True), sizes[0]
  a, b = sizes
  return z3.Or(b == 1, a == b), a


def past_end(sizes):
  """B where A has no dim: a trailing 1, which is ignored."""
  return sizes[0] == 1, None


def xla_dim(sizes):
  """Equal, or one of them 1; the maximum, but that 0 with 1 is 0."""
  return numpy_dim(sizes)


def maximum(sizes):
  return functools.reduce(lambda a, b: z3.If(a >= b, a, b), sizes)


def columns_of(plan):
  """Where the document places the operands' dims: result dim -> [(operand, dim)]; None: it refuses these ranks."""
  rule, ranks = plan["rule"], [len(dims) for dims in plan["operands"]]
  high = max(ranks)
  if rule in ("numpy", "bidirectional"):
    places = [[high - rank + i for i in range(rank)] for rank in ranks]
  elif rule == "none":
    if ranks[0] != ranks[1]:
      return None
    places = [list(range(rank)) for rank in ranks]
  elif rule == "pdpd":
    a, b = ranks
    axis = a - b if plan["axis"] == -1 else plan["axis"]
    if b > a or not 0 <= axis <= a:
      return None
    places = [list(range(a)), [axis + i for i in range(b)]]
  else:
    tuple_, low = plan["tuple"] or [], min(ranks)
    fits = len(tuple_) == low and all(0 <= d < high for d in tuple_) and all(c < d for c, d in zip(tuple_, tuple_[1:]))
    if not fits and not (not tuple_ and (low == 0 or low == high)):
      return None
    places = [list(range(rank)) if rank == high else tuple_ for rank in ranks]
  columns = collections.defaultdict(list)
  for operand, of_operand in enumerate(places):
    for dim, place in enumerate(of_operand):
      columns[place].append((operand, dim))
  return dict(columns), places


RULES = {"numpy": numpy_dim, "bidirectional": numpy_dim, "none": none_dim, "pdpd": pdpd_dim, "past end": past_end,
         "xla": xla_dim}

# --- Claims --------------------------------------------------------------------------------------------------------------


class Column:
  """Sizes at one dim of a result, in the order of operands."""

  def __init__(self, rule, dims):
    self.sizes = [z3.Int("size%d" % i) for i in range(len(dims))]
    self.inside = z3.And([inside(size, dim) for size, dim in zip(self.sizes, dims)])
    self.accepted, self.result = RULES[rule](self.sizes)

  def condition(self, kind, a, b):
    """Of the plan: a and b are places in this column, -1 for the result, or the name of a size."""
    def size(of):
      if isinstance(of, str):
        return ENDS[of]
      if of >= 0:
        return self.sizes[of]
      # Condition: the one size other than 1 among the operands' dims, or 1.
      return functools.reduce(lambda rest, s: z3.If(s != 1, s, rest), reversed(self.sizes), z3.IntVal(1))
    a, b = size(a), size(b)
    return z3.Or([a == b] + ([a == 1] if "one" in kind else []) + ([b == 1] if "either" in kind else []))

  def conditions(self, conditions):
    return z3.And([self.condition(*c) for c in conditions])

  def comes_out(self, size, claim=True):
    """That some sizes, each 1 or `size`, fit, give `size`, and make `claim` true, whatever p, q, r, s."""
    choices = []
    for chosen in itertools.product([z3.IntVal(1), size], repeat=len(self.sizes)):
      fits = z3.And(self.inside, self.accepted, claim, True if self.result is None else self.result == size)
      choices.append(z3.substitute(fits, *zip(self.sizes, chosen)))
    return holds_always(z3.Or(choices))


@functools.lru_cache(maxsize=None)
def nothing_fits(rule, dims):
  column = Column(rule, dims)
  return holds_always(z3.Implies(column.inside, z3.Not(column.accepted)))


@functools.lru_cache(maxsize=None)
def is_exact(rule, dims, conditions, result):
  """None, or what is wrong."""
  column = Column(rule, dims)
  hold = column.conditions(conditions)
  if not holds_always(z3.Implies(column.inside, hold == column.accepted)):
    return "conditions aren't the document's"
  if result is None:
    return None if column.comes_out(z3.IntVal(1)) else "no sizes fit"
  if not holds_always(z3.Implies(z3.And(column.inside, hold), inside(column.result, result))):
    return "a size that comes out isn't in the result's dim"
  lower, upper = result.split("..")
  if not column.comes_out(ENDS[lower]) or not column.comes_out(LARGE if upper == "inf" else ENDS[upper]):
    return "an end of the result's dim doesn't come out"
  return None


Sound = collections.namedtuple("Sound", "wrong conditions_exact maximum_differs")


@functools.lru_cache(maxsize=None)
def is_sound(dims, conditions, result):
  column = Column("xla", dims)
  hold = z3.And(column.inside, column.conditions(conditions))
  wrong = None
  if not holds_always(z3.Implies(hold, z3.And(column.accepted, inside(column.result, result)))):
    wrong = "unsound"
  exact = holds_always(z3.Implies(z3.And(column.inside, column.accepted), hold))
  greatest = inside(maximum(column.sizes), result)
  differs = not holds_always(z3.Implies(hold, greatest))
  # The document's word, "the maximum", is unsound for 0 with 1 and for nothing else.
  no_zeros = z3.And([size > 0 for size in column.sizes])
  if not holds_always(z3.Implies(z3.And(hold, no_zeros), greatest)):
    wrong = "unsound by the maximum"
  return Sound(wrong, exact, differs)


class Proof:
  """What was proved, by the rows of the page."""

  def __init__(self):
    self.counts = collections.Counter()
    self.failures = []

  def fail(self, plan, what):
    self.failures.append("%s: %s" % (what, json.dumps(plan)))

  def prove(self, plan):
    self.counts["plans of %s" % plan["rule"]] += 1
    placed = columns_of(plan)
    refused = "result" not in plan
    if placed is None:
      if not refused:
        self.fail(plan, "the document refuses these ranks")
      return
    columns, places = placed
    rank = max(len(dims) for dims in plan["operands"])
    claims = []
    where = {}  # (operand, dim) -> (column, place in it)
    for place, refs in columns.items():
      rule = plan["rule"] if place < rank else "past end"
      for i, ref in enumerate(refs):
        where[ref] = place, i
      claims.append((place, rule, tuple(plan["operands"][operand][dim] for operand, dim in refs)))
    if refused:
      none_fit = any(nothing_fits(rule, dims) for _, rule, dims in claims)
      if plan["rule"] == "xla":
        self.counts["xla: refused, " + ("no size fits" if none_fit else "though some sizes fit")] += 1
      elif not none_fit:
        self.fail(plan, "refused though some sizes fit")
      return
    if plan["places"] != [[-1 if place >= rank else place for place in of_operand] for of_operand in places]:
      self.fail(plan, "placed elsewhere")
      return
    conditions = collections.defaultdict(list)
    for kind, a, b in plan["conditions"]:
      column, a_place = where[tuple(a)]
      if isinstance(b, list):
        b_column, b = (b[1], -1) if b[0] == -1 else where[tuple(b)]
        if b_column != column:
          self.fail(plan, "a condition about two dims of the result")
          return
      conditions[column].append((kind, a_place, b))
    if plan["rule"] == "xla":
      self.prove_sound(plan, claims, conditions)
      return
    for place, rule, dims in claims:
      result = plan["result"][place] if place < rank else None
      wrong = is_exact(rule, dims, tuple(conditions[place]), result)
      if wrong:
        self.fail(plan, wrong)

  def prove_sound(self, plan, claims, conditions):
    exact, differs = True, False
    for place, _, dims in claims:
      sound = is_sound(dims, tuple(conditions[place]), plan["result"][place])
      if sound.wrong:
        self.fail(plan, sound.wrong)
      exact = exact and sound.conditions_exact
      differs = differs or sound.maximum_differs
    self.counts["xla: accepted, " + ("conditions exact" if exact else "conditions stricter")] += 1
    if differs:
      self.counts["xla: 0 with 1 isn't their maximum"] += 1

  def prove_trait(self, line):
    """Lenient: some size that comes out is in the recorded dim; strict: all are."""
    self.counts["verifications"] += 1
    dims = tuple(operand[0] for operand in line["operands"])
    column = Column("numpy", dims)
    recorded = inside(column.result, line["result"])
    fit = z3.And(column.inside, column.accepted)

    def some_comes_out(claim):
      return any(column.comes_out(size, claim) for size in [z3.IntVal(0), z3.IntVal(1), P, Q, R, S, LARGE])

    lenient = some_comes_out(recorded) if line["lenient"] else not holds_always(z3.Implies(fit, z3.Not(recorded)))
    if line["strict"]:
      strict = some_comes_out(True) and holds_always(z3.Implies(fit, recorded))
    else:
      strict = not nothing_fits("numpy", dims) and not some_comes_out(z3.Not(recorded))
    if lenient != line["lenient"]:
      self.fail(line, "lenient")
    if strict != line["strict"]:
      self.fail(line, "strict")
    if line["mlir"] != line["lenient"]:
      if {"0..0", "0..inf"} != set(dims):
        self.fail(line, "mlir")
      self.counts["mlir: 0 with ?"] += 1


def plans_of(binary, suite):
  texts = {subprocess.run([binary, suite] + [str(n) for n in numbers], check=True, capture_output=True).stdout
           for numbers in NUMBERS}
  if len(texts) != 1:
    sys.exit("%s: the plans change with the numbers" % suite)
  return texts.pop().decode().splitlines()[::1 if ALL else SUITES[suite]]


def numbers_of(page):
  """Of the page's section about this proof: row -> number, of all plans or of the sample."""
  numbers = {}
  section = open(page, encoding="utf-8").read().split("\n## For all sizes\n")[1].split("\n## ")[0]
  for line in section.splitlines():
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) >= 5 and cells[2].replace(",", "").isdigit():
      numbers[cells[1]] = int(cells[2 if ALL else 3].replace(",", ""))
  return numbers


def main():
  binary, page = sys.argv[1:]
  proof = Proof()
  for suite, step in SUITES.items():
    if step is None and not ALL:
      continue
    lines = plans_of(binary, suite)
    for line in lines:
      line = json.loads(line)
      (proof.prove_trait if suite == "trait" else proof.prove)(line)
    proof.counts["suite %s" % suite] = len(lines)
  proof.counts["claims put to Z3"] = queries
  shown = numbers_of(page)
  for row in sorted(set(proof.counts) | set(shown)):
    print("%12d  %s" % (proof.counts[row], row))
    if shown.get(row) != proof.counts[row]:
      proof.failures.append("%s has another number of: %s" % (page, row))
  for failure in proof.failures[:30]:
    print(failure)
  print("%d failures" % len(proof.failures))
  return 1 if proof.failures else 0


if __name__ == "__main__":
  sys.exit(main())
