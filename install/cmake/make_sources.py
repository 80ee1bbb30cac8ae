#!/usr/bin/env python3
"""Writes sources.cmake: the files of the CMake build, out of the BUILD files.

BUILD files are Starlark, and ours are Python too: this script runs them with functions that note each target. The library
is every target that //:indim needs; the command adds the targets that //tools:indim needs beside them, the C interface those
of //capi; the tests are those of TESTED, with the targets that they need beside both.

  install/cmake/make_sources.py            writes sources.cmake
  install/cmake/make_sources.py --check    fails if sources.cmake isn't up to date
"""

import argparse
import os
import re
import sys

OUTPUT = "install/cmake/sources.cmake"
LIBRARY = "//:indim"
COMMAND = "//tools:indim"
C_INTERFACE = "//capi:capi"
PROTOS = "//proto:hlo_cc_proto"
# Folders of tests/ whose tests CMake builds: the floors up to the graph. .ci/thorough runs them for other processors.
TESTED = ["shape", "storage", "wire", "codec", "ir"]

HEADER = """# The files of Indim, for CMakeLists.txt. Made from the BUILD files: install/cmake/make_sources.py writes this file.
"""


class Target:
  """A target of a BUILD file: its kind (cc_library, ...), its attributes, and the folder of its BUILD file."""

  def __init__(self, kind, folder, attributes):
    self.kind = kind
    self.folder = folder
    self.attributes = attributes

  def files(self, attribute):
    """The files that an attribute names, as paths below the root; labels of other targets are left out."""
    return [os.path.join(self.folder, name) for name in self.attributes.get(attribute, []) if name[0] not in ":/@"]

  def headers(self):
    return self.files("hdrs") + [name for name in self.files("srcs") if is_header(name)]

  def sources(self):
    return [name for name in self.files("srcs") if not is_header(name)]

  def deps(self):
    return [absolute(label, self.folder) for label in listed(self.attributes.get("deps", []))]


def is_header(name):
  return name.endswith((".h", ".def"))


def listed(value):
  return [value] if isinstance(value, str) else value


def absolute(label, folder):
  """A label as //FOLDER:NAME (or @REPOSITORY//...), as it is meant in the BUILD file of `folder`."""
  if label.startswith("@"):
    return label
  if not label.startswith("//"):
    label = "//%s:%s" % (folder, label.lstrip(":"))
  return label if ":" in label else "%s:%s" % (label, os.path.basename(label))


def ignore(*_, **__):
  """Takes the place of what says nothing about files."""


class Workspace:
  """The targets of a checkout; reads a BUILD file when someone asks for one of its targets."""

  def __init__(self, root):
    self.root = root
    self.folders = {}

  def targets(self, folder):
    """name: Target, of the BUILD file of `folder`."""
    if folder not in self.folders:
      found = {}
      self.folders[folder] = found

      def note(kind):
        def add(name, **attributes):
          found[name] = Target(kind, folder, attributes)
        return add

      names = {kind: note(kind) for kind in ("alias", "cc_binary", "cc_library", "cc_test", "filegroup")}
      for name in ("exports_files", "genrule", "package", "package_group", "sh_test", "test_suite"):
        names[name] = ignore
      names["glob"] = lambda patterns, **_: patterns
      names["load"] = lambda label, *wanted: names.update(self.loaded(label, folder, wanted))
      self.run(os.path.join(folder, "BUILD"), names)
    return self.folders[folder]

  def loaded(self, label, folder, wanted):
    names = {}
    self.run(absolute(label, folder)[2:].replace(":", "/").lstrip("/"), names)
    return {name: names[name] for name in wanted}

  def run(self, path, names):
    with open(os.path.join(self.root, path), encoding="utf-8") as file:
      exec(compile(file.read(), path, "exec"), names)  # pylint: disable=exec-used

  def target(self, label):
    """The target of an absolute label, behind any alias."""
    folder, _, name = label[2:].partition(":")
    if name not in self.targets(folder):
      sys.exit("make_sources.py: there is no target " + label)
    found = self.targets(folder)[name]
    if found.kind == "alias":
      return self.target(absolute(found.attributes["actual"], folder))
    return found

  def needed(self, labels):
    """All targets that `labels` need, themselves included, and the labels of other repositories among them."""
    targets, others, left = [], set(), list(labels)
    while left:
      label = left.pop()
      if label.startswith("@"):
        others.add(label)
        continue
      target = self.target(label)
      if target not in targets:
        targets.append(target)
        left += target.deps()
    return targets, others

  def tests(self):
    """The labels of the tests of TESTED, by the test's name in CMake: its path below tests/."""
    found = {}
    for tested in TESTED:
      for path, folders, files in os.walk(os.path.join(self.root, "tests", tested)):
        folders.sort()
        folder = os.path.relpath(path, self.root).replace(os.sep, "/")
        for name, target in self.targets(folder).items() if "BUILD" in files else ():
          if target.kind == "cc_test":
            found["%s/%s" % (folder.partition("/")[2], name)] = "//%s:%s" % (folder, name)
    return found


