#include "indim/stablehlo/import/check_op.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/import/constraints.h"

namespace indim::mlir {
namespace {

std::string Wanted(Count count) {
  if (count.most < 0) return absl::StrCat(count.least, " or more");
  if (count.least == count.most) return absl::StrCat(count.least);
  return absl::StrCat(count.least, " to ", count.most);
}

bool CheckCount(OpImport* op, absl::string_view what, size_t found,
                Count wanted) {
  const auto count = static_cast<int64_t>(found);
  if (count >= wanted.least && (wanted.most < 0 || count <= wanted.most)) {
    return true;
  }
  op->Error(absl::StrCat("expected ", Wanted(wanted), " ", what, ", but found ",
                         found));
  return false;
}

bool CheckRequired(OpImport* op) {
  for (const AttributeRow& row : op->row().attributes) {
    if (!row.required || op->Has(row.name)) continue;
    op->Error(absl::StrCat("requires attribute '", row.name, "'"));
    return false;
  }
  return true;
}

bool CheckResults(OpImport* op) {
  for (size_t i = 0; i < op->result_count(); ++i) {
    std::string why;
    const TypeId type = op->ir().type_of(op->result(i));
    if (!op->importer().shapes().Of(type, &why).is_none()) continue;
    op->Error(absl::StrCat("result #", i, ": ", why));
    return false;
  }
  return true;
}

}  // namespace

bool CheckOp(OpImport* op) {
  const OpRow* row = FindOp(op->name());
  if (row == nullptr) {
    op->Error("isn't an operation of StableHLO, CHLO or func");
    return false;
  }
  return CheckCount(op, "operands", op->operand_count(), row->operands) &&
         CheckCount(op, "results", op->result_count(), row->results) &&
         CheckCount(op, "regions", op->op().region_count, row->regions) &&
         CheckRequired(op) && CheckResults(op) && CheckAttributeConstraints(op);
}

}  // namespace indim::mlir
