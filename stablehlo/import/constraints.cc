// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/stablehlo/import/check_op.h"

namespace indim::stablehlo_import {
bool GathersSomething(OpImport* op) {
  const int64_t dim = op->Number("all_gather_dim");
  for (size_t i = 0; i < op->operand_count(); ++i) {
    const Shape& shape = op->operand_shape(i);
    if (dim < 0 || dim >= shape.rank() ||
        !shape.dim(static_cast<int>(dim)).is(0)) {
      continue;
    }
    return op->Fail(
        "dimension size of operand at 'all_gather_dim' cannot be zero");
  }
  return true;
}

// In HLO 0 means 1.
bool GroupCountsArePositive(OpImport* op) {
  for (const absl::string_view name :
       {"feature_group_count", "batch_group_count"}) {
    const int64_t count = op->Number(name, 1);
    if (count > 0) continue;
    return op->Fail(absl::StrCat(
        "attribute '", name,
        "' failed to satisfy constraint: its value must be positive, got ",
        count));
  }
  return true;
}

bool SidesHaveOneType(OpImport* op) {
  const ElementType lhs = op->operand_shape(0).element_type();
  const ElementType rhs = op->operand_shape(1).element_type();
  if (lhs == rhs) return true;
  return op->Fail(
      absl::StrCat("expects lhs and rhs to have compatible element type. Got: ",
                   Info(lhs).name, " and ", Info(rhs).name));
}

// "my_namespace.my_op"
bool NameHasNamespace(OpImport* op) {
  const std::string name = op->Text("name");
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '.');
  bool good = parts.size() > 1 && !parts[0].empty() &&
              absl::ascii_isalpha(static_cast<unsigned char>(parts[0][0]));
  for (size_t i = 0; i < parts.size(); ++i) {
    good = good && !parts[i].empty();
    for (const char c : parts[i]) {
      good = good && (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                      c == '_' || (c == '$' && i > 0));
    }
  }
  if (good) return true;
  return op->Fail(
      absl::StrCat("name must be a valid namespaced op name, such as "
                   "my_namespace.my_op, got \"",
                   name, "\""));
}

namespace {

// Operand `indices` holds the indices.
bool BatchingSizesAgree(OpImport* op, const DimIndices& of_operand,
                        const DimIndices& of_indices, size_t indices) {
  for (size_t i = 0; i < of_operand.size() && i < of_indices.size(); ++i) {
    const auto size = [&](size_t operand, int64_t dim) {
      const Shape& shape = op->operand_shape(operand);
      return dim >= 0 && dim < shape.rank() ? shape.dim(static_cast<int>(dim))
                                            : Dim::Unknown();
    };
    const Dim own = size(0, of_operand[i]);
    const Dim other = size(indices, of_indices[i]);
    if (!own.is_static() || !other.is_static() || own == other) continue;
    return op->Fail(absl::StrCat(
        "batching dims ", of_operand[i], " of the operand and ", of_indices[i],
        " of the indices must have compatible sizes, but got ", own.size(),
        " and ", other.size()));
  }
  return true;
}

using Holds = bool (*)(OpImport* op);

const absl::flat_hash_map<absl::string_view, std::vector<Holds>>&
Constraints() {
  static const auto* const map = [] {
    auto* made =
        new absl::flat_hash_map<absl::string_view, std::vector<Holds>>();
#define INDIM_MLIR_CONSTRAINT(op, function) (*made)[op].push_back(&function);
#include "indim/stablehlo/import/constraints.def"
    return made;
  }();
  return *map;
}

}  // namespace

