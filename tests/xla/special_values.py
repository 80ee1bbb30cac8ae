# SPDX-License-Identifier: Apache-2.0
"""`indim eval` beside real XLA, where values are special: each conversion, each format of reduce-precision, each complex function.

  special_values.py --indim=tools/indim [--every=N]

The signs of zeros count here, and which results are zero, infinite or NaN; finite results may differ by rounding. What XLA's CPU
computes and its own folding of constants doesn't (reduce-precision of NaN to a format without one) is asked of the folding. Prints
how many results were compared, and every difference; the exit status is 1 when there is one.
"""

import argparse
import collections
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before jaxlib comes: no chatter

import ml_dtypes
import numpy as np
from jaxlib import _hlo

import evaluator
import evaluator_cases as cases
import numpy_reference as reference
import xla_runner

# A finite result that isn't 0 may be off by this much. XLA's exponential-minus-one loses digits where it is close to -1.
TOLERANCE = {"c64": 1e-5, "c128": 1e-13, "f32": 1e-5, "f64": 1e-13}
LOOSE = {"exponential-minus-one": 1e-3}
# Of these one part may be what is left of a difference, or of an angle of f32.
BY_SIZE = ("divide", "power")
PER_MODULE = 60
# atan2 is left out: evaluator.md says where it differs.
BINARY_COMPLEX = ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum")


def module(instructions, *parameters):
  """HLO of a tuple of the instructions on p0, p1 ...; each is (shape, text)."""
  lines = ["p%d = %s parameter(%d)" % (i, shape, i) for i, shape in enumerate(parameters)]
  lines += ["r%d = %s %s" % (i, shape, text) for i, (shape, text) in enumerate(instructions)]
  lines.append("ROOT t = (%s) tuple(%s)" % (", ".join(s for s, _ in instructions), ", ".join("r%d" % i for i in range(len(instructions)))))
  return _hlo.hlo_module_from_text("HloModule cases\nENTRY e {\n  %s\n}\n" % "\n  ".join(lines)).as_serialized_hlo_module_proto()


def same(ours, theirs, tolerance, by_size=False):
  """Which results are the same; `by_size`: a finite part may be off by as much as the number's larger part allows."""
  if np.iscomplexobj(theirs):
    parts = same(ours.real, theirs.real, tolerance) & same(ours.imag, theirs.imag, tolerance)
    if not by_size:
      return parts
    with np.errstate(invalid="ignore"):
      scale = np.maximum(np.abs(theirs.real), np.abs(theirs.imag))
      near = (np.abs(ours.real - theirs.real) <= tolerance * scale) & (np.abs(ours.imag - theirs.imag) <= tolerance * scale)
    return parts | np.isfinite(scale) & near
  if theirs.dtype.kind in "biu" or not reference.is_float(reference.str_type(theirs)):
    return ours == theirs
  a, b = ours.astype(np.float64), theirs.astype(np.float64)
  with np.errstate(invalid="ignore"):
    near = np.abs(a - b) <= tolerance * np.maximum(np.abs(a), np.abs(b))
  finite = np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
  return finite & near | (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)


