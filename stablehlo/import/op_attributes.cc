// The attributes of operations that one HLO operation equals.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/import/lowering.h"

namespace indim::mlir {
namespace {

bool Struct(OpImport* op, absl::string_view attribute, bool good) {
  if (!good) op->WrongKind(attribute);
  return good;
}

template <typename T>
T* Get(indim::Attributes* attributes) {
  if (!std::holds_alternative<T>(*attributes)) *attributes = T();
  return std::get_if<T>(attributes);
}

// --- Windows -----------------------------------------------------------------

// The lists of a window, by the names that an operation has for them; "": it
// has none.
struct WindowNames {
  absl::string_view sizes;
  absl::string_view base_dilations;
  absl::string_view window_dilations;
  absl::string_view reversal;
};

// Sets the members of each dim from a list with an entry for each.
bool SetDims(OpImport* op, absl::string_view attribute,
             int64_t WindowDim::*member, std::vector<WindowDim>* window) {
  if (attribute.empty() || !op->Has(attribute)) return true;
  const DimIndices values = op->Numbers(attribute);
  if (op->failed()) return false;
  if (values.size() != window->size()) {
    op->Error(absl::StrCat("expects ", attribute, " to have ", window->size(),
                           " entries, one for each dimension of the window, "
                           "got ",
                           values.size()));
    return false;
  }
  for (size_t i = 0; i < values.size(); ++i) (*window)[i].*member = values[i];
  return true;
}

bool ReadPadding(OpImport* op, std::vector<WindowDim>* window) {
  if (!op->Has("padding")) return true;
  const auto rows = op->Rows("padding");
  if (op->failed()) return false;
  if (rows.size() != window->size() && !(rows.empty() && window->empty())) {
    op->Error(absl::StrCat("expects padding to have ", window->size(),
                           " entries, one for each dimension of the window, "
                           "got ",
                           rows.size()));
    return false;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != 2) {
      op->Error(absl::StrCat(
          "expects the entries of padding to be pairs, got lists of ",
          rows[i].size()));
      return false;
    }
    (*window)[i].padding_low = rows[i][0];
    (*window)[i].padding_high = rows[i][1];
  }
  return true;
}

bool ReadWindow(OpImport* op, const WindowNames& names,
                std::vector<WindowDim>* window) {
  if (!SetDims(op, "window_strides", &WindowDim::stride, window) ||
      !SetDims(op, names.base_dilations, &WindowDim::base_dilation, window) ||
      !SetDims(op, names.window_dilations, &WindowDim::window_dilation,
               window) ||
      !ReadPadding(op, window)) {
    return false;
  }
  if (!op->Has(names.reversal)) return true;
  const std::optional<std::vector<bool>> reversal =
      ReadBools(op->ir(), op->Find(names.reversal));
  if (!Struct(op, names.reversal, reversal.has_value())) return false;
  if (reversal->size() != window->size()) {
    op->Error(absl::StrCat("expects ", names.reversal, " to have ",
                           window->size(),
                           " entries, one for each dimension of the window, "
                           "got ",
                           reversal->size()));
    return false;
  }
  for (size_t i = 0; i < reversal->size(); ++i) {
    (*window)[i].window_reversal = (*reversal)[i];
  }
  return true;
}

bool ReadWindowOp(OpImport* op, indim::Attributes* attributes) {
  auto* to = Get<WindowAttributes>(attributes);
  if (op->Has("window_dimensions")) {
    for (const int64_t size : op->Numbers("window_dimensions")) {
      to->window.emplace_back();
      to->window.back().size = size;
    }
  } else {
    to->window.resize(static_cast<size_t>(op->operand_shape(0).rank()));
  }
  if (op->failed()) return false;
  return ReadWindow(op,
                    {"window_dimensions", "base_dilations", "window_dilations",
                     "window_reversal"},
                    &to->window);
}

bool ReadPad(OpImport* op, indim::Attributes* attributes) {
  auto* to = Get<PadAttributes>(attributes);
  const DimIndices low = op->Numbers("edge_padding_low");
  const DimIndices high = op->Numbers("edge_padding_high");
  const DimIndices interior = op->Numbers("interior_padding");
  if (op->failed()) return false;
  if (low.size() != high.size() || low.size() != interior.size()) {
    op->Error(
        absl::StrCat("edge_padding_low, edge_padding_high and "
                     "interior_padding differ in length: ",
                     low.size(), ", ", high.size(), " and ", interior.size()));
    return false;
  }
  for (size_t i = 0; i < low.size(); ++i) {
    to->padding.push_back({low[i], high[i], interior[i]});
  }
  return true;
}

// --- Products ----------------------------------------------------------------

bool ReadDot(OpImport* op, indim::Attributes* attributes,
             absl::string_view numbers) {
  auto* to = Get<DotAttributes>(attributes);
  return Struct(op, numbers, ReadFields(op->ir(), op->Find(numbers), to)) &&
         ReadPrecision(op, &to->precision);
}

}  // namespace