// No dim of the indices, or of the operand, has two roles.
bool BatchingDimsAreApart(OpImport* op) {
  const bool is_gather = op->row().opcode == Opcode::kGather;
  const Ir& ir = op->ir();
  const Attribute& dims = ir.attr(
      op->Find(is_gather ? "dimension_numbers" : "scatter_dimension_numbers"));
  const auto numbers = [&](absl::string_view field) {
    return ReadNumbers(ir, ir.Find(dims, field)).value_or(DimIndices());
  };
  const absl::string_view batching =
      is_gather ? "operand_batching_dims" : "input_batching_dims";
  const absl::string_view indices = is_gather ? "start_indices_batching_dims"
                                              : "scatter_indices_batching_dims";
  const DimIndices of_operand = numbers(batching);
  const DimIndices of_indices = numbers(indices);
  const int64_t vector_dim =
      ReadNumber(ir, ir.Find(dims, "index_vector_dim")).value_or(0);
  if (absl::c_linear_search(of_indices, vector_dim)) {
    return op->Fail(absl::StrCat("expects ", indices,
                                 " not to include index_vector_dim ",
                                 vector_dim, "."));
  }
  for (const absl::string_view other :
       {is_gather ? "collapsed_slice_dims" : "inserted_window_dims",
        is_gather ? "start_index_map" : "scatter_dims_to_operand_dims"}) {
    for (const int64_t dim : numbers(other)) {
      if (!absl::c_linear_search(of_operand, dim)) continue;
      return op->Fail(absl::StrCat("has duplicated dimension from ", other,
                                   " and ", batching, ": ", dim));
    }
  }
  return BatchingSizesAgree(op, of_operand, of_indices,
                            is_gather ? 1 : (op->operand_count() - 1) / 2);
}

bool ShapeIsResult(OpImport* op) {
  const Shape& sizes = op->operand_shape(2);
  const SizeValues::Exprs& exprs = op->Sizes(2);
  const Shape& result = op->result_shape();
  bool good = sizes.dim(0).is(result.rank());
  for (size_t i = 0; good && i < exprs.size(); ++i) {
    if (!exprs[i].is_constant()) continue;
    const int64_t size = exprs[i].constant();
    good = size >= 0 &&
           CompatibleDims(Dim::Static(size), result.dim(static_cast<int>(i)));
  }
  if (good) return true;
  std::string text;
  for (const DimExpr& expr : exprs) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    expr.valid() ? expr.ToString() : "?");
  }
  return op->Fail(absl::StrCat("the shape [", text,
                               "] is incompatible with the return type ",
                               result.ToString()));
}

bool HasWindow(OpImport* op) {
  const int rank = op->operand_shape(0).rank();
  if (op->Has("window_dimensions") || rank == 0) return true;
  return op->Fail(absl::StrCat(
      "expects window-dimensions size == operand rank, but got "
      "window-dimensions size: 0 and operand-type: ",
      op->operand_shape(0).ToString(), " with rank = ", rank, "."));
}

bool ScanSizeIsInputs(OpImport* op) {
  if (!op->Has("scan_dim_size")) return true;
  const int64_t size = op->Number("scan_dim_size");
  const int64_t dim = op->Number("dimension");
  const DimIndices segments = op->Numbers("operandSegmentSizes");
  if (op->failed()) return false;
  const int64_t inputs = segments.empty() ? 0 : segments[0];
  for (size_t i = 0;
       i < op->operand_count() && static_cast<int64_t>(i) < inputs; ++i) {
    const Shape& shape = op->operand_shape(i);
    if (dim < 0 || dim >= shape.rank() || size < 0 ||
        CompatibleDims(shape.dim(static_cast<int>(dim)), Dim::Static(size))) {
      continue;
    }
    return op->Fail(absl::StrCat("invalid scan dimension size of operand ", i,
                                 ": ", shape.ToString(),
                                 ", but scan_dim_size is ", size));
  }
  return true;
}

