# SPDX-License-Identifier: Apache-2.0
"""Runs small modules (evaluator_cases.py) and real ones on real XLA and on `indim eval`, and compares.

  evaluator.py --indim=bazel-bin/tools/indim [--seed=1] [--only=OP] [--plugin=LIBRARY] [MODULE.pb ...]

Many cases make one module; where XLA refuses it, its halves are tried, down to single cases. What XLA's CPU client can't
run and NumPy can say is asked of NumPy; what it can't run in 2 bits is run in 8, and wrapped. With --plugin XLA is that of a PJRT plugin, through `indim run`, and not jaxlib's. Prints how many results were compared, what XLA's CPU client refuses, and every
difference; the exit status is 1 when there is one that EXPLAINED doesn't hold.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before jaxlib comes: no chatter

import ml_dtypes
import numpy as np
from jaxlib import _hlo

import evaluator_cases
import numpy_reference as reference
import xla_runner

BATCH = 40
# How far XLA may be off, in steps of the type: its functions of narrow types go by way of wider ones.
NARROW_STEPS, WIDE_STEPS = 2, 64


def computations():
  found = {}
  for text in re.findall(r"^(\w+_T \{.*?\})$", evaluator_cases.COMPUTATIONS, re.M | re.S):
    found[text.split(" ", 1)[0][:-2]] = text
  return found


COMPUTATIONS = computations()


def make_input(random, text):
  """An array as "f32[2,3]:domain" says."""
  shape, *domain = text.split(":")
  name, dims = reference.parse_shape(shape)
  if len(domain) == 2:
    return random.integers(int(domain[0]), int(domain[1]), dims).astype(reference.TYPES[name])
  if domain == ["extreme"]:
    return random.choice(extremes(name), dims).astype(reference.TYPES[name])
  if domain == ["definite"]:
    values = random.normal(size=dims)
    return (values @ np.swapaxes(values, -1, -2) + 3 * np.eye(dims[-1])).astype(reference.TYPES[name])
  return reference.make_input(random, {"shape": shape, "domain": domain[0] if domain else "any"})


def extremes(name):
  """Where functions of one element change their ways. Not denormal numbers, which XLA's CPU takes for 0."""
  if name == "pred":
    return [False, True]
  if reference.is_complex(name):
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, np.inf, -np.inf, np.nan]
    values = np.empty((len(parts), len(parts)), np.complex128)
    values.real, values.imag = np.array(parts)[:, None], np.array(parts)[None, :]  # a sum would lose signs of zeros
    return values.ravel()
  if not reference.is_float(name):
    info = ml_dtypes.iinfo(reference.TYPES[name])
    low, high, bits = int(info.min), int(info.max), evaluator_cases.bits(name)
    values = [low, low + 1, high, high - 1, 0, 1, -1, 2, -2, bits, bits - 1, bits + 1, -bits]
    return np.array([v for v in values if low <= v <= high], np.uint64 if name[0] == "u" else np.int64)
  info = ml_dtypes.finfo(reference.TYPES[name])
  ends = [float(info.max), float(info.smallest_normal)]
  return np.array([0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 3.5, 10.0, np.inf, np.nan, *ends] * 2) * np.repeat([1, -1], 11 + len(ends))


class Case:

  def __init__(self, op, name, parameters, root):
    self.op, self.name, self.parameters, self.root = op, name, parameters, root

  def instructions(self, k, first):
    """HLO text of the instructions, and the names of its results."""
    lines = ["c%d_p%d = %s parameter(%d)" % (k, i, p.split(":")[0], first + i) for i, p in enumerate(self.parameters)]
    root = self.root
    if root == "WHILE":
      shape = "(s32[], %s[4])" % self.name
      lines.append("c%d_t = %s tuple(p0, p1)" % (k, shape))
      root = "%s while(c%d_t), condition=while_%s, body=body_%s" % (shape, k, self.name, self.name)
      lines[-1] = re.sub(r"\bp(\d)\b", r"c%d_p\1" % k, lines[-1])
    lines.append("c%d_r = %s" % (k, re.sub(r"\bp(\d)\b", r"c%d_p\1" % k, root)))
    if not root.startswith("("):
      return lines, ["c%d_r" % k], [root.split(" ")[0]]
    shapes = re.findall(r"\w+\[[\d,]*\]", root[: root.index(")")])
    names = ["c%d_r%d" % (k, i) for i in range(len(shapes))]
    lines += ["%s = %s get-tuple-element(c%d_r), index=%d" % (n, s, k, i) for i, (n, s) in enumerate(zip(names, shapes))]
    return lines, names, shapes

  def in_8_bits(self):
    """The same on integers of 8 bits, which hold what 2 bits hold."""
    def wide(text):
      return re.sub(r"\b%s\[" % self.name, self.name[0] + "8[", text)
    return Case(self.op, self.name[0] + "8", [wide(p) for p in self.parameters],
                re.sub(r"_%s\b" % self.name, "_%s8" % self.name[0], wide(self.root)))

  def callees(self):
    root = "body_%s while_%s" % (self.name, self.name) if self.root == "WHILE" else self.root
    return {m for m in re.findall(r"\b([a-z]+\d?)_%s\b" % self.name, root) if m in COMPUTATIONS}


