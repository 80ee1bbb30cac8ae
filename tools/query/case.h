// SPDX-License-Identifier: Apache-2.0
// A case: a question about one operation as a C++ value. answer_case.h answers
// it, case_reader.h reads it from JSON and tells what each field means.

#ifndef INDIM_TOOLS_QUERY_CASE_H_
#define INDIM_TOOLS_QUERY_CASE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indim/shape/dims/dim.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// How an operation of rule "xla" is asked: as itself, or in a form that only a
// builder speaks (builder_forms.h).
enum class CaseForm : uint8_t {
  kOp,
  kBroadcastSizes,
  kBroadcastInDim,
  kReshapeTo,
  kDynamicReshapeTo,
  kTwoBranches,  // true_computation and false_computation: the index is pred
  kIndexedBranches,    // branch_computations: the index is s32
  kCollectiveOfTuple,  // one operand, a tuple
  kRandomBits  // Case::declared: the state and the array that bits are asked
               // for
};

struct Case {
  // In Case::sizes, a size that was written "?".
  static constexpr int64_t kUnknownSize = INT64_MIN;

  std::optional<std::string> id;
  bool id_is_number = false;  // it was written without quotes
  std::string rule = "xla";
  std::string query = "infer";
  std::string op;  // as written; of other rules it may be anything
  // The op of that spelling; kInvalid when there is none (then the rule isn't
  // "xla", or the case has no op).
  Opcode opcode = Opcode::kInvalid;
  CaseForm form = CaseForm::kOp;
  std::vector<Shape> operands;
  std::vector<const Shape*> OperandPointers() const;
  Attributes attributes;
  std::vector<Signature> callees;
  // What OpInputs::declared is to be: the result that is given, or a shape of
  // the element type that is given.
  std::optional<Shape> declared;

  // Of the builder forms: sizes as written, negative ones too; and which of
  // them are bounds.
  std::vector<int64_t> sizes;
  std::vector<bool> dims_are_dynamic;

  std::optional<Shape> result;  // the recorded shape, for "verify"
  std::string mode;             // "" when absent
  std::optional<int64_t> axis;
  // Target dims; -1 and "?" are unknown.
  std::optional<DimVector> target_shape;
  std::optional<DimIndices> axes_mapping;

  // Rule "onnx" (onnx_case.h): attributes as ONNX calls them. The axis is
  // Case::axis, a constant shape Case::sizes.
  bool allow_zero = false;

  // What the line states of its symbols; the shapes have it already.
  SymbolScope scope;

  // As sentences: attributes that the operation doesn't have.
  std::vector<std::string> warnings;
};

// A case as shape functions take it. Points into the case, which must outlive
// it and not change.
class CaseInputs {
 public:
  explicit CaseInputs(const Case& c);
  CaseInputs(const CaseInputs&) = delete;
  CaseInputs& operator=(const CaseInputs&) = delete;

  const OpInputs& inputs() const { return inputs_; }

 private:
  std::vector<const Shape*> operands_;
  std::vector<const Signature*> callees_;
  OpInputs inputs_;
};

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_CASE_H_
