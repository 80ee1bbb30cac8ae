# SPDX-License-Identifier: Apache-2.0
"""What the composites that are building blocks of models mean, in NumPy; numpy_reference.py says how tests use it.

Pooling, normalization, attention, losses, random numbers. The formulas are those of the papers and of JAX (jax.nn,
flax.linen, optax), written down independently of Indim.
"""

import itertools

import numpy as np

# --- Pooling -------------------------------------------------------------------------------------------------------


def pads(sizes, window, strides, padding):
  """(low, high) of each dim: of "SAME", of "VALID", or as given."""
  if padding == "VALID":
    return [(0, 0)] * len(sizes)
  if padding != "SAME":
    return padding
  totals = [max((-(-n // s) - 1) * s + w - n, 0) for n, w, s in zip(sizes, window, strides)]
  return [(t // 2, t - t // 2) for t in totals]


def pooled(a, window, strides, padding, function, dtype=np.float64):
  """`function` of the elements under each position of the window, as a list; the results are of `dtype`."""
  strides = strides or [1] * a.ndim
  around = pads(a.shape, window, strides, padding)
  counts = [(n + low + high - w) // s + 1 for n, (low, high), w, s in zip(a.shape, around, window, strides)]
  result = np.zeros(counts, dtype)
  for at in np.ndindex(*counts):
    places = [range(i * s - low, i * s - low + w) for i, s, (low, _), w in zip(at, strides, around, window)]
    inside = [a[p] for p in itertools.product(*places) if all(0 <= i < n for i, n in zip(p, a.shape))]
    result[at] = function(inside)
  return result


def max_pool(a, window, strides, padding):
  # 64-bit integers don't fit into a double.
  if a.dtype.kind in "iu":
    least = a.dtype.type(np.iinfo(a.dtype).min)
    return pooled(a, window, strides, padding, lambda inside: max([least] + inside), a.dtype)
  return pooled(a, window, strides, padding, lambda inside: max([-np.inf] + inside))


def avg_pool(a, window, strides, padding, count_padding):
  size = int(np.prod(window))
  with np.errstate(invalid="ignore"):
    return pooled(a, window, strides, padding,
                  lambda inside: np.float64(sum(inside)) / (size if count_padding else len(inside)))


# --- Normalization -------------------------------------------------------------------------------------------------


def layer_norm(x, scale, offset, epsilon):
  axes = tuple(range(x.ndim - scale.ndim, x.ndim))
  centered = x - x.mean(axes, keepdims=True)
  return centered / np.sqrt((centered**2).mean(axes, keepdims=True) + epsilon) * scale + offset


def rms_norm(x, scale, epsilon):
  axes = tuple(range(x.ndim - scale.ndim, x.ndim))
  return x / np.sqrt((x**2).mean(axes, keepdims=True) + epsilon) * scale


def batch_norm(x, scale, offset, mean, variance, axis, epsilon):
  place = [-1 if d == axis % x.ndim else 1 for d in range(x.ndim)]
  scale, offset, mean, variance = (v.reshape(place) for v in (scale, offset, mean, variance))
  return (x - mean) / np.sqrt(variance + epsilon) * scale + offset


# --- Optimizers ----------------------------------------------------------------------------------------------------


def sgd(weight, gradient, velocity, rate, momentum, nesterov):
  """Optax's trace and scale: optax.sgd."""
  velocity = gradient + momentum * velocity
  update = gradient + momentum * velocity if nesterov else velocity
  return weight - rate * update, velocity


def adam(weight, gradient, mean, square, step, rate, decay, beta1=0.9, beta2=0.999, epsilon=1e-8):
  """Optax's scale_by_adam, add_decayed_weights and scale: optax.adamw."""
  mean = beta1 * mean + (1 - beta1) * gradient
  square = beta2 * square + (1 - beta2) * gradient**2
  update = mean / (1 - beta1**(step + 1)) / (np.sqrt(square / (1 - beta2**(step + 1))) + epsilon)
  return weight - rate * (update + decay * weight), mean, square


# --- Attention -----------------------------------------------------------------------------------------------------


def attention(query, key, value, mask=None, bias=None, causal=False, scale=None):
  """query [batch, queries, heads, size]; key and value [batch, keys, heads or fewer, size]."""
  group = query.shape[2] // key.shape[2]
  key, value = np.repeat(key, group, 2), np.repeat(value, group, 2)
  scores = np.einsum("btnh,bsnh->bnts", query, key) * (1 / np.sqrt(query.shape[3]) if scale is None else scale)
  if bias is not None:
    scores = scores + bias
  seen = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
  if causal:
    seen = seen & (np.arange(scores.shape[2])[:, None] >= np.arange(scores.shape[3]))
  none = ~seen.any(-1, keepdims=True)  # such a query gets the mean of all values
  scores = np.where(seen, scores, -np.inf)
  scores = np.where(none, 0, scores)
  weights = np.exp(scores - scores.max(-1, keepdims=True))
  weights = weights / weights.sum(-1, keepdims=True)
  return np.einsum("bnts,bsnh->btnh", weights, value)


# --- Losses --------------------------------------------------------------------------------------------------------


def log_probabilities(logits, axis):
  shifted = logits - logits.max(axis=axis, keepdims=True)
  return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def cross_entropy(logits, labels, axis):
  """A label that is no class: 0."""
  logs = np.moveaxis(log_probabilities(logits, axis), axis, -1)
  result = np.zeros(labels.shape)
  for at in np.ndindex(*labels.shape):
    label = int(labels[at])
    if 0 <= label < logs.shape[-1]:
      result[at] = -logs[at][label]
  return result


def soft_cross_entropy(logits, probabilities, axis):
  return -(probabilities * log_probabilities(logits, axis)).sum(axis)


# --- Selection -----------------------------------------------------------------------------------------------------


def from_start(indices, size):
  """Indices below 0 counted from the end, and clipped."""
  indices = np.asarray(indices, object)  # Python's numbers, without end
  return np.asarray(np.clip(np.where(indices < 0, indices + size, indices), 0, size - 1)).astype(np.int64)


def take_from(a, indices, axis):
  return np.take(a, from_start(indices, a.shape[axis]), axis)


def take_along(a, indices, axis):
  return np.take_along_axis(a, from_start(indices, a.shape[axis]), axis)


def update_index(a, update, index, axis):
  result = a.copy()
  np.moveaxis(result, axis, 0)[from_start(index, a.shape[axis])] = update
  return result


# --- Random numbers ------------------------------------------------------------------------------------------------


def low32(x):
  return (x & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def high32(x):
  return (x >> np.uint64(32)).astype(np.uint32)


def join32(low, high):
  return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)


def threefry2x32(counters, key):
  """ThreeFry2x32-20 (Salmon et al. 2011) of an array of u64 counters: two arrays of u32."""
  def rotated(x, n):
    return x << np.uint32(n) | x >> np.uint32(32 - n)
  keys = [low32(key), high32(key)]
  keys.append(np.uint32(0x1BD11BDA) ^ keys[0] ^ keys[1])
  with np.errstate(over="ignore"):
    x, y = low32(counters) + keys[0], high32(counters) + keys[1]
    for group in range(5):
      for rotation in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
        x = x + y
        y = rotated(y, rotation) ^ x
      x = x + keys[(group + 1) % 3]
      y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
  return x, y


def philox4x32(low, high, key):
  """Philox4x32-10 of 128-bit counters: four arrays of u32."""
  words = [low32(low), high32(low), low32(high), high32(high)]
  k0, k1 = low32(key), high32(key)
  with np.errstate(over="ignore"):
    for _ in range(10):
      p0 = words[0].astype(np.uint64) * np.uint64(0xD2511F53)
      p1 = words[2].astype(np.uint64) * np.uint64(0xCD9E8D57)
      words = [high32(p1) ^ words[1] ^ k0, low32(p1), high32(p0) ^ words[3] ^ k1, low32(p0)]
      k0, k1 = k0 + np.uint32(0x9E3779B9), k1 + np.uint32(0xBB67AE85)
  return words


def threefry_bits(state, dims, width):
  key, counter = np.uint64(state[0]), np.uint64(state[1])
  if width == 64:
    counters = counter + np.arange(int(np.prod(dims)), dtype=np.uint64)
    return join32(*threefry2x32(counters, key)).reshape(dims)
  if not dims:
    return threefry2x32(np.array([counter]), key)[0].reshape(())
  # The two words of a counter are neighbours along the first dim of even size, else along the longest.
  even = [d for d, n in enumerate(dims) if n % 2 == 0]
  along = even[0] if even else int(np.argmax(dims))
  half = [-(-n // 2) if d == along else n for d, n in enumerate(dims)]
  counters = counter + np.arange(int(np.prod(half)), dtype=np.uint64).reshape(half)
  pairs = np.stack(threefry2x32(counters, key), along + 1)
  whole = pairs.reshape([2 * n if d == along else n for d, n in enumerate(half)])
  return np.take(whole, np.arange(dims[along]), along)


def philox_bits(state, dims, width):
  count, per_block = int(np.prod(dims)), 128 // width
  blocks = np.arange(-(-count // per_block), dtype=np.uint64)
  low = np.uint64(state[1]) + blocks
  high = np.uint64(state[2]) + (low < np.uint64(state[1])).astype(np.uint64)
  words = philox4x32(low, high, np.uint64(state[0]))
  if width == 64:
    words = [join32(words[0], words[1]), join32(words[2], words[3])]
  return np.stack(words, -1).reshape(-1)[:count].reshape(dims)


def random_bits(algorithm, state, dims, width):
  return (threefry_bits if algorithm == "three_fry" else philox_bits)(state, tuple(dims), width)


def used_counters(algorithm, dims, width):
  """How far random_bits moves the state's counter on."""
  count = int(np.prod(dims))
  if algorithm == "philox":
    return -(-count // (128 // width))
  if width == 64 or not dims:
    return count
  even = [d for d, n in enumerate(dims) if n % 2 == 0]
  along = even[0] if even else int(np.argmax(dims))
  return count // dims[along] * -(-dims[along] // 2)


def whole_numbers(algorithm, state, dims, type_name, digits):
  width = 64 if type_name == "f64" else 32
  return (random_bits(algorithm, state, dims, width) >> np.uint64(width - digits)).astype(np.float64)


def uniform(algorithm, state, dims, type_name):
  digits = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}[type_name]
  return whole_numbers(algorithm, state, dims, type_name, digits) * 2.0**-digits


def open_uniform(algorithm, state, dims, type_name):
  digits = 52 if type_name == "f64" else 23
  return (whole_numbers(algorithm, state, dims, type_name, digits) + 0.5) * 2.0**-digits


def normal(algorithm, state, dims, type_name):
  radius, angle = open_uniform(algorithm, state, [2] + list(dims), type_name)
  return np.sqrt(-2 * np.log(radius)) * np.cos(2 * np.pi * angle)


def categorical(algorithm, state, logits, type_name, axis):
  gumbel = -np.log(-np.log(open_uniform(algorithm, state, logits.shape, type_name)))
  return np.argmax(logits + gumbel, axis)


def dropout(algorithm, state, x, rate):
  keeps = uniform(algorithm, state, x.shape, "f32") >= np.float32(rate)
  return np.where(keeps, x if rate == 1 else x / (1 - rate), 0)
