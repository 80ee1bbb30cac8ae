# SPDX-License-Identifier: Apache-2.0
"""What the ops mean, in NumPy: the second judge beside XLA.

A test says what a result must be as a Python expression over these functions and the inputs p0, p1, ... Inputs of a
float type come widened to double (complex ones to double complex), so that a result is computed more exactly than XLA
does it, and then rounded to the result's type; integers come as they are, so that they wrap around. raw[0], raw[1], ...
are the inputs as they are.
"""

import math

import ml_dtypes
import numpy as np

from numpy_blocks import *  # pylint: disable=wildcard-import  # tests name its functions
from numpy_models import *  # pylint: disable=wildcard-import

TYPES = {
    "pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8, "u16": np.uint16,
    "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
    "c128": np.complex128, "bf16": ml_dtypes.bfloat16, "f8e5m2": ml_dtypes.float8_e5m2, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e4m3": ml_dtypes.float8_e4m3, "f8e3m4": ml_dtypes.float8_e3m4,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu, "f4e2m1fn": ml_dtypes.float4_e2m1fn, "s4": ml_dtypes.int4, "u4": ml_dtypes.uint4,
    "s2": ml_dtypes.int2, "u2": ml_dtypes.uint2,
}
NARROW_INTEGERS = ("s4", "u4", "s2", "u2")


def parse_shape(text):
  """("f32", (2, 3)) from "f32[2,3]"."""
  name, dims = text.rstrip("]").split("[")
  return name, tuple(int(d.lstrip("<=")) for d in dims.split(",") if d)


def is_float(name):
  return name[0] == "f" or name == "bf16"


def is_complex(name):
  return name[0] == "c"


def all_wide(raw):
  return [wide(array) for array in raw]


def wide(array):
  """As doubles when the values are floats; narrow integers as bytes."""
  names = [n for n, t in TYPES.items() if np.dtype(t) == array.dtype]
  if is_float(names[0]):
    return array.astype(np.float64)
  if is_complex(names[0]):
    return array.astype(np.complex128)
  if names[0] in NARROW_INTEGERS:
    return array.astype(np.float32).astype(np.int8)
  return array


# --- Inputs --------------------------------------------------------------------------------------------------------


def random_floats(random, domain, dims):
  if domain == "positive":
    return random.uniform(0.1, 4.0, dims)
  if domain == "unit":
    return random.uniform(-0.74, 0.9, dims)  # truncated to 0, also after rounding to a narrow type
  if domain == "above_one":
    return random.uniform(1.1, 4.0, dims)
  if domain == "weight":  # so that a layer's results are about as large as its inputs
    added = 4 if len(dims) < 2 else dims[0] if len(dims) == 2 else np.prod(dims) / max(dims)
    return np.asarray(random.normal(size=dims)) / np.sqrt(added)
  if domain == "count":
    return random.integers(0, 16, dims) / 4.0
  if domain in ("small", "shift"):
    return random.integers(-4, 5, dims).astype(np.float64)
  if domain == "exponent":
    return random.uniform(-2.0, 2.0, dims)
  values = np.asarray(random.normal(size=dims) * 2.0)
  if domain == "special":
    specials = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
    values = np.where(random.random(dims) < 0.4, random.choice(specials, dims), values)
  return values


def random_integers(random, domain, dims, name):
  bits, signed = int(name[1:]), name[0] == "s"
  low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
  if domain == "shift":
    low, high = max(low, -2), min(high, bits + 4)
  elif domain == "exponent":
    low, high = 0, min(high, 6)
  elif domain == "positive":
    low, high = 1, min(high, 50)
  elif domain == "count":
    low, high = 0, min(high, 5)
  elif domain == "unit":
    low, high = 0, 2
  elif domain != "any" and domain != "special" or random.random() < 0.5:
    low, high = max(low, -6), min(high, 7)
  kind = np.int64 if signed else np.uint64
  return random.integers(low, high, dims, dtype=kind)


