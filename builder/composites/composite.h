// Composite: how functions over Ops, made of the builder's calls, record.
//
//   Op Relu(Op x, Caller caller) {
//     internal::Composite c("Relu", {x}, caller);
//     if (!c.Elements(0, internal::Class::kReal)) return c.failed();
//     return c.Done(c.b().Max(x, c.Scalar(c.type(0), 0)));
//   }
//
// Whatever is recorded while a Composite lives has the line of its caller, and
// messages name it: "Relu: operand 0 is pred[2], but ...", "Relu's maximum:
// ...". A sharding in scope is set on the result alone, since what stands
// between may have other dims. A composite within another is a part of that
// one.
//
// The builder is the one of the first operand that has one alive; it reports
// default Ops, and Ops of others. Without one every answer is a default Op. An
// operand that is poisoned makes the result poisoned, silently.

#ifndef INDIM_BUILDER_COMPOSITES_COMPOSITE_H_
#define INDIM_BUILDER_COMPOSITES_COMPOSITE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// What elements an operand may have.
enum class Class {
  kAny,
  kPred,
  kInteger,
  kFloat,
  kReal,        // integers, floats
  kPredOrReal,  // pred, integers, floats
  kNumber,      // integers, floats, complex
  kFloatOrComplex,
};

class Composite {
 public:
  // `name` must stay valid.
  Composite(const char* name, absl::Span<const Op> operands, Caller caller);
  // One that is made of nothing, in `builder`.
  Composite(const char* name, ComputationBuilder& builder, Caller caller);
  ~Composite();
  Composite(const Composite&) = delete;
  Composite& operator=(const Composite&) = delete;

  // Something was wrong, failed() is what to return.
  bool ok() const { return ok_; }
  Op failed() const { return failed_; }
  // What to return of a composite that was recorded.
  Op Done(Op result);

  // Records into the operands' builder.
  ComputationBuilder& b() { return builder_; }
  Caller caller() const { return caller_; }

  // Operand i, and its shape. Only while ok().
  size_t operand_count() const { return operands_.size(); }
  Op operand(size_t i) const { return operands_[i]; }
  const Shape& shape(size_t i) const { return shapes_[i]; }
  ElementType type(size_t i) const { return shapes_[i].element_type(); }
  // Of anything recorded; a scalar pred for what is poisoned.
  Shape ShapeOf(Op op) const;

  // --- Checks. False: an error is recorded, or was before. -----------------

  // IND0101, IND0102.
  bool Elements(size_t i, Class allowed);
  // An array of known rank (IND0612), of such elements.
  bool Ranked(size_t i, Class allowed = Class::kAny);
  // Makes *dim, which may count from the end (-1: the last), a position in
  // 0..rank-1 (IND0111). `what`: its name in the call.
  bool ResolveDim(size_t i, const char* what, int64_t* dim);
  // The same for a list, where none may be twice (IND0112). It is sorted.
  bool ResolveDims(size_t i, const char* what, std::vector<int64_t>* dims);
  // An array can be made that is as long as dim `dim` of operand i: it has a
  // name or an upper end (IND0613).
  bool IsMakable(size_t i, int64_t dim);
  // All dims of operand i are.
  bool AllMakable(size_t i);
  // Of dim `dim` of operand i what HLO says in a number, which is
  // called `what`: its size, or its bound (IND0646).
  bool SizeOf(size_t i, int64_t dim, const char* what, int64_t* size);
  bool Fail(Rule rule, std::vector<DiagnosticArg> args, int operand = -1,
            int64_t dim = -1);
  bool Fail(Diagnostic diagnostic);

  // --- What many composites need --------------------------------------------

  Op Scalar(ElementType type, Number value) {
    return builder_.ConstantR0(type, value);
  }
  Op Scalar(const Literal& value) { return builder_.ConstantLiteral(value); }
  // The dims of `like`, all makable, as `type`: with bounds as sizes.
  Shape MadeLike(const Shape& like, ElementType type) const;
  // `made`, of such a shape, with the run-time sizes of `like` where it is
  // bounded.
  Op SizedLike(Op made, Op like);
  // 0, 1, ... along `dim`, as `type`, in the dims of `like`, all makable.
  Op IotaLike(Op like, ElementType type, int64_t dim);
  // A broadcast of an array into dims `dims` of `shape`, sizes unchanged.
  Op BroadcastTo(Op op, const Shape& shape, absl::Span<const int64_t> dims);
  // The same elements as other dims.
  Op ReshapeTo(Op op, const Shape& shape);
  // Floats below 32 bits as f32, in which they are computed; others as they
  // are.
  Op Widen(Op op);
  // Back to `type`.
  Op Narrow(Op op, ElementType type);
  // The computation that folds two scalars of `type`; `fold` makes it, once for
  // all composites of that name and type.
  Callee Reducer(const char* name, ElementType type,
                 absl::FunctionRef<Op(ComputationBuilder& b, Op x, Op y)> fold);
  // Any computation; `body` records all of it.
  Callee Computation(const std::string& name, ElementType type,
                     absl::FunctionRef<Op(ComputationBuilder& b)> body);

 private:
  Composite(const char* name, Recorder* recorder, absl::Span<const Op> operands,
            Caller caller);

  Recorder* const recorder_;
  const Caller caller_;
  std::vector<Op> operands_;
  std::vector<Shape> shapes_;
  // Lent: the recorder is not its own.
  ComputationBuilder builder_;
  bool outermost_ = false;
  bool ok_ = false;
  Op failed_;
  Op result_;
};

// log(exp(x) + exp(y)) of two operands that broadcast, of one float type.
Op LogOfSumOfExps(ComputationBuilder& b, Op x, Op y);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_COMPOSITES_COMPOSITE_H_
