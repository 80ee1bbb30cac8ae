// Writes products, windows and scans.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/export/decompose.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/export/literal_attr.h"
#include "indim/stablehlo/export/members.h"

namespace indim {
namespace stablehlo_export {
namespace {

// The parts of #stablehlo.dot_algorithm.
struct Algorithm {
  DotAlgorithm algorithm;
  absl::string_view lhs;
  absl::string_view rhs;
  absl::string_view accumulation;
  int64_t primitive_operations;
  bool imprecise;
};
constexpr Algorithm kAlgorithms[] = {
#define INDIM_MLIR_DOT_ALGORITHM(name, ...) {DotAlgorithm::name, __VA_ARGS__},
#include "indim/stablehlo/ops/dot_algorithms.def"
};

// tf32 is no type of HLO; "f8" is any type of eight bits, here XLA's choice.
mlir::AttrId AlgorithmType(absl::string_view name, mlir::Ir* ir) {
  const auto type = ElementTypeFromName(name == "f8" ? "f8e5m2" : name);
  if (type.has_value()) return ir->TypeAttr(ir->ElementTypeId(*type));
  mlir::Type other;
  other.kind = mlir::TypeKind::kOther;
  other.text = std::string(name);
  return ir->TypeAttr(ir->Intern(std::move(other)));
}

mlir::AttrId AlgorithmAttr(const Algorithm& row, Node* node) {
  mlir::Ir& ir = node->ir();
  return ir.DialectAttr(
      "stablehlo.dot_algorithm",
      {node->Named("lhs_precision_type", AlgorithmType(row.lhs, &ir)),
       node->Named("rhs_precision_type", AlgorithmType(row.rhs, &ir)),
       node->Named("accumulation_type", AlgorithmType(row.accumulation, &ir)),
       node->Named("lhs_component_count", ir.IntegerAttr(1)),
       node->Named("rhs_component_count", ir.IntegerAttr(1)),
       node->Named("num_primitive_operations",
                   ir.IntegerAttr(row.primitive_operations)),
       node->Named("allow_imprecise_accumulation",
                   ir.BoolAttr(row.imprecise))});
}

// Sets algorithm. False: refused.
bool SetAlgorithm(DotAlgorithm algorithm, Node* node) {
  if (algorithm == DotAlgorithm::kUnset) return true;
  for (const Algorithm& row : kAlgorithms) {
    if (row.algorithm != algorithm) continue;
    node->Set("algorithm", AlgorithmAttr(row, node));
    return true;
  }
  node->Refuse("names an algorithm that StableHLO doesn't have",
               "use dot_bf16_bf16_f32_x6, or none");
  return false;
}

bool SetPrecisions(const PrecisionConfig& precision, absl::string_view words,
                   Node* node) {
  const mlir::AttrId value = PrecisionsAttr(precision, words, node);
  if (value.valid()) node->Set("precision_config", value);
  return !node->refused();
}

// One number of each dim of a window.
template <typename T, typename Get>
std::vector<T> Each(const std::vector<WindowDim>& window, Get get) {
  std::vector<T> values;
  for (const WindowDim& dim : window) values.push_back(get(dim));
  return values;
}

// Sets `name` unless all numbers are `otherwise`.
template <typename Get>
void SetEach(const std::vector<WindowDim>& window, absl::string_view name,
             int64_t otherwise, Get get, Node* node) {
  const std::vector<int64_t> values = Each<int64_t>(window, get);
  for (const int64_t value : values) {
    if (value == otherwise) continue;
    node->Set(name, node->ir().I64ArrayAttr(values));
    return;
  }
}

void SetPadding(const std::vector<WindowDim>& window, Node* node) {
  std::vector<int64_t> pairs;
  bool any = false;
  for (const WindowDim& dim : window) {
    pairs.push_back(dim.padding_low);
    pairs.push_back(dim.padding_high);
    any = any || dim.padding_low != 0 || dim.padding_high != 0;
  }
  if (!any) return;
  node->Set("padding", node->ir().DenseI64Attr(
                           pairs, {static_cast<int64_t>(window.size()), 2}));
}

void SetSizesAndStrides(const std::vector<WindowDim>& window, Node* node) {
  node->Set("window_dimensions",
            node->ir().I64ArrayAttr(Each<int64_t>(
                window, [](const WindowDim& d) { return d.size; })));
  SetEach(
      window, "window_strides", 1, [](const WindowDim& d) { return d.stride; },
      node);
  SetPadding(window, node);
}

bool AnyReversed(const std::vector<WindowDim>& window) {
  for (const WindowDim& dim : window) {
    if (dim.window_reversal) return true;
  }
  return false;
}

bool AnyDilated(const std::vector<WindowDim>& window) {
  for (const WindowDim& dim : window) {
    if (dim.base_dilation != 1 || dim.window_dilation != 1) return true;
  }
  return false;
}

void RefuseReversal(Node* node) {
  node->Refuse("has a window that is reversed",
               "reverse the operand and the result instead");
}

void SetConvolutionWindow(const std::vector<WindowDim>& window, Node* node) {
  SetEach(
      window, "window_strides", 1, [](const WindowDim& d) { return d.stride; },
      node);
  SetPadding(window, node);
  SetEach(
      window, "lhs_dilation", 1,
      [](const WindowDim& d) { return d.base_dilation; }, node);
  SetEach(
      window, "rhs_dilation", 1,
      [](const WindowDim& d) { return d.window_dilation; }, node);
  if (!AnyReversed(window)) return;
  mlir::Attribute reversal;
  reversal.kind = mlir::AttrKind::kDenseArray;
  reversal.type = node->ir().ElementTypeId(ElementType::kPred);
  for (const WindowDim& dim : window) {
    reversal.text.push_back(dim.window_reversal ? 1 : 0);
  }
  node->Set("window_reversal", node->ir().Intern(std::move(reversal)));
}

// The operands of a convolution. HLO takes two element types, StableHLO one:
// then both become the type of the result.
std::vector<mlir::ValueId> OfOneType(Node* node) {
  std::vector<mlir::ValueId> operands = node->Operands();
  const Shape lhs = node->instruction().operand(0).shape();
  const Shape rhs = node->instruction().operand(1).shape();
  if (lhs.element_type() == rhs.element_type()) return operands;
  const ElementType type = node->shape().element_type();
  const Shape* shapes[] = {&lhs, &rhs};
  for (size_t i = 0; i < 2; ++i) {
    Shape converted = *shapes[i];
    if (converted.element_type() == type) continue;
    converted.set_element_type(type);
    operands[i] = node->EmitHelper("stablehlo.convert", {operands[i]},
                                   node->writer().types().Whole(converted));
  }
  return operands;
}

}  // namespace

mlir::AttrId PrecisionsAttr(const PrecisionConfig& precision,
                            absl::string_view words, Node* node) {
  std::vector<mlir::AttrId> list;
  bool all_default = true;
  for (const Precision p : precision.operand_precision) {
    all_default = all_default && p == Precision::kDefault;
    list.push_back(NumberedWord(words, static_cast<int64_t>(p), &node->ir()));
    if (list.back().valid()) continue;
    node->Refuse("asks for a precision that StableHLO doesn't have",
                 "use DEFAULT, HIGH or HIGHEST");
    return {};
  }
  return all_default ? mlir::AttrId() : node->ir().ArrayAttr(list);
}

void ExportDot(Node* node) {
  const auto& dot = node->As<DotAttributes>();
  if (node->instruction().operand_count() != 2) {
    node->Refuse("has a sparse operand", "use a dense dot");
    return;
  }
  node->Set("dot_dimension_numbers",
            StructAttr("stablehlo.dot", dot, &node->ir()));
  // StableHLO takes one of the two, and the algorithm says all (lost.def).
  if (dot.precision.algorithm == DotAlgorithm::kUnset &&
      !SetPrecisions(dot.precision, "stablehlo.precision", node)) {
    return;
  }
  if (!SetAlgorithm(dot.precision.algorithm, node)) return;
  ExportPlain(node);
}

namespace {

// The attributes of the composite are lists: VHLO has no struct for them.
void ExportRaggedDotComposite(const DotAttributes& dot, Node* node) {
  mlir::Ir& ir = node->ir();
  const mlir::AttrId precisions =
      PrecisionsAttr(dot.precision, "chlo.precision", node);
  if (node->refused()) return;
  std::string precision;
  if (precisions.valid()) {
    std::vector<mlir::AttrId> words;
    for (const mlir::AttrId word : ir.attr(precisions).elements) {
      words.push_back(ir.attr(word).fields[0].value);
    }
    node->Set("precision_config", ir.ArrayAttr(words));
    for (const mlir::AttrId word : words) {
      absl::StrAppend(&precision, precision.empty() ? ", precision = [" : ", ",
                      ir.attr(word).text);
    }
    precision += "]";
  }
  std::vector<mlir::AttrId> dims;
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

void ExportRaggedDot(Node* node) {
  const auto& dot = node->As<DotAttributes>();
  if (dot.precision.algorithm != DotAlgorithm::kUnset) {
    node->Refuse("names an algorithm, which chlo.ragged_dot can't",
                 "remove the algorithm");
    return;
  }
  if (node->writer().options().composites)
    return ExportRaggedDotComposite(dot, node);
  node->Set("ragged_dot_dimension_numbers",
            StructAttr("chlo.ragged_dot", dot, &node->ir()));
  if (!SetPrecisions(dot.precision, "chlo.precision", node)) return;
  ExportPlain(node);
}

void ExportConvolution(Node* node) {
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
  node->Set("dimension_numbers",
            StructAttr("stablehlo.conv", conv.dims, &node->ir()));
  SetConvolutionWindow(conv.window, node);
  if (!SetPrecisions(conv.precision, "stablehlo.precision", node)) return;
  node->SetMembers("stablehlo.convolution");
  const std::vector<mlir::ValueId> operands = OfOneType(node);
  node->SetResultOf(
      node->Emit("stablehlo.convolution", operands, node->ResultTypes()));
}

void ExportReduceWindow(Node* node) {
  const std::vector<WindowDim>& window = node->As<WindowAttributes>().window;
  if (AnyReversed(window)) return RefuseReversal(node);
  SetSizesAndStrides(window, node);
  SetEach(
      window, "base_dilations", 1,
      [](const WindowDim& d) { return d.base_dilation; }, node);
  SetEach(
      window, "window_dilations", 1,
      [](const WindowDim& d) { return d.window_dilation; }, node);
  ExportPlain(node);
}

void ExportSelectAndScatter(Node* node) {
  const std::vector<WindowDim>& window = node->As<WindowAttributes>().window;
  if (AnyReversed(window)) return RefuseReversal(node);
  if (AnyDilated(window)) {
    node->Refuse("has a window with dilation", "pad the operand instead");
    return;
  }
  SetSizesAndStrides(window, node);
  ExportPlain(node);
}

void ExportScan(Node* node) {
  const auto& scan = node->As<ScanAttributes>();
  mlir::Ir& ir = node->ir();
  const int64_t operands = node->instruction().operand_count();
  const int64_t results = static_cast<int64_t>(node->ResultTypes().size());
  const auto segments = [&](int64_t all) {
    mlir::Attribute a;
    a.kind = mlir::AttrKind::kDenseArray;
    a.type = ir.ElementTypeId(ElementType::kS32);
    for (const int64_t count : {all - scan.num_carries, scan.num_carries}) {
      for (int i = 0; i < 4; ++i) {
        a.text.push_back(
            static_cast<char>(static_cast<uint64_t>(count) >> (8 * i)));
      }
    }
    return ir.Intern(std::move(a));
  };
  if (scan.is_associative != 0) {
    node->Set("is_associative", ir.BoolAttr(scan.is_associative == 1));
  }
  node->Set("operandSegmentSizes", segments(operands));
  node->Set("resultSegmentSizes", segments(results));
  ExportPlain(node);
}

}  // namespace stablehlo_export
}  // namespace indim
