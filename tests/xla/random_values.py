# SPDX-License-Identifier: Apache-2.0
"""Element types, sizes and shapes that random questions are made of."""

from random_shapes import SIZES, TYPES, Array, Callee, Token, Tuple_

FLOATS = 'f16 bf16 f32 f64 f8e4m3fn f8e5m2'.split()
COMPLEX = ['c64', 'c128']
SIGNED = 's4 s8 s16 s32 s64'.split()
INTEGERS = SIGNED + 'u8 u16 u32 u64'.split()


def size(r):
  what = r.random()
  if what < .72:
    return r.choice(SIZES)
  return r.choice(['?', '<=1', '<=3', '<=4', '<=6', '<=0', 0, 1]) if what < .95 else 0


def sizes(r, low=0, high=4):
  if r.random() < .4:
    return [r.choice(SIZES) for _ in range(r.randint(low, high))]
  return [size(r) for _ in range(r.randint(low, high))]


def bound(d, unknown=4):
  """A static size that fits a dim."""
  return d if isinstance(d, int) else unknown if d == '?' else int(d[2:])


def loose(r, dims):
  """The same dims, some of them dynamic where they were not, and the other way round."""
  return [r.choice(['?', d, '<=%d' % bound(d)]) if r.random() < .12 else d for d in dims]


def float_near(r, type_):
  """Inference lets floats of any precision meet."""
  return r.choice(FLOATS) if type_ in FLOATS and r.random() < .2 else type_


def some(r, rank, count=None):
  return r.sample(range(rank), r.randint(0, rank) if count is None else count)


def reducer(r, inits, inputs=None):
  """The signature that adds scalars of these types."""
  inits = [Array(t) for t in inits]
  inputs = [Array(t) for t in inputs] if inputs else inits
  return Callee(inits + inputs, inits[0] if len(inits) == 1 else Tuple_(inits))


def any_shape(r, depth=0):
  what = r.random()
  if what < .1:
    return Token()
  if what < .45 and depth < 2:
    return Tuple_(any_shape(r, depth + 1) for _ in range(r.randint(0, 3)))
  return Array(r.choice(TYPES), sizes(r))
