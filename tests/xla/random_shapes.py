# SPDX-License-Identifier: Apache-2.0
"""Random questions about shapes: what they are made of, how they are spelled, how they are spoiled.

A case is an op, its operands and its attributes, as plain Python values that draws and changes can reach into:
  Array, Tuple_, Token       shapes
  Callee                     a computation's signature
  Window, Padding            attributes that both spellings write as one word
It is spelled twice, from the same values: as a line of `indim query` and as HLO text.
"""

import json

TYPES = 'pred s4 s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128 f8e4m3fn f8e5m2'.split()
SIZES = [1, 2, 3, 4, 5, 6, 8, 12]


class Array:
  """A size is a number, '?' or '<=n'."""

  def __init__(self, type_, dims=()):
    self.type, self.dims = type_, list(dims)

  def __str__(self):
    return '%s[%s]' % (self.type, ','.join(map(str, self.dims)))

  def copy(self):
    return Array(self.type, self.dims)


class Tuple_:
  def __init__(self, elements):
    self.elements = list(elements)

  def __str__(self):
    return '(%s)' % ', '.join(map(str, self.elements))

  def copy(self):
    return Tuple_(e.copy() for e in self.elements)


class Token:
  def __str__(self):
    return 'token[]'

  def copy(self):
    return Token()


class Callee:
  def __init__(self, parameters, result):
    self.parameters, self.result = [p.copy() for p in parameters], result.copy()

  def json(self):
    return {'parameters': [str(p) for p in self.parameters], 'result': str(self.result)}

  def text(self, name):
    lines = [name + ' {'] + ['  p%d = %s parameter(%d)' % (i, p, i) for i, p in enumerate(self.parameters)]
    return lines + ['  ROOT r = %s custom-call(), custom_call_target="any"' % self.result, '}', '']


class Window:
  """Lists of one entry a dim: size, stride, pad (low, high), lhs_dilate, rhs_dilate, rhs_reversal."""

  def __init__(self, **parts):
    self.parts = parts

  def __str__(self):
    words = []
    for name, values in self.parts.items():
      words.append(name + '=' + 'x'.join('%d_%d' % tuple(v) if name == 'pad' else str(v) for v in values))
    return ' '.join(words) if self.parts['size'] else ''


class Padding:
  def __init__(self, dims):
    self.dims = dims

  def __str__(self):
    return 'x'.join('_'.join(map(str, d)) for d in self.dims)


class Word(str):
  """An attribute that HLO text doesn't quote and whose value isn't changed."""


class Case:
  """sizes_as: broadcast alone takes its sizes under another name in HLO text."""

  def __init__(self, op, operands, attributes=None, text_names=None):
    self.op, self.operands, self.attributes = op, [o.copy() for o in operands], attributes or {}
    self.text_names = text_names or {}

  def query(self):
    attributes = {}
    for name, value in self.attributes.items():
      if isinstance(value, Callee):
        value = value.json()
      elif isinstance(value, list) and value and isinstance(value[0], Callee):
        value = [c.json() for c in value]
      elif isinstance(value, (Window, Padding)):
        value = str(value)
      attributes[name] = value
    return json.dumps({'op': self.op, 'operands': [str(o) for o in self.operands], 'attributes': attributes})

  def text(self):
    callees, words = [], []

    def callee(value):
      callees.extend(value.text('f%d' % callees.count('')))
      return 'f%d' % (callees.count('') - 1)

    for name, value in self.attributes.items():
      if isinstance(value, Callee):
        value = callee(value)
      elif isinstance(value, bool):
        value = str(value).lower()
      elif isinstance(value, list):
        value = '{%s}' % ','.join(callee(v) if isinstance(v, Callee) else str(v) for v in value)
      elif isinstance(value, Window):
        value = '{%s}' % value
      words.append(', %s=%s' % (self.text_names.get(name, name), value))
    lines = ['HloModule m', ''] + callees + ['ENTRY e {']
    lines += ['  p%d = %s parameter(%d)' % (i, o, i) for i, o in enumerate(self.operands)]
    operands = ', '.join('p%d' % i for i in range(len(self.operands)))
    return '\n'.join(lines + ['  ROOT r = %s(%s)%s' % (self.op, operands, ''.join(words)), '}'])


