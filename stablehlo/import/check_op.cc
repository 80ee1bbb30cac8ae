// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/check_op.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/ops/foreign_ops.h"

namespace indim::stablehlo_import {
namespace {

std::string Wanted(Count count) {
  if (count.most < 0) return absl::StrCat(count.least, " or more");
  if (count.least == count.most) return absl::StrCat(count.least);
  return absl::StrCat(count.least, " to ", count.most);
}

bool CheckCount(OpImport* op, absl::string_view what, size_t found,
                Count wanted) {
  if (wanted.Allows(found)) return true;
  return op->Fail(absl::StrCat("expected ", Wanted(wanted), " ", what,
                               ", but found ", found));
}

bool CheckRequired(OpImport* op) {
  for (const AttributeRow& row : op->row().attributes) {
    if (!row.required || op->Has(row.name)) continue;
    return op->Fail(absl::StrCat("requires attribute '", row.name, "'"));
  }
  return true;
}

// operandSegmentSizes and resultSegmentSizes divide all operands and results
// into two parts each.
bool CheckSegments(OpImport* op) {
  if ((op->row().traits & kSegments) == 0) return true;
  for (const bool of_operands : {true, false}) {
    const absl::string_view name =
        of_operands ? "operandSegmentSizes" : "resultSegmentSizes";
    const DimIndices sizes = op->Numbers(name);
    if (op->failed()) return false;
    const size_t count = of_operands ? op->operand_count() : op->result_count();
    size_t sum = 0;
    bool good = sizes.size() == 2;
    for (const int64_t size : sizes) {
      good = good && size >= 0 && size <= static_cast<int64_t>(count);
      if (good) sum += static_cast<size_t>(size);
    }
    if (good && sum == count) continue;
    return op->Fail(absl::StrCat(
        "attribute '", name, "' must have two sizes that add up to the ", count,
        of_operands ? " operands" : " results"));
  }
  return true;
}

bool CheckResults(OpImport* op) {
  for (size_t i = 0; i < op->result_count(); ++i) {
    std::string why;
    const TypeId type = op->ir().type_of(op->result(i));
    if (!op->importer().shapes().Of(type, &why).is_none()) continue;
    return op->Fail(absl::StrCat("result #", i, ": ", why), Code::kNoHloForm);
  }
  return true;
}

}  // namespace

bool CheckOp(OpImport* op) {
  const OpRow* row = FindOp(op->name());
  if (row == nullptr) {
    return op->Fail(mlir::WhyForeign(op->name(),
                                     "isn't an operation of StableHLO, CHLO or "
                                     "func, and other dialects aren't read"),
                    Code::kMlirOperation);
  }
  return CheckCount(op, "operands", op->operand_count(), row->operands) &&
         CheckCount(op, "results", op->result_count(), row->results) &&
         CheckCount(op, "regions", op->op().region_count, row->regions) &&
         CheckRequired(op) && CheckSegments(op) && CheckResults(op) &&
         CheckTypes(op) && CheckAttributeConstraints(op);
}

}  // namespace indim::stablehlo_import
