# SPDX-License-Identifier: Apache-2.0
"""Cases of each op whose result XLA's text parser infers: drawn of what it declares, or by a function here.

draw(r, op) makes a case that is right more often than not, with static, bounded and unbounded dims, sizes of 0 and 1, and
every element type; half of the cases are then spoiled (random_shapes.py): in what the op declares, or anywhere.
"""

from random_declared import draw_declared
from random_shapes import SIZES, TYPES, Array, Callee, Case, Padding, Tuple_, Window, Word, break_declared, spoil
from random_values import COMPLEX, FLOATS, INTEGERS, any_shape, bound, float_near, loose, reducer, size, sizes, some

# --- Elementwise ---------------------------------------------------------------------------------
def map_(r, op):
  dims, count = sizes(r), r.randint(1, 3)
  types = [r.choice(TYPES) for _ in range(count)]
  return Case(op, [Array(t, dims) for t in types],
              {'dimensions': list(range(len(dims))),
               'to_apply': Callee([Array(float_near(r, t)) for t in types], Array(r.choice(TYPES)))})


# --- Data movement -------------------------------------------------------------------------------
def broadcast(r, op):
  new = [r.choice(SIZES + [0]) for _ in range(r.randint(0, 3))]
  return Case(op, [Array(r.choice(TYPES), sizes(r))], {'broadcast_sizes': new}, {'broadcast_sizes': 'dimensions'})


def concatenate(r, op):
  type_, dims = r.choice(TYPES), sizes(r, 1)
  along = r.randrange(len(dims))
  operands = []
  for _ in range(r.randint(1, 4)):
    e = loose(r, dims)
    e[along] = size(r)
    operands.append(Array(float_near(r, type_), e))
  return Case(op, operands, {'dimensions': [along]})


def pad(r, op):
  type_, dims = r.choice(TYPES), sizes(r, 1)
  by = [[r.randint(-2, 3), r.randint(-1, 3), r.choice([0, 0, 1, 2])][:r.choice([2, 3])] for _ in dims]
  return Case(op, [Array(type_, dims), Array(float_near(r, type_))], {'padding': Padding(by)})


def gather_indices(r, dims, mapped):
  """Dims of indices whose index vector names `mapped` dims of an operand; and which dim that is."""
  outer = sizes(r, 0, 2)
  at = r.randint(0, len(outer))
  if len(mapped) == 1 and r.random() < .3:
    return outer, len(outer), outer
  return outer[:at] + [len(mapped)] + outer[at:], at, outer


def split_dims(r, rank):
  """Dims of an operand that are indexed, those that are collapsed, those that are batched."""
  order = some(r, rank, rank)
  batched = sorted(order[:r.choice([0, 0, 0, 1])])
  free = [d for d in order if d not in batched]
  mapped = free[:r.randint(0, len(free))]
  return mapped, sorted(d for d in mapped if r.random() < .6), batched


def gather(r, op):
  dims = sizes(r, 1)
  mapped, collapsed, batched = split_dims(r, len(dims))
  start, vector, outer = gather_indices(r, dims, mapped)
  places = [i for i in range(len(start)) if i != vector]
  batched = batched if places else []
  at = [r.choice(places)] if batched else []
  if batched:
    start[at[0]] = dims[batched[0]]
  slices = [1 if d in collapsed or d in batched else r.choice([bound(n), r.randint(0, bound(n))])
            for d, n in enumerate(dims)]
  window = len(dims) - len(collapsed) - len(batched)
  offset = sorted(some(r, window + len(places), window))
  attributes = {'offset_dims': offset, 'collapsed_slice_dims': collapsed, 'start_index_map': mapped,
                'index_vector_dim': vector, 'slice_sizes': slices}
  if batched:
    attributes.update({'operand_batching_dims': batched, 'start_indices_batching_dims': at})
  return Case(op, [Array(r.choice(TYPES), dims), Array(r.choice(INTEGERS), start)], attributes)