def module_text(cases):
  lines, results, shapes, first, callees = [], [], [], 0, set()
  for k, case in enumerate(cases):
    own, names, own_shapes = case.instructions(k, first)
    lines, results, shapes, first = lines + own, results + names, shapes + own_shapes, first + len(case.parameters)
    callees |= {(c, case.name) for c in case.callees()}
  texts = [evaluator_cases.of_type(COMPUTATIONS[c], name) for c, name in sorted(callees)]
  return "HloModule cases\n%s\nENTRY e {\n  %s\n  ROOT all = (%s) tuple(%s)\n}\n" % (
      "\n".join(texts), "\n  ".join(lines), ", ".join(shapes), ", ".join(results))


class Indim:
  """`indim eval` or `indim run`, in a process for each module."""

  def __init__(self, indim, *words):
    self.indim, self.words, self.folder = indim, words, tempfile.mkdtemp()

  def run(self, module, inputs):
    """The results, or what it says."""
    def path(name):
      return os.path.join(self.folder, name)
    for name in os.listdir(self.folder):
      os.remove(path(name))
    with open(path("m.pb"), "wb") as file:
      file.write(module)
    files = []
    for i, array in enumerate(inputs):
      files.append(path("in%d.npy" % i))
      np.save(files[-1], array)
    command = [self.indim, *self.words, path("m.pb"), *files, "-o", path("out.npy")]
    said = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if said.returncode != 0:
      return said.stderr.strip()
    if os.path.exists(path("out.npy")):
      return [np.load(path("out.npy"))]
    count = sum(name.startswith("out.") for name in os.listdir(self.folder))
    return [np.load(path("out.%d.npy" % i)) for i in range(count)]


class OnPlugin:
  """As xla_runner.Xla, on a PJRT plugin."""

  def __init__(self, indim, plugin):
    self.indim = Indim(indim, "run", "--quiet", "--plugin=" + plugin)

  def run_on_one(self, module, inputs):
    results = self.indim.run(module, inputs)
    if isinstance(results, str):
      raise ValueError(results)
    shapes = _hlo.HloModule.from_serialized_hlo_module_proto(module).to_string().split("->", 1)[1].split("\n", 1)[0]
    types = re.findall(r"\b([a-z]+\d\w*|pred)\[", shapes)[: len(results)]
    return [array.view(reference.TYPES[name]) for array, name in zip(results, types)]


def typed(array, like):
  """What ml_dtypes' types lose in a file."""
  return array.view(like.dtype) if array.dtype.kind == "V" or array.dtype != like.dtype and array.dtype.itemsize == 1 else array


def differs(ours, theirs, summed):
  """None, or how; `summed`: an element's error may be as large as the largest element's."""
  ours = typed(ours, theirs)
  if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
    return "%s%s, XLA %s%s" % (ours.dtype, ours.shape, theirs.dtype, theirs.shape)
  name = reference.str_type(theirs)
  ours, theirs = reference.wide(ours), reference.wide(theirs)
  if reference.is_float(name) or reference.is_complex(name):
    narrow = np.dtype(reference.TYPES[name]).itemsize <= 2
    relative, absolute = reference.tolerance(name, NARROW_STEPS if narrow else WIDE_STEPS)
    finite = theirs[np.isfinite(theirs)]
    scale = np.where(np.isfinite(theirs), np.abs(theirs), 0) + (np.abs(finite).max() if summed and finite.size else 0)

    def near(a, b):
      with np.errstate(all="ignore"):
        return (np.abs(a - b) <= relative * np.maximum(scale, np.abs(b)) + absolute) & np.isfinite(b) | (a == b) | (
            np.isnan(a) & np.isnan(b))
    same = near(ours.real, theirs.real) & near(ours.imag, theirs.imag) if reference.is_complex(name) else near(ours, theirs)
  else:
    same = ours == theirs
  if same.all():
    return None
  where = tuple(np.argwhere(~same)[0])
  return "at %s %r, XLA %r (%d of %d)" % (list(map(int, where)), ours[where], theirs[where], (~same).sum(), same.size)