# --- How a case is spoiled: one thing of it changes, whether that is an error or not -------------
def spoil_shape(r, shape):
  """The shape, changed in one place; now and then something else altogether."""
  if isinstance(shape, Tuple_):
    if shape.elements and r.random() < .7:
      at = r.randrange(len(shape.elements))
      shape.elements[at] = spoil_shape(r, shape.elements[at])
    elif r.random() < .5 and shape.elements:
      return shape.elements[0].copy()
    else:
      shape.elements.append(Array('s32'))
    return shape
  if isinstance(shape, Token):
    return Array('s32') if r.random() < .7 else Tuple_([Token()])
  what = r.random()
  if what < .3:
    shape.type = r.choice(TYPES)
  elif what < .75 and shape.dims:
    shape.dims[r.randrange(len(shape.dims))] = r.choice(SIZES + [0, '?', '?', '<=2', '<=3', '<=4', '<=8'])
  elif what < .83 and shape.dims:
    del shape.dims[r.randrange(len(shape.dims))]
  elif what < .93:
    shape.dims.insert(r.randint(0, len(shape.dims)), r.choice([1, 2, 4, '?', '<=4']))
  elif what < .97:
    return Tuple_([shape])
  else:
    return Token()
  return shape


def spoil_numbers(r, numbers, low=-1):
  if not numbers:
    return numbers.append(r.choice([0, 1]))
  at = r.randrange(len(numbers))
  what = r.random()
  if what < .6:
    numbers[at] = r.choice([low, 0, 1, 2, 3, 4, numbers[at] + 1, numbers[at] - 1])
  elif what < .75:
    del numbers[at]
  elif what < .9:
    numbers.insert(at, r.choice([0, 1, 2, numbers[at]]))
  else:
    r.shuffle(numbers)


def spoil_callee(r, callee):
  what = r.random()
  if what < .3:
    callee.result = spoil_shape(r, callee.result)
  elif what < .8 and callee.parameters:
    at = r.randrange(len(callee.parameters))
    callee.parameters[at] = spoil_shape(r, callee.parameters[at])
  elif what < .9 and callee.parameters:
    callee.parameters.pop()
  else:
    callee.parameters.append(callee.parameters[-1].copy() if callee.parameters else Array('s32'))


def spoil_window(r, window):
  name = r.choice(list(window.parts))
  values = window.parts[name]
  if not values:
    return
  at = r.randrange(len(values))
  if name == 'pad':
    values[at] = [r.randint(-4, 4), r.randint(-4, 4)]
  else:
    values[at] = r.choice([0, 1]) if name == 'rhs_reversal' else r.choice([-1, 0, 1, 2, 3, 4])


def spoil_attribute(r, case, name):
  value = case.attributes[name]
  if isinstance(value, Callee):
    spoil_callee(r, value)
  elif isinstance(value, Window):
    spoil_window(r, value)
  elif isinstance(value, Padding):
    if value.dims:
      value.dims[r.randrange(len(value.dims))] = [r.randint(-6, 3), r.randint(-6, 3), r.randint(-1, 2)]
  elif isinstance(value, list):
    if value and isinstance(value[0], Callee):
      spoil_callee(r, r.choice(value))
    else:
      spoil_numbers(r, value)
  elif isinstance(value, bool):
    case.attributes[name] = not value
  elif isinstance(value, int):
    case.attributes[name] = r.choice([-1, 0, 1, 2, 3, value + 1, value - 1])


