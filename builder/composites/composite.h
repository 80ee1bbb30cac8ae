// SPDX-License-Identifier: Apache-2.0
// Composite: records a function over Ops that is made of the builder's calls.
//
//   Op Relu(Op x, Caller caller) {
//     internal::Composite c("Relu", {x}, caller);
//     if (!c.Elements(0, TypeMask::kReal)) return c.failed();
//     return c.Done(c.b().Max(x, c.Scalar(c.type(0), 0)));
//   }
//
// Every op that is recorded while a Composite lives has the line of the
// composite's caller, and messages name the composite: "Relu: operand 0 is
// pred[2], but ...", "Relu's maximum: ...". A sharding in scope is set on the
// result only, since intermediate ops may have other dims. A composite within
// another one is a part of it.
//
// It records in the first operand's builder that is alive; that builder reports
// default Ops, Ops of other builders and of regions that have ended. Without a
// builder a result is as gone as the first operand. A poisoned operand makes
// the result poisoned, without a further message.

#ifndef INDIM_BUILDER_COMPOSITES_COMPOSITE_H_
#define INDIM_BUILDER_COMPOSITES_COMPOSITE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/types/shape.h"
#include "indim/shape/types/type_mask.h"

namespace indim::internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kPi = 3.14159265358979323846;

class Composite {
 public:
  // `name` must stay valid.
  Composite(const char* name, absl::Span<const Op> operands, Caller caller);
  // A composite without operands, in `builder`.
  Composite(const char* name, ComputationBuilder& builder, Caller caller);
  ~Composite();
  Composite(const Composite&) = delete;
  Composite& operator=(const Composite&) = delete;

  // False: an error was found; return failed().
  bool ok() const { return ok_; }
  Op failed() const { return failed_; }
  // Ends the composite; return its result.
  Op Done(Op result);

  // The operands' builder.
  ComputationBuilder& b() { return builder_; }
  Caller caller() const { return caller_; }

  // Operand i and its shape, only while ok().
  size_t operand_count() const { return operands_.size(); }
  Op operand(size_t i) const { return operands_[i]; }
  const Shape& shape(size_t i) const { return shapes_[i]; }
  ElementType type(size_t i) const { return shapes_[i].element_type(); }
  // The shape of any recorded op; a scalar pred for a poisoned one.
  Shape ShapeOf(Op op) const;
  // Whether the op isn't poisoned: a step found no error.
  bool IsGood(Op op) const;

  // --- Checks. False: an error is recorded, now or before. ------------------

  // Operand i is an array (IND0101) of allowed elements (IND0102).
  bool Elements(size_t i, TypeMask allowed);
  // Operand i is an array of known rank (IND0612) and allowed elements.
  bool Ranked(size_t i, TypeMask allowed = TypeMask::kArray);
  // Ranked, with at least `least` dims (rank-too-low).
  bool RankedAtLeast(size_t i, size_t least,
                     TypeMask allowed = TypeMask::kArray);
  // Makes *dim, which may count from the end (-1: the last), a position in
  // 0..rank-1 (IND0111). `what` is its name in the call.
  bool ResolveDim(size_t i, const char* what, int64_t* dim);
  // Likewise for a dim of a result of rank `rank`, made of operand i.
  bool ResolveDim(size_t i, int64_t rank, const char* what, int64_t* dim);
  // ResolveDim for a list, in which no dim may occur twice (IND0112). Sorts it.
  bool ResolveDims(size_t i, const char* what, std::vector<int64_t>* dims);
  bool ResolveDims(size_t i, int64_t rank, const char* what,
                   std::vector<int64_t>* dims);
  // Sets *out to the dims of operand i, of known rank, that `dims` names,
  // ascending.
  bool ResolveDims(size_t i, const DimsArg& dims, std::vector<int64_t>* out);
  // Whether an array can be made with dim `dim` of operand i: the dim has a
  // name or an upper end (IND0613).
  bool IsMakable(size_t i, int64_t dim);
  // Whether all dims of operand i are makable.
  bool AllMakable(size_t i);
  // The number that HLO has for dim `dim` of operand i: its size or its bound
  // (IND0646). `what` is its name in the call.
  bool SizeOf(size_t i, int64_t dim, const char* what, int64_t* size);
  // The dims of operand i that aren't among `dims`.
  std::vector<int64_t> OtherDims(size_t i,
                                 absl::Span<const int64_t> dims) const;
  // Operand i has the element type of operand `of` (IND0103).
  bool HasTypeOf(size_t i, size_t of);
  // Operand i has the dims `dims` of operand `of` (IND0655); sizes that aren't
  // known may differ.
  bool HasDims(size_t i, size_t of, absl::Span<const int64_t> dims);
  // `size`, which the call calls `what`, isn't negative (IND0120).
  bool IsSize(const char* what, SizeArg size);
  bool Fail(Code code, std::vector<DiagnosticArg> args, int operand = -1,
            int64_t dim = -1);
  bool Fail(Diagnostic diagnostic);

  // --- Steps that many composites share -------------------------------------

  Op Scalar(ElementType type, Number value) {
    return builder_.ConstantR0(type, value);
  }
  Op Scalar(const Literal& value) { return builder_.ConstantLiteral(value); }
  // An array of `type` with the dims of `like`, all makable; bounds become
  // sizes.
  Shape ShapeLike(const Shape& like, ElementType type) const;
  // `made`, which has a shape of ShapeLike, with the run-time sizes of `like`
  // where that is bounded.
  Op SizedLike(Op made, Op like);
  // 0, 1, ... along `dim`, as `type`, with the dims of `like`, all makable.
  Op IotaLike(Op like, ElementType type, int64_t dim);
  // Broadcasts an array to the dims `dims` of `shape`, without stretching.
  Op BroadcastTo(Op op, const Shape& shape, absl::Span<const int64_t> dims);
  // Reshapes to the dims of `shape`.
  Op ReshapeTo(Op op, const Shape& shape);
  // Converts floats below 32 bits to f32, for computing; others stay.
  Op Widen(Op op);
  // Converts the result of a computation on Widen back to `type`.
  Op Narrow(Op op, ElementType type);
  // The computation that folds two scalars of `type`. `fold` records it, once
  // for all composites with that name and type.
  Callee Reducer(const char* name, ElementType type,
                 absl::FunctionRef<Op(ComputationBuilder& b, Op x, Op y)> fold);
  // A computation; `body` records all of it, once per name and type.
  Callee Computation(const std::string& name, ElementType type,
                     absl::FunctionRef<Op(ComputationBuilder& b)> body);

 private:
  Composite(const char* name, Recorder* recorder, absl::Span<const Op> operands,
            Caller caller);

  Recorder* const recorder_;
  const Caller caller_;
  std::vector<Op> operands_;
  std::vector<Shape> shapes_;
  // Borrows recorder_, which another builder owns.
  ComputationBuilder builder_;
  bool outermost_ = false;
  bool ok_ = false;
  Op failed_;
  Op result_;
};

// Folds of two operands, for Reducer.
Op Add(ComputationBuilder& b, Op x, Op y);
Op Multiply(ComputationBuilder& b, Op x, Op y);
Op Maximum(ComputationBuilder& b, Op x, Op y);
Op Minimum(ComputationBuilder& b, Op x, Op y);
// log(exp(x) + exp(y)) of two operands of one float type, which broadcast.
Op LogOfSumOfExps(ComputationBuilder& b, Op x, Op y);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_COMPOSITES_COMPOSITE_H_