ELEMENTWISE = set(evaluator_cases.UNARY) | set(evaluator_cases.BINARY)

# Where XLA's CPU is wrong by the operation's definition: (operation, types, what it does, a test of the inputs, our result
# and XLA's that tells so).
EXPLAINED = [
    ("popcnt", ("s4",), "counts the bits of the sign-extended byte",
     lambda operand, ours, theirs: [bin(v & 0xFF).count("1") & 0xF for v in operand.flat] == [v & 0xF for v in theirs.flat]),
    ("sort", ("s2", "u2"), "returns values that aren't the operand's, in order", lambda operand, ours, theirs: (np.sort(operand) == ours).all()),
]
# The same of plugins, whose XLA is older than jaxlib's.
EXPLAINED_OF_PLUGINS = [
    ("convert", ("c64", "c128"), "makes the least integer of numbers that are NaN or too large",
     lambda operand, ours, theirs: ((ours == theirs) | np.isin(theirs, [-(2**31), -(2**63)])).all()),
]


def explained(rows, case, inputs, ours, theirs):
  for op, names, _, test in rows:
    if case.op == op and case.name in names:
      with np.errstate(all="ignore"):
        return test(*(reference.wide(a).real.astype(np.int64) for a in (inputs[0], typed(ours, theirs), theirs)))
  return False


# NumPy's answers where XLA's CPU has none: of a case, and inputs as reference.wide gives them.
NUMPY = {
    "mulhi": lambda case, a, b: reference.by_element(lambda x, y: x * y >> evaluator_cases.bits(case.name), a, b),
    "ragged-dot": lambda case, a, b, sizes: reference.ragged_dot(a, b, sizes),
    "triangular-solve": lambda case, a, b: reference.lower_solve(a, b),
    "triangular-solve right": lambda case, a, b: reference.lower_solve(a, b.T).T,
    "triangular-solve unit": lambda case, a, b: reference.lower_solve(np.triu(a, 1).conj().T + np.eye(len(a)), b),
}
for unary in ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"):
  NUMPY[unary] = lambda case, a, function=getattr(reference, "op_" + unary): function(a)