# --- How a declared constraint is broken: by what its kind means, without asking the code that checks it --------------
def positions(constraint, count):
  """Of the operands that it is about; -1, -2 and -3 depend on how many there are."""
  first, last = constraint.get('operands', [0, -4])
  begin = count // 2 if first == -3 else first
  end = {-1: count, -2: count // 2, -3: count // 2 + 1, -4: 0}.get(last, last + 1)
  return list(range(begin, min(end, count)))


def other_type(r, types):
  others = [t for t in TYPES if t not in types]
  return r.choice(others or TYPES)


def other_size(r, array):
  if not array.dims:
    return array.dims.append(r.choice([2, 3]))
  at = r.randrange(len(array.dims))
  size = array.dims[at]
  array.dims[at] = (size if isinstance(size, int) else 4) + r.choice([1, 2])


def break_operand(r, case, constraint, at):
  """False: of no such kind."""
  kind, operand = constraint['kind'], case.operands[at]
  if kind in ('array', 'array-or-buffer') or not isinstance(operand, Array) and kind not in ('token', 'tuple'):
    case.operands[at] = r.choice([Token(), Tuple_([operand])])
  elif kind == 'elements':
    operand.type = other_type(r, constraint['types'])
  elif kind in ('element-type', 'size-scalar'):
    operand.type = other_type(r, [constraint.get('type', 's32')])
  elif kind in ('common-type', 'same-type', 'same-float-type', 'same-width', 'same-shape'):
    other = case.operands[constraint['other']]
    operand.type = other_type(r, [getattr(other, 'type', '')])
  elif kind in ('scalar', 'same-rank', 'rank-at-most'):
    operand.dims.insert(r.randint(0, len(operand.dims)), r.choice([1, 2]))
  elif kind == 'rank-at-least':
    del operand.dims[max(0, constraint['number'] - 1):]
  elif kind in ('same-dims', 'exact-dims', 'scalar-or-dims', 'vector', 'vector-or-more'):
    other_size(r, operand)
  elif kind == 'square':
    operand.dims[-1:] = [(operand.dims[-1] if operand.dims and isinstance(operand.dims[-1], int) else 1) + 1]
  elif kind in ('token', 'tuple'):
    case.operands[at] = Array('s32')
  else:
    return False
  return True


def break_attribute(r, case, constraint):
  names = [n for n in constraint.get('attributes', ()) if n in case.attributes]
  if not names:
    return False
  name, kind = r.choice(names), constraint['kind']
  value = case.attributes[name]
  if isinstance(value, int) and not isinstance(value, bool):
    case.attributes[name] = constraint.get('number', 0) - 1 if kind == 'at-least' else r.choice([-1, 99])
  elif not isinstance(value, list) or value and not isinstance(value[0], int):
    return False
  elif kind in ('length', 'length-is-rank', 'pairs') or not value:
    value.append(0) if r.random() < .5 or not value else value.pop()
  elif kind in ('dims', 'permutation'):
    value[r.randrange(len(value))] = r.choice([-1, 9, value[0]])
  else:
    return False
  return True


def break_declared(r, case, constraints):
  """Breaks one of the op's declared constraints. False: the one that was picked can't be broken in this case."""
  if not constraints:
    return False
  constraint = r.choice(constraints)
  at = positions(constraint, len(case.operands))
  if at and break_operand(r, case, constraint, r.choice(at)):
    return True
  if break_attribute(r, case, constraint):
    return True
  if constraint['kind'] in ('even', 'odd') and case.operands:
    case.operands.append(case.operands[-1].copy())
    return True
  callees = [v for v in case.attributes.values() if isinstance(v, Callee)]
  if constraint['kind'] in ('arguments', 'reducer', 'comparator') and callees:
    spoil_callee(r, r.choice(callees))
    return True
  return False


def spoil(r, case):
  """Changes one operand, one attribute, or how many operands there are."""
  what = r.random()
  names = [n for n, v in case.attributes.items() if not isinstance(v, (str, float))]
  if names and what < .4:
    spoil_attribute(r, case, r.choice(names))
  elif case.operands and what < .95:
    at = r.randrange(len(case.operands))
    case.operands[at] = spoil_shape(r, case.operands[at])
  elif case.operands and what < .975:
    case.operands.pop(r.randrange(len(case.operands)))
  else:
    case.operands.append(case.operands[-1].copy() if case.operands else Array('f32'))
