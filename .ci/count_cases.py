# SPDX-License-Identifier: Apache-2.0
"""Counts test cases from what Bazel reports, shows those that failed, and ends with `N passed, N failed`.

A target is as many cases as its test.xml has (GoogleTest writes one for each TEST; for a script Bazel writes one). A
target that failed without a failing case (it crashed, ran too long, did not build) is one failed case. Each build as a
whole is a case, and so is each other check.
"""

import argparse
import json
import os
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

SHOWN_LINES = 40  # of a failed case's message or log, from its end
SHOWN_FAILURES = 30


def local_path(uri):
  return urllib.parse.unquote(urllib.parse.urlparse(uri).path)


def tail(text):
  lines = text.rstrip().splitlines()
  cut = ["[...]"] if len(lines) > SHOWN_LINES else []
  return "\n".join("    " + line for line in cut + lines[-SHOWN_LINES:])


def read_text(path):
  try:
    with open(path, encoding="utf-8", errors="replace") as file:
      return file.read()
  except OSError as error:
    return str(error)


class Tally:
  """Cases by outcome; a failure is (name, text to show)."""

  def __init__(self):
    self.passed = 0
    self.skipped = 0
    self.failures = []

  def add_case(self, label, case, log):
    """Counts one <testcase> element of a target whose output is in file log."""
    name = "%s %s.%s" % (label, case.get("classname", ""), case.get("name", ""))
    problems = case.findall("failure") + case.findall("error")
    if problems:
      text = "\n".join(p.text or p.get("message", "") for p in problems)
      if not case.get("classname"):  # Bazel's: no more than an exit code
        text = read_text(log) + "\n" + text
      self.failures.append((name, text))
    elif case.find("skipped") is not None or case.get("status") == "notrun":
      self.skipped += 1
    else:
      self.passed += 1

  def add_run(self, label, result):
    """Counts one run (or shard) of a test target."""
    outputs = {o["name"]: o["uri"] for o in result.get("testActionOutput", []) if "uri" in o}
    failed_before = len(self.failures)
    log = local_path(outputs["test.log"]) if "test.log" in outputs else os.devnull
    cases = []
    if "test.xml" in outputs:
      try:
        cases = list(ElementTree.parse(local_path(outputs["test.xml"])).iter("testcase"))
      except (OSError, ElementTree.ParseError) as error:
        print("%s: test.xml: %s" % (label, error))
    status = result.get("status", "NO_STATUS")
    passed = status in ("PASSED", "FLAKY")
    for case in cases:
      self.add_case(label, case, log)
    if passed and not cases:
      self.passed += 1
    if not passed and len(self.failures) == failed_before:
      self.failures.append(("%s %s" % (label, status), read_text(log)))


def read_events(path, tally):
  """Tallies the tests of a build event file; returns the labels of targets that did not build.

  None of them are a target that isn't for this build (target_compatible_with), which Bazel says it skipped, and those of
  a run with --nobuild, which no one asked to build.
  """
  last_runs = {}  # the last attempt of each run and shard is the one that counts
  unbuilt = []
  for line in read_text(path).splitlines():
    try:
      event = json.loads(line)
    except ValueError:
      continue
    identity = event.get("id", {})
    if "testResult" in identity and "testResult" in event:
      key = identity["testResult"]
      last_runs[key["label"], key.get("run", 0), key.get("shard", 0)] = event["testResult"]
    elif event.get("aborted", {}).get("reason") in ("SKIPPED", "NO_BUILD"):
      continue
    elif "targetCompleted" in identity and not event.get("completed", {}).get("success"):
      unbuilt.append(identity["targetCompleted"]["label"])
  for (label, _, _), result in sorted(last_runs.items(), key=lambda item: item[0]):
    tally.add_run(label, result)
  ran = {label for label, _, _ in last_runs}
  return sorted(set(unbuilt) - ran)


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--events", action="append", required=True,
                      help="what --build_event_json_file wrote; one for each run of Bazel")
  parser.add_argument("--bazel-status", action="append", type=int, required=True)
  parser.add_argument("--check", action="append", nargs=3, metavar=("NAME", "STATUS", "LOG"), default=[],
                      help="another check, by its exit status and its output")
  args = parser.parse_args()

  tally = Tally()
  for events, bazel_status in zip(args.events, args.bazel_status):
    unbuilt = read_events(events, tally)
    for label in unbuilt:
      tally.failures.append(("%s did not build" % label, "see the compiler's output above"))
    # 0: all passed; 3: some test failed, which is counted above. Anything else that has no name yet gets one.
    if bazel_status in (0, 3):
      tally.passed += 1
    elif not unbuilt:
      tally.failures.append(("bazel test exited with %d" % bazel_status, "see its output above"))
  for name, status, log in args.check:
    if status == "0":
      tally.passed += 1
    else:
      tally.failures.append((name, read_text(log)))

  for name, text in tally.failures[:SHOWN_FAILURES]:
    print("FAILED: %s\n%s\n" % (name, tail(text)))
  for name, _ in tally.failures[SHOWN_FAILURES:]:
    print("FAILED: %s" % name)
  if tally.skipped:
    print("%d skipped" % tally.skipped)
  print("%d passed, %d failed" % (tally.passed, len(tally.failures)))
  return 1 if tally.failures else 0


if __name__ == "__main__":
  sys.exit(main())