class Comparison:

  def __init__(self, indim, seed, plugin):
    self.xla = OnPlugin(indim, plugin) if plugin else xla_runner.Xla()
    self.evaluator, self.random = Indim(indim, "eval"), np.random.default_rng(seed)
    self.compared, self.differences, self.refused = collections.Counter(), [], collections.defaultdict(list)
    self.explainable = EXPLAINED + (EXPLAINED_OF_PLUGINS if plugin else [])
    self.explained = collections.Counter()
    self.in_8_bits = collections.Counter()

  def run(self, cases):
    module = _hlo.hlo_module_from_text(module_text(cases)).as_serialized_hlo_module_proto()
    inputs = [make_input(self.random, p) for case in cases for p in case.parameters]
    try:
      theirs = self.judge(cases, module, inputs)
    except Exception as error:  # jaxlib raises several kinds
      if len(cases) > 1:
        self.run(cases[: len(cases) // 2])
        self.run(cases[len(cases) // 2:])
      else:
        self.refused[cases[0].op].append((cases[0].name, str(error).splitlines()[0]))
      return
    ours = self.evaluator.run(module, inputs)
    if isinstance(ours, str):
      if len(cases) > 1:
        self.run(cases[: len(cases) // 2])
        self.run(cases[len(cases) // 2:])
      else:
        self.differences.append("%s %s: %s" % (cases[0].op, cases[0].name, ours))
      return
    at, first = 0, 0
    for k, case in enumerate(cases):
      count = len(case.instructions(k, 0)[1])
      for i in range(at, at + count):
        self.compared[case.op] += 1
        difference = differs(ours[i], theirs[i], case.op not in ELEMENTWISE)
        own_inputs = inputs[first:first + len(case.parameters)]
        if difference and explained(self.explainable, case, own_inputs, ours[i], theirs[i]):
          self.explained[case.op, case.name] += 1
        elif difference:
          arguments = [str(a.tolist())[:60] for a in own_inputs]
          self.differences.append("%s %s: %s %s" % (case.op, case.name, difference, arguments))
      at, first = at + count, first + len(case.parameters)

  def judge(self, cases, module, inputs):
    """What the results must be: XLA's, or NumPy's for one case that NumPy is asked about."""
    if cases[0].op not in NUMPY:
      try:
        return self.xla.run_on_one(module, inputs)
      except Exception:  # jaxlib raises several kinds
        if len(cases) > 1 or cases[0].name not in ("s2", "u2"):
          raise
        return self.judge_in_8_bits(cases[0], inputs)
    case, = cases
    result = NUMPY[case.op](case, *map(reference.wide, inputs))
    return [np.asarray(result).astype(reference.TYPES[case.name])]

  def judge_in_8_bits(self, case, inputs):
    """XLA's results for `case`, which is of 2-bit integers, by way of larger ones."""
    wide = case.in_8_bits()
    narrow = reference.TYPES[case.name]
    module = _hlo.hlo_module_from_text(module_text([wide])).as_serialized_hlo_module_proto()
    theirs = self.xla.run_on_one(module, [a.astype(reference.TYPES[wide.name]) if a.dtype == narrow else a for a in inputs])
    self.in_8_bits[case.op, case.name] += 1

    def wrapped(array):
      low = array.astype(np.int64) & 3
      return (np.where(low > 1, low - 4, low) if case.name == "s2" else low).astype(narrow)
    shapes = case.instructions(0, 0)[2]
    return [wrapped(a) if s.startswith(case.name) else a for a, s in zip(theirs, shapes)]

  def run_real(self, path):
    """A whole module on made-up inputs."""
    with open(path, "rb") as file:
      module = file.read()
    hlo = _hlo.HloModule.from_serialized_hlo_module_proto(module)
    entry = hlo.to_string(_hlo.HloPrintOptions.short_parsable()).split("ENTRY", 1)[1]
    shapes = {int(n): s for s, n in re.findall(r"= (\w+\[[\d,]*\])\S* parameter\((\d+)\)", entry)}
    name = os.path.basename(path)
    if len(shapes) != len(re.findall(r" parameter\(\d+\)", entry)) or any(s.startswith("token") for s in shapes.values()):
      self.refused["module"].append((name, "takes tuples or tokens"))
      return
    inputs = [make_input(self.random, shapes[i] + (":unit" if shapes[i][0] in "su" else "")) for i in range(len(shapes))]
    try:
      theirs = self.xla.run_on_one(module, inputs)
    except Exception as error:  # jaxlib raises several kinds
      self.refused["module"].append((name, str(error).splitlines()[0]))
      return
    ours = self.evaluator.run(module, inputs)
    if isinstance(ours, str):
      self.refused["module, by indim"].append((name, ours.splitlines()[0]))
      return
    for i, (mine, other) in enumerate(zip(ours, theirs)):
      self.compared["module"] += 1
      difference = differs(mine, other, True)
      if difference:
        self.differences.append("%s result %d: %s" % (name, i, difference))

  def report(self):
    print("compared: %d results of %d kinds" % (sum(self.compared.values()), len(self.compared)))
    for op, refusals in sorted(self.refused.items()):
      words = collections.Counter(re.sub(r"\d+", "N", message)[:90] for _, message in refusals)
      print("XLA refuses %s of %s: %s" % (op, " ".join(name for name, _ in refusals), words.most_common(1)[0][0]))
    if self.in_8_bits:
      print("XLA was asked in 8 bits: %s" % ", ".join("%s of %s" % key for key in sorted(self.in_8_bits)))
    for op, names, what, _ in self.explainable:
      count = sum(self.explained[op, name] for name in names)
      if count:
        print("explained: %d of %s of %s, where XLA's CPU %s" % (count, op, " ".join(names), what))
    print("differences: %d" % len(self.differences))
    for difference in self.differences:
      print("  " + difference[:400])
    return 1 if self.differences else 0


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--indim", required=True)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--only")
  parser.add_argument("--plugin", default="")
  parser.add_argument("--every", type=int, default=1, help="asks each Nth case, and the first of each operation")
  parser.add_argument("modules", nargs="*")
  arguments = parser.parse_args()
  np.seterr(all="ignore")
  comparison = Comparison(arguments.indim, arguments.seed, arguments.plugin)
  cases = [Case(*c) for c in evaluator_cases.all_cases() if not arguments.only or re.search(arguments.only, c[0])]
  firsts = {case.op: k for k, case in reversed(list(enumerate(cases)))}
  cases = [case for k, case in enumerate(cases) if k % arguments.every == 0 or firsts[case.op] == k]
  for case in cases:
    if case.op in NUMPY:
      comparison.run([case])
  cases = sorted((case for case in cases if case.op not in NUMPY), key=lambda case: case.name)
  for k in range(0, len(cases), BATCH):
    comparison.run(cases[k:k + BATCH])
  for path in arguments.modules:
    comparison.run_real(path)
  sys.exit(comparison.report())


if __name__ == "__main__":
  main()