bool SplitsIntoGroups(OpImport* op) {
  const auto at_least = [op](absl::string_view name, int64_t least) -> bool {
    const int64_t value = op->Number(name);
    if (op->failed()) return false;
    if (value >= least) return true;
    return op->Fail(absl::StrCat(
        "attribute '", name,
        "' failed to satisfy constraint: its value must be ",
        least == 0 ? "non-negative" : "positive", ", got ", value));
  };
  if (!at_least("split_dimension", 0) || !at_least("concat_dimension", 0) ||
      !at_least("split_count", 1)) {
    return false;
  }
  const int64_t count = op->Number("split_count");
  const AttrId groups = op->Find("replica_groups");
  if (op->ir().attr(groups).kind == AttrKind::kDialect) return true;
  const auto rows = ReadRows(op->ir(), groups);
  if (!rows.has_value()) return true;  // refused where it is read
  bool good = !rows->empty();
  for (const std::vector<int64_t>& row : *rows) {
    good = good && static_cast<int64_t>(row.size()) == count;
  }
  if (!good) {
    return op->Fail(
        absl::StrCat("group size of replica_groups must be ", count));
  }
  const int64_t split = op->Number("split_dimension");
  for (size_t i = 0; i < op->operand_count(); ++i) {
    const Shape& shape = op->operand_shape(i);
    if (split >= shape.rank()) continue;
    const Dim size = shape.dim(static_cast<int>(split));
    if (!size.is_static() || size.size() % count == 0) continue;
    return op->Fail(absl::StrCat("split dimension has size ", size.size(),
                                 ", expected to be a multiple of split_count ",
                                 count));
  }
  return true;
}

bool GroupsAreApart(OpImport* op) {
  const auto rows = ReadRows(op->ir(), op->Find("replica_groups"));
  absl::flat_hash_set<int64_t> seen;
  for (const std::vector<int64_t>& row :
       rows.value_or(std::vector<std::vector<int64_t>>())) {
    for (const int64_t id : row) {
      if (id < 0) {
        return op->Fail(absl::StrCat(
            "replica_groups values must be positive, but was given ", id));
      }
      if (seen.insert(id).second) continue;
      return op->Fail(absl::StrCat("replica id #", id, " seen more than once"));
    }
  }
  return true;
}

// Two numbers for each spatial dimension.
bool HasPaddingOfWindow(OpImport* op) {
  const Shape& padding = op->operand_shape(2);
  const int spatial = op->operand_shape(0).rank() - 2;
  if (spatial < 0 || (padding.dim(0).is(spatial) && padding.dim(1).is(2))) {
    return true;
  }
  return op->Fail(absl::StrCat("expects padding to be of shape [", spatial,
                               ", 2], but got ", padding.ToString()));
}

bool AlgorithmSaysPrecision(OpImport* op) {
  if (!op->Has("algorithm")) return true;
  const auto precisions =
      ReadPrecisions(op->ir(), op->Find("precision_config"));
  for (const Precision precision :
       precisions.value_or(std::vector<Precision>())) {
    if (precision == Precision::kDefault) continue;
    return op->Fail(
        "must specify DEFAULT precision config when algorithm is set.");
  }
  return true;
}

bool ListsAreAsLong(OpImport* op) {
  const size_t count = op->Numbers("start_indices").size();
  if (op->Numbers("limit_indices").size() == count &&
      op->Numbers("strides").size() == count) {
    return !op->failed();
  }
  return op->Fail(
      "must have as many limit_indices and strides as start_indices");
}

bool CheckConstraints(OpImport* op) {
  const auto found = Constraints().find(op->name());
  if (found == Constraints().end()) return true;
  for (const Holds holds : found->second) {
    if (!holds(op)) return false;
  }
  return true;
}

// A mode that says all needs no tolerances.
bool CheckAttributeConstraints(OpImport* op) {
  const AttrId id = op->Find("result_accuracy");
  if (!id.valid()) return true;
  const Ir& ir = op->ir();
  const Attribute& accuracy = ir.attr(id);
  const AttrId mode_id = ir.Find(accuracy, "mode");
  const absl::string_view mode =
      mode_id.valid() ? ReadWord(ir, mode_id).value_or("") : "DEFAULT";
  if (mode == "TOLERANCE") return true;
  for (const absl::string_view field : {"atol", "rtol", "ulps"}) {
    if (ReadFloat(ir, ir.Find(accuracy, field)).value_or(0) == 0) continue;
    return op->Fail(
        absl::StrCat("Invalid tolerances for ResultAccuracyAttr with mode ",
                     mode, ", must be all zero."));
  }
  return true;
}

}  // namespace indim::stablehlo_import
