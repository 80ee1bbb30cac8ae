# SPDX-License-Identifier: Apache-2.0
"""Prints how many ms of the processor JAX takes to trace the gradient of the GPT of bench/grad_bench.cc, for a number of LAYERS: the least of three, of many layers the only one."""
import sys
import time

import jax
import jax.numpy as jnp

BATCH, LENGTH, VOCABULARY, WIDTH, HEADS = 4, 128, 512, 264, 12
HEAD = WIDTH // HEADS


def gpt(weights, tokens, labels):
    weights = iter(weights)

    def normalized(x):
        scale, offset = next(weights), next(weights)
        centered = x - x.mean(-1, keepdims=True)
        return centered * jax.lax.rsqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * scale + offset

    def linear(x):
        w, bias = next(weights), next(weights)
        return x @ w + bias

    def turned(x):
        first, second = jnp.split(x, 2, -1)
        return x * cosine + jnp.concatenate([-second, first], -1) * sine

    def attention(x):
        def head():
            query, key, value = turned(linear(x)), turned(linear(x)), linear(x)
            query, key, value = (part[:, :, None] for part in (query, key, value))
            return linear(jax.nn.dot_product_attention(query, key, value, is_causal=True)[:, :, 0])
        return sum((head() for _ in range(HEADS - 1)), start=head())

    embedding = next(weights)
    x = embedding[tokens]
    cosine, sine = next(weights), next(weights)
    for _ in range(LAYERS):
        x = x + attention(normalized(x))
        x = x + linear(jax.nn.gelu(linear(normalized(x)), approximate=True))
    logs = jax.nn.log_softmax(normalized(x) @ embedding.T)
    return -jnp.take_along_axis(logs, labels[..., None], -1).mean()


def shapes():
    head = 3 * [(WIDTH, HEAD), (HEAD,)] + [(HEAD, WIDTH), (WIDTH,)]
    vector = [(WIDTH,), (WIDTH,)]
    layer = vector + HEADS * head + vector + [(WIDTH, 4 * WIDTH), (4 * WIDTH,), (4 * WIDTH, WIDTH), (WIDTH,)]
    return [(VOCABULARY, WIDTH)] + 2 * [(LENGTH, HEAD)] + LAYERS * layer + vector


LAYERS = int(sys.argv[1])
least = float("inf")
for _ in range(3 if LAYERS < 50 else 1):
    jax.clear_caches()
    numbers = jax.ShapeDtypeStruct((BATCH, LENGTH), jnp.int32)
    weights = [jax.ShapeDtypeStruct(sizes, jnp.float32) for sizes in shapes()]
    begin = time.process_time()
    jax.jit(jax.grad(gpt)).trace(weights, numbers, numbers)
    least = min(least, time.process_time() - begin)
print(least * 1e3)