def scatter(r, op):
  dims = sizes(r, 1)
  mapped, inserted, batched = split_dims(r, len(dims))
  start, vector, outer = gather_indices(r, dims, mapped)
  places = [i for i in range(len(start)) if i != vector]
  batched = batched if places else []
  at = [r.choice(places)] if batched else []
  if batched:
    start[at[0]] = dims[batched[0]]
  kept = [d for d in range(len(dims)) if d not in inserted and d not in batched]
  windows = sorted(some(r, len(kept) + len(places), len(kept)))
  sources = [start[p] for p in places]
  updates, left = [], [r.choice([dims[d], r.randint(0, bound(dims[d]))]) for d in kept]
  for i in range(len(kept) + len(places)):
    updates.append(left.pop(0) if i in windows else sources.pop(0))
  types = [r.choice(TYPES) for _ in range(r.choice([1, 1, 2, 3]))]
  attributes = {'update_window_dims': windows, 'inserted_window_dims': inserted, 'scatter_dims_to_operand_dims': mapped,
                'index_vector_dim': vector, 'to_apply': reducer(r, types)}
  if batched:
    attributes.update({'input_batching_dims': batched, 'scatter_indices_batching_dims': at})
  return Case(op, [Array(t, dims) for t in types] + [Array(r.choice(INTEGERS), start)] +
              [Array(float_near(r, t), updates) for t in types], attributes)


def topk(r, op):
  dims = sizes(r, 1)
  dims[-1] = r.choice(SIZES + ['?', '<=4'])
  return Case(op, [Array(r.choice(TYPES), dims)], {'k': r.randint(0, bound(dims[-1])), 'largest': r.random() < .5})


# --- Linear algebra ------------------------------------------------------------------------------
def fft(r, op):
  kind, n = r.choice(['FFT', 'IFFT', 'RFFT', 'IRFFT']), r.choice([1, 1, 2, 3])
  length = [r.choice([0, 1, 2, 4, 5, 8]) for _ in range(n)]
  dims = sizes(r, 0, 2) + length
  if kind == 'IRFFT':
    dims[-1] = length[-1] // 2 + 1 if length[-1] else 0
  if r.random() < .2:
    dims[-1] = r.choice(['?', '<=%d' % dims[-1]])
  type_ = r.choice(['f32', 'f64'] if kind == 'RFFT' else COMPLEX)
  return Case(op, [Array(type_, dims)], {'fft_type': Word(kind), 'fft_length': length})


def triangular_solve(r, op):
  type_, batch, n, left = r.choice(FLOATS + COMPLEX), sizes(r, 0, 2), size(r), r.random() < .5
  b = [n, size(r)] if left else [size(r), n]
  transpose_a = r.choice(['NO_TRANSPOSE', 'TRANSPOSE', 'ADJOINT'])
  return Case(op, [Array(type_, batch + loose(r, [n, n])), Array(type_, batch + loose(r, b))],
              {'left_side': left, 'lower': r.random() < .5, 'unit_diagonal': r.random() < .5,
               'transpose_a': Word(transpose_a)})


def dot_dims(r):
  """lhs dims, rhs dims and the four lists of a dot."""
  batch, contract = sizes(r, 0, 2), sizes(r, 0, 2)
  sides = []
  for _ in range(2):
    tagged = ([('b', i, d) for i, d in enumerate(batch)] + [('c', i, d) for i, d in enumerate(contract)] +
              [('f', 0, d) for d in sizes(r, 0, 2)])
    if r.random() < .5:
      r.shuffle(tagged)
    sides.append(tagged)
  lists = {}
  for side, tagged in zip(('lhs', 'rhs'), sides):
    for tag, name in (('c', 'contracting'), ('b', 'batch')):
      found = sorted((i, place) for place, (t, i, _) in enumerate(tagged) if t == tag)
      lists['%s_%s_dims' % (side, name)] = [place for _, place in found]
  return [[d for _, _, d in tagged] for tagged in sides], lists


