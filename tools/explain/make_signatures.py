#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the C++ signatures of the builder's calls and of the functions made of them, for name_table.cc.

  tools/explain/make_signatures.py builder/*.h builder/composites/*.h > signatures.def

A row INDIM_SIGNATURE(name, signature) for each declaration that returns Ops, a random state or a template parameter's result;
calls of the builder are named `b.Add`. The argument `caller`, which nobody writes, is left out. Of overloads the first counts."""

import re
import sys

RESULTS = r'(?:Op|std::vector<Op>|\w*State|auto|T|std::pair<[\w<>:, ]+>)'
DECLARATION = re.compile(r'^(?P<indent>(?:  )?)(?P<result>' + RESULTS + r')\s+(?P<name>[A-Z]\w*)\(', re.MULTILINE)


def arguments(text, start):
  """What stands in the parentheses that open before `start`."""
  depth = 1
  for end in range(start, len(text)):
    depth += {'(': 1, ')': -1}.get(text[end], 0)
    if depth == 0:
      return re.sub(r'\s+', ' ', text[start:end]).strip()
  return None


def signatures(path):
  with open(path, encoding='utf-8') as header:
    text = re.sub(r'//[^\n]*', '', header.read())
  for found in DECLARATION.finditer(text):
    inside = arguments(text, found.end())
    # Composite& is what functions share that make others.
    if inside is None or inside.startswith('Composite&'):
      continue
    inside = re.sub(r',? ?(const )?Caller&? caller( = Caller::Here\(\))?', '', inside)
    called, owner = ('b.', 'ComputationBuilder::') if found['indent'] else ('', '')
    yield called + found['name'], '%s %s%s(%s)' % (found['result'], owner, found['name'], inside)


def main():
  seen = set()
  for path in sorted(path for path in sys.argv[1:] if not path.endswith('/composite.h')):
    for name, signature in signatures(path):
      if name not in seen:
        seen.add(name)
        print('INDIM_SIGNATURE("%s", "%s")' % (name, signature.replace('\\', '\\\\').replace('"', '\\"')))


main()
