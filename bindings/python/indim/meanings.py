# SPDX-License-Identifier: Apache-2.0
"""What jax means by a function of elements that the library's composite doesn't take, in calls that work: fixes of errors."""

from . import type_lattice

# By composite, of complex numbers.
OF_COMPLEX = {
    "arg_max": "b.argmax(x.real)",
    "arg_min": "b.argmin(x.real)",
    "elu": "b.where(x.real > 0, x, b.expm1(x))",
    "is_inf": "b.isinf(x.real) | b.isinf(x.imag)",
    "is_nan": "b.isnan(x.real) | b.isnan(x.imag)",
    "leaky_relu": "b.where(x.real >= 0, x, x * 0.01)",
    "log_add_exp": "b.log(b.exp(x) + b.exp(y))",
    "log_softmax": "x - b.log(b.exp(x).sum(axis=-1, keepdims=True))",
    "log_sum_exp": "b.log(b.exp(x).sum())",
    "relu": "b.where(x.real > 0, x, 0)",
    "silu": "x * b.sigmoid(x)",
    "softmax": "b.exp(x) / b.exp(x).sum(axis=-1, keepdims=True)",
    "softplus": "b.log1p(b.exp(x))",
    "std_dev": "b.sqrt(b.var(x.real) + b.var(x.imag))",
    "variance": "b.var(x.real) + b.var(x.imag)",
}
# Of floats.
OF_FLOATS = {"one_hot": 'b.equal(x[..., None], b.arange(n), rule="numpy").astype("f32")'}


def written_out(composite: str, element_type: str, name: str) -> str:
    """How to write jax's meaning of the method `name` for elements of this type, and how the composite's own."""
    if type_lattice.is_complex(element_type):
        meant, taken = OF_COMPLEX.get(composite, ""), f"b.{name} of x.real and of x.imag"
    elif type_lattice.is_float(element_type):
        meant, taken = OF_FLOATS.get(composite, ""), f'b.{name} of x.astype("s32")'
    elif element_type == "pred":
        meant, taken = "", f'b.{name} of x.astype("s32"), which counts truths'
    else:
        meant, taken = "", f'b.{name} of x.astype("f32")'
    return f"{meant} is jax's meaning; {taken}" if meant else taken
