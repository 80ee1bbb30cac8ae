# SPDX-License-Identifier: Apache-2.0
"""Small modules for evaluator.py: every op, of every element type that it has a meaning for, on random operands."""

import re

FLOATS = ["f32", "f64", "f16", "bf16", "f8e5m2", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "f8e4m3", "f8e3m4"]
SIGNED = ["s8", "s16", "s32", "s64", "s4", "s2"]
UNSIGNED = ["u8", "u16", "u32", "u64", "u4", "u2"]
COMPLEX = ["c64", "c128"]
PRED = ["pred"]
INTEGERS = SIGNED + UNSIGNED
# FLOATS of more than a few digits: of the others every result of a sum is another one.
WIDE = ["f32", "f64", "f16", "bf16"]

INEXACT = FLOATS + COMPLEX
UNARY = {
    "abs": SIGNED + INEXACT, "cbrt": FLOATS, "ceil": FLOATS, "cosine": INEXACT, "count-leading-zeros": INTEGERS, "erf": FLOATS,
    "exponential": INEXACT, "exponential-minus-one": INEXACT, "floor": FLOATS, "imag": INEXACT, "is-finite": FLOATS,
    "log": INEXACT, "log-plus-one": INEXACT, "logistic": INEXACT, "negate": INTEGERS + INEXACT, "not": INTEGERS + PRED,
    "popcnt": INTEGERS, "real": INEXACT, "round-nearest-afz": FLOATS, "round-nearest-even": FLOATS, "rsqrt": INEXACT,
    "sign": SIGNED + INEXACT, "sine": INEXACT, "sqrt": INEXACT, "tan": INEXACT, "tanh": INEXACT,
    "copy": INTEGERS + INEXACT + PRED, "acos": INEXACT, "acosh": INEXACT, "asin": INEXACT, "asinh": INEXACT, "atanh": INEXACT,
    "cosh": INEXACT, "sinh": INEXACT,
}
UNARY_COMPLEX = [
    "abs", "cosine", "exponential", "exponential-minus-one", "imag", "log", "log-plus-one", "logistic", "negate", "real", "rsqrt", "sign",
    "sine", "sqrt", "tan", "tanh",
]
NUMBERS = INTEGERS + INEXACT
BINARY = {
    "add": NUMBERS + PRED, "maximum": INTEGERS + FLOATS + PRED + COMPLEX, "minimum": INTEGERS + FLOATS + PRED + COMPLEX,
    "multiply": NUMBERS + PRED, "subtract": NUMBERS, "divide": NUMBERS, "remainder": INTEGERS + FLOATS, "power": NUMBERS,
    "atan2": INEXACT, "shift-left": INTEGERS, "shift-right-arithmetic": INTEGERS, "shift-right-logical": INTEGERS,
    "and": INTEGERS + PRED, "or": INTEGERS + PRED, "xor": INTEGERS + PRED, "complex": ["f32", "f64"], "mulhi": INTEGERS,
}
DIRECTIONS = ["EQ", "NE", "GE", "GT", "LE", "LT"]

COMPUTATIONS = """
add_T { a = T[] parameter(0) b = T[] parameter(1) ROOT r = T[] add(a, b) }
max_T { a = T[] parameter(0) b = T[] parameter(1) ROOT r = T[] maximum(a, b) }
less_T { a = T[] parameter(0) b = T[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
ge_T { a = T[] parameter(0) b = T[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
sort2_T { a = T[] parameter(0) b = T[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT }
both_T { a = T[] parameter(0) i = s32[] parameter(1) b = T[] parameter(2) j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GE m = T[] select(g, a, b) k = s32[] select(g, i, j)
  ROOT r = (T[], s32[]) tuple(m, k) }
square_T { a = T[] parameter(0) ROOT r = T[] multiply(a, a) }
body_T { s = (s32[], T[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = T[4] get-tuple-element(s), index=1
  one = s32[] constant(1) n = s32[] add(i, one) y = T[4] add(x, x) ROOT r = (s32[], T[4]) tuple(n, y) }
while_T { s = (s32[], T[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 e = s32[] constant(3)
  ROOT r = pred[] compare(i, e), direction=LT }
neg_T { a = T[4] parameter(0) ROOT r = T[4] negate(a) }
same_T { a = T[4] parameter(0) ROOT r = T[4] add(a, a) }
"""

