# SPDX-License-Identifier: Apache-2.0
"""Parts of models, and random numbers: names of the package's own, of functions that the library computes."""

from typing import Any, Sequence

from .arrays import axes_of, axis_of
from .numeric import Axis, Numeric
from .shapes import ShapeLike, as_shape
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