def files_of(targets, what, known=()):
  """The sources or headers (`what`) of targets that are not among `known`, sorted."""
  return sorted({name for target in targets for name in what(target)} - set(known))


def arguments(workspace, target):
  """The files that a test takes as arguments, as patterns: its args are $(locations LABEL)."""
  patterns = []
  for argument in target.attributes.get("args", []):
    label = absolute(argument[len("$(locations "):-1], target.folder)
    patterns += workspace.target(label).files("srcs")
  return patterns


def reached(root, headers):
  """All headers of ours that `headers` include, directly or not, themselves included."""
  found, left = set(), list(headers)
  while left:
    header = left.pop()
    if header not in found:
      found.add(header)
      with open(os.path.join(root, header), encoding="utf-8") as file:
        left += re.findall(r'^#include "indim/([^"]+)"', file.read(), re.MULTILINE)
  return found


def cmake_list(name, values):
  return "\nset(%s\n%s)\n" % (name, "".join("  %s\n" % value for value in values))


def contents(workspace):
  """What sources.cmake has to hold."""
  proto_target = workspace.target(PROTOS)
  library = [target for target in workspace.needed([LIBRARY])[0] if target is not proto_target]
  command = [target for target in workspace.needed([COMMAND])[0] if target not in library and target is not proto_target]
  c_interface = [
      target for target in workspace.needed([C_INTERFACE])[0] if target not in library + command + [proto_target]
  ]
  main = workspace.target(COMMAND)
  tests = workspace.tests()
  helpers = [
      target for target in workspace.needed(tests.values())[0]
      if target not in library + command + c_interface + [proto_target] and target.kind != "cc_test"
  ]
  texts = [HEADER, "\n# The library."]
  texts.append(cmake_list("INDIM_SOURCES", files_of(library, Target.sources)))
  texts.append(cmake_list("INDIM_HEADERS", files_of(library, Target.headers)))
  texts.append("\n# Of the headers those that programs include (api.bzl), and others that these need.")
  api = ["indim.h"] + workspace.loaded("//:api.bzl", "", ["API_HEADERS"])["API_HEADERS"]
  texts.append(cmake_list("INDIM_API_HEADERS", sorted(api)))
  texts.append(cmake_list("INDIM_INTERNAL_HEADERS", sorted(reached(workspace.root, api) - set(api))))
  texts.append("\n# The schema that protoc reads.")
  texts.append(cmake_list("INDIM_PROTOS", sorted(
      name.replace(".pb.cc", ".proto") for name in proto_target.sources())))
  texts.append("\n# The command, beside the library: the file with main, and the others.")
  texts.append(cmake_list("INDIM_COMMAND_MAIN", main.sources()))
  texts.append(cmake_list("INDIM_COMMAND_SOURCES", files_of(command, Target.sources, main.sources())))
  texts.append(cmake_list("INDIM_COMMAND_HEADERS", files_of(command, Target.headers)))
  texts.append("\n# The C interface, beside the library and the command.")
  texts.append(cmake_list("INDIM_C_SOURCES", files_of(c_interface, Target.sources)))
  texts.append(cmake_list("INDIM_C_HEADERS", files_of(c_interface, Target.headers)))
  texts.append("\n# Code that tests share.")
  texts.append(cmake_list("INDIM_TESTING_SOURCES", files_of(helpers, Target.sources)))
  texts.append(cmake_list("INDIM_TESTING_HEADERS", files_of(helpers, Target.headers)))
  texts.append("\n# The tests; behind ARGS, patterns of the files that a test takes as arguments.\n")
  texts.append("function(indim_tests)\n")
  for name, label in sorted(tests.items()):
    target = workspace.target(label)
    patterns = arguments(workspace, target)
    texts.append("  indim_test(%s)\n" % " ".join([name, *target.sources()] + ["ARGS"] * bool(patterns) + patterns))
  texts.append("endfunction()\n")
  return "".join(texts)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--check", action="store_true", help="write nothing; fail if the file isn't up to date")
  args = parser.parse_args()
  root = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
  output = os.path.join(root, OUTPUT)
  text = contents(Workspace(root))
  if not args.check:
    with open(output, "w", encoding="utf-8") as file:
      file.write(text)
    return 0
  with open(output, encoding="utf-8") as file:
    if file.read() == text:
      return 0
  print("%s isn't up to date; to mend it: install/cmake/make_sources.py" % OUTPUT, file=sys.stderr)
  return 1


if __name__ == "__main__":
  sys.exit(main())