class Comparison:

  def __init__(self, indim):
    self.xla, self.ours = xla_runner.Xla(), evaluator.Indim(indim, "eval")
    self.compared, self.differences = collections.Counter(), []

  def run(self, kind, instructions, shape, *values, theirs=None):
    """On arrays of one shape. `theirs`: what the results must be, if XLA isn't asked."""
    for at in range(0, len(instructions), PER_MODULE):
      part = instructions[at:at + PER_MODULE]
      hlo = module(part, *[shape] * len(values))
      judged = theirs[at:at + PER_MODULE] if theirs else self.xla.run_on_one(hlo, list(values))
      mine = self.ours.run(hlo, list(values))
      if isinstance(mine, str):
        self.differences.append("%s: %s" % (kind, mine))
        continue
      for (result, text), a, b in zip(part, mine, judged):
        b = np.asarray(b)
        a = evaluator.typed(a, b)
        self.compared[kind] += b.size
        op = text.split("(")[0]
        tolerance = LOOSE.get(op, TOLERANCE.get(result.split("[")[0], 0))
        wrong = np.argwhere(~same(a, b, tolerance, op in BY_SIZE)).ravel()
        if wrong.size:
          i = wrong[0]
          self.differences.append("%s %s of %s is %s, XLA's %s (%d of %d)" % (result, text, [v[i] for v in values], a[i], b[i], wrong.size, b.size))

  def conversions(self):
    """Of each type to each, whole ranges where a type is narrow. XLA dies of complex to pred: the real part counts (StableHLO)."""
    for name in cases.ANY:
      np_type = reference.TYPES[name]
      if cases.bits(name) <= 8 and name not in cases.PRED + cases.COMPLEX and not reference.is_float(name):
        info = ml_dtypes.iinfo(np_type)
        values = np.arange(int(info.min), int(info.max) + 1).astype(np_type)
      elif cases.bits(name) == 8 and name not in cases.PRED:
        codes = np.arange(256).astype(np.uint8).view(np_type)
        wide = codes.astype(np.float32)
        values = codes[(wide == 0) | ~(np.abs(wide) < float(ml_dtypes.finfo(np_type).smallest_normal))]
      else:
        values = np.asarray(evaluator.extremes(name)).astype(np_type)
      dims = "[%d]" % values.size
      others = [other for other in cases.ANY if other != name and not (name in cases.COMPLEX and other == "pred")]
      self.run("conversions", [(other + dims, "convert(p0)") for other in others], name + dims, values)
      if name in cases.COMPLEX:
        self.run("conversions", [("pred" + dims, "convert(p0)")], name + dims, values, theirs=[values.real != 0])

  def precisions(self, every):
    """Each number of bits, of parameters and of constants."""
    formats = [(e, m) for e in range(1, 13) for m in range(54)]
    for k, name in enumerate(("f16", "bf16", "f32", "f64")):
      np_type = reference.TYPES[name]
      normal = float(ml_dtypes.finfo(np_type).smallest_normal)
      largest = float(ml_dtypes.finfo(np_type).max)
      sizes = np.array([0, 1, 1.25, 1.5, 3, 7, 0.3, 1e-3, 1e3, 65504, 2.0**-14, 1.5 * 2.0**-14, 2.0**-15, 1e-30, 1e30, normal, largest])
      sizes = sizes[(sizes == 0) | (sizes >= normal) & (sizes <= largest)].astype(np_type)
      numbers = np.concatenate([sizes, -sizes, np.array([np.inf, -np.inf], np_type)])
      asked = formats[k % every::every]
      dims = "[%d]" % numbers.size
      self.run("formats", [(name + dims, "reduce-precision(p0), exponent_bits=%d, mantissa_bits=%d" % f) for f in asked], name + dims, numbers)
      self.run("formats", [(name + "[1]", "reduce-precision(p0), exponent_bits=%d, mantissa_bits=%d" % f) for f in asked if f[1] > 0],
               name + "[1]", np.array([np.nan], np_type))
      self.without_mantissa(name)

  def without_mantissa(self, name):
    """NaN without mantissa bits, which XLA's CPU keeps and its folding of constants makes an infinity."""
    shape = name + "[2]"
    formats = [(shape, "reduce-precision(r0), exponent_bits=%d, mantissa_bits=0" % e) for e in range(1, 13)]
    self.run("formats", [(shape, "constant({nan, 1})")] + formats, "")

  def complex_functions(self):
    """On all pairs of special parts, and two operands on all pairs of numbers of fewer such parts."""
    for name, real in (("c64", "f32"), ("c128", "f64")):
      parts = np.array([0, 1, 0.5, 2.5, 4, 9, np.inf])
      values = self.grid(np.concatenate([parts, -parts, [np.nan]]), reference.TYPES[name])
      dims = "[%d]" % values.size
      results = {"abs": real, "real": real, "imag": real}
      self.run("complex functions", [(results.get(op, name) + dims, op + "(p0)") for op in cases.UNARY_COMPLEX], name + dims, values)
      few = self.grid(np.array([0, -0.0, 1, -2.5, np.inf, -np.inf, np.nan]), reference.TYPES[name])
      left, right = np.repeat(few, few.size), np.tile(few, few.size)
      dims = "[%d]" % left.size
      binary = [(name + dims, op + "(p0, p1)") for op in BINARY_COMPLEX]
      binary += [("pred" + dims, "compare(p0, p1), direction=" + direction) for direction in ("EQ", "NE")]
      self.run("complex functions of two", binary, name + dims, left, right)

  @staticmethod
  def grid(parts, np_type):
    values = np.empty((parts.size, parts.size), np_type)
    values.real, values.imag = parts[:, None], parts[None, :]  # a sum would lose signs of zeros
    return values.ravel()


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--indim", required=True)
  parser.add_argument("--every", type=int, default=1, help="of the formats of reduce-precision only one of so many")
  flags = parser.parse_args()
  comparison = Comparison(flags.indim)
  comparison.conversions()
  comparison.precisions(flags.every)
  comparison.complex_functions()
  for kind, count in comparison.compared.items():
    print("%s: %d results" % (kind, count))
  print("compared: %d results" % sum(comparison.compared.values()))
  for difference in comparison.differences:
    print(difference)
  return 1 if comparison.differences else 0


if __name__ == "__main__":
  sys.exit(main())
