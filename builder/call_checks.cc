// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/call_checks.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/canonical.h"
#include "indim/shape/infer/check_constraint.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/types/element_type.h"
#include "indim/sharding/sharding_faults.h"

namespace indim::internal {
namespace {

// The depth of an instruction in its file: in a computation, in a module.
constexpr int kInstructionDepth = 2;

// Programs may compute an element type from a number.
bool TypesAreKnown(const Shape& shape) {
  if (shape.is_array() &&
      Info(shape.element_type()).kind == ElementKind::kInvalid) {
    return false;
  }
  // Depth is at most Shape::kMaxTupleDepth.
  return absl::c_all_of(shape.elements(), TypesAreKnown);
}

// Depth is at most Shape::kMaxTupleDepth.
bool NoPartIsNone(const Shape& shape) {
  return !shape.is_none() && absl::c_all_of(shape.elements(), NoPartIsNone);
}

// Depth is at most Shape::kMaxTupleDepth.
Shape WithoutScalarLayouts(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements()) {
      elements.push_back(WithoutScalarLayouts(element));
    }
    return Shape::Tuple(std::move(elements));
  }
  const bool says_nothing = shape.is_scalar() && shape.layout() != nullptr &&
                            *shape.layout() == Layout::RowMajor(0);
  return says_nothing ? shape.WithoutLayout() : shape;
}

// The fault of one side's labels: each names a dim of its own.
std::string LabelsFault(absl::string_view side, int64_t first, int64_t second,
                        const DimIndices& spatial) {
  DimIndices dims = spatial;
  dims.push_back(first);
  dims.push_back(second);
  for (const int64_t dim : dims) {
    if (dim >= 0 && dim < ConvolutionDims::kMaxRank) continue;
    return absl::StrCat("dim_labels can't name dim ", dim, " of the ", side);
  }
  absl::c_sort(dims);
  const auto twice = absl::c_adjacent_find(dims);
  return twice == dims.end() ? ""
                             : absl::StrCat("dim_labels can't name dim ",
                                            *twice, " of the ", side, " twice");
}

// Why HLO text has no dim_labels for these dims; "": it has.
std::string DimLabelsFault(const ConvolutionDims& d) {
  const size_t count = d.input_spatial.size();
  if (d.kernel_spatial.size() != count || d.output_spatial.size() != count) {
    return absl::StrCat(
        "dim_labels have as many spatial dims of the input, "
        "the kernel and the output, not ",
        count, ", ", d.kernel_spatial.size(), " and ", d.output_spatial.size());
  }
  if (count > ConvolutionDims::kMaxSpatial) {
    return absl::StrCat("dim_labels have digits for ",
                        ConvolutionDims::kMaxSpatial, " spatial dims, not ",
                        count);
  }
  std::string fault =
      LabelsFault("input", d.input_batch, d.input_feature, d.input_spatial);
  if (fault.empty()) {
    fault = LabelsFault("kernel", d.kernel_input_feature,
                        d.kernel_output_feature, d.kernel_spatial);
  }
  if (fault.empty()) {
    fault = LabelsFault("output", d.output_batch, d.output_feature,
                        d.output_spatial);
  }
  return fault;
}

// The fault of attributes that text can't say; "": none.
std::string TextFault(Opcode opcode, const Attributes& attributes) {
  if (opcode == Opcode::kConvolution) {
    return DimLabelsFault(As<ConvolutionAttributes>(attributes).dims);
  }
  if (opcode == Opcode::kFusion) {
    const std::string& kind = As<FusionAttributes>(attributes).kind;
    const bool is_known = absl::c_any_of(
        words::FusionKind.words,
        [&](const AttributeWord& known) { return known.word == kind; });
    return is_known ? ""
                    : absl::StrCat("\"", kind,
                                   "\" is no kind of fusion; there are kLoop, "
                                   "kInput, kOutput and kCustom");
  }
  if (opcode != Opcode::kCustomCall) return "";
  const auto& call = As<CustomCallAttributes>(attributes);
  for (const Shape& shape : call.operand_shapes_with_layout) {
    if (!NoPartIsNone(shape) || !TypesAreKnown(shape) ||
        !ParseShapeProto(SerializeShapeProto(shape)).ok()) {
      return "operand_layout_constraints that aren't shapes";
    }
  }
  return call.convolution_dims ? DimLabelsFault(*call.convolution_dims) : "";
}

}  // namespace

