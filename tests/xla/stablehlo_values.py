# SPDX-License-Identifier: Apache-2.0
"""Modules that Indim writes as StableHLO, run by XLA's CPU, against `indim eval`.

  stablehlo_values.py --indim=bazel-bin/tools/indim [--seed=1] [--seconds=N [--log=FILE]] MODULE.pb ...

With --seconds each module has a process of its own, and so much time; what is said of it goes to the log, and the next run
leaves out what is there. Each module is written as text. XLA's CPU compiles and runs the text, and `indim eval` runs the module itself on the same
made-up inputs: the results must agree. Read again by Indim, the text gives bit by bit what the module gives, and XLA's CPU
gives bit by bit what it makes of the module itself, by XLA's own conversion. Prints how many results were compared, and every
difference; the exit status is 1 when there is one.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before jaxlib comes: no chatter

import numpy as np
from jaxlib import _jax
from jaxlib import xla_client

import evaluator
import xla_runner


# Of a module; larger ones are left out.
MOST_STEPS = 100_000_000


class Values:

  def __init__(self, indim, seed):
    self.indim, self.random = indim, np.random.default_rng(seed)
    self.xla = xla_runner.Xla()
    self.folder = tempfile.mkdtemp()
    self.compared, self.equal_again, self.as_converted, self.differences, self.refused = 0, 0, 0, [], []

  def compile(self, text):
    return self.xla.client.compile_and_load(
        text.encode(), _jax.DeviceList(tuple(self.xla.devices[:1])), xla_client.CompileOptions())

  def indim_says(self, *arguments):
    return subprocess.run([self.indim, *arguments], capture_output=True, text=True)

  def run(self, path):
    name = os.path.basename(path)
    text = os.path.join(self.folder, "m.mlir")
    said = self.indim_says("convert", path, "-o", text)
    if said.returncode:
      self.refused.append((name, "indim convert", said.stderr.strip()))
      return
    with open(text, encoding="utf-8") as file:
      program = file.read()
    inputs = self.inputs(program)
    if inputs is None:
      self.refused.append((name, "inputs", "tokens, or sizes that aren't known"))
      return
    try:
      theirs = self.xla.run_whole(self.compile(program), inputs)
    except Exception as error:  # jaxlib raises several kinds
      self.refused.append((name, "XLA", str(error).splitlines()[0]))
      return
    self.compare_conversions(path, inputs, theirs)
    ours, again = self.evaluate(path, inputs), self.evaluate(text, inputs)
    if isinstance(ours, str):
      self.refused.append((name, "indim eval", ours.splitlines()[0]))
      return
    if isinstance(again, str) or len(ours) != len(again) or any(a.tobytes() != b.tobytes() for a, b in zip(ours, again)):
      self.differences.append("%s read again: %s" % (name, again if isinstance(again, str) else "other values"))
    else:
      self.equal_again += 1
    if len(ours) != len(theirs):
      self.differences.append("%s: %d results, XLA %d" % (name, len(ours), len(theirs)))
      return
    for i, (mine, other) in enumerate(zip(ours, theirs)):
      self.compared += 1
      difference = evaluator.differs(mine, other, True)
      if difference:
        self.differences.append("%s result %d: %s" % (name, i, difference))

  def compare_conversions(self, path, inputs, results):
    with open(path, "rb") as file:
      module = file.read()
    try:
      own = self.xla.run_on_one(module, inputs)
    except Exception as error:  # XLA's converter lacks some operations
      self.refused.append((os.path.basename(path), "XLA's own conversion", str(error).splitlines()[0]))
      return
    if len(own) == len(results) and all(a.tobytes() == b.tobytes() for a, b in zip(own, results)):
      self.as_converted += 1
    else:
      self.differences.append("%s: XLA's own conversion has other values" % os.path.basename(path))

  def inputs(self, program):
    """Made-up arguments of the entry; None: there are none."""
    head = re.search(r"func\.func (?:public )?@main\((.*?)\) (?:->|\{)", program, re.S)
    types = re.findall(r"%arg\d+: ([!\w]+)(?:<([^<>]*(?:<[^<>]*>)?[^<>]*)>)?", head.group(1)) if head else []
    arrays = []
    for kind, inner in types:
      if kind != "tensor" or "?" in inner:
        return None
      *dims, element = inner.split("x")
      if "complex" in inner:
        dims = [] if inner.startswith("complex") else inner.split("xcomplex")[0].split("x")
        element = "c64" if "f32" in inner else "c128"
      shape = "%s[%s]" % (element_name(element), ",".join(dims))
      arrays.append(evaluator.make_input(self.random, shape + (":unit" if shape[0] in "su" else "")))
    return arrays

  def evaluate(self, path, inputs):
    files = []
    for i, array in enumerate(inputs):
      files.append(os.path.join(self.folder, "in%d.npy" % i))
      np.save(files[-1], array)
    for old in self.outputs():
      os.remove(old)
    said = self.indim_says("eval", path, "--max-steps=%d" % MOST_STEPS, *files, "-o", os.path.join(self.folder, "out.npy"))
    return said.stderr.strip() if said.returncode else [np.load(f) for f in self.outputs()]

  def outputs(self):
    files = [f for f in os.listdir(self.folder) if re.fullmatch(r"out[.\d]*\.npy", f)]
    return [os.path.join(self.folder, f) for f in sorted(files, key=lambda f: [int(n) for n in re.findall(r"\d+", f)])]

  def report(self):
    print("compared: %d results, read again: %d modules, as XLA's own conversion: %d, refused: %d, differences: %d" % (
        self.compared, self.equal_again, self.as_converted, len(self.refused), len(self.differences)))
    return 1 if self.differences else 0


def element_name(mlir):
  """XLA's name of an element type of MLIR."""
  named = {"i1": "pred", "index": "s64"}
  if mlir in named:
    return named[mlir]
  if re.fullmatch(r"i\d+", mlir):
    return "s" + mlir[1:]
  return mlir.replace("ui", "u").lower() if mlir.startswith("ui") else mlir.lower()


