# SPDX-License-Identifier: Apache-2.0
"""Parts of models, and random numbers: names of the package's own, of functions that the library computes."""

from typing import Any, Sequence

from .arrays import axes_of, axis_of
from .numeric import Axis, Numeric
from .shapes import ShapeLike, as_shape
from .type_lattice import is_number
from .values import Operand, Value


class Models(Numeric):
    """A part of Builder."""

    # --- Layers ----------------------------------------------------------------

    def layer_norm(self, x: Operand, scale: Operand, offset: Operand, epsilon: float = 1e-5) -> Value:
        """(x - mean) / sqrt(variance + epsilon) * scale + offset, over the last dims, as many as `scale` has."""
        return self.composite("layer_norm", x, scale, offset, epsilon=epsilon)

    def rms_norm(self, x: Operand, scale: Operand, epsilon: float = 1e-6) -> Value:
        """x / sqrt(mean(x * x) + epsilon) * scale, over the last dims, as many as `scale` has."""
        return self.composite("rms_norm", x, scale, epsilon=epsilon)

    def _pool(self, name: str, x: Operand, window: Any, strides: Any, padding: Any, **more: Any) -> Value:
        given = padding.lower() if isinstance(padding, str) else padding
        return self.composite(name, x, window=window, strides=strides or [], padding=given, **more)

    def max_pool(
        self, x: Operand, window: "Sequence[int]", strides: "Sequence[int] | None" = None, padding: Any = "VALID"
    ) -> Value:
        """The greatest element under each position of a window, which has a size for each dim of x."""
        return self._pool("max_pool", x, window, strides, padding)

    def avg_pool(
        self,
        x: Operand,
        window: "Sequence[int]",
        strides: "Sequence[int] | None" = None,
        padding: Any = "VALID",
        count_padding: bool = False,
    ) -> Value:
        """The mean of the elements under each position of a window, which has a size for each dim of x."""
        return self._pool("avg_pool", x, window, strides, padding, count_padding=count_padding)

    def cross_entropy(self, logits: Operand, labels: Operand, axis: int = -1) -> Value:
        """-log_softmax(logits)[label]; 0 for a label that is no class."""
        value = self._operand(logits)
        return self.composite("cross_entropy", value, labels, dim=axis_of(value, axis))

    def soft_cross_entropy(self, logits: Operand, probabilities: Operand, axis: Axis = -1) -> Value:
        """-sum(probabilities * log_softmax(logits))."""
        value = self._operand(logits)
        return self.composite("soft_cross_entropy", value, probabilities, dims=axes_of(value, axis))

    # --- Training ----------------------------------------------------------------

    def _rate(self, rate: Operand, weight: Operand) -> Operand:
        """A number as the optimizers compute, which is in f32 at least."""
        of = "f64" if self._type_of(weight) == "f64" else "f32"
        return self.constant(rate, of) if is_number(rate) else rate

    def _step(self, step: Operand) -> Operand:
        return self.constant(step, "s32") if is_number(step) else step

    def sgd(
        self,
        weight: Operand,
        gradient: Operand,
        velocity: Operand,
        rate: Operand,
        momentum: float = 0.9,
        nesterov: bool = False,
    ) -> "tuple[Value, Value]":
        """The weight and its velocity after a step of gradient descent with momentum, as Optax's sgd has it."""
        operands = (weight, gradient, velocity, self._rate(rate, weight))
        weight, velocity = self.composites("sgd", *operands, momentum=momentum, nesterov=nesterov)
        return weight, velocity

    def adam(
        self,
        weight: Operand,
        gradient: Operand,
        mean: Operand,
        square: Operand,
        step: Operand,
        rate: Operand,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> "tuple[Value, Value, Value]":
        """The weight, the running mean and square of its gradient after step `step` (from 0 on) of Optax's adam."""
        operands = (weight, gradient, mean, square, self._step(step), self._rate(rate, weight))
        weight, mean, square = self.composites("adam", *operands, beta1=beta1, beta2=beta2, epsilon=epsilon)
        return weight, mean, square

    def adam_w(
        self,
        weight: Operand,
        gradient: Operand,
        mean: Operand,
        square: Operand,
        step: Operand,
        rate: Operand,
        weight_decay: float = 1e-4,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> "tuple[Value, Value, Value]":
        """Adam, whose weight also changes by -rate * weight_decay * weight, as Optax's adamw has it."""
        operands = (weight, gradient, mean, square, self._step(step), self._rate(rate, weight))
        more = {"weight_decay": weight_decay, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        weight, mean, square = self.composites("adam_w", *operands, **more)
        return weight, mean, square

    # --- Random numbers ----------------------------------------------------------

    def random_state(self, seed: int, algorithm: str = "three_fry") -> Value:
        """A state, from which random numbers come; the algorithm is "three_fry" or "philox"."""
        return self.composite(algorithm + "_state", seed=seed)

    def random_uniform(
        self, state: Value, shape: ShapeLike, low: float = 0.0, high: float = 1.0
    ) -> "tuple[Value, Value]":
        """Uniform numbers in low..high, and the next state."""
        made, state = self.composites("random_uniform", state, shape=str(as_shape(shape)), low=low, high=high)
        return made, state

    def random_normal(
        self, state: Value, shape: ShapeLike, mean: float = 0.0, deviation: float = 1.0
    ) -> "tuple[Value, Value]":
        """Normal numbers, and the next state."""
        made, state = self.composites(
            "random_normal", state, shape=str(as_shape(shape)), mean=mean, deviation=deviation
        )
        return made, state

    def random_categorical(self, state: Value, logits: Operand, axis: int = -1) -> "tuple[Value, Value]":
        """Indices with the probabilities softmax(logits), and the next state."""
        value = self._operand(logits)
        made, state = self.composites("random_categorical", state, value, dim=axis_of(value, axis))
        return made, state

    def dropout(self, state: Value, x: Operand, rate: float) -> "tuple[Value, Value]":
        """x / (1 - rate), with each element 0 instead with probability `rate`, and the next state."""
        made, state = self.composites("dropout", state, x, rate=rate)
        return made, state