# XLA's CPU calls LAPACK for triangular-solve, and dies where SciPy hasn't brought it: evaluator.py asks NumPy.
# name: parameters of the T, then the root. `s32:9` holds integers of 0..8, `s32:-3:9` of -3..8.
ANY = NUMBERS + PRED
STRUCTURED = [
    ("broadcast", ANY, ["T[3]"], "T[2,3,2] broadcast(p0), dimensions={1}"),
    ("reshape", ANY, ["T[2,6]"], "T[3,2,2] reshape(p0)"),
    ("transpose", ANY, ["T[2,3,4]"], "T[4,2,3] transpose(p0), dimensions={2,0,1}"),
    ("reverse", ANY, ["T[2,3]"], "T[2,3] reverse(p0), dimensions={0,1}"),
    ("slice", ANY, ["T[7,4]"], "T[2,3] slice(p0), slice={[1:6:3], [1:4]}"),
    ("dynamic-slice", ANY, ["T[5,4]", "s32[]:-3:9", "s32[]:-3:9"], "T[2,3] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,3}"),
    ("dynamic-slice of u8", ANY, ["T[5]", "u8[]:0:200"], "T[2] dynamic-slice(p0, p1), dynamic_slice_sizes={2}"),
    ("dynamic-update-slice", ANY, ["T[5,4]", "T[2,2]", "s32[]:-3:9", "s64[]:-3:9"],
     "T[5,4] dynamic-update-slice(p0, p1, p2, p2)"),
    ("pad", ANY, ["T[3,4]", "T[]"], "T[5,9] pad(p0, p1), padding=1_1x-1_0_2"),
    ("pad away", ANY, ["T[3]", "T[]"], "T[1] pad(p0, p1), padding=-3_-1_1"),
    # XLA dies of types below 8 bits.
    ("concatenate", [name for name in ANY if name[1:] not in ("2", "4")], ["T[2,1]", "T[2,3]"], "T[2,5] concatenate(p0, p1, p0), dimensions={1}"),
    ("iota", NUMBERS, [], "T[2,3] iota(), iota_dimension=1"),
    ("select", ANY, ["pred[4]", "T[4]", "T[4]"], "T[4] select(p0, p1, p2)"),
    ("clamp", INTEGERS + FLOATS, ["T[]", "T[4]", "T[]"], "T[4] clamp(p0, p1, p2)"),
    ("gather", ANY, ["T[5,4]", "s32[3,2]:-3:9"],
     "T[3,2,2] gather(p0, p1), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, "
     "slice_sizes={2,2}"),
    ("gather rows", ANY, ["T[5,4]", "s64[2,3]:-3:9"],
     "T[2,3,4] gather(p0, p1), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, "
     "slice_sizes={1,4}"),
    ("gather batches", ANY, ["T[3,5]", "s32[3,2,1]:-3:9"],
     "T[3,2] gather(p0, p1), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}"),
    ("scatter", INTEGERS + WIDE, ["T[5,4]", "s32[3,1]:-3:9", "T[3,4]"],
     "T[5,4] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=add_T"),
    ("scatter windows", INTEGERS + WIDE, ["T[5,4]", "s32[2,3]:-3:9", "T[3,2,2]"],
     "T[5,4] scatter(p0, p1, p2), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=0, to_apply=max_T"),
    ("reduce", INTEGERS + WIDE, ["T[3,4,2]", "T[]"], "T[4] reduce(p0, p1), dimensions={0,2}, to_apply=add_T"),
    ("reduce to max", INTEGERS + FLOATS + PRED, ["T[3,4]", "T[]"], "T[3] reduce(p0, p1), dimensions={1}, to_apply=max_T"),
    ("reduce of two", INTEGERS + FLOATS, ["T[3,4]", "s32[3,4]", "T[]", "s32[]"],
     "(T[3], s32[3]) reduce(p0, p1, p2, p3), dimensions={1}, to_apply=both_T"),
    ("reduce-window", INTEGERS + WIDE, ["T[5,6]", "T[]"],
     "T[2,5] reduce-window(p0, p1), window={size=2x3 stride=2x1 pad=0_0x1_0}, to_apply=add_T"),
    ("reduce-window dilated", INTEGERS + WIDE, ["T[6]", "T[]"],
     "T[5] reduce-window(p0, p1), window={size=3 pad=2_1 lhs_dilate=2 rhs_dilate=2 stride=2}, to_apply=max_T"),
    ("reduce-window of two", INTEGERS + WIDE, ["T[5,6]", "s32[5,6]", "T[]", "s32[]"],
     "(T[2,5], s32[2,5]) reduce-window(p0, p1, p2, p3), window={size=2x3 stride=2x1 pad=0_0x1_0}, to_apply=both_T"),
    ("select-and-scatter", INTEGERS + WIDE, ["T[4,6]", "T[2,3]", "T[]"],
     "T[4,6] select-and-scatter(p0, p1, p2), window={size=2x2 stride=2x2}, select=ge_T, scatter=add_T"),
    ("select-and-scatter padded", WIDE, ["T[5]", "T[5]", "T[]"],
     "T[5] select-and-scatter(p0, p1, p2), window={size=3 pad=1_1 stride=1}, select=ge_T, scatter=add_T"),
    ("map", NUMBERS, ["T[2,3]"], "T[2,3] map(p0), dimensions={0,1}, to_apply=square_T"),
    ("sort", INTEGERS + FLOATS, ["T[3,7]"], "T[3,7] sort(p0), dimensions={1}, is_stable=true, to_apply=less_T"),
    ("sort by key", INTEGERS + FLOATS, ["T[7,2]", "s32[7,2]"],
     "(T[7,2], s32[7,2]) sort(p0, p1), dimensions={0}, is_stable=true, to_apply=sort2_T"),
    ("topk", WIDE + ["s32", "u8", "s16"], ["T[3,7]"], "(T[3,2], s32[3,2]) topk(p0), k=2, largest=true"),
    ("while", INTEGERS + WIDE, ["s32[]:0:5", "T[4]"], "WHILE"),
    ("conditional", ["s32", "f32", "c64", "s8"], ["s32[]:-2:5", "T[4]"],
     "T[4] conditional(p0, p1, p1, p1), branch_computations={neg_T, same_T, neg_T}"),
    ("call", ["s32", "f32", "c64", "s8"], ["T[4]"], "T[4] call(p0), to_apply=same_T"),
    ("dot", INTEGERS + WIDE + COMPLEX, ["T[3,4]", "T[4,2]"],
     "T[3,2] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
    ("dot of batches", INTEGERS + WIDE + COMPLEX, ["T[2,3,4]", "T[4,2,5]"],
     "T[2,3,5] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0}"),
    ("dot to wide", ["s8", "u8", "s16", "bf16", "f16", "f8e4m3fn", "f8e5m2"], ["T[3,4]", "T[2,4]"],
     "W[3,2] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={1}"),
    ("convolution", WIDE + ["s32", "c64"], ["T[2,8,9,3]", "T[3,2,3,5]"],
     "T[2,4,6,5] convolution(p0, p1), window={size=3x2 stride=2x2 pad=1_1x2_1}, dim_labels=b01f_01io->b01f"),
    ("convolution dilated", WIDE, ["T[2,3,6]", "T[4,3,2]"],
     "T[2,4,11] convolution(p0, p1), window={size=2 pad=2_1 lhs_dilate=2 rhs_dilate=3 rhs_reversal=1}, dim_labels=bf0_oi0->bf0"),
    ("convolution of feature groups", WIDE, ["T[2,4,6]", "T[6,2,3]"],
     "T[2,6,4] convolution(p0, p1), window={size=3}, dim_labels=bf0_oi0->bf0, feature_group_count=2"),
    ("convolution of batch groups", WIDE, ["T[4,3,6]", "T[6,3,3]"],
     "T[2,6,4] convolution(p0, p1), window={size=3}, dim_labels=bf0_oi0->bf0, batch_group_count=2"),
    ("cholesky", ["f32", "f64"], ["T[2,3,3]:definite"], "CHOLESKY"),
    ("triangular-solve", ["f32", "f64", "c64", "c128"], ["T[2,3,3]:definite", "T[2,3,4]"],
     "T[2,3,4] triangular-solve(p0, p1), left_side=true, lower=true, transpose_a=NO_TRANSPOSE"),
    ("triangular-solve right", ["f32", "f64"], ["T[3,3]:definite", "T[4,3]"],
     "T[4,3] triangular-solve(p0, p1), left_side=false, lower=true, transpose_a=TRANSPOSE"),
    ("triangular-solve unit", ["f32", "f64", "c64", "c128"], ["T[3,3]:definite", "T[3,2]"],
     "T[3,2] triangular-solve(p0, p1), left_side=true, lower=false, unit_diagonal=true, transpose_a=ADJOINT"),
    ("batch-norm-training", ["f32", "f64", "bf16", "f16"], ["T[3,2,4]", "T[2]", "T[2]"],
     "(T[3,2,4], T[2], T[2]) batch-norm-training(p0, p1, p2), epsilon=0.01, feature_index=1"),
    ("batch-norm-inference", ["f32", "f64"], ["T[3,2,4]", "T[2]", "T[2]", "T[2]", "T[2]:positive"],
     "T[3,2,4] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0.01, feature_index=1"),
    ("batch-norm-grad", ["f32", "f64"], ["T[3,2,4]", "T[2]", "T[2]", "T[2]:positive", "T[3,2,4]"],
     "(T[3,2,4], T[2], T[2]) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.01, feature_index=1"),
    ("reduce-precision", ["f32", "f64", "f16", "bf16"], ["T[9]"], "T[9] reduce-precision(p0), exponent_bits=4, mantissa_bits=3"),
    ("optimization-barrier", ANY, ["T[3]"], "T[3] opt-barrier(p0)"),
    ("get-dimension-size", ["f32"], ["T[3,5]"], "s32[] get-dimension-size(p0), dimensions={1}"),
    ("all-reduce", ["f32", "s32"], ["T[3]"], "T[3] all-reduce(p0), replica_groups={}, to_apply=add_T"),
    ("all-gather", ["f32", "s32"], ["T[3]"], "T[3] all-gather(p0), replica_groups={}, dimensions={0}"),
    # Of a tuple of operands XLA's CPU dies; collective-broadcast it doesn't run.
    ("all-to-all", ["f32", "s32"], ["T[3,4]"], "T[3,4] all-to-all(p0), replica_groups={{0}}, dimensions={1}"),
    ("reduce-scatter", ["f32", "s32"], ["T[3]"], "T[3] reduce-scatter(p0), replica_groups={{0}}, dimensions={0}, to_apply=add_T"),
    ("collective-permute", ["f32", "s32"], ["T[3]"], "T[3] collective-permute(p0), source_target_pairs={{0,0}}"),
    ("partition-id", ["f32"], [], "u32[] partition-id()"),
    ("replica-id", ["f32"], [], "u32[] replica-id()"),
    ("ragged-dot", ["f32", "f64", "bf16"], ["T[7,3]", "T[2,3,4]", "s32[2]:1:4"],
     "T[7,4] ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"),
    ("scan", ["f32", "s32"], ["T[5]", "T[]"],
     "(T[5], T[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=run_T"),
] + [
    ("rng-bit-generator %s %s %s" % (algorithm, state, dims), ["u32", "u64", "u16", "u8"], ["u64[%d]" % state],
     "(u64[%d], T%s) rng-bit-generator(p0), algorithm=rng_%s" % (state, dims, algorithm))
    for algorithm, state in (("three_fry", 2), ("philox", 2), ("philox", 3), ("default", 2))
    for dims in ("[]", "[5]", "[3,4]", "[3,5]")
] + [
    ("fft %s" % kind, ["f32", "f64"], [operand], "%s fft(p0), fft_type=%s, fft_length={%s}" % (result, kind, length))
    for kind, operand, result, length in (
        ("FFT", "C[3,7]", "C[3,7]", "7"), ("IFFT", "C[3,4,6]", "C[3,4,6]", "4,6"), ("RFFT", "T[3,4,6]", "C[3,4,4]", "4,6"),
        ("RFFT", "T[5]", "C[3]", "5"), ("IRFFT", "C[3,4]", "T[3,6]", "6"), ("IRFFT", "C[4,3]", "T[4,5]", "4,5"))
]
COMPUTATIONS += """run_T { a = T[] parameter(0) b = T[] parameter(1) s = T[] add(a, b) ROOT r = (T[], T[]) tuple(s, s) }
"""
BITS = {"pred": 8, "s2": 2, "u2": 2, "s4": 4, "u4": 4}


def bits(name):
  if name in BITS:
    return BITS[name]
  if name.startswith("f8"):
    return 8
  return int(name.replace("bf", "")[1:] if name != "bf16" else 16)


def of_type(text, name):
  wide = {"s": "s32", "u": "u32"}.get(name[0], "f32")
  return re.sub(r"_T\b", "_" + name, text.replace("T[", name + "[")).replace("C[", {"f32": "c64"}.get(name, "c128") + "[").replace(
      "W[", wide + "[")


def extreme_cases():
  """The same on zeros of both signs, infinities, NaN, and the ends of types; sorts of few keys, whose order is told by a second
  operand."""
  for op, names in UNARY.items():
    for name in names:
      if name not in COMPLEX:
        root = "pred" if op == "is-finite" else name
        yield op, name, [name + "[40]:extreme"], "%s[40] %s(p0)" % (root, op)
  for op, names in BINARY.items():
    for name in names:
      # Of large exponents XLA's CPU reads only the lowest bits.
      if name not in COMPLEX and op != "complex" and not (op == "power" and name in INTEGERS):
        yield op, name, [name + "[60]:extreme", name + "[60]:extreme"], "%s[60] %s(p0, p1)" % (name, op)
  # Of these XLA's CPU has formulas of its own; NumPy is asked about the others (evaluator.py), whose branch cuts it has elsewhere.
  for name in COMPLEX:
    for op in UNARY_COMPLEX:
      root = {"abs": "f32", "real": "f32", "imag": "f32"}.get(op, name) if name == "c64" else {
          "abs": "f64", "real": "f64", "imag": "f64"}.get(op, name)
      yield op, name, [name + "[400]:extreme"], "%s[400] %s(p0)" % (root, op)
    for op in ("add", "multiply", "subtract", "divide", "power", "maximum", "minimum"):
      yield op, name, [name + "[3000]:extreme", name + "[3000]:extreme"], "%s[3000] %s(p0, p1)" % (name, op)
  for name in INTEGERS + FLOATS:
    yield "clamp", name, [name + "[]:extreme", name + "[40]:extreme", name + "[]:extreme"], name + "[40] clamp(p0, p1, p2)"
    yield "sort by key", name, [name + ("[9,3]:-1:2" if name in SIGNED else "[9,3]:0:3" if name in UNSIGNED else "[9,3]:small"), "s32[9,3]"], (
        "(%s[9,3], s32[9,3]) sort(p0, p1), dimensions={0}, is_stable=true, to_apply=sort2_%s" % (name, name))
    for other in INTEGERS + FLOATS + PRED:
      if other != name:
        yield "convert", name, [name + "[40]:extreme"], "%s[40] convert(p0)" % other
  for name in WIDE:
    # special_values.py has all formats, and those without mantissa bits, in which XLA's CPU keeps NaN.
    for exponent, mantissa in ((2, 3), (5, 2), (8, 7), (11, 52), (1, 5)):
      yield "reduce-precision", name, [name + "[60]:extreme"], (
          "%s[60] reduce-precision(p0), exponent_bits=%d, mantissa_bits=%d" % (name, exponent, mantissa))


def all_cases():
  """(op, type, parameters, root) of each."""
  for op, names in UNARY.items():
    for name in names:
      root = {"abs": "R", "real": "R", "imag": "R", "is-finite": "P"}.get(op, "T") + "[3,4] %s(p0)" % op
      real = {"c64": "f32", "c128": "f64"}.get(name, name)
      yield op, name, [name + "[3,4]"], root.replace("R[", real + "[").replace("P[", "pred[").replace("T[", name + "[")
  for op, names in BINARY.items():
    for name in names:
      result = {"f32": "c64", "f64": "c128"}[name] if op == "complex" else name
      second = name + "[3,4]" + (":shift" if op.startswith("shift") else ":0:6" if op == "power" and name in INTEGERS else "")
      yield op, name, [name + "[3,4]", second], "%s[3,4] %s(p0, p1)" % (result, op)
  yield from extreme_cases()
  for name in SIGNED:
    high = 2 if name == "s2" else 4
    yield "power negative", name, ["%s[40]:-2:%d" % (name, high), "%s[40]:-2:%d" % (name, high)], name + "[40] power(p0, p1)"
  for name in ANY:
    for direction in DIRECTIONS:
      if name not in COMPLEX or direction in ("EQ", "NE"):
        yield "compare", name, [name + "[9]:special", name + "[9]:special"], "pred[9] compare(p0, p1), direction=%s" % direction
    for other in ANY:
      if other != name and not (name in COMPLEX and other == "pred"):  # XLA dies
        yield "convert", name, [name + "[9]:special"], "%s[9] convert(p0)" % other
      small, large = sorted((bits(name), bits(other)))
      if not {name, other} & {"pred", "c64", "c128"} and large % small == 0:
        if bits(name) == bits(other):
          yield "bitcast-convert", name, [name + "[9]"], "%s[9] bitcast-convert(p0)" % other
        elif bits(name) > bits(other):
          yield "bitcast-convert", name, [name + "[3]"], "%s[3,%d] bitcast-convert(p0)" % (other, large // small)
        else:
          yield "bitcast-convert", name, [name + "[3,%d]" % (large // small)], "%s[3] bitcast-convert(p0)" % other
  for name in WIDE + FLOATS[4:]:
    yield "compare TOTALORDER", name, [name + "[9]:special", name + "[9]:special"], "pred[9] compare(p0, p1), direction=LT, type=TOTALORDER"
  for name, noise in (("f32", "u32"), ("bf16", "u16"), ("f16", "u16"), ("f64", "u64")):
    for to in ("s8", "s16", "s32"):
      yield "stochastic-convert", name, [name + "[9]", noise + "[9]"], "%s[9] stochastic-convert(p0, p1)" % to
  for op, names, parameters, root in STRUCTURED:
    for name in names:
      if root == "CHOLESKY":
        for lower in ("true", "false"):
          yield op, name, [of_type(p, name) for p in parameters], of_type("T[2,3,3] cholesky(p0), lower=" + lower, name)
        continue
      yield op, name, [of_type(p, name) for p in parameters], of_type(root, name)
