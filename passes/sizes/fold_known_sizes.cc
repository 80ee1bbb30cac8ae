// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/sizes/fold_known_sizes.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/eval/fold.h"
#include "indim/ir/append_record.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

class SizeFolder {
 public:
  explicit SizeFolder(Module module) : before_(std::move(module)) {}

  FoldedSizes Run();

 private:
  void Visit(const Instruction& at);
  void VisitAssertion(const Instruction& at);
  void VisitReshape(const Instruction& at);
  void VisitSetSize(const Instruction& at);
  void VisitSlice(const Instruction& at);
  std::string Message(const Instruction& at);
  // The value as an integer; nullopt: not known.
  std::optional<int64_t> Number(const Instruction& value);
  // Makes `at` an `opcode` of its first `operands` operands, with
  // `attribute_bytes`.
  void Become(const Instruction& at, Opcode opcode, uint32_t operands,
              const Shape& shape, AttributeBytesView attribute_bytes);

  Module before_;  // the module that is evaluated
  // For the current computation, made when needed.
  std::unique_ptr<ConstantFolder> folder_;
  std::shared_ptr<ModuleData> after_;
  FoldedSizes result_;
};

std::optional<int64_t> SizeFolder::Number(const Instruction& value) {
  if (folder_ == nullptr) {
    folder_ = std::make_unique<ConstantFolder>(value.computation());
  }
  const auto known = folder_->FoldIntegers(value.index());
  if (!known || known->size() != 1) return std::nullopt;
  return (*known)[0];
}

void SizeFolder::Become(const Instruction& at, Opcode opcode, uint32_t operands,
                        const Shape& shape,
                        AttributeBytesView attribute_bytes) {
  if (after_ == nullptr) after_ = internal::TakeData(before_);
  Pools& pools = after_->MutablePools();
  InstructionRecord& r = after_->instructions[at.position()];
  r.opcode = opcode;
  KeepOperands(operands, &r);
  r.attribute_bytes = pools.AddAttributeBytes(attribute_bytes);
  r.shape = pools.shapes().Intern(
      at.shape().has_layout_anywhere() ? shape.WithDefaultLayout() : shape);
}

// JAX's message, with {0} for the first size. Without a message, the sizes.
std::string SizeFolder::Message(const Instruction& at) {
  std::string message(
      FrontendAttribute(
          AttributeBytesField(internal::AttributeBytesOf(at),
                              field::HloInstructionProto::kFrontendAttributes),
          "error_message")
          .value_or("its condition is false"));
  std::string sizes;
  for (int k = 1; k < at.operand_count(); ++k) {
    const std::optional<int64_t> size = Number(at.operand(k));
    const std::string text = size ? absl::StrCat(*size) : "?";
    message =
        absl::StrReplaceAll(message, {{absl::StrCat("{", k - 1, "}"), text}});
    absl::StrAppend(&sizes, sizes.empty() ? "" : ", ", text);
  }
  return sizes.empty() ? message : absl::StrCat(message, " (", sizes, ")");
}

void SizeFolder::VisitAssertion(const Instruction& at) {
  const std::optional<int64_t> holds = Number(at.operand(0));
  if (!holds) return;
  if (*holds == 0) {
    Diagnostic d;
    d.code = Code::kAssertionFails;
    d.args.push_back(Message(at));
    result_.report.Add({std::move(d),
                        static_cast<uint32_t>(at.computation().index()),
                        static_cast<uint32_t>(at.index())});
    return;
  }
  ++result_.assertions;
  // It keeps its control predecessors.
  Become(at, Opcode::kTuple, 0, Shape::Tuple({}),
         {{}, internal::AttributeBytesOf(at).control, {}});
}

void SizeFolder::VisitReshape(const Instruction& at) {
  if (!at.operand(0).shape().is_static()) return;
  DimVector dims;
  for (int k = 1; k < at.operand_count(); ++k) {
    const std::optional<int64_t> size = Number(at.operand(k));
    if (!size || *size < 0) return;
    dims.push_back(Dim::Static(*size));
  }
  ++result_.sizes;
  const OwnedAttributeBytes attribute_bytes = ReplaceAttributes(
      Opcode::kReshape, internal::AttributeBytesOf(at), DimensionsAttributes());
  Become(at, Opcode::kReshape, 1, Shape::Array(at.shape().element_type(), dims),
         attribute_bytes.view());
}

void SizeFolder::VisitSetSize(const Instruction& at) {
  const Shape& operand = at.operand(0).shape();
  const DimIndices& dims = As<DimensionsAttributes>(at.attributes()).dimensions;
  if (!operand.has_rank() || !operand.is_static() || dims.size() != 1 ||
      dims[0] < 0 || dims[0] >= operand.rank()) {
    return;
  }
  const std::optional<int64_t> size = Number(at.operand(1));
  if (!size || *size != operand.dim(static_cast<int>(dims[0])).size()) return;
  ++result_.sizes;
  const OwnedAttributeBytes attribute_bytes =
      ReplaceAttributes(Opcode::kSetDimensionSize,
                        internal::AttributeBytesOf(at), DimensionsAttributes());
  Become(at, Opcode::kCopy, 1, operand.WithoutLayout(), attribute_bytes.view());
}

void SizeFolder::VisitSlice(const Instruction& at) {
  SliceAttributes slice = As<SliceAttributes>(at.attributes());
  const Shape& operand = at.operand(0).shape();
  DimIndices open;
  for (const int64_t i : slice.whole) {
    const int d = static_cast<int>(i);
    if (d >= operand.rank() ||
        !(operand.dim(d).is_static() || operand.dim(d).is_bounded())) {
      open.push_back(i);
      continue;
    }
    slice.limits[static_cast<size_t>(i)] = operand.dim(d).size();
  }
  if (open.size() == slice.whole.size()) return;
  ++result_.sizes;
  slice.whole = std::move(open);
  const OwnedAttributeBytes attribute_bytes = ReplaceAttributes(
      Opcode::kSlice, internal::AttributeBytesOf(at), std::move(slice));
  Become(at, Opcode::kSlice, 1, at.shape(), attribute_bytes.view());
}

void SizeFolder::Visit(const Instruction& at) {
  if (at.opcode() == Opcode::kCustomCall && at.operand_count() > 0) {
    const auto& call = As<CustomCallAttributes>(at.attributes());
    if (call.target == kShapeAssertion) VisitAssertion(at);
  } else if (at.opcode() == Opcode::kDynamicReshape && at.operand_count() > 0) {
    VisitReshape(at);
  } else if (at.opcode() == Opcode::kSetDimensionSize &&
             at.operand_count() == 2) {
    VisitSetSize(at);
  } else if (at.opcode() == Opcode::kSlice && at.operand_count() == 1) {
    VisitSlice(at);
  }
}

FoldedSizes SizeFolder::Run() {
  for (const Computation computation : before_.computations()) {
    folder_ = nullptr;
    for (const Instruction at : computation.instructions()) Visit(at);
  }
  if (after_ != nullptr) {
    after_->ForgetProgramShapes();
    result_.module = internal::ModuleOf(std::move(after_));
  } else {
    result_.module = before_;
  }
  return std::move(result_);
}

}  // namespace

FoldedSizes FoldKnownSizes(Module module) {
  return SizeFolder(std::move(module)).Run();
}

}  // namespace indim
