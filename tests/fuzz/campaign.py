# SPDX-License-Identifier: Apache-2.0
"""Runs libFuzzer on every target for a share of the time, and keeps count.

campaign.py PROGRAM FOLDER SECONDS [TARGET...]

PROGRAM is fuzz (docs/fuzzing.md) and takes --target=NAME, or is a folder of programs that are named like targets, as OSS-Fuzz's
build.sh makes them. FOLDER keeps a corpus for each target, what was found (crash-, timeout-, oom-...) and executions.tsv, a line for
each run; both grow from call to call, and a corpus is merged at the end of a run into the inputs that reach something no smaller
one does. A target that has as many executions as GOALS wants is left out until all have. Targets run one after the other. The exit
status is 1 if anything was found, or if a program isn't compiled for libFuzzer.

INDIM_FUZZ_FLAGS: further flags of libFuzzer.
"""

import collections
import datetime
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "fuzz")

# How many executions each target is to have in all, and the largest input, in bytes: an execution takes time in proportion, and what
# a long input finds a short one does too.
GOALS = {
    "shape_text": (10**7, 512),
    "query": (10**7, 1024),
    "explain": (10**6, 512),
    "proto_text": (10**7, 8192),
    "wire_import": (10**7, 4096),
    "hlo_text": (10**7, 4096),
    "builder": (10**7, 512),
    "declared_calls": (10**6, 512),
    "mlir_text": (10**6, 4096),
    "artifact": (10**6, 20000),
    "editor": (10**6, 512),
    "stablehlo_import": (10**6, 4096),
}
# libFuzzer's entropic schedule goes through the whole corpus for each new input, which took nine tenths of the time and more; names
# of functions for those that are new cost a symbolizer.
FLAGS = ["-timeout=60", "-rss_limit_mb=4096", "-entropic=0", "-print_funcs=0"]
LOG = "executions.tsv"
# Finds of one kind stop a run again and again: they are to be mended first.
MOST_FINDS = 5


def command_of(program, target):
  return [os.path.join(program, target)] if os.path.isdir(program) else [program, "--target=" + target]


def commit():
  said = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
  return said.stdout.strip() or "?"


def executions(folder):
  """How many executions the log has of each target."""
  done = collections.Counter()
  path = os.path.join(folder, LOG)
  if os.path.exists(path):
    with open(path, encoding="utf-8") as lines:
      for line in lines:
        fields = line.split("\t")
        done[fields[2]] += int(fields[3])
  return done


def inputs_of(target):
  return [path for kind in ("seeds", "found") if os.path.isdir(path := os.path.join(DATA, kind, target))]


def merge(command, corpus, flags, environment):
  """Keeps the inputs of the corpus that reach something; all of them if that fails."""
  merged = corpus + ".merged"
  shutil.rmtree(merged, ignore_errors=True)
  os.makedirs(merged)
  said = subprocess.run(
      command + flags + ["-merge=1", "-artifact_prefix=%s/" % os.path.dirname(corpus), merged, corpus],
      env=environment, capture_output=True, check=False)
  if said.returncode == 0 and os.listdir(merged):
    shutil.rmtree(corpus)
    os.rename(merged, corpus)
  else:
    shutil.rmtree(merged)


def run(program, folder, target, seconds):
  """Runs the target for so long; returns (executions, finds)."""
  corpus = os.path.join(folder, target)
  os.makedirs(corpus, exist_ok=True)
  command = command_of(program, target)
  flags = FLAGS + ["-max_len=%d" % GOALS[target][1]] + os.environ.get("INDIM_FUZZ_FLAGS", "").split()
  environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:quarantine_size_mb=16")
  done = finds = 0
  end = time.monotonic() + seconds
  while time.monotonic() < end and finds < MOST_FINDS:
    with open(os.path.join(folder, target + ".log"), "wb") as log:
      status = subprocess.run(
          command + flags + ["-dict=" + os.path.join(HERE, "words.dict"), "-print_final_stats=1", "-reload=0",
                             "-max_total_time=%d" % max(1, end - time.monotonic()), "-artifact_prefix=%s/" % folder, corpus]
          + inputs_of(target), env=environment, stdout=log, stderr=log, check=False).returncode
    with open(os.path.join(folder, target + ".log"), encoding="utf-8", errors="replace") as log:
      text = log.read()
    counted = re.findall(r"stat::number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)\t", text, re.M) or ["0"]
    if "Is the code instrumented for coverage?" in text:
      sys.exit("campaign: %s isn't compiled with -fsanitize=fuzzer-no-link, so it finds its way by chance" % command[0])
    done += int(counted[-1])
    if status != 0:
      finds += 1
      shutil.move(os.path.join(folder, target + ".log"), os.path.join(folder, "%s.%d.find" % (target, time.time())))
  merge(command, corpus, flags, environment)
  return done, finds


def main():
  program, folder, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
  targets = sys.argv[4:] or list(GOALS)
  os.makedirs(folder, exist_ok=True)
  before = executions(folder)
  wanting = [t for t in targets if before[t] < GOALS[t][0]] or targets
  found = 0
  for target in wanting:
    start = time.monotonic()
    done, finds = run(program, folder, target, seconds * len(targets) / len(wanting))
    found += finds
    fields = [datetime.datetime.now().strftime("%Y-%m-%d %H:%M"), commit(), target, done, round(time.monotonic() - start), finds,
              len(os.listdir(os.path.join(folder, target)))]
    with open(os.path.join(folder, LOG), "a", encoding="utf-8") as log:
      log.write("\t".join(map(str, fields)) + "\n")
  print("| target | executions | to be had | corpus |\n| --- | --- | --- | --- |")
  after = executions(folder)
  for target in targets:
    corpus = os.path.join(folder, target)
    print("| `%s` | %s | %s | %d |" % (target, format(after[target], ","), format(GOALS[target][0], ","),
                                       len(os.listdir(corpus)) if os.path.isdir(corpus) else 0))
  sys.exit(1 if found else 0)


if __name__ == "__main__":
  main()
