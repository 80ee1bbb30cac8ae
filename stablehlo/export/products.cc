// SPDX-License-Identifier: Apache-2.0
// Writes products, windows and scans.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/export/decompose.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/export/literal_attr.h"
#include "indim/stablehlo/export/members.h"
#include "indim/stablehlo/ops/dot_algorithms.h"

namespace indim::stablehlo_export {
namespace {

// Sets algorithm. False: refused.
bool SetAlgorithm(DotAlgorithm algorithm, NodeExport* node) {
  if (algorithm == DotAlgorithm::kUnset) return true;
  for (const mlir::DotAlgorithmRow& row : mlir::kDotAlgorithms) {
    if (row.algorithm != algorithm) continue;
    node->Set("algorithm",
              StructAttr("stablehlo.dot_algorithm", row.parts, &node->ir()));
    return true;
  }
  node->Refuse("names an algorithm that StableHLO doesn't have",
               "use dot_bf16_bf16_f32_x6, or none");
  return false;
}

bool SetPrecisions(const PrecisionConfig& precision, absl::string_view words,
                   NodeExport* node) {
  const AttrId value = PrecisionsAttr(precision, words, node);
  if (value.valid()) node->Set("precision_config", value);
  return !node->refused();
}

bool AnyReversed(const std::vector<WindowDim>& window) {
  return absl::c_any_of(window,
                        [](const WindowDim& d) { return d.window_reversal; });
}

bool AnyDilated(const std::vector<WindowDim>& window) {
  return absl::c_any_of(window, [](const WindowDim& d) {
    return d.base_dilation != 1 || d.window_dilation != 1;
  });
}

void RefuseReversal(NodeExport* node) {
  node->Refuse("has a window that is reversed",
               "reverse the operand and the result instead");
}

// The operands of a convolution. HLO takes two element types, StableHLO one:
// then both become the type of the result.
std::vector<ValueId> OfOneType(NodeExport* node) {
  std::vector<ValueId> operands = node->Operands();
  const Shape lhs = node->instruction().operand(0).shape();
  const Shape rhs = node->instruction().operand(1).shape();
  if (lhs.element_type() == rhs.element_type()) return operands;
  const ElementType type = node->shape().element_type();
  const Shape* shapes[] = {&lhs, &rhs};
  for (size_t i = 0; i < 2; ++i) {
    Shape converted = *shapes[i];
    if (converted.element_type() == type) continue;
    converted.set_element_type(type);
    operands[i] =
        node->EmitHelper("stablehlo.convert", {operands[i]}, converted);
  }
  return operands;
}

// The attributes of the composite are lists: VHLO has no struct for them.
void ExportRaggedDotComposite(const DotAttributes& dot, NodeExport* node) {
  Ir& ir = node->ir();
  const AttrId precisions =
      PrecisionsAttr(dot.precision, "chlo.precision", node);
  if (node->refused()) return;
  std::string precision;
  if (precisions.valid()) {
    std::vector<AttrId> words;
    for (const AttrId word : ir.attr(precisions).elements) {
      words.push_back(ir.attr(word).fields[0].value);
    }
    node->Set("precision_config", ir.ArrayAttr(words));
    for (const AttrId word : words) {
      absl::StrAppend(&precision, precision.empty() ? ", precision = [" : ", ",
                      ir.attr(word).text);
    }
    precision += "]";
  }
  std::vector<AttrId> dims;
  for (const DimIndices* const list :
       {&dot.lhs_batch_dims, &dot.rhs_batch_dims, &dot.lhs_contracting_dims,
        &dot.rhs_contracting_dims, &dot.lhs_ragged_dims, &dot.rhs_group_dims}) {
    dims.push_back(DenseVector(*list, ElementType::kS64, &ir));
  }
  node->Set("ragged_dot_dimension_numbers", ir.ArrayAttr(dims));
  const Instruction& instruction = node->instruction();
  ExportDecomposed("chlo.ragged_dot",
                   RaggedDotDecomposition(instruction.operand(0).shape(),
                                          instruction.operand(1).shape(),
                                          instruction.operand(2).shape(),
                                          node->shape(), dot, precision),
                   node);
}

}  // namespace

AttrId PrecisionsAttr(const PrecisionConfig& precision, absl::string_view words,
                      NodeExport* node) {
  std::vector<AttrId> list;
  bool all_default = true;
  for (const Precision p : precision.operand_precision) {
    all_default = all_default && p == Precision::kDefault;
    list.push_back(NumberedWord(words, static_cast<int64_t>(p), &node->ir()));
    if (list.back().valid()) continue;
    node->Refuse("asks for a precision that StableHLO doesn't have",
                 "use DEFAULT, HIGH or HIGHEST");
    return {};
  }
  return all_default ? AttrId() : node->ir().ArrayAttr(list);
}

void ExportDot(NodeExport* node) {
  const auto& dot = node->As<DotAttributes>();
  if (node->instruction().operand_count() != 2) {
    node->Refuse("has a sparse operand", "use a dense dot");
    return;
  }
  // StableHLO takes one of the two, and the algorithm says all (lost.def).
  if (dot.precision.algorithm == DotAlgorithm::kUnset &&
      !SetPrecisions(dot.precision, "stablehlo.precision", node)) {
    return;
  }
  if (!SetAlgorithm(dot.precision.algorithm, node)) return;
  ExportPlain(node);
}

void ExportRaggedDot(NodeExport* node) {
  const auto& dot = node->As<DotAttributes>();
  if (dot.precision.algorithm != DotAlgorithm::kUnset) {
    node->Refuse("names an algorithm, which chlo.ragged_dot can't",
                 "remove the algorithm");
    return;
  }
  if (node->writer().options().composites)
    return ExportRaggedDotComposite(dot, node);
  if (!SetPrecisions(dot.precision, "chlo.precision", node)) return;
  ExportPlain(node);
}

void ExportConvolution(NodeExport* node) {
  const auto& conv = node->As<ConvolutionAttributes>();
  if (node->instruction().operand_count() != 2 ||
      conv.lhs_sparsity.block_size != 1 || conv.rhs_sparsity.block_size != 1) {
    node->Refuse("has a sparse operand", "use a dense convolution");
    return;
  }
  if (conv.precision.algorithm != DotAlgorithm::kUnset) {
    node->Refuse("names an algorithm, which StableHLO's convolution can't",
                 "remove the algorithm");
    return;
  }
  if (!SetPrecisions(conv.precision, "stablehlo.precision", node)) return;
  node->SetMembers("stablehlo.convolution");
  const std::vector<ValueId> operands = OfOneType(node);
  node->EmitResult("stablehlo.convolution", operands);
}

void ExportReduceWindow(NodeExport* node) {
  if (AnyReversed(node->As<WindowAttributes>().window)) {
    return RefuseReversal(node);
  }
  ExportPlain(node);
}

void ExportSelectAndScatter(NodeExport* node) {
  if (AnyDilated(node->As<WindowAttributes>().window) &&
      !AnyReversed(node->As<WindowAttributes>().window)) {
    node->Refuse("has a window with dilation", "pad the operand instead");
    return;
  }
  ExportReduceWindow(node);
}

void ExportScan(NodeExport* node) {
  const auto& scan = node->As<ScanAttributes>();
  Ir& ir = node->ir();
  const auto carries = static_cast<int32_t>(scan.num_carries);
  const auto inputs =
      static_cast<int32_t>(node->instruction().operand_count()) - carries;
  const auto outputs =
      static_cast<int32_t>(node->ResultTypes().size()) - carries;
  if (scan.is_associative != 0) {
    node->Set("is_associative", ir.BoolAttr(scan.is_associative == 1));
  }
  node->Set("operandSegmentSizes", ir.I32ArrayAttr({inputs, carries}));
  node->Set("resultSegmentSizes", ir.I32ArrayAttr({outputs, carries}));
  ExportPlain(node);
}

}  // namespace indim::stablehlo_export