std::optional<Attributes> AsTextSays(Opcode opcode,
                                     const Attributes& attributes) {
  const AttributesKind kind = Info(opcode).attributes;
  if (kind == AttributesKind::kCollective) {
    const auto& collective = As<CollectiveAttributes>(attributes);
    if (collective.dimensions.empty() || Info(opcode).has(kAlongOneDim)) {
      return std::nullopt;
    }
    CollectiveAttributes shorter = collective;
    shorter.dimensions.clear();
    return Attributes(std::move(shorter));
  }
  if (kind == AttributesKind::kCustomCall) {
    const auto& call = As<CustomCallAttributes>(attributes);
    if (call.operand_shapes_with_layout.empty()) return std::nullopt;
    CustomCallAttributes changed = call;
    if (call.constrain_layout) {
      for (Shape& shape : changed.operand_shapes_with_layout) {
        shape = shape.WithScalarLayouts();
      }
    } else {
      changed.operand_shapes_with_layout.clear();
    }
    return Attributes(std::move(changed));
  }
  if (opcode == Opcode::kOutfeed) {
    OutfeedAttributes changed = As<OutfeedAttributes>(attributes);
    changed.outfeed_shape = changed.outfeed_shape.WithScalarLayouts();
    return Attributes(std::move(changed));
  }
  return std::nullopt;
}

ShapeId InternGiven(const Shape& shape, ShapeTable* shapes) {
  return shape.has_layout_anywhere()
             ? shapes->Intern(WithoutScalarLayouts(shape))
             : shapes->Intern(shape);
}

ShapeId InternDeclared(Opcode opcode, const Attributes* attributes,
                       const Shape& shape, ShapeTable* shapes) {
  const bool demands_layouts =
      opcode == Opcode::kCustomCall && attributes != nullptr &&
      As<CustomCallAttributes>(*attributes).constrain_layout;
  return demands_layouts ? shapes->Intern(shape.WithScalarLayouts())
                         : InternGiven(shape, shapes);
}

bool CheckAttributeBytes(Opcode opcode, const Attributes* attributes,
                         AttributeBytesView bytes, InferContext* context) {
  if (attributes == nullptr) return true;
  if (const std::string fault = TextFault(opcode, *attributes);
      !fault.empty()) {
    return context->Diagnose(Code::kAttributeBytes).Arg(fault);
  }
  // A constant's bytes are long and come from its literal.
  if (opcode == Opcode::kConstant || AttributesHoldNumbers(opcode)) {
    return true;
  }
  for (absl::string_view run :
       {bytes.before_id, bytes.control, bytes.after_callees}) {
    if (run.empty() || IsCanonical(WireMessage::kHloInstructionProto, run,
                                   kInstructionDepth)) {
      continue;
    }
    const absl::Status status =
        Canonicalize(WireMessage::kHloInstructionProto, run, kInstructionDepth)
            .status();
    context->Diagnose(Code::kAttributeBytes)
        .Arg(status.ok() ? std::string("an attribute in other bytes than "
                                       "protobuf's deterministic ones")
                         : std::string(status.message()));
    return false;
  }
  if (Info(opcode).attributes != AttributesKind::kCollective) return true;
  const std::string fault = GroupFault(bytes);
  return fault.empty() || context->Diagnose(Code::kGroupFormula).Arg(fault);
}

bool CheckShape(const Shape& shape, InferContext* context) {
  const bool known = TypesAreKnown(shape);
  if (known && !shape.has_layout_anywhere()) return true;
  const absl::Status status =
      ParseShapeProto(SerializeShapeProto(shape)).status();
  if (known && status.ok()) return true;
  context->Diagnose(Code::kNoShape)
      .Arg(status.ok() ? std::string("a shape without an element type")
                       : std::string(status.message()));
  return false;
}

void CheckForVerifier(const OpInputs& inputs, InferContext* context) {
  InferContext verifier(InferPolicy::kVerifier);
  for (const Constraint& c : DeclarationOf(inputs.opcode).constraints) {
    if (c.judge == ConstraintJudge::kVerifier) {
      CheckConstraint(&verifier, inputs, c);
    }
  }
  if (verifier.has_error()) {
    *context->mutable_diagnostics() =
        std::move(*verifier.mutable_diagnostics());
  }
}

void CheckStrictTypes(const OpInputs& inputs, InferContext* context) {
  bool found = false;
  for (Diagnostic& diagnostic : *context->mutable_diagnostics()) {
    if (diagnostic.code != Code::kMixedTypesOdd &&
        diagnostic.code != Code::kMappedTypeOdd &&
        diagnostic.code != Code::kRandomTypeOdd) {
      continue;
    }
    diagnostic.strict = true;
    found = true;
  }
  // XLA and StableHLO multiply any two types, in the more general one.
  const bool multiplies = inputs.opcode == Opcode::kDot ||
                          inputs.opcode == Opcode::kRaggedDot ||
                          inputs.opcode == Opcode::kConvolution;
  if (found || !multiplies || inputs.declared != nullptr) return;
  const auto type = [&](size_t i) {
    return inputs.operands[i]->element_type();
  };
  if (type(0) != type(1)) context->Diagnose(Code::kStrictTypes, 1).Other(0);
}

}  // namespace indim::internal
