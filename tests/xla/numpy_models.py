# SPDX-License-Identifier: Apache-2.0
"""What the models of examples/ compute, in NumPy; numpy_reference.py says how tests use it.

Each function takes the inputs of the module, in their order, and returns its results as a list. The formulas are those of
the papers that the models' headers name, written down independently of Indim.
"""

import numpy as np

from numpy_blocks import batch_norm, categorical, max_pool, rms_norm, used_counters

# --- Training ------------------------------------------------------------------------------------------------------


def train_step(x, y, w1, b1, w2, b2, rate):
  """A step of two dense layers, tanh between, softmax cross-entropy: the new weights and the loss before it."""
  hidden = np.tanh(x @ w1 + b1)
  logits = hidden @ w2 + b2
  shifted = logits - logits.max(axis=1, keepdims=True)
  log_probabilities = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
  loss = -(y * log_probabilities).sum() / len(x)
  d_logits = (np.exp(log_probabilities) - y) / len(x)
  d_hidden = (d_logits @ w2.T) * (1 - hidden**2)
  gradients = x.T @ d_hidden, d_hidden.sum(axis=0), hidden.T @ d_logits, d_logits.sum(axis=0)
  return [w - rate * g for w, g in zip((w1, b1, w2, b2), gradients)] + [loss]


def fit_line(x, y, steps):
  """Adam on the mean of the squared errors of x . w + c."""
  w, means, squares = np.zeros(4), np.zeros(4), np.zeros(4)  # c is the last weight
  inputs = np.concatenate([x, np.ones((len(x), 1))], 1)
  for step in range(1, steps + 1):
    gradient = 2 * inputs.T @ (inputs @ w - y) / len(x)
    means = 0.9 * means + (1 - 0.9) * gradient
    squares = 0.999 * squares + (1 - 0.999) * gradient**2
    w = w - 0.1 * (means / (1 - 0.9**step)) / (np.sqrt(squares / (1 - 0.999**step)) + 1e-8)
  return [part for whole in (w, means, squares) for part in (whole[:3], whole[3])]


# --- Sequences -----------------------------------------------------------------------------------------------------


def sigmoid(x):
  return 1 / (1 + np.exp(-x))


def lstm(x, w_input, w_hidden, bias):
  hidden = cell = np.zeros((x.shape[1], len(w_hidden)))
  outputs = []
  for now in x:
    in_gate, forget, new, out_gate = np.split(now @ w_input + hidden @ w_hidden + bias, 4, -1)
    cell = sigmoid(forget) * cell + sigmoid(in_gate) * np.tanh(new)
    hidden = sigmoid(out_gate) * np.tanh(cell)
    outputs.append(hidden)
  return [hidden, cell, np.stack(outputs)]


def rotated(x, position):
  """Rotary embedding of x [..., size] whose halves belong together."""
  half = x.shape[-1] // 2
  angle = position / 10000 ** (np.arange(half) / half)
  a, b = x[..., :half], x[..., half:]
  return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], -1)


