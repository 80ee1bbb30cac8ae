"""A method for each operation of the table: made by python/make_ops.py; don't edit it."""

from typing import Any

from .operands import Operands
from .shapes import ShapeLike
from .values import Operand, Value


class Ops(Operands):
    """A part of Builder. Attributes are HLO text's; a text stands for itself, numbers and lists are written as HLO has them."""

    def acos(self, operand: Operand) -> Value:
        """Inverse cosine.

        `acos(f32[2,3])`
        """
        return self._unary(2, self._inexact(operand))

    def acosh(self, operand: Operand) -> Value:
        """Inverse hyperbolic cosine.

        `acosh(f32[2,3])`
        """
        return self._unary(3, self._inexact(operand))

    def asin(self, operand: Operand) -> Value:
        """Inverse sine.

        `asin(f32[2,3])`
        """
        return self._unary(4, self._inexact(operand))

    def asinh(self, operand: Operand) -> Value:
        """Inverse hyperbolic sine.

        `asinh(f32[2,3])`
        """
        return self._unary(5, self._inexact(operand))

    def atanh(self, operand: Operand) -> Value:
        """Inverse hyperbolic tangent.

        `atanh(f32[2,3])`
        """
        return self._unary(6, self._inexact(operand))

    def cbrt(self, operand: Operand) -> Value:
        """Cube root.

        `cbrt(f32[2,3])`
        """
        return self._unary(7, self._inexact(operand))

    def cosh(self, operand: Operand) -> Value:
        """Hyperbolic cosine.

        `cosh(f32[2,3])`
        """
        return self._unary(10, self._inexact(operand))

    def cos(self, operand: Operand) -> Value:
        """Cosine.

        `cosine(f32[2,3])`
        """
        return self._unary(11, self._inexact(operand))

    def clz(self, operand: Operand) -> Value:
        """How many zero bits stand before the first one bit.

        `count-leading-zeros(s32[4])`
        """
        return self._unary(12, operand)

    def erf(self, operand: Operand) -> Value:
        """Error function.

        `erf(f32[2,3])`
        """
        return self._unary(13, operand)

    def exp(self, operand: Operand) -> Value:
        """e to the power of the operand.

        `exponential(f32[2,3])`
        """
        return self._unary(14, self._inexact(operand))

    def expm1(self, operand: Operand) -> Value:
        """e to the power of the operand, less 1, exact near 0.

        `exponential-minus-one(f32[2,3])`
        """
        return self._unary(15, self._inexact(operand))

    def is_finite(self, operand: Operand) -> Value:
        """Whether a float is neither infinite nor NaN.

        `is-finite(f32[2,3])`
        """
        return self._unary(18, operand)

    def log(self, operand: Operand) -> Value:
        """Natural logarithm.

        `log(f32[2,3])`
        """
        return self._unary(19, self._inexact(operand))

    def log1p(self, operand: Operand) -> Value:
        """Natural logarithm of 1 and the operand, exact near 0.

        `log-plus-one(f32[2,3])`
        """
        return self._unary(20, self._inexact(operand))

    def logistic(self, operand: Operand) -> Value:
        """1 / (1 + exp(-x)).

        `logistic(f32[2,3])`
        """
        return self._unary(21, operand)

    def negate(self, operand: Operand) -> Value:
        """The number with the other sign.

        `negate(f32[2,3])`
        """
        return self._unary(22, operand)

    neg = negate

    def not_(self, operand: Operand) -> Value:
        """Every bit turned; of pred, logical not.

        `not(pred[4])`
        """
        return self._unary(23, operand)

    def population_count(self, operand: Operand) -> Value:
        """How many bits are one.

        `popcnt(u32[4])`
        """
        return self._unary(24, operand)

    def round_nearest_afz(self, operand: Operand) -> Value:
        """The nearest integer, halves away from zero.

        `round-nearest-afz(f32[2,3])`
        """
        return self._unary(26, operand)

    def round_nearest_even(self, operand: Operand) -> Value:
        """The nearest integer, halves to the even one.

        `round-nearest-even(f32[2,3])`
        """
        return self._unary(27, operand)

    def rsqrt(self, operand: Operand) -> Value:
        """1 over the square root.

        `rsqrt(f32[2,3])`
        """
        return self._unary(28, operand)

    def sin(self, operand: Operand) -> Value:
        """Sine.

        `sine(f32[2,3])`
        """
        return self._unary(30, self._inexact(operand))

    def sinh(self, operand: Operand) -> Value:
        """Hyperbolic sine.

        `sinh(f32[2,3])`
        """
        return self._unary(31, self._inexact(operand))

    def sqrt(self, operand: Operand) -> Value:
        """Square root.

        `sqrt(f32[2,3])`
        """
        return self._unary(32, self._inexact(operand))

    def tan(self, operand: Operand) -> Value:
        """Tangent.

        `tan(f32[2,3])`
        """
        return self._unary(33, self._inexact(operand))

    def tanh(self, operand: Operand) -> Value:
        """Hyperbolic tangent.

        `tanh(f32[2,3])`
        """
        return self._unary(34, self._inexact(operand))

    def mul(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Product; of pred, logical and.

        `multiply(f32[2,1], f32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(38, lhs, rhs, rule)
        return self._add(38, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def mulhi(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """The upper half of the product of two integers.

        `mulhi(s32[2,1], s32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(39, lhs, rhs, rule)
        return self._add(39, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def sub(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Difference.

        `subtract(f32[2,1], f32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(40, lhs, rhs, rule)
        return self._add(40, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def div(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Quotient; of integers, towards zero.

        `divide(f32[2,1], f32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(41, lhs, rhs, rule)
        return self._add(41, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def rem(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """What a division leaves, with the dividend's sign.

        `remainder(f32[2,1], f32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(42, lhs, rhs, rule)
        return self._add(42, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def shift_left(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Bits moved up, zeros after them.

        `shift-left(s32[2,1], s32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(45, lhs, rhs, rule)
        return self._add(45, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def shift_right_arithmetic(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Bits moved down, the sign after them.

        `shift-right-arithmetic(s32[2,1], s32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(46, lhs, rhs, rule)
        return self._add(46, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def shift_right_logical(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Bits moved down, zeros after them.

        `shift-right-logical(u32[2,1], u32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(47, lhs, rhs, rule)
        return self._add(47, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def and_(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Bitwise and; of pred, logical.

        `and(pred[2,1], pred[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(48, lhs, rhs, rule)
        return self._add(48, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def or_(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Bitwise or; of pred, logical.

        `or(pred[2,1], pred[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(49, lhs, rhs, rule)
        return self._add(49, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def xor(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """Bitwise exclusive or; of pred, logical.

        `xor(pred[2,1], pred[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(50, lhs, rhs, rule)
        return self._add(50, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def complex(self, lhs: Operand, rhs: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:  # fmt: skip
        """A complex number of its two parts.

        `complex(f32[2,1], f32[1,3])`
        """
        if broadcast_dimensions is None:
            return self._binary(51, lhs, rhs, rule)
        return self._add(51, [lhs, rhs], {"broadcast_dimensions": broadcast_dimensions}, None, rule or ("xla" if broadcast_dimensions is not None else self._rule_name))  # fmt: skip

    def stochastic_convert(self, lhs: Operand, rhs: Operand, *, result: "ShapeLike | None" = None) -> Value:  # fmt: skip
        """To a narrower type, rounded by random bits.

        `stochastic-convert(f32[4], u32[4]) -> bf16[4]`
        """
        return self._add(53, [lhs, rhs], {}, result, None)  # fmt: skip

    def add_dependency(self, lhs: Operand, rhs: Operand) -> Value:  # fmt: skip
        """The first operand, not before the second is there.

        `add-dependency(f32[2], token[])`
        """
        return self._add(54, [lhs, rhs], {}, None, None)  # fmt: skip

    def broadcast(self, operand: Operand, *, result: ShapeLike, dimensions: Any = None) -> Value:  # fmt: skip
        """An array with dims added, along which it repeats.

        `broadcast(f32[3]), dimensions={1} -> f32[2,3]`
        """
        return self._add(58, [operand], {"dimensions": dimensions}, result, None)  # fmt: skip

    def dynamic_reshape(self, *operands: Operand, result: ShapeLike) -> Value:  # fmt: skip
        """A reshape to sizes that are known at run time only.

        `dynamic-reshape(f32[<=6], s32[], s32[]) -> f32[<=2,<=3]`
        """
        return self._add(60, [*operands], {}, result, None)  # fmt: skip

    def bitcast(self, operand: Operand, *, result: ShapeLike) -> Value:  # fmt: skip
        """The same bytes, read as another shape; XLA makes it, users don't.

        `bitcast(f32[2,3]) -> f32[6]`
        """
        return self._add(61, [operand], {}, result, None)  # fmt: skip

    def reverse(self, operand: Operand, dimensions: Any) -> Value:  # fmt: skip
        """Elements in reverse order along some dims.

        `reverse(f32[2,3]), dimensions={1}`
        """
        return self._add(65, [operand], {"dimensions": dimensions}, None, None)  # fmt: skip

    def gather(self, lhs: Operand, rhs: Operand, offset_dims: Any, collapsed_slice_dims: Any, start_index_map: Any, index_vector_dim: Any, slice_sizes: Any, *, operand_batching_dims: Any = None, start_indices_batching_dims: Any = None, indices_are_sorted: Any = None) -> Value:  # fmt: skip
        """Slices of an array, at starts that an array of indices holds.

        `gather(f32[10,8], s32[5,1]), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}`
        """
        return self._add(71, [lhs, rhs], {"offset_dims": offset_dims, "collapsed_slice_dims": collapsed_slice_dims, "start_index_map": start_index_map, "index_vector_dim": index_vector_dim, "slice_sizes": slice_sizes, "operand_batching_dims": operand_batching_dims, "start_indices_batching_dims": start_indices_batching_dims, "indices_are_sorted": indices_are_sorted}, None, None)  # fmt: skip

    def get_dimension_size(self, operand: Operand, dimensions: Any) -> Value:  # fmt: skip
        """The run-time size of one dim.

        `get-dimension-size(f32[2,<=8]), dimensions={1}`
        """
        return self._add(77, [operand], {"dimensions": dimensions}, None, None)  # fmt: skip

    def set_dimension_size(self, lhs: Operand, rhs: Operand, dimensions: Any) -> Value:  # fmt: skip
        """The same array, one dim of which ends earlier at run time.

        `set-dimension-size(f32[2,8], s32[]), dimensions={1}`
        """
        return self._add(78, [lhs, rhs], {"dimensions": dimensions}, None, None)  # fmt: skip

    def fft(self, operand: Operand, fft_type: Any, fft_length: Any) -> Value:  # fmt: skip
        """Discrete Fourier transform over the last dims.

        `fft(f32[8,16]), fft_type=RFFT, fft_length={16}`
        """
        return self._add(79, [operand], {"fft_type": fft_type, "fft_length": fft_length}, None, None)  # fmt: skip

    def cholesky(self, operand: Operand, *, lower: Any = None) -> Value:  # fmt: skip
        """Cholesky factors of the matrices in the last two dims.

        `cholesky(f32[5,4,4]), lower=true`
        """
        return self._add(80, [operand], {"lower": lower}, None, None)  # fmt: skip

    def triangular_solve(self, lhs: Operand, rhs: Operand, *, left_side: Any = None, lower: Any = None, unit_diagonal: Any = None, transpose_a: Any = None) -> Value:  # fmt: skip
        """Solutions of systems with triangular matrices.

        `triangular-solve(f32[4,4], f32[4,7]), left_side=true, lower=true, transpose_a=NO_TRANSPOSE`
        """
        return self._add(81, [lhs, rhs], {"left_side": left_side, "lower": lower, "unit_diagonal": unit_diagonal, "transpose_a": transpose_a}, None, None)  # fmt: skip

    def reduce_precision(self, operand: Operand, exponent_bits: Any, mantissa_bits: Any) -> Value:  # fmt: skip
        """Each float rounded to fewer exponent and mantissa bits.

        `reduce-precision(f32[4]), exponent_bits=5, mantissa_bits=10`
        """
        return self._add(82, [operand], {"exponent_bits": exponent_bits, "mantissa_bits": mantissa_bits}, None, None)  # fmt: skip

    def batch_norm_training(self, operand0: Operand, operand1: Operand, operand2: Operand, epsilon: Any, feature_index: Any) -> Value:  # fmt: skip
        """Batch normalization; mean and variance come with it.

        `batch-norm-training(f32[8,32,3], f32[3], f32[3]), epsilon=0.001, feature_index=2`
        """
        return self._add(83, [operand0, operand1, operand2], {"epsilon": epsilon, "feature_index": feature_index}, None, None)  # fmt: skip

    def batch_norm_inference(self, operand0: Operand, operand1: Operand, operand2: Operand, operand3: Operand, operand4: Operand, epsilon: Any, feature_index: Any) -> Value:  # fmt: skip
        """Batch normalization with a mean and variance that are given.

        `batch-norm-inference(f32[8,32,3], f32[3], f32[3], f32[3], f32[3]), epsilon=0.001, feature_index=2`
        """
        return self._add(84, [operand0, operand1, operand2, operand3, operand4], {"epsilon": epsilon, "feature_index": feature_index}, None, None)  # fmt: skip

    def batch_norm_grad(self, operand0: Operand, operand1: Operand, operand2: Operand, operand3: Operand, operand4: Operand, epsilon: Any, feature_index: Any) -> Value:  # fmt: skip
        """Gradients of batch normalization.

        `batch-norm-grad(f32[8,32,3], f32[3], f32[3], f32[3], f32[8,32,3]), epsilon=0.001, feature_index=2`
        """
        return self._add(85, [operand0, operand1, operand2, operand3, operand4], {"epsilon": epsilon, "feature_index": feature_index}, None, None)  # fmt: skip

    def scaled_dot(self, operand0: Operand, operand1: Operand, operand2: Operand, operand3: Operand, *, result: "ShapeLike | None" = None, lhs_batch_dims: Any = None, lhs_contracting_dims: Any = None, rhs_batch_dims: Any = None, rhs_contracting_dims: Any = None, operand_precision: Any = None, algorithm: Any = None) -> Value:  # fmt: skip
        """A dot whose operands are scaled in blocks.

        `scaled-dot(bf16[8,64], bf16[64,10], bf16[8,2], bf16[2,10]), lhs_contracting_dims={1}, rhs_contracting_dims={0}`
        """
        return self._add(87, [operand0, operand1, operand2, operand3], {"lhs_batch_dims": lhs_batch_dims, "lhs_contracting_dims": lhs_contracting_dims, "rhs_batch_dims": rhs_batch_dims, "rhs_contracting_dims": rhs_contracting_dims, "operand_precision": operand_precision, "algorithm": algorithm}, result, None)  # fmt: skip

    def ragged_dot(self, operand0: Operand, operand1: Operand, operand2: Operand, *, result: "ShapeLike | None" = None, lhs_batch_dims: Any = None, lhs_contracting_dims: Any = None, rhs_batch_dims: Any = None, rhs_contracting_dims: Any = None, lhs_ragged_dims: Any = None, rhs_group_dims: Any = None, operand_precision: Any = None, algorithm: Any = None) -> Value:  # fmt: skip
        """A dot over groups of different sizes.

        `ragged-dot(f32[8,64], f32[3,64,10], s32[3]), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}`
        """
        return self._add(88, [operand0, operand1, operand2], {"lhs_batch_dims": lhs_batch_dims, "lhs_contracting_dims": lhs_contracting_dims, "rhs_batch_dims": rhs_batch_dims, "rhs_contracting_dims": rhs_contracting_dims, "lhs_ragged_dims": lhs_ragged_dims, "rhs_group_dims": rhs_group_dims, "operand_precision": operand_precision, "algorithm": algorithm}, result, None)  # fmt: skip

    def rng(self, lhs: Operand, rhs: Operand, distribution: Any, *, result: ShapeLike) -> Value:  # fmt: skip
        """Random numbers of a distribution.

        `rng(f32[], f32[]), distribution=rng_uniform -> f32[2,3]`
        """
        return self._add(94, [lhs, rhs], {"distribution": distribution}, result, None)  # fmt: skip

    def rng_bit_generator(self, operand: Operand, algorithm: Any, *, result: ShapeLike) -> Value:  # fmt: skip
        """Random bits, and the generator's next state.

        `rng-bit-generator(u64[2]), algorithm=rng_default -> (u64[2], u32[8])`
        """
        return self._add(95, [operand], {"algorithm": algorithm}, result, None)  # fmt: skip

    def rng_get_and_update_state(self, delta: Any) -> Value:  # fmt: skip
        """The state of a generator that the device keeps.

        `rng-get-and-update-state(), delta=1 -> u64[2]`
        """
        return self._add(96, [], {"delta": delta}, None, None)  # fmt: skip

    def tuple(self, *operands: Operand) -> Value:  # fmt: skip
        """Several values as one.

        `tuple(f32[2], s32[])`
        """
        return self._add(100, [*operands], {}, None, None)  # fmt: skip

    def get_tuple_element(self, operand: Operand, index: Any) -> Value:  # fmt: skip
        """One part of a tuple.

        `get-tuple-element((f32[2], s32[])), index=1`
        """
        return self._add(101, [operand], {"index": index}, None, None)  # fmt: skip

    def optimization_barrier(self, operand: Operand) -> Value:
        """The operand; nothing is moved across it.

        `opt-barrier((f32[2], s32[]))`
        """
        return self._unary(102, operand)

    def domain(self, operand: Operand, domain: Any) -> Value:  # fmt: skip
        """The operand, between parts with different metadata.

        `domain(f32[2]), domain={kind="sharding", entry={replicated}, exit={replicated}}`
        """
        return self._add(103, [operand], {"domain": domain}, None, None)  # fmt: skip

    def infeed(self, operand: Operand, *, result: ShapeLike, infeed_config: Any = None) -> Value:  # fmt: skip
        """Data from the host, and a token.

        `infeed(token[]) -> (f32[2], token[])`
        """
        return self._add(107, [operand], {"infeed_config": infeed_config}, result, None)  # fmt: skip

    def outfeed(self, lhs: Operand, rhs: Operand, *, outfeed_shape: Any = None, outfeed_config: Any = None) -> Value:  # fmt: skip
        """Data to the host; a token.

        `outfeed(f32[2], token[]), outfeed_shape=f32[2]`
        """
        return self._add(108, [lhs, rhs], {"outfeed_shape": outfeed_shape, "outfeed_config": outfeed_config}, None, None)  # fmt: skip

    def after_all(self, *operands: Operand) -> Value:  # fmt: skip
        """A token that comes after all others.

        `after-all(token[], token[])`
        """
        return self._add(109, [*operands], {}, None, None)  # fmt: skip

    def send(self, lhs: Operand, rhs: Operand, *, channel_id: Any = None, is_host_transfer: Any = None) -> Value:  # fmt: skip
        """Starts to send data on a channel.

        `send(f32[2], token[]), channel_id=1`
        """
        return self._add(110, [lhs, rhs], {"channel_id": channel_id, "is_host_transfer": is_host_transfer}, None, None)  # fmt: skip

    def send_done(self, operand: Operand, *, channel_id: Any = None, is_host_transfer: Any = None) -> Value:  # fmt: skip
        """The end of a send.

        `send-done((f32[2], u32[], token[])), channel_id=1`
        """
        return self._add(111, [operand], {"channel_id": channel_id, "is_host_transfer": is_host_transfer}, None, None)  # fmt: skip

    def recv(self, operand: Operand, *, result: ShapeLike, channel_id: Any = None, is_host_transfer: Any = None) -> Value:  # fmt: skip
        """Starts to receive data from a channel.

        `recv(token[]), channel_id=1 -> (f32[2], u32[], token[])`
        """
        return self._add(112, [operand], {"channel_id": channel_id, "is_host_transfer": is_host_transfer}, result, None)  # fmt: skip

    def recv_done(self, operand: Operand, *, channel_id: Any = None, is_host_transfer: Any = None) -> Value:  # fmt: skip
        """The end of a receive: data and a token.

        `recv-done((f32[2], u32[], token[])), channel_id=1`
        """
        return self._add(113, [operand], {"channel_id": channel_id, "is_host_transfer": is_host_transfer}, None, None)  # fmt: skip

    def partition_id(self, ) -> Value:  # fmt: skip
        """Which partition this is.

        `partition-id() -> u32[]`
        """
        return self._add(114, [], {}, None, None)  # fmt: skip

    def replica_id(self, ) -> Value:  # fmt: skip
        """Which replica this is.

        `replica-id() -> u32[]`
        """
        return self._add(115, [], {}, None, None)  # fmt: skip

    def all_reduce_done(self, operand: Operand) -> Value:
        """The end of an all-reduce.

        `all-reduce-done(f32[2,3])`
        """
        return self._unary(118, operand)

    def all_gather(self, *operands: Operand, result: "ShapeLike | None" = None, dimensions: Any, channel_id: Any = None, replica_groups: Any = None, constrain_layout: Any = None, use_global_device_ids: Any = None, has_dynamic_root: Any = None) -> Value:  # fmt: skip
        """The replicas' values, one after the other.

        `all-gather(f32[2,3]), dimensions={0}, replica_groups={{0,1,2,3}}`
        """
        return self._add(119, [*operands], {"dimensions": dimensions, "channel_id": channel_id, "replica_groups": replica_groups, "constrain_layout": constrain_layout, "use_global_device_ids": use_global_device_ids, "has_dynamic_root": has_dynamic_root}, result, None)  # fmt: skip

    def all_gather_start(self, *operands: Operand, result: "ShapeLike | None" = None, dimensions: Any, channel_id: Any = None, replica_groups: Any = None, constrain_layout: Any = None, use_global_device_ids: Any = None, has_dynamic_root: Any = None) -> Value:  # fmt: skip
        """Starts an all-gather.

        `all-gather-start(f32[2,3]), dimensions={0}, replica_groups={{0,1,2,3}}`
        """
        return self._add(120, [*operands], {"dimensions": dimensions, "channel_id": channel_id, "replica_groups": replica_groups, "constrain_layout": constrain_layout, "use_global_device_ids": use_global_device_ids, "has_dynamic_root": has_dynamic_root}, result, None)  # fmt: skip

    def all_gather_done(self, operand: Operand) -> Value:
        """The end of an all-gather.

        `all-gather-done((f32[2,3], f32[8,3]))`
        """
        return self._unary(121, operand)

    def all_to_all(self, *operands: Operand, channel_id: Any = None, replica_groups: Any = None, constrain_layout: Any = None, dimensions: Any = None, use_global_device_ids: Any = None, has_dynamic_root: Any = None) -> Value:  # fmt: skip
        """Each replica's parts, sent to all others.

        `all-to-all(f32[8,3]), dimensions={0}, replica_groups={{0,1,2,3}}`
        """
        return self._add(123, [*operands], {"channel_id": channel_id, "replica_groups": replica_groups, "constrain_layout": constrain_layout, "dimensions": dimensions, "use_global_device_ids": use_global_device_ids, "has_dynamic_root": has_dynamic_root}, None, None)  # fmt: skip

    def ragged_all_to_all(self, operand0: Operand, operand1: Operand, operand2: Operand, operand3: Operand, operand4: Operand, operand5: Operand, *, channel_id: Any = None, replica_groups: Any = None, dimensions: Any = None, constrain_layout: Any = None, use_global_device_ids: Any = None, has_dynamic_root: Any = None) -> Value:  # fmt: skip
        """An all-to-all of parts of different sizes.

        `ragged-all-to-all(f32[8], f32[16], s64[2], s64[2], s64[2], s64[2]), replica_groups={{0,1}}`
        """
        return self._add(124, [operand0, operand1, operand2, operand3, operand4, operand5], {"channel_id": channel_id, "replica_groups": replica_groups, "dimensions": dimensions, "constrain_layout": constrain_layout, "use_global_device_ids": use_global_device_ids, "has_dynamic_root": has_dynamic_root}, None, None)  # fmt: skip

    def collective_broadcast(self, *operands: Operand, channel_id: Any = None, replica_groups: Any = None, has_dynamic_root: Any = None, constrain_layout: Any = None, use_global_device_ids: Any = None) -> Value:  # fmt: skip
        """One replica's value, sent to its group.

        `collective-broadcast(f32[2,3]), replica_groups={{0,1}}`
        """
        return self._add(125, [*operands], {"channel_id": channel_id, "replica_groups": replica_groups, "has_dynamic_root": has_dynamic_root, "constrain_layout": constrain_layout, "use_global_device_ids": use_global_device_ids}, None, None)  # fmt: skip

    def collective_permute(self, *operands: Operand, source_target_pairs: Any, channel_id: Any = None, slice_sizes: Any = None) -> Value:  # fmt: skip
        """Values sent from device to device, in pairs.

        `collective-permute(f32[2,3]), source_target_pairs={{0,1},{1,0}}`
        """
        return self._add(126, [*operands], {"source_target_pairs": source_target_pairs, "channel_id": channel_id, "slice_sizes": slice_sizes}, None, None)  # fmt: skip

    def collective_permute_start(self, *operands: Operand, result: ShapeLike, source_target_pairs: Any, channel_id: Any = None, slice_sizes: Any = None) -> Value:  # fmt: skip
        """Starts a collective-permute.

        `collective-permute-start(f32[2,3]), source_target_pairs={{0,1},{1,0}} -> (f32[2,3], f32[2,3])`
        """
        return self._add(127, [*operands], {"source_target_pairs": source_target_pairs, "channel_id": channel_id, "slice_sizes": slice_sizes}, result, None)  # fmt: skip

    def collective_permute_done(self, operand: Operand) -> Value:
        """The end of a collective-permute.

        `collective-permute-done((f32[2,3], f32[2,3]))`
        """
        return self._unary(128, operand)

    def copy_start(self, operand: Operand, *, cross_program_prefetch_index: Any = None) -> Value:  # fmt: skip
        """Starts a copy.

        `copy-start(f32[2,3])`
        """
        return self._add(132, [operand], {"cross_program_prefetch_index": cross_program_prefetch_index}, None, None)  # fmt: skip

    def copy_done(self, operand: Operand) -> Value:
        """The end of a copy.

        `copy-done((f32[2,3], f32[2,3], u32[]))`
        """
        return self._unary(133, operand)