def ragged_dot(r, op):
  (lhs, rhs), lists = dot_dims(r)
  type_, groups = r.choice(TYPES), r.choice([1, 2, 3, '?', '<=4'])
  if not lhs:
    lhs, lists = [4], dict(lists)
  ragged = r.randrange(len(lhs))
  batch, contracting = lists['lhs_batch_dims'], lists['lhs_contracting_dims']
  group_dims = []
  if ragged not in batch and ragged not in contracting:
    at = r.randint(0, len(rhs))
    rhs = rhs[:at] + [groups] + rhs[at:]
    for name in ('rhs_batch_dims', 'rhs_contracting_dims'):
      lists[name] = [d + (d >= at) for d in lists[name]]
    group_dims = [at]
  if ragged in batch:
    prefix = batch[:batch.index(ragged)]
  else:
    others = contracting if ragged in contracting else [d for d in range(len(lhs)) if d not in batch + contracting]
    prefix = batch + others[:others.index(ragged)]
  sizes_ = [lhs[d] for d in prefix] + [groups] if r.random() < .5 else [groups]
  attributes = dict(lists, lhs_ragged_dims=[ragged], rhs_group_dims=group_dims)
  return Case(op, [Array(type_, lhs), Array(r.choice(TYPES) if r.random() < .2 else type_, loose(r, rhs)),
                   Array(r.choice(INTEGERS), sizes_)], attributes)


def scaled_dot(r, op):
  # The parser infers from operands 0 and 2, the left side and its scale: where the right side is like that scale, its
  # answer is the op's.
  m, n, k = (r.choice([1, 2, 3]) for _ in range(3))
  factor = r.choice([1, 2, 4])
  lhs, rhs = [m * factor, k], [m, k]
  type_, scale = r.choice(TYPES), r.choice(TYPES)
  return Case(op, [Array(type_, lhs), Array(scale, rhs), Array(scale, rhs), Array(r.choice(TYPES), [1, 1])],
              {'lhs_contracting_dims': [1], 'rhs_contracting_dims': [1]})


# --- Windows and computations --------------------------------------------------------------------
def window_of(r, dims, most=4):
  return Window(size=[r.randint(1, max(1, min(most, bound(d)))) for d in dims], stride=[r.choice([1, 1, 2, 3]) for _ in dims],
                pad=[[r.randint(-1, 2), r.randint(-1, 2)] if r.random() < .5 else [0, 0] for _ in dims],
                lhs_dilate=[r.choice([1, 1, 1, 2, 3]) for _ in dims], rhs_dilate=[r.choice([1, 1, 2]) for _ in dims],
                rhs_reversal=[r.choice([0, 0, 1]) for _ in dims])


def reduce_window(r, op):
  # One input: of more the parser looks at the first two operands alone.
  type_, dims = r.choice(TYPES), sizes(r)
  init = float_near(r, type_)
  return Case(op, [Array(type_, dims), Array(init)],
              {'window': window_of(r, dims), 'to_apply': reducer(r, [init], [type_])})


def window_size(d, window, i):
  """What a window over a static dim leaves."""
  parts = window.parts
  base = 0 if d == 0 else (d - 1) * parts['lhs_dilate'][i] + 1
  base += sum(parts['pad'][i])
  reach = (parts['size'][i] - 1) * parts['rhs_dilate'][i] + 1
  return 0 if base <= 0 or reach > base else (base - reach) // parts['stride'][i] + 1


def select_and_scatter(r, op):
  type_, dims = r.choice(TYPES), sizes(r)
  window = window_of(r, dims)
  source = [d if d == '?' else window_size(bound(d), window, i) for i, d in enumerate(dims)]
  source = ['<=%d' % s if isinstance(d, str) and d != '?' else s for s, d in zip(source, dims)]
  scalar = Array(type_)
  return Case(op, [Array(type_, dims), Array(type_, source), scalar],
              {'window': window, 'select': Callee([scalar, scalar], Array('pred')), 'scatter': reducer(r, [type_])})


def convolution(r, op):
  spatial = r.choice([0, 1, 1, 2, 2, 3])
  groups, batch_groups = r.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (1, 4)])
  image = sizes(r, spatial, spatial)
  window = window_of(r, image, 3)
  parts = {'b': r.choice([batch_groups, 2 * batch_groups, '?', '<=4']), 'f': groups * r.randint(1, 3),
           'o': groups * batch_groups * r.randint(1, 2)}
  parts['i'] = parts['f'] // groups
  orders, letters = [], (['b', 'f'], ['i', 'o'], ['b', 'f'])
  for names in letters:
    order = names + list(map(str, range(spatial)))
    if r.random() < .7:
      r.shuffle(order)
    orders.append(order)
  lhs = [image[int(c)] if c.isdigit() else parts[c] for c in orders[0]]
  rhs = [window.parts['size'][int(c)] if c.isdigit() else parts[c] for c in orders[1]]
  type_ = r.choice(TYPES)
  attributes = {'window': window, 'dim_labels': Word('%s_%s->%s' % tuple(''.join(o) for o in orders)),
                'feature_group_count': groups, 'batch_group_count': batch_groups}
  return Case(op, [Array(type_, lhs), Array(r.choice(TYPES) if r.random() < .2 else type_, rhs)], attributes)