def decoder(prompt, state, embedding, norm, *weights):
  """Without a cache: attention over all keys and values so far, token by token."""
  layers = [weights[i:i + 7] for i in range(0, len(weights), 7)]
  given, time = prompt.shape[1], 12
  tokens = np.zeros((len(prompt), time), np.int32)
  tokens[:, :given] = prompt
  key, counter = int(state[0]), int(state[1])
  cached = [([], []) for _ in layers]
  for i in range(time - 1):
    x = embedding[tokens[:, i]]
    for (norm1, qkv, out, norm2, gate, up, down), (keys, values) in zip(layers, cached):
      q, k, v = np.split(np.einsum("bd,dhs->bhs", rms_norm(x, norm1, 1e-6), qkv), 3, 1)
      keys.append(rotated(k, i))
      values.append(v)
      scores = np.einsum("bhs,tbhs->bht", rotated(q, i), np.array(keys)) / np.sqrt(q.shape[-1])
      scores = np.exp(scores - scores.max(-1, keepdims=True))
      seen = np.einsum("bht,tbhs->bhs", scores / scores.sum(-1, keepdims=True), np.array(values))
      x = x + np.einsum("bhs,hsd->bd", seen, out)
      y = rms_norm(x, norm2, 1e-6)
      x = x + ((y @ gate) * sigmoid(y @ gate) * (y @ up)) @ down
    logits = rms_norm(x, norm, 1e-6) @ embedding.T
    eighth = np.sort(logits, -1)[:, -8:-7]
    choice = categorical("three_fry", [key, counter], np.where(logits >= eighth, logits / 0.8, -1e30), "f32", -1)
    counter += used_counters("three_fry", list(logits.shape), 32)
    if i + 1 >= given:
      tokens[:, i + 1] = choice
  def padded(cache):
    return np.pad(np.stack(cache, 1), [(0, 0), (0, 1), (0, 0), (0, 0)])
  return [tokens, np.array([key, counter], np.uint64)] + [padded(c) for both in cached for c in both]


# --- Images --------------------------------------------------------------------------------------------------------


def convolution(x, kernel, stride, pad):
  """x [batch, height, width, features], kernel [height, width, input features, features]."""
  x = np.pad(x, [(0, 0), (pad, pad), (pad, pad), (0, 0)])
  height, width = ((n - k) // stride + 1 for n, k in zip(x.shape[1:3], kernel.shape[:2]))
  result = 0
  for i, j in np.ndindex(*kernel.shape[:2]):
    result = result + x[:, i:i + stride * height:stride, j:j + stride * width:stride] @ kernel[i, j]
  return result


def softmax(x):
  powers = np.exp(x - x.max(-1, keepdims=True))
  return powers / powers.sum(-1, keepdims=True)


def resnet(images, *weights, blocks):
  weights = iter(weights)

  def conv_norm(x, stride):
    kernel = next(weights)
    scale, offset, mean, variance = (next(weights) for _ in range(4))
    return batch_norm(convolution(x, kernel, stride, len(kernel) // 2), scale, offset, mean, variance, -1, 1e-5)

  def bottleneck(x, stride, widens):
    y = np.maximum(conv_norm(x, 1), 0)
    y = np.maximum(conv_norm(y, stride), 0)
    y = conv_norm(y, 1)
    return np.maximum(y + (conv_norm(x, stride) if widens else x), 0)

  x = np.maximum(conv_norm(images, 2), 0)
  x = max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], [(0, 0), (1, 1), (1, 1), (0, 0)])
  for stage, count in enumerate(blocks):
    for block in range(count):
      x = bottleneck(x, 2 if stage and not block else 1, not block)
  matrix, bias = weights
  return [softmax(x.mean((1, 2)) @ matrix + bias)]


def residual_tower(planes, *weights, blocks, moves):
  weights = iter(weights)

  def conv(x):
    kernel = np.transpose(next(weights), (2, 3, 1, 0))
    return convolution(x, kernel, 1, len(kernel) // 2) + next(weights)

  def dense(x):
    return x @ next(weights) + next(weights)

  def flat(x):
    return np.transpose(x, (0, 3, 1, 2)).reshape(len(x), -1)

  x = np.maximum(conv(np.transpose(planes, (0, 2, 3, 1))), 0)
  for _ in range(blocks):
    y = conv(np.maximum(conv(x), 0))
    factor, term = np.split(dense(np.maximum(dense(y.mean((1, 2))), 0)), 2, 1)
    x = np.maximum(x + y * sigmoid(factor)[:, None, None] + term[:, None, None], 0)
  policy = flat(conv(np.maximum(conv(x), 0)))[:, moves]
  value = np.maximum(dense(flat(np.maximum(conv(x), 0))), 0)
  return [policy, softmax(dense(value))]
