# SPDX-License-Identifier: Apache-2.0
"""Why an answer of XLA's text parser may differ from that of `indim query`: the table of docs/disagreements.md.

The parser infers a result and builds the node. What XLA's builder does before that (it broadcasts operands), and what its
verifier says afterwards, isn't asked. So each reason names the ops, and the code with which Indim refuses or how XLA's
answer shows that nothing was inferred; nothing else is excused.
"""

from random_cases import bound
from random_shapes import Array, Tuple_

# The builder broadcasts operands first; the parser's inference sees them as they are.
BROADCASTS = set('add and atan2 clamp compare complex divide map maximum minimum mulhi multiply or power remainder select '
                 'shift-left shift-right-arithmetic shift-right-logical subtract xor'.split())

# Rules of the builder or the verifier that the parser hasn't: a wrong case passes there.
UNCHECKED = {
    'add-dependency': ['IND0110'],  # operand 1 is a token
    'after-all': ['IND0110'],  # so are all operands
    'compare': ['IND0114'],  # the comparison's type fits the elements
    'dot': ['IND0100'],  # the parser looks at two operands
    'get-dimension-size': ['IND0201'],  # at the first of `dimensions`
    'set-dimension-size': ['IND0201'],
    'scaled-dot': ['IND0101', 'IND0204', 'IND0305', 'IND0306'],  # at operands 0 and 2, as those of a dot
    'scan': ['IND0101', 'IND0111', 'IND0203', 'IND0382', 'IND0383', 'IND0385'],  # at what the computation returns
    'fft': ['IND0120'],  # a length is not negative, also where the dim is unknown
    'sort': ['IND0100', 'IND0101'],  # one operand is taken whatever it is, and none at all
}


def dims_differ(operands):
  """Whether a builder that takes these operands has something to broadcast."""
  arrays = [o for o in operands if isinstance(o, Array)]
  return len({tuple(bound(d, '?') for d in a.dims) for a in arrays}) > 1


def number_dims(shape):
  return shape.replace(str(-2**63), '?').replace('<=', '').replace(' ', '')


def reads_outside(case):
  """Whether XLA reads a size that isn't there: the last of a scalar, the one before the first, one of a tuple."""
  if case.op in ('topk', 'batch-norm-inference'):
    return any(isinstance(o, Array) and not o.dims for o in case.operands)
  if case.op == 'batch-norm-grad':
    return case.attributes['feature_index'] < 0
  if case.op == 'get-tuple-element':
    return case.attributes['index'] < 0
  return case.op == 'convolution' and any(isinstance(o, Tuple_) for o in case.operands)


def explained(case, theirs, ours):
  refused = theirs.startswith('refused: ')
  if case.op in BROADCASTS and dims_differ(case.operands):
    return True
  if not refused and ours.get('code') in UNCHECKED.get(case.op, []):
    return True
  if not refused and reads_outside(case):
    return True
  if case.op == 'opt-barrier':  # the parser tries to infer it as a unary operation, which it isn't
    return 'unary' in theirs
  if case.op == 'convolution':  # sparsity operands are newer than this jaxlib
    return 'expects 2 operands' in theirs and len(case.operands) > 2
  if case.op == 'reduce-window':  # the parser gives one result bare, builder and verifier as its computation does
    return '(%s)' % theirs == ours.get('shape') and isinstance(case.attributes['to_apply'].result, Tuple_)
  if case.op == 'scaled-dot':
    return str(case.operands[1]) != str(case.operands[2])
  if case.op == 'scan':  # what the computation returns loses that it is dynamic; XLA's verifier refuses such a result
    return number_dims(theirs) == number_dims(ours.get('shape', ''))
  return False
