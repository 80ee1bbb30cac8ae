# SPDX-License-Identifier: Apache-2.0
"""Random questions about shapes, asked of XLA and of Indim.

  python3 tests/xla/random_inference.py --indim=bazel-bin/tools/indim --cases=200000 --seed=1 [--ops=sort,scatter]

For each op random operands and attributes are drawn, by what the op table declares (`indim explain --json ops`,
random_declared.py) wherever that suffices, otherwise by hand (random_cases.py); what an op declares is also broken. XLA answers through its HLO text parser, which
infers a result shape that is left out; Indim answers through `indim query`. A table says, per op, how many cases both
accept, both refuse, how many of XLA's answers differ for a reason that docs/disagreements.md gives (EXPLAINED), and how
many disagree otherwise; those are printed, and the exit status is 1 when there is one. XLA aborts on some input: then its
process is started again after that case. Needs jaxlib, and bounded time: about 4,000 cases a second.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys

import random_cases
from random_explained import explained


def answer_of(xla, text):
  """The result's shape as XLA spells it, or "refused: " and why."""
  try:
    module = xla.hlo_module_from_text(text)
  except Exception as error:  # every refusal of XLA
    return 'refused: ' + ' '.join(str(error).split('\n')[1:2])[:300]
  root = re.search(r'ROOT %?\S+ = (.*?) [a-z][-a-z0-9]*\(', module.to_string().split('ENTRY')[1])
  return re.sub(r'\{[^}]*\}|/\*.*?\*/| ', '', root.group(1)) if root else '?'


def answer_all(texts, to):
  """The child: one line of JSON for each text, written at once, as XLA may end the process at the next."""
  os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
  from jaxlib import _hlo as xla
  with os.fdopen(to, 'w') as out:
    for text in texts:
      out.write(json.dumps(answer_of(xla, text)) + '\n')
      out.flush()


def ask_xla(texts):
  answers = []
  while len(answers) < len(texts):
    from_child, to_parent = os.pipe()
    child = os.fork()
    if child == 0:
      os.close(from_child)
      try:
        answer_all(texts[len(answers):], to_parent)
      finally:
        os._exit(0)
    os.close(to_parent)
    with os.fdopen(from_child) as lines:
      answers += [json.loads(line) for line in lines]
    os.waitpid(child, 0)
    if len(answers) < len(texts):
      answers.append('aborted')
  return answers


def ask_indim(indim, lines):
  asked = subprocess.run([indim, 'query'], input=''.join(line + '\n' for line in lines), capture_output=True, text=True,
                         check=False)
  answers = [json.loads(line) for line in asked.stdout.splitlines()]
  if len(answers) != len(lines):
    sys.exit('indim query answered %d of %d lines: %s' % (len(answers), len(lines), asked.stderr))
  return answers


def op_table(indim):
  """What each op declares: a list of dicts."""
  told = subprocess.run([indim, 'explain', '--json', 'ops'], capture_output=True, text=True, check=True)
  return [json.loads(line) for line in told.stdout.splitlines()]


def compare(case, theirs, ours):
  """The column of the table that a case belongs to."""
  shape = ours.get('shape', '').replace(' ', '')
  if theirs == 'aborted':
    return 'XLA aborts'
  if theirs.startswith('refused: '):
    if not shape:
      return 'both refuse'
  elif shape == theirs:
    return 'both accept'
  return 'explained' if explained(case, theirs, ours) else 'DISAGREE'


COLUMNS = ['both accept', 'both refuse', 'explained', 'XLA aborts', 'DISAGREE']


def run(args):
  table = collections.defaultdict(collections.Counter)
  r = random.Random(args.seed)
  declared = op_table(args.indim)
  draws = random_cases.drawn(declared)
  constraints = {op['op']: op['constraints'] for op in declared}
  ops = args.ops.split(',') if args.ops else sorted(draws)
  shown = collections.Counter()
  for start in range(0, args.cases, 10000):
    cases = [random_cases.draw(r, draws, ops[i % len(ops)], constraints[ops[i % len(ops)]]) for i in range(start, min(start + 10000, args.cases))]
    lines = [case.query() for case in cases]
    theirs = ask_xla([case.text() for case in cases])
    for case, line, xla, ours in zip(cases, lines, theirs, ask_indim(args.indim, lines)):
      column = compare(case, xla, ours)
      table[case.op][column] += 1
      if column == 'DISAGREE':
        shown[case.op] += 1
        if shown[case.op] <= args.show:
          print('%s\n  XLA   %s\n  Indim %s' % (line, xla, ours.get('shape') or json.dumps(ours)))
  total = collections.Counter()
  print('%-30s' % 'op' + ''.join('%13s' % c for c in COLUMNS))
  for op in sorted(table):
    print('%-30s' % op + ''.join('%13d' % table[op][c] for c in COLUMNS))
    total.update(table[op])
  print('%-30s' % 'all' + ''.join('%13d' % total[c] for c in COLUMNS))
  return 1 if total['DISAGREE'] else 0


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--indim', required=True)
  parser.add_argument('--cases', type=int, default=20000)
  parser.add_argument('--seed', type=int, default=1)
  parser.add_argument('--ops', default='', help='these alone, with commas between')
  parser.add_argument('--show', type=int, default=5, help='how many disagreements of one op are printed')
  return run(parser.parse_args())


if __name__ == '__main__':
  sys.exit(main())