def make_input(random, spec):
  """An array of `shape` (text): `values`, nested lists, or made up from `domain`."""
  name, dims = parse_shape(spec["shape"])
  if "values" in spec:
    return np.asarray(spec["values"], dtype=TYPES[name]).reshape(dims)
  domain = spec["domain"]
  if name == "pred":
    values = random.integers(0, 2, dims)
  elif is_float(name):
    values = random_floats(random, domain, dims)
    if name == "f8e8m0fnu":
      values = 2.0 ** np.round(values)
  elif is_complex(name):
    values = random_floats(random, domain, dims) + 1j * random_floats(random, domain, dims)
  else:
    values = random_integers(random, domain, dims, name)
  return np.asarray(values).astype(TYPES[name])


# --- Broadcasting --------------------------------------------------------------------------------------------------
# Each returns the operands grown to the result's dims.


def xla(a, b, dimensions=()):
  """dimensions[i]: the dim of the operand of higher rank that dim i of the other is matched with."""
  if a.ndim == b.ndim:
    return np.broadcast_arrays(a, b)
  low, high = (a, b) if a.ndim < b.ndim else (b, a)
  sizes = [1] * high.ndim
  for i, d in enumerate(dimensions):
    sizes[d] = low.shape[i]
  placed = low.reshape(sizes)
  return np.broadcast_arrays(*((placed, b) if low is a else (a, placed)))


def numpy(a, b):
  return np.broadcast_arrays(a, b)


def none(a, b):
  assert a.shape == b.shape
  return a, b


def pdpd(a, b, axis):
  """b onto a from dim `axis`; its trailing 1s are ignored; a never grows."""
  start = a.ndim - b.ndim if axis == -1 else axis
  sizes = list(b.shape)
  while sizes and sizes[-1] == 1:
    sizes.pop()
  placed = b.reshape(sizes + [1] * (a.ndim - start - len(sizes)))
  return a, np.broadcast_to(placed, a.shape)


def in_dim(a, sizes, dimensions):
  """broadcast-in-dim."""
  placed = [1] * len(sizes)
  for i, d in enumerate(dimensions):
    placed[d] = a.shape[i]
  return np.broadcast_to(a.reshape(placed), sizes)


def grown(scalar, like):
  return np.broadcast_to(scalar, like.shape) if scalar.ndim == 0 else scalar


# --- Elementwise ---------------------------------------------------------------------------------------------------


def integral(a):
  return a.dtype.kind in "iu"


def by_element(function, *arrays):
  """`function` of Python's integers, without end; the result wraps around to the arrays' type."""
  first = arrays[0]
  bits = first.dtype.itemsize * 8
  flat = [function(*(int(v) for v in values)) & (2**bits - 1) for values in zip(*(np.ravel(a) for a in arrays))]
  unsigned = np.array(flat, dtype=np.uint64).astype("u%d" % first.dtype.itemsize)
  return unsigned.view(first.dtype).reshape(first.shape)


def unsigned_of(value, a):
  return value & (2 ** (a.dtype.itemsize * 8) - 1)


def divide_whole(x, y):
  if y == 0:
    return -1
  quotient = abs(x) // abs(y)
  return quotient if (x < 0) == (y < 0) else -quotient


def op_divide(a, b):
  return by_element(divide_whole, a, b) if integral(a) else a / b


def op_remainder(a, b):
  if integral(a):
    return by_element(lambda x, y: x - y * divide_whole(x, y) if y else x, a, b)
  return np.fmod(a, b)


def op_power(a, b):
  return by_element(lambda x, y: x**y, a, b) if integral(a) else np.power(a, b)


def op_mulhi(a, b):
  return by_element(lambda x, y: x * y >> a.dtype.itemsize * 8, a, b)


def shift(a, b, function, far):
  """`function` within the width, else far(x): a count is read as unsigned."""
  bits = a.dtype.itemsize * 8
  return by_element(lambda x, y: function(x, y) if 0 <= y < bits else far(x), a, b)


