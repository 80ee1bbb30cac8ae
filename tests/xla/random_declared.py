# SPDX-License-Identifier: Apache-2.0
"""Cases of what an op declares: operands, attributes and computations that keep each constraint of its row.

The rows are what `indim explain --json ops` prints. Constraints are kept in their order, each by what its kind means; of two
operands that it compares the later one gives way. What no declaration says (a direction, an epsilon) is in ATTRIBUTES.
"""

from random_shapes import TYPES, Array, Callee, Case, Token, Tuple_, Word, positions
from random_values import any_shape, float_near, loose, reducer, size, sizes, some

# Kinds that say nothing about what is drawn here, or are seen to at the end.
NOTHING_TO_DO = ('array', 'array-or-buffer', 'elements-where', 'size-in-int32')
AT_THE_END = ('arguments', 'reducer', 'comparator')


def direction(r):
  return Word(r.choice('EQ NE GE GT LE LT'.split()))


def flag(r):
  return r.random() < .5


def epsilon(r):
  del r
  return 0.001


def sharding(r):
  del r
  return Word('{kind="sharding", entry={maximal device=1}, exit={maximal device=0}}')


ATTRIBUTES = {
    'compare': {'direction': direction}, 'domain': {'domain': sharding}, 'sort': {'is_stable': flag},
    'cholesky': {'lower': flag}, 'batch-norm-training': {'epsilon': epsilon}, 'batch-norm-inference': {'epsilon': epsilon},
    'batch-norm-grad': {'epsilon': epsilon},
}
# Numbers that aren't lists.
ONE_NUMBER = ('feature_index', 'index', 'exponent_bits', 'mantissa_bits')


