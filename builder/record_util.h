// SPDX-License-Identifier: Apache-2.0
// Helpers that the files of ComputationBuilder's operations share.

#ifndef INDIM_BUILDER_RECORD_UTIL_H_
#define INDIM_BUILDER_RECORD_UTIL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/lambda.h"
#include "indim/builder/op.h"
#include "indim/builder/recorder.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// What is recorded while it lives has another sharding than the one in scope.
class SwappedSharding {
 public:
  SwappedSharding(Recorder* recorder, std::optional<std::string> sharding)
      : recorder_(recorder), before_(recorder->settings().sharding()) {
    recorder_->settings().set_sharding(std::move(sharding));
  }
  ~SwappedSharding() { recorder_->settings().set_sharding(std::move(before_)); }
  SwappedSharding(const SwappedSharding&) = delete;
  SwappedSharding& operator=(const SwappedSharding&) = delete;

 private:
  Recorder* const recorder_;
  std::optional<std::string> before_;
};

// What a call records for itself while this lives has no sharding: the one in
// scope is for the call's result, which may have other dims.
class ForItself : public SwappedSharding {
 public:
  explicit ForItself(Recorder* recorder)
      : SwappedSharding(recorder, std::nullopt) {}
};

// A constant that a call makes for itself.
inline Op OwnConstant(Recorder* recorder, const Literal& literal,
                      Caller caller) {
  const ForItself part(recorder);
  return recorder->Constant(literal, caller);
}

inline absl::Span<const Callee> One(const Callee& callee) {
  return absl::MakeConstSpan(&callee, 1);
}

inline DimIndices Indices(absl::Span<const int64_t> values) {
  return DimIndices(values.begin(), values.end());
}

// Records an op with attributes; WithCallees also with computations.
inline Op With(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
               const Attributes& attributes, Caller caller) {
  return recorder->Record({opcode, operands, &attributes}, caller);
}

inline Op WithCallees(Recorder* recorder, Opcode opcode,
                      absl::Span<const Op> operands,
                      const Attributes& attributes,
                      absl::Span<const Callee> callees, Caller caller) {
  return recorder->Record({opcode, operands, &attributes, nullptr, callees},
                          caller);
}

// Records a call whose `shape` has an invalid text: IND0604.
inline Op RejectText(Recorder* recorder, Opcode opcode,
                     absl::Span<const Op> operands, const ShapeArg& shape,
                     Caller caller) {
  return recorder->Reject(opcode, operands, Code::kNoShape,
                          {std::string(shape.shape().status().message())},
                          caller);
}

// A conditional that a scalar of `type` selects (else IND0405). XLA's builder
// has a call for pred[] and one for s32[]: for a pred[] the true branch comes
// first, so with the wrong type the conditional would silently take the other
// branch.
Op RecordConditional(Recorder* recorder, ElementType type,
                     absl::Span<const Op> operands,
                     absl::Span<const Callee> branches, Caller caller);

// The first `count` elements of `tuple`, which a call made without the sharding
// in scope. Its results, all but the first `own`, have that sharding if they
// can carry it, or its parts; IND0786 if none can.
std::vector<Op> ElementsOf(Recorder* recorder, Op tuple, size_t own,
                           size_t count, Caller caller);

// The shapes of the operands of `opcode`. False: an operand is misused or
// poisoned, and *failed is the result of the call.
bool ShapesOf(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
              std::vector<Shape>* shapes, Op* failed, Caller caller);
// Scalars of the operands' element types. Each is an array (IND0101).
bool ScalarShapesOf(Recorder* recorder, Opcode opcode,
                    absl::Span<const Op> operands, std::vector<Shape>* shapes,
                    Op* failed, Caller caller);
// Records the operands that are numbers as constants of the element type of
// operand `typed`, or of the first one that is an Op if that is a number too.
// Returns false after an error (IND0636, IND0637), with the call's result.
bool MakeScalars(Recorder* recorder, Opcode opcode,
                 absl::Span<const Operand> operands, size_t typed,
                 Caller caller, Op* ops, Op* result);

// Appends the starts of a dynamic slice to *operands, numbers as constants of
// the type of the first one that is an Op, or s32. Returns false after an error
// (IND0636), with the call's result.
bool AddStarts(Recorder* recorder, Opcode opcode, const StartsArg& starts,
               Caller caller, std::vector<Op>* operands, Op* result);

// `operands` with numbers as constants of the type of operand `typed`. False:
// an error was recorded, and *failed is the result of the call.
bool WithScalars(Recorder* recorder, Opcode opcode,
                 absl::Span<const Operand> operands, size_t typed,
                 std::vector<Op>* ops, Op* failed, Caller caller);
// Whether the computation of a lambda was built; else *failed is the result of
// the op that calls it. The lambda's own error was recorded.
bool IsBuilt(Recorder* recorder, Opcode opcode, const Callee& computation,
             Op* failed, Caller caller);
// The computation of two scalars for each operand; nullopt: *failed is the
// result of the call.
std::optional<Callee> ComputationOf(Recorder* recorder, Opcode opcode,
                                    absl::string_view name, Ops operands,
                                    OneResult function, Op* failed,
                                    Caller caller);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_RECORD_UTIL_H_
