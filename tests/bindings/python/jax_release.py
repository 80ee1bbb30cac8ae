# SPDX-License-Identifier: Apache-2.0
"""Writes what the jax beside this Python lowers and compiles: jax_release.py FOLDER. It needs no indim, and runs with jax 0.4.30 to 0.12.

For each of PROGRAMS: FOLDER/NAME.lowered.mlir, .lowered.hlo, .lowered.pb, .compiled.hlo, .compiled.pb, and NAME.npz with its arguments
and results; programs of several devices have none of these. FOLDER/failed.txt has what couldn't be written. releases_test.py reads them.
"""

import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

# Files by their names alone: what is written doesn't depend on where this lies.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

X = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
W = np.linspace(-0.5, 0.7, 64, dtype=np.float32).reshape(8, 8)
V = np.linspace(0, 1, 8, dtype=np.float32)


def mlp(x, w, b):
    return jnp.tanh(x @ w + b) @ w


def attention(q, k, v):
    return jax.nn.softmax(q @ k.T / 3.0, axis=-1) @ v


def loss(w, x, b):
    return (mlp(x, w, b) ** 2).mean()


def loop(x, w):
    return jax.lax.scan(lambda c, row: (jnp.sin(c @ w + row), c.sum()), x[0], x)


def branch(x, n):
    return jax.lax.cond(n > 2, jnp.sin, jnp.exp, x)


def convolution(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def narrow(x, w):
    return jax.lax.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32)


def quantized(x, w):
    return jax.lax.dot((x * 127).astype(jnp.int8), (w * 127).astype(jnp.int8), preferred_element_type=jnp.int32)


def rows(x, n):
    return x[n] + jax.lax.dynamic_slice(x, (n[0], 0), (3, 8))


def sorted_rows(x):
    return jnp.sort(x, axis=1), jnp.cumsum(x, axis=0)


@jax.checkpoint
def layer(x, w):
    return jnp.sin(jnp.tanh(x @ w))


def remat(x, w):
    return jax.grad(lambda w: layer(layer(x, w), w).sum())(w)


def normalized(x, scale):
    with jax.named_scope("layer_norm"):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale


def gathered(mesh):
    """The weight lies in pieces, and is wanted whole."""

    def f(x, w):
        return x @ jax.lax.with_sharding_constraint(w, NamedSharding(mesh, P()))

    return jax.jit(f, in_shardings=(NamedSharding(mesh, P()), NamedSharding(mesh, P("d", None))), out_shardings=NamedSharding(mesh, P()))


def summed(mesh):
    """Both factors of a dot lie in pieces along what is contracted."""
    split = NamedSharding(mesh, P(None, "d")), NamedSharding(mesh, P("d", None))
    return jax.jit(lambda x, w: jnp.tanh(x @ w), in_shardings=split, out_shardings=NamedSharding(mesh, P()))


def programs():
    mesh = Mesh(np.array(jax.devices()), ("d",))
    image, kernel = np.arange(128, dtype=np.float32).reshape(2, 8, 8, 1) / 128, W[:6, :3].reshape(3, 3, 1, 2)
    return {
        "mlp": (jax.jit(mlp), (X, W, V)),
        "donated": (jax.jit(mlp, donate_argnums=0), (X, W, V)),
        "attention": (jax.jit(attention), (X, W, X)),
        "gradient": (jax.jit(jax.grad(loss)), (W, X, V)),
        "loop": (jax.jit(loop), (X, W)),
        "branch": (jax.jit(branch), (V, np.int32(3))),
        "convolution": (jax.jit(convolution), (image, kernel)),
        "narrow": (jax.jit(narrow), (X, W)),
        "quantized": (jax.jit(quantized), (X, W)),
        "rows": (jax.jit(rows), (X, np.array([2, 0, 5], np.int32))),
        "sorted_rows": (jax.jit(sorted_rows), (W,)),
        "remat": (jax.jit(remat), (X, W)),
        "normalized": (jax.jit(normalized), (X, V)),
        "gathered": (gathered(mesh), (X, W)),
        "summed": (summed(mesh), (X, W)),
    }


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name, (function, arguments) in programs().items():
        lowered = function.lower(*arguments)
        compiled = lowered.compile()
        one_device = name not in ("gathered", "summed")
        forms = {
            "lowered.mlir": lambda: lowered.as_text().encode(),
            "lowered.hlo": lambda: lowered.as_text("hlo").encode(),
            "lowered.pb": lambda: lowered.compiler_ir("hlo").as_serialized_hlo_module_proto(),
            "compiled.hlo": lambda: compiled.as_text().encode(),
            "compiled.pb": lambda: compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto(),
        }
        for form, make in forms.items():
            try:
                (folder / f"{name}.{form}").write_bytes(make())
            except Exception as error:
                failed.append(f"{name}.{form}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
        if one_device:
            results = jax.tree_util.tree_leaves(compiled(*arguments))
            arrays = {f"argument{i}": a for i, a in enumerate(arguments)}
            arrays.update({f"result{i}": np.asarray(r) for i, r in enumerate(results)})
            np.savez(folder / f"{name}.npz", **arrays)
    (folder / "failed.txt").write_text("".join(line + "\n" for line in failed))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