def op_shift_left(a, b):
  return shift(a, b, lambda x, y: x << y, lambda x: 0)


def op_shift_right_arithmetic(a, b):
  as_signed = a.view("i%d" % a.dtype.itemsize)
  return shift(as_signed, b, lambda x, y: x >> y, lambda x: -1 if x < 0 else 0).view(a.dtype)


def op_shift_right_logical(a, b):
  return shift(a, b, lambda x, y: unsigned_of(x, a) >> y, lambda x: 0)


def op_atan2(a, b):
  return np.arctan2(a, b)


def op_complex(a, b):
  return a + 1j * b


op_add, op_subtract, op_multiply = np.add, np.subtract, np.multiply
op_maximum, op_minimum = np.maximum, np.minimum
op_and, op_or, op_xor = np.bitwise_and, np.bitwise_or, np.bitwise_xor
op_eq, op_ne, op_ge, op_gt, op_le, op_lt = (
    np.equal, np.not_equal, np.greater_equal, np.greater, np.less_equal, np.less)


def total_order(a):
  """Integers in the order -NaN < -inf < ... < -0 < 0 < ... < inf < NaN. `a` is of its own type."""
  bits = a.view("i%d" % a.dtype.itemsize)
  return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


op_abs, op_acos, op_acosh, op_asin, op_asinh, op_atanh = np.abs, np.arccos, np.arccosh, np.arcsin, np.arcsinh, np.arctanh
op_cbrt, op_ceil, op_floor, op_cosh, op_cosine, op_tan = np.cbrt, np.ceil, np.floor, np.cosh, np.cos, np.tan
op_exponential, op_exponential_minus_one, op_log, op_log_plus_one = np.exp, np.expm1, np.log, np.log1p
op_sine, op_sinh, op_sqrt, op_tanh, op_is_finite = np.sin, np.sinh, np.sqrt, np.tanh, np.isfinite
op_not, op_negate, op_sign, op_real, op_imag = np.invert, np.negative, np.sign, np.real, np.imag
op_round_nearest_even = np.rint


def op_copy(a):
  return a


def op_rsqrt(a):
  return 1 / np.sqrt(a)


def op_logistic(a):
  return 1 / (1 + np.exp(-a))


def op_erf(a):
  return np.vectorize(math.erf, otypes=[np.float64])(a)


def op_round_nearest_afz(a):
  return np.copysign(np.floor(np.abs(a) + 0.5), a)


def op_count_leading_zeros(a):
  bits = a.dtype.itemsize * 8
  return by_element(lambda x: bits - unsigned_of(x, a).bit_length(), a)


def op_popcnt(a):
  return by_element(lambda x: bin(unsigned_of(x, a)).count("1"), a)


def reduce_precision(a, exponent_bits, mantissa_bits):
  fraction, exponent = np.frexp(a)
  scale = 2.0 ** (mantissa_bits + 1)
  rounded = np.ldexp(np.rint(fraction * scale) / scale, exponent)
  bias = 2 ** (exponent_bits - 1) - 1
  rounded = np.where(np.abs(rounded) >= np.ldexp(1.0, bias + 1), np.copysign(np.inf, a), rounded)
  rounded = np.where(np.abs(rounded) < np.ldexp(1.0, 1 - bias), np.copysign(0.0, a), rounded)
  return np.where(np.isfinite(a), rounded, a)


def select(pred, on_true, on_false):
  dims = max((pred, on_true, on_false), key=np.ndim).shape
  return np.where(*(np.broadcast_to(a, dims) for a in (pred, on_true, on_false)))


def clamp(low, a, high):
  return np.minimum(np.maximum(a, low), high)


def convert(a, name):
  """`a` is of its own type."""
  if is_complex(str_type(a)) and not is_complex(name):
    a = a.real
  if name == "pred":
    return a != 0
  if is_float(str_type(a)):
    a = a.astype(np.float64)
    if not is_float(name) and not is_complex(name):
      a = np.trunc(a).astype(np.int64)
  elif str_type(a) in NARROW_INTEGERS:
    a = a.astype(np.int64)
  return a.astype(TYPES[name])