def scan(r, op):
  dims = sizes(r, 1, 3)
  along = r.randrange(len(dims))
  rest = dims[:along] + dims[along + 1:]
  inputs = [r.choice(TYPES) for _ in range(r.randint(1, 2))]
  carries = [Array(r.choice(TYPES), sizes(r, 0, 2)) for _ in range(r.randint(0, 2))]
  outputs = [Array(r.choice(TYPES), sizes(r, len(rest), 3)) for _ in range(r.randint(0, 2))]
  return Case(op, [Array(t, dims) for t in inputs] + carries,
              {'dimensions': [along], 'num_carries': len(carries), 'is_reverse': r.random() < .5,
               'to_apply': Callee([Array(t, rest) for t in inputs] + carries, Tuple_(outputs + carries))})


# --- Control flow and tuples ---------------------------------------------------------------------
def while_(r, op):
  state = any_shape(r)
  return Case(op, [state], {'condition': Callee([state], Array('pred')), 'body': Callee([state], state)})


def looser(r, shape):
  shape = shape.copy()
  if isinstance(shape, Array):
    shape.dims = loose(r, shape.dims)
  elif isinstance(shape, Tuple_):
    shape.elements = [looser(r, e) for e in shape.elements]
  return shape


def conditional(r, op):
  result = any_shape(r)
  two = r.random() < .5
  arguments = [any_shape(r, 1) for _ in range(2 if two else r.randint(1, 3))]
  branches = [Callee([a], looser(r, result)) for a in arguments]
  attributes = ({'true_computation': branches[0], 'false_computation': branches[1]} if two else
                {'branch_computations': branches})
  return Case(op, [Array('pred' if two else 's32')] + arguments, attributes)


# Ops whose declarations leave something open that an answer depends on: how attributes and operands go together, what a
# computation is given.
DRAWN = {
    'map': map_, 'broadcast': broadcast, 'concatenate': concatenate, 'pad': pad, 'gather': gather, 'scatter': scatter,
    'topk': topk, 'fft': fft, 'triangular-solve': triangular_solve, 'ragged-dot': ragged_dot, 'scaled-dot': scaled_dot,
    'reduce-window': reduce_window, 'select-and-scatter': select_and_scatter, 'convolution': convolution, 'scan': scan,
    'while': while_, 'conditional': conditional,
}
# The result's type may be asked for, and needs not be.
TYPE_LEFT_OUT = ('dot',)
# XLA's text wants the shape of their results, or they aren't right alone.
NOT_ASKED = ('reduce-precision', 'slice', 'dynamic-slice', 'dynamic-update-slice', 'rng-get-and-update-state', 'fusion',
             'outfeed', 'send', 'send-done', 'recv-done', 'all-reduce', 'all-reduce-start', 'all-reduce-done', 'all-gather-done', 'all-to-all',
             'ragged-all-to-all', 'collective-broadcast', 'collective-permute', 'collective-permute-done', 'async-done',
             'copy-start', 'copy-done',
             # Of XLA 0.12.
             'exp2', 'log2', 'shuffle', 'collective-reduce')


def drawn(table):
  """What is drawn of each op. `table`: the op table's declarations, as `indim explain --json ops` prints them.

  Ops are drawn of what they declare (random_declared.py); where that doesn't suffice there is a function above.
  """
  draws = {op['op']: draw_declared(op) for op in table
           if op['op'] not in NOT_ASKED and (op['given'] == 'inferred' or op['op'] in TYPE_LEFT_OUT)}
  draws.update(DRAWN)
  return draws


def draw(r, draws, op, constraints=()):
  """`constraints`: what the op declares, of which one is broken in every fourth case."""
  case = draws[op](r, op)
  if r.random() < .25:
    break_declared(r, case, constraints)
    return case
  while r.random() < .5:
    spoil(r, case)
  return case
