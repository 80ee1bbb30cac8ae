// SPDX-License-Identifier: Apache-2.0
// The attributes of operations that one HLO operation equals.

#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/import/lowering.h"

namespace indim::stablehlo_import {
namespace {

// --- Lists with an entry for each dim ----------------------------------------

template <typename Dim, auto... members>
void SetMembers(absl::Span<const int64_t> values, Dim* dim) {
  size_t at = 0;
  ((dim->*members =
        static_cast<std::decay_t<decltype(dim->*members)>>(values[at++])),
   ...);
}

// Sets members of each dim from the attribute `name`.
template <typename Dim, auto... members>
bool ReadEach(OpImport* op, absl::string_view name, std::vector<Dim>* dims) {
  constexpr size_t kWidth = sizeof...(members);
  std::vector<std::vector<int64_t>> rows;
  if (kWidth > 1) {
    rows = op->Rows(name);
  } else {
    for (const int64_t value : op->Numbers(name)) rows.push_back({value});
  }
  if (op->failed()) return false;
  if (rows.size() != dims->size()) {
    return op->Fail(absl::StrCat(
        "expects ", name, " to have ", dims->size(),
        " entries, one for each dimension of the window, got ", rows.size()));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != kWidth) {
      return op->Fail(absl::StrCat("expects the entries of ", name,
                                   " to be pairs, got lists of ",
                                   rows[i].size()));
    }
    SetMembers<Dim, members...>(rows[i], &(*dims)[i]);
  }
  return true;
}

// Sets what the operation's rows INDIM_MLIR_EACH say, in the order of the rows.
template <typename Dim>
bool ReadLists(OpImport* op, std::vector<Dim>* dims) {
  const auto has = [op](absl::string_view of, absl::string_view name) {
    return op->name() == of && op->Has(name);
  };
#define INDIM_MLIR_EACH(of, name, kind, of_kind, need, otherwise, since, \
                        attributes, list, ...)                           \
  if constexpr (std::is_same_v<decltype(attributes##Attributes::list),   \
                               std::vector<Dim>>) {                      \
    if (has(of, name) && !ReadEach<Dim, __VA_ARGS__>(op, name, dims)) {  \
      return false;                                                      \
    }                                                                    \
  }
#define INDIM_MLIR_ATTRIBUTE(...)
#include "indim/stablehlo/ops/op_attributes.def"
  return true;
}

bool ReadWindow(OpImport* op, std::vector<WindowDim>* window) {
  window->resize(op->Has("window_dimensions")
                     ? op->Numbers("window_dimensions").size()
                     : static_cast<size_t>(op->operand_shape(0).rank()));
  return !op->failed() && ReadLists(op, window);
}

bool ReadPad(OpImport* op, std::vector<PaddingDim>* padding) {
  const size_t low = op->Numbers("edge_padding_low").size();
  const size_t high = op->Numbers("edge_padding_high").size();
  const size_t interior = op->Numbers("interior_padding").size();
  if (op->failed()) return false;
  if (low != high || low != interior) {
    return op->Fail(
        absl::StrCat("edge_padding_low, edge_padding_high and interior_padding "
                     "differ in length: ",
                     low, ", ", high, " and ", interior));
  }
  padding->resize(low);
  return ReadLists(op, padding);
}

}  // namespace

bool ReadConvolution(OpImport* op, ConvolutionAttributes* to) {
  if (!ReadPrecision(op, &to->precision)) return false;
  const Shape& kernel = op->operand_shape(1);
  for (const int64_t dim : to->dims.kernel_spatial) {
    to->window.emplace_back();
    // The verifier refuses a dim that the kernel lacks.
    if (dim < 0 || dim >= kernel.rank()) continue;
    // Of a bounded one the bound counts, as for XLA.
    const Dim size = kernel.dim(static_cast<int>(dim));
    if (!size.is_static() && !size.is_bounded()) {
      return op->Fail("the sizes of the kernel's window must be known");
    }
    to->window.back().size = size.size();
  }
  return ReadLists(op, &to->window);
}

bool ReadMembers(OpImport* op, const OpRow& row, Attributes* attributes) {
  absl::string_view wrong;
  std::string why;
  if (ReadMembers(op->ir(), op->op(), row, attributes, &wrong, &why)) {
    return true;
  }
  return why.empty() ? op->WrongKind(wrong) : op->Fail(why);
}

bool ReadAttributes(OpImport* op, Attributes* attributes) {
  if (!ReadMembers(op, op->row(), attributes)) return false;
  switch (Info(op->row().opcode).attributes) {
    case AttributesKind::kWindow:
      return ReadWindow(op, &Get<WindowAttributes>(attributes)->window);
    case AttributesKind::kConvolution:
      return ReadConvolution(op, Get<ConvolutionAttributes>(attributes));
    case AttributesKind::kPad:
      return ReadPad(op, &Get<PadAttributes>(attributes)->padding);
    case AttributesKind::kDot:
      return ReadPrecision(op, &Get<DotAttributes>(attributes)->precision);
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
    if (!precisions.has_value()) {
      return op->WrongKind("precision_config");
    }
    if (precisions->size() > 2) {
      return op->Fail(
          "expects precision config to be empty or have <= 2 elements");
    }
    config->operand_precision = *std::move(precisions);
  }
  if (!op->Has("algorithm")) return true;
  return ReadAlgorithm(op, &config->algorithm);
}

}  // namespace indim::stablehlo_import