def str_type(a):
  return [n for n, t in TYPES.items() if np.dtype(t) == a.dtype][0]


def bitcast_convert(a, name):
  """`a` is of its own type. The last dim holds the parts of a wider element."""
  old, new = a.dtype.itemsize, np.dtype(TYPES[name]).itemsize
  a = np.ascontiguousarray(a)
  if old == new:
    return a.view(TYPES[name])
  if old > new:
    return np.frombuffer(a.tobytes(), TYPES[name]).reshape(a.shape + (old // new,))
  return np.frombuffer(a.tobytes(), TYPES[name]).reshape(a.shape[:-1])


# --- Data movement -------------------------------------------------------------------------------------------------


def iota(dims, dimension):
  return in_dim(np.arange(dims[dimension]), dims, [dimension])


def slices(a, starts, limits, strides):
  return a[tuple(slice(*s) for s in zip(starts, limits, strides or [1] * a.ndim))]


def pad(a, value, padding):
  """padding: (low, high, interior) of each dim; negative low and high cut off."""
  for d, (low, high, interior) in enumerate(padding):
    size = a.shape[d] + max(a.shape[d] - 1, 0) * interior
    dims = list(a.shape)
    dims[d] = max(low, 0) + size + max(high, 0)
    grown_to = np.full(dims, value, dtype=a.dtype)
    where = [slice(None)] * a.ndim
    where[d] = slice(max(low, 0), max(low, 0) + size, interior + 1)
    grown_to[tuple(where)] = a
    where[d] = slice(max(-low, 0), dims[d] - max(-high, 0))
    a = grown_to[tuple(where)]
  return a


def transpose(a, permutation):
  return np.transpose(a, permutation)


def reverse(a, dimensions):
  return np.flip(a, tuple(dimensions))


def concatenate(arrays, dimension):
  return np.concatenate(arrays, dimension)


# --- Contraction and reduction -------------------------------------------------------------------------------------


def dot(a, b, contract_a, contract_b, batch_a=(), batch_b=()):
  """The result's dims: the batch dims, a's free ones, b's free ones."""
  letters = iter("abcdefghijklmnopqrstuvwxyz")
  names_a, names_b = [None] * a.ndim, [None] * b.ndim
  for i, j in list(zip(contract_a, contract_b)) + list(zip(batch_a, batch_b)):
    names_a[i] = names_b[j] = next(letters)
  batch = [names_a[i] for i in batch_a]
  free_a = [i for i, n in enumerate(names_a) if n is None]
  free_b = [i for i, n in enumerate(names_b) if n is None]
  for i in free_a:
    names_a[i] = next(letters)
  for i in free_b:
    names_b[i] = next(letters)
  result = batch + [names_a[i] for i in free_a] + [names_b[i] for i in free_b]
  return np.einsum("%s,%s->%s" % ("".join(names_a), "".join(names_b), "".join(result)), a, b)


def ragged_dot(a, b, sizes):
  """Rows of a[m,k], in groups of `sizes`, with the groups' own matrices b[g,k,n]; rows beyond them give 0."""
  result, row = np.zeros((a.shape[0], b.shape[2])), 0
  for size, matrix in zip(map(int, sizes), b):
    result[row:row + size] = a[row:row + size] @ matrix
    row += size
  return result


def lower_solve(a, b):
  """x of a x = b, of whose a only the lower triangle is read."""
  return np.linalg.solve(np.tril(a), b)


def reduce(function, a, init, dimensions):
  for d in sorted(dimensions, reverse=True):
    a = function.reduce(a, axis=d, dtype=a.dtype)
  return function(a, init)


def flat_positions(a, dimensions):
  """`a` with the reduced dims as one, last."""
  kept = [d for d in range(a.ndim) if d not in dimensions]
  moved = np.transpose(a, kept + list(dimensions))
  return moved.reshape([a.shape[d] for d in kept] + [-1])


def argmax_value(values, indices, dimensions):
  flat = flat_positions(values, dimensions)
  return flat.max(axis=-1)


def argmax_index(values, indices, dimensions):
  """The smallest index among those of the greatest value."""
  flat, places = flat_positions(values, dimensions), flat_positions(indices, dimensions)
  best = flat.max(axis=-1, keepdims=True)
  return np.where(flat == best, places, np.iinfo(np.int32).max).min(axis=-1)


# --- Composites ----------------------------------------------------------------------------------------------------


def softmax(a, axis):
  e = np.exp(a - a.max(axis=axis, keepdims=True))
  return e / e.sum(axis=axis, keepdims=True)


def log_softmax(a, axis):
  shifted = a - a.max(axis=axis, keepdims=True)
  return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def logsumexp(a, axis, keepdims):
  greatest = a.max(axis=axis, keepdims=True, initial=-np.inf)
  greatest = np.where(np.isfinite(greatest), greatest, 0)
  result = np.log(np.exp(a - greatest).sum(axis=axis, keepdims=True)) + greatest
  return result if keepdims else result.reshape([d for i, d in enumerate(a.shape) if i not in axis])


def cumulative(function, a, axis, backwards, exclusive, start):
  if backwards:
    return np.flip(cumulative(function, np.flip(a, axis), axis, False, exclusive, start), axis)
  folded = function.accumulate(a, axis=axis, dtype=a.dtype)
  if not exclusive:
    return folded
  first = np.full([1 if d == axis else n for d, n in enumerate(a.shape)], start, dtype=a.dtype)
  return np.concatenate([first, np.delete(folded, -1, axis)], axis)


def one_hot(a, depth, axis):
  return np.moveaxis(a[..., None] == np.arange(depth), -1, axis)


def take_batched(a, indices, axis, batch):
  if batch == 0:
    return np.take(a, indices, axis, mode="clip")
  return np.stack([take_batched(x, i, axis - 1, batch - 1) for x, i in zip(a, indices)])


def gelu(a, approximate):
  if approximate:
    return 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))
  return 0.5 * a * (1 + op_erf(a / np.sqrt(2)))


