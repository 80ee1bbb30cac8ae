# SPDX-License-Identifier: Apache-2.0
"""Prints the line and branch coverage of the library per folder, from a profile and the programs that wrote it.

coverage_report.py PROFILE FOLDER: every program under FOLDER that has coverage data counts. A branch is a way that a condition can
go; what exceptions do is none.
"""

import collections
import json
import os
import subprocess
import sys

FOLDERS = ("shape", "ir", "proto", "text", "eval", "passes", "builder", "tools", "stablehlo", "edit", "sharding", "io", "run", "grad")
LINES = "bazel-coverage/lines.txt"
BRANCHES = "bazel-coverage/branches.txt"


def programs(folder):
  """Executable files with a coverage map, not the links to them in runfiles."""
  for directory, folders, files in os.walk(folder):
    folders[:] = [f for f in folders if not f.endswith(".runfiles") and f != "_objs"]
    for name in files:
      path = os.path.join(directory, name)
      # Bazel makes libraries executable, too.
      library = name.endswith((".a", ".lo", ".so"))
      if library or os.path.islink(path) or not os.access(path, os.X_OK):
        continue
      sections = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=False)
      if "__llvm_covmap" in sections.stdout:
        yield path


def llvm_cov(command, profile, objects, *flags):
  arguments = ["llvm-cov-16", command, "-instr-profile=" + profile, objects[0]]
  for path in objects[1:]:
    arguments += ["-object", path]
  return subprocess.run(arguments + list(flags), stdout=subprocess.PIPE, text=True, check=True).stdout


def source_of(path):
  """The file of ours that the compiler knew as `path`, None for the system's, the tests' and what is generated."""
  path = path.split("/proc/self/cwd/")[-1]
  if "/_virtual_includes/" in path:  # Bazel's link to a header
    path = path.split("/indim/", 1)[-1]
  return path if path.split("/")[0] in FOLDERS and os.path.exists(path) else None


def missed(lcov):
  """Yields (file, line, way) of what was not run: a line (way None), or a way of a condition, numbered within the line."""
  file = ""
  for line in lcov.splitlines():
    if line.startswith("SF:"):
      file = source_of(line[3:])
    elif line.startswith("DA:") and file:
      number, count = line[3:].split(",")[:2]
      if count == "0":
        yield file, int(number), None
    elif line.startswith("BRDA:") and file:
      number, _, way, count = line[5:].split(",")
      if count in ("0", "-"):
        yield file, int(number), int(way)


def report(folders):
  """Prints a table of {folder: {kind: [covered, counted]}}."""
  print("| folder | lines | run by tests | | branches | taken | |\n| --- | --- | --- | --- | --- | --- | --- |")
  for key in sorted(folders, key=lambda k: (k == "all", k)):
    cells = ["`%s`" % key]
    for kind in ("lines", "branches"):
      covered, counted = folders[key][kind]
      cells += [counted, covered, "%.1f %%" % (100 * covered / max(1, counted))]
    print("| %s |" % " | ".join(map(str, cells)))


def main():
  profile, root = sys.argv[1:]
  objects = sorted(programs(os.path.realpath(root)))
  if not objects:
    sys.exit("no program under %s has coverage data" % root)
  summary = json.loads(llvm_cov("export", profile, objects, "-summary-only", "-skip-expansions"))
  folders = collections.defaultdict(lambda: {"lines": [0, 0], "branches": [0, 0]})
  for file in summary["data"][0]["files"]:
    source = source_of(file["filename"])
    if source is None:
      continue
    for key in (os.path.dirname(source), "all"):
      for kind, sums in folders[key].items():
        sums[0] += file["summary"][kind]["covered"]
        sums[1] += file["summary"][kind]["count"]
  report(folders)

  os.makedirs(os.path.dirname(LINES), exist_ok=True)
  with open(LINES, "w", encoding="utf-8") as lines, open(BRANCHES, "w", encoding="utf-8") as branches:
    texts = {}
    for file, number, way in missed(llvm_cov("export", profile, objects, "-format=lcov", "-skip-expansions")):
      if file not in texts:
        with open(file, encoding="utf-8", errors="replace") as source:
          texts[file] = source.read().splitlines()
      text = texts[file][number - 1] if number <= len(texts[file]) else ""
      if way is None:
        lines.write("%s:%d: %s\n" % (file, number, text))
      else:
        branches.write("%s:%d: way %d: %s\n" % (file, number, way, text))
  print("not run, line by line: %s; not taken: %s" % (LINES, BRANCHES))


if __name__ == "__main__":
  main()