bool ReadConvolution(OpImport* op, indim::Attributes* attributes) {
  auto* to = Get<ConvolutionAttributes>(attributes);
  if (!Struct(op, "dimension_numbers",
              ReadFields(op->ir(), op->Find("dimension_numbers"), &to->dims)) ||
      !ReadPrecision(op, &to->precision)) {
    return false;
  }
  const Shape& kernel = op->operand_shape(1);
  for (const int64_t dim : to->dims.kernel_spatial) {
    to->window.emplace_back();
    // The verifier refuses a dim that the kernel lacks.
    if (dim < 0 || dim >= kernel.rank()) continue;
    const Dim size = kernel.dim(static_cast<int>(dim));
    if (!size.is_static()) {
      op->Error("the sizes of the kernel's window must be static");
      return false;
    }
    to->window.back().size = size.size();
  }
  return ReadWindow(op, {"", "lhs_dilation", "rhs_dilation", "window_reversal"},
                    &to->window);
}

bool ReadAttributes(OpImport* op, indim::Attributes* attributes) {
  absl::string_view wrong;
  if (!ReadMembers(op->ir(), op->op(), op->row(), attributes, &wrong)) {
    op->WrongKind(wrong);
    return false;
  }
  const Ir& ir = op->ir();
  switch (Info(op->row().opcode).attributes) {
    case AttributesKind::kWindow:
      return ReadWindowOp(op, attributes);
    case AttributesKind::kConvolution:
      return ReadConvolution(op, attributes);
    case AttributesKind::kPad:
      return ReadPad(op, attributes);
    case AttributesKind::kDot:
      return ReadDot(op, attributes,
                     op->row().opcode == Opcode::kRaggedDot
                         ? "ragged_dot_dimension_numbers"
                         : "dot_dimension_numbers");
    case AttributesKind::kGather:
      return Struct(op, "dimension_numbers",
                    ReadFields(ir, op->Find("dimension_numbers"),
                               Get<GatherAttributes>(attributes)));
    case AttributesKind::kScatter:
      return Struct(op, "scatter_dimension_numbers",
                    ReadFields(ir, op->Find("scatter_dimension_numbers"),
                               Get<ScatterAttributes>(attributes)));
    case AttributesKind::kCollective:
      return ReadCollective(op, Get<CollectiveAttributes>(attributes));
    case AttributesKind::kCollectivePermute:
      return ReadChannel(
          op, &Get<CollectivePermuteAttributes>(attributes)->channel_id);
    case AttributesKind::kSort: {
      // A negative dimension counts from the last.
      auto* to = Get<SortAttributes>(attributes);
      if (to->dimensions.empty()) to->dimensions.push_back(-1);
      const int rank =
          op->operand_count() == 0 ? 0 : op->operand_shape(0).rank();
      if (to->dimensions[0] < 0) to->dimensions[0] += rank;
      return true;
    }
    default:
      return true;
  }
}

bool ReadPrecision(OpImport* op, PrecisionConfig* config) {
  if (op->Has("precision_config")) {
    auto precisions = ReadPrecisions(op->ir(), op->Find("precision_config"));
    if (!Struct(op, "precision_config", precisions.has_value())) return false;
    if (precisions->size() > 2) {
      op->Error("expects precision config to be empty or have <= 2 elements");
      return false;
    }
    config->operand_precision = *std::move(precisions);
  }
  if (!op->Has("algorithm")) return true;
  return ReadAlgorithm(op, &config->algorithm);
}

}  // namespace indim::mlir