# --- Comparing -----------------------------------------------------------------------------------------------------


def tolerance(name, ulps):
  """Relative and absolute: `ulps` steps of the type, and what flushing a denormal changes."""
  component = {"c64": "f32", "c128": "f64"}.get(name, name)
  info = ml_dtypes.finfo(TYPES[component])
  default = 1 if info.bits <= 16 else 24
  return float(info.eps) * (ulps or default), float(info.tiny) * 2


def compare(got, result, raw):
  """None, or how `got` differs from what result["expect"] says; `raw` are the inputs."""
  label = "%s: %s" % (result["shape"], result["expect"])
  name, dims = parse_shape(result["shape"])
  if got.dtype != np.dtype(TYPES[name]) or got.shape != dims:
    return "%s: XLA gives %s[%s]" % (label, got.dtype, ",".join(map(str, got.shape)))
  scope = dict(globals(), raw=raw)
  scope.update(("p%d" % i, wide(a)) for i, a in enumerate(raw))
  expected = np.asarray(eval(result["expect"], scope))  # pylint: disable=eval-used  # our own tests' text
  if expected.shape != dims:
    return "%s: NumPy gives dims %s" % (label, expected.shape)
  expected = wide(expected.astype(TYPES[name]))
  value = wide(got)
  if is_float(name) or is_complex(name):
    relative, absolute = tolerance(name, result["ulps"])
    absolute += result.get("absolute", 0)
    close = np.abs(value - expected) <= relative * np.abs(expected) + absolute
    same = close | (value == expected) | (np.isnan(value) & np.isnan(expected))
  else:
    same = value == expected
  if same.all():
    return None
  where = tuple(int(i) for i in np.argwhere(~same)[0])
  return "%s: at %s XLA gives %r, NumPy %r (%d of %d differ)" % (
      label, list(where), got[where], expected[where], int((~same).sum()), same.size)