def run_apart(arguments):
  """Each module in a process of its own. Whether all agree."""
  said = {}
  if arguments.log and os.path.exists(arguments.log):
    with open(arguments.log, encoding="utf-8") as file:
      said = dict(line.rstrip("\n").split("\t", 1) for line in file)
  for path in arguments.modules:
    name = os.path.basename(path)
    if name not in said:
      command = [sys.executable, __file__, "--indim=" + arguments.indim, "--seed=%d" % arguments.seed, path]
      try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=arguments.seconds)
        said[name] = " | ".join(ran.stdout.splitlines()) if ran.stdout else "ended with %d: %s" % (
            ran.returncode, ran.stderr.strip()[-300:].replace("\n", " "))
      except subprocess.TimeoutExpired:
        said[name] = "took longer than %d s" % arguments.seconds
      if arguments.log:
        with open(arguments.log, "a", encoding="utf-8") as file:
          file.write("%s\t%s\n" % (name, said[name]))
    print("%s: %s" % (name, said[name]), flush=True)
  return all("differences: 0" in text for text in said.values())


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--indim", required=True)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--seconds", type=int, default=0)
  parser.add_argument("--log")
  parser.add_argument("modules", nargs="+")
  arguments = parser.parse_args()
  if arguments.seconds:
    return 0 if run_apart(arguments) else 1
  np.seterr(all="ignore")
  values = Values(arguments.indim, arguments.seed)
  for path in arguments.modules:
    said = len(values.refused), len(values.differences)
    values.run(path)
    for name, who, why in values.refused[said[0]:]:
      print("%s: %s: %s" % (name, who, why[:300]), flush=True)
    for difference in values.differences[said[1]:]:
      print("DIFFERS " + difference[:400], flush=True)
  return values.report()


if __name__ == "__main__":
  sys.exit(main())
