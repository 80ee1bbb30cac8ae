# SPDX-License-Identifier: Apache-2.0
"""Holds the output of `indim check` against schemas: JSON against docs/check.schema.json, SARIF against OASIS' schema.

  json_schemas.py INDIM CHECK_SCHEMA SARIF_SCHEMA

The modules are those of tests/data, and some made here that are wrong in many ways. A schema that forbade nothing would pass
everything, so the test also damages outputs and wants each damage refused. The schema of the JSON allows fields that it does
not name, for readers of later versions; the test does not.
"""

import copy
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import fastjsonschema

# sarif-schema-2.1.0.json of SARIF 2.1.0, errata 01.
SARIF_SHA256 = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"

FOLDERS = ["tests/data/jax", "tests/data/ir/hlo_text", "tests/data/broadcastable", "examples"]

MODULES = {
    "fine.hlo": "ENTRY e {\n  ROOT x = f32[2]{0} parameter(0)\n}\n",
    "warns.hlo": "ENTRY e {\n  x = f32[2]{0} parameter(0)\n  ROOT y = f32[2]{0} shift-left(x, x)\n}\n",
    "fails, 100%.hlo": 'ENTRY e {\n  x = f32[2]{0} parameter(0), metadata={source_file="a b.py" source_line=3}\n'
                       '  ROOT y = f32[3]{0} negate(x), metadata={source_file="/c.py"}\n}\n',
    "dot.hlo": "ENTRY e {\n  p = f32[4,8] parameter(0)\n  i = f32[4,8] parameter(1)\n"
               "  ROOT q = f32[4,4] dot(p, i), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
    "ranks.hlo": "HloModule m, recorded=true\nENTRY e {\n  p = f32[4,8] parameter(0)\n  i = f32[8] parameter(1)\n"
                 "  ROOT q = f32[4,8] add(p, i)\n}\n",
    "syntax.hlo": "ENTRY e {\n  x = f32[8] parameter(0)\n  y = f32[8] ad(x, x)\n  ROOT z = f32[8] add(x, q)\n}\n",
    "names.hlo": 'ENTRY "e\\n" {\n',
    "empty.pb": "",
    "noise.pb": "no module",
}

cases = 0


def fail(text):
  sys.exit("FAILED: " + text)


def strict(schema):
  """The schema with no field allowed that it does not name."""
  schema = copy.deepcopy(schema)
  for part in [schema] + list(schema["definitions"].values()):
    if "properties" in part:
      part["additionalProperties"] = False
  return schema


def run(indim, flags, paths):
  result = subprocess.run([indim, "check"] + flags + ["--"] + paths, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
  if result.stderr or result.returncode > 2:
    fail("indim check %s: exit status %d, %s" % (flags, result.returncode, result.stderr.decode()))
  return result.returncode, result.stdout.decode("utf-8")


def expect(validate, document, name):
  global cases
  cases += 1
  try:
    validate(document)
  except fastjsonschema.JsonSchemaException as error:
    fail("%s: %s\n%s" % (name, error, json.dumps(document)[:2000]))


def expect_refused(validate, document, path, value):
  """Whether the schema refuses the document with `value` at the path; None: without what is there."""
  global cases
  cases += 1
  damaged = copy.deepcopy(document)
  at = damaged
  for step in path[:-1]:
    at = at[step]
  if value is None:
    del at[path[-1]]
  else:
    at[path[-1]] = value
  try:
    validate(damaged)
  except fastjsonschema.JsonSchemaException:
    return
  fail("the schema accepts %s at %s" % (json.dumps(value), path))


def check_json(indim, schema, paths):
  validate = fastjsonschema.compile(strict(schema))
  fields = set()
  lines = 0
  example = None
  for flags in ([], ["--quiet"], ["--werror"], ["--mode=strict"]):
    for line in run(indim, ["--format=json"] + flags, paths)[1].splitlines():
      document = json.loads(line)
      lines += 1
      expect(validate, document, document["file"])
      if document["inferred"] + document["related"] + document["unchecked"] != document["instructions"]:
        fail("%s: counts don't add up" % document["file"])
      for diagnostic in document["errors"] + document["warnings"]:
        fields.update(diagnostic)
      if document["errors"] and "line" in document["errors"][0]:
        example = document
  named = set(schema["definitions"]["diagnostic"]["properties"])
  if fields != named:
    fail("no diagnostic of the test has %s" % sorted(named - fields))
  for path, value in [(["version"], 2), (["version"], None), (["file"], 1), (["instructions"], -1), (["errors"], {}),
                      (["errors", 0, "code"], "7"), (["errors", 0, "severity"], "warning"),
                      (["errors", 0, "message"], None), (["errors", 0, "line"], 0), (["errors", 0, "operand"], "x"),
                      (["warnings"], None), (["other"], 1)]:
    expect_refused(validate, example, path, value)
  return lines


def check_sarif(indim, schema, paths):
  validate = fastjsonschema.compile(schema)
  log = None
  for flags in ([], ["--quiet"], ["--werror"], ["--mode=strict"]):
    for some in (paths, paths[:1], ["examples"]):
      exit_status, text = run(indim, ["--format=sarif"] + flags, some)
      log = json.loads(text)
      expect(validate, log, "sarif %s" % flags)
      one_run = log["runs"][0]
      rules = [rule["id"] for rule in one_run["tool"]["driver"]["rules"]]
      if len(set(rules)) != len(rules):
        fail("a rule is there twice")
      for result in one_run["results"]:
        if rules[result["ruleIndex"]] != result["ruleId"]:
          fail("ruleIndex of %s" % result["ruleId"])
      if one_run["invocations"][0]["exitCode"] != exit_status:
        fail("exitCode")
  log = json.loads(run(indim, ["--format=sarif"], paths)[1])
  first = ["runs", 0, "results", 0]
  for path, value in [(["version"], "2.0.0"), (["runs", 0, "tool"], None), (first + ["message"], None),
                      (first + ["level"], "bad"), (first + ["other"], 1), (["runs", 0, "columnKind"], "bytes"),
                      (first + ["locations", 0, "physicalLocation", "region"], {"startLine": 0}),
                      (["runs", 0, "invocations", 0, "executionSuccessful"], None)]:
    expect_refused(validate, log, path, value)
  return len(log["runs"][0]["results"])


def main():
  indim, check_schema, sarif_schema = sys.argv[1:]
  with open(check_schema, encoding="utf-8") as file:
    schema = json.load(file)
  with open(sarif_schema, "rb") as file:
    bytes_of_sarif = file.read()
  if hashlib.sha256(bytes_of_sarif).hexdigest() != SARIF_SHA256:
    fail("the SARIF schema is another one")
  with tempfile.TemporaryDirectory() as folder:
    for name, text in MODULES.items():
      with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    paths = [folder] + [f for f in FOLDERS if os.path.isdir(f)]
    lines = check_json(indim, schema, paths)
    results = check_sarif(indim, json.loads(bytes_of_sarif), paths)
  print("%d lines of JSON and %d results of SARIF fit their schemas; %d cases" % (lines, results, cases))


if __name__ == "__main__":
  main()