class Drawing:
  """One case while it is drawn."""

  def __init__(self, r, row):
    self.r, self.row, self.attributes = r, row, {}
    count = r.randint(row['min_operands'], row['max_operands'] if row['max_operands'] >= 0 else row['min_operands'] + 3)
    kinds = [c['kind'] for c in row['constraints']]
    if 'even' in kinds:
      count += count % 2
    elif 'odd' in kinds:
      count += 1 - count % 2
    arrays = set()
    for c in row['constraints']:
      if c['kind'] != 'token' and c['kind'] != 'tuple':
        arrays.update(positions(c, count))
    # Mostly alike: much of what ops ask for is that.
    type_, dims = r.choice(TYPES), sizes(r)
    self.operands = [Array(type_, dims) if i in arrays or r.random() < .5 else any_shape(r) for i in range(count)]

  # --- One operand -------------------------------------------------------------------------------
  def keep_alone(self, c, at):
    r, kind, operand = self.r, c['kind'], self.operands[at]
    if kind == 'elements':
      if operand.type not in c['types']:
        operand.type = r.choice([t for t in TYPES if t in c['types']])
    elif kind == 'element-type':
      operand.type = c['type']
    elif kind == 'scalar':
      operand.dims = []
    elif kind == 'size-scalar':
      self.operands[at] = Array('s32')
    elif kind == 'token':
      self.operands[at] = Token()
    elif kind == 'tuple':
      self.operands[at] = Tuple_(any_shape(r, 1) for _ in range(r.randint(1, 4)))
    elif kind == 'rank-at-least':
      operand.dims += [size(r) for _ in range(c['number'] - len(operand.dims))]
    elif kind == 'rank-at-most':
      operand.dims = operand.dims[:c['number']] or [size(r)]
    elif kind == 'square':
      operand.dims[-1:] = loose(r, operand.dims[-2:-1])
    else:
      return False
    return True

  # --- Against another ---------------------------------------------------------------------------
  def keep_against(self, c, at):
    r, kind = self.r, c['kind']
    at, other = max(at, c['other']), min(at, c['other'])
    if at == other:
      return True
    one, two = self.operands[other], self.operands[at]
    if kind == 'common-type' or kind == 'same-float-type':
      two.type = float_near(r, one.type)
    elif kind == 'same-width':
      width = {'bf16': '16'}.get(one.type, one.type.split('e')[0][1:])
      two.type = 'u' + width
    elif kind == 'same-type':
      two.type = one.type
    elif kind == 'same-rank':
      two.dims = [size(r) for _ in one.dims]
    elif kind == 'same-dims' or kind == 'exact-dims':
      two.dims = loose(r, one.dims)
    elif kind == 'same-shape':
      self.operands[at] = one.copy()
    elif kind in ('vector', 'vector-or-more'):
      two.dims = loose(r, [one.dims[self.numbers(c['attributes'][0])[0]]])
    else:
      return False
    return True

  def keep_scalars_or_dims(self, at):
    """Operands that are no scalars have the same dims."""
    r, dims = self.r, self.operands[at[-2]].dims
    for i in at:
      self.operands[i].dims = loose(r, dims)
    for i in r.sample(at, r.randint(0, len(at) - 1)):
      if r.random() < .3:
        self.operands[i].dims = []

  # --- Attributes --------------------------------------------------------------------------------
  def numbers(self, name):
    value = self.attributes.get(name, [])
    return value if isinstance(value, list) else [value]

  def set_numbers(self, name, numbers):
    self.attributes[name] = numbers[0] if name in ONE_NUMBER else numbers

  def keep_attribute(self, c):
    r, kind, names = self.r, c['kind'], c.get('attributes', [])
    if kind == 'at-least':
      self.set_numbers(names[0], [c.get('number', 0) + r.randint(0, 5)])
    elif kind == 'length':
      self.set_numbers(names[0], [0] * c['number'])
    elif kind == 'dims':
      self.keep_dims(names, positions(c, len(self.operands)))
    elif kind == 'permutation':
      rank = len(self.operands[c['other']].dims)
      self.set_numbers(names[0], some(r, rank, rank))
    elif kind == 'pairs':
      self.keep_pairs(*names)
    elif kind == 'element-index':
      self.set_numbers(names[0], [r.randrange(len(self.operands[0].elements))])
    else:
      return False
    return True

  def keep_dims(self, names, at):
    """Lists of dims that the operands have, none twice; as long as said before."""
    r = self.r
    lengths = [1 if n in ONE_NUMBER else len(self.attributes[n]) if n in self.attributes else None for n in names]
    wanted = sum(length or 0 for length in lengths)
    for i in at:
      self.operands[i].dims += [size(r) for _ in range(wanted - len(self.operands[i].dims))]
    rank = min(len(self.operands[i].dims) for i in at)
    left = some(r, rank, rank)
    for name, length in zip(names, lengths):
      count = length if length is not None else r.randint(0, min(2, len(left)))
      self.set_numbers(name, left[:count])
      left = left[count:]

  def keep_pairs(self, lhs, rhs):
    """As many of one as of the other, of equal sizes."""
    ours, theirs = self.attributes[lhs], self.attributes[rhs]
    count = min(len(ours), len(theirs))
    del ours[count:], theirs[count:]
    for a, b in zip(ours, theirs):
      self.operands[1].dims[b:b + 1] = loose(self.r, [self.operands[0].dims[a]])

  # --- Computations ------------------------------------------------------------------------------
  def keep_callee(self, c):
    r, kind = self.r, c['kind']
    if kind == 'arguments':
      self.attributes['to_apply'] = Callee(self.operands, any_shape(r))
    elif kind == 'comparator':
      scalars = [Array(o.type) for o in self.operands for _ in range(2)]
      self.attributes['to_apply'] = Callee(scalars, Array('pred'))
    else:
      half = len(self.operands) // 2
      types = [o.type for o in self.operands[:half]]
      inits = [float_near(r, t) for t in types]
      self.operands[half:] = [Array(t) for t in inits]
      self.attributes['to_apply'] = reducer(r, inits, types)

  def case(self):
    constraints = self.row['constraints']
    for c in constraints:
      at = positions(c, len(self.operands))
      if c['kind'] == 'scalar-or-dims':
        self.keep_scalars_or_dims(at)
      elif c['kind'] not in NOTHING_TO_DO + AT_THE_END and not self.keep_attribute(c):
        for i in at:
          if not self.keep_alone(c, i):
            self.keep_against(c, i)
    for c in constraints:
      if c['kind'] in AT_THE_END:
        self.keep_callee(c)
    if self.row['broadcasts']:
      for operand in self.operands[1:]:
        operand.dims = loose(self.r, self.operands[0].dims)
    for name, draw in ATTRIBUTES.get(self.row['op'], {}).items():
      self.attributes[name] = draw(self.r)
    return Case(self.row['op'], self.operands, self.attributes)


def draw_declared(row):
  return lambda r, op: Drawing(r, row).case()
