# SPDX-License-Identifier: Apache-2.0
"""Prints how many ms of the processor JAX takes to trace the gradient of the GPT of bench/grad_bench.cc, for a number of LAYERS: the least of three."""
import sys
import time

import jax
import jax.numpy as jnp

BATCH, LENGTH, VOCABULARY, WIDTH, HEADS = 4, 128, 512, 256, 4


def gpt(weights, tokens, labels):
    weights = iter(weights)

    def normalized(x):
        scale, offset = next(weights), next(weights)
        centered = x - x.mean(-1, keepdims=True)
        return centered * jax.lax.rsqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * scale + offset

    def linear(x):
        w, bias = next(weights), next(weights)
        return x @ w + bias

    def attention(x):
        query, key, value = (linear(x).reshape(BATCH, LENGTH, HEADS, -1) for _ in range(3))
        return linear(jax.nn.dot_product_attention(query, key, value, is_causal=True).reshape(BATCH, LENGTH, WIDTH))

    embedding = next(weights)
    x = embedding[tokens] + next(weights)
    for _ in range(LAYERS):
        x = x + attention(normalized(x))
        x = x + linear(jax.nn.gelu(linear(normalized(x)), approximate=True))
    logs = jax.nn.log_softmax(normalized(x) @ embedding.T)
    return -jnp.take_along_axis(logs, labels[..., None], -1).mean()


def shapes():
    square, vector = [(WIDTH, WIDTH), (WIDTH,)], [(WIDTH,), (WIDTH,)]
    layer = vector + 4 * square + vector + [(WIDTH, 4 * WIDTH), (4 * WIDTH,), (4 * WIDTH, WIDTH), (WIDTH,)]
    return [(VOCABULARY, WIDTH), (LENGTH, WIDTH)] + LAYERS * layer + vector


LAYERS = int(sys.argv[1])
least = float("inf")
for _ in range(3):
    jax.clear_caches()
    numbers = jax.ShapeDtypeStruct((BATCH, LENGTH), jnp.int32)
    weights = [jax.ShapeDtypeStruct(sizes, jnp.float32) for sizes in shapes()]
    begin = time.process_time()
    jax.jit(jax.grad(gpt)).trace(weights, numbers, numbers)
    least = min(least, time.process_time() - begin)
print(least * 1e3)
