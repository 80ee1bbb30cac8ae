#include "indim/stablehlo/export/decompose.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/stablehlo/export/copy_attr.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim {
namespace stablehlo_export {
namespace {

struct Row {
  absl::string_view op;
  absl::string_view result;
  absl::string_view body;
};
constexpr Row kRows[] = {
#define INDIM_DECOMPOSITION(name, result, body) {name, result, body},
#include "indim/stablehlo/export/decompositions.def"
};

const Row* FindRow(absl::string_view op) {
  for (const Row& row : kRows) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

// "tensor<2xf32>" for an array of `type` with the sizes of `shape`.
std::string TypeOf(const Shape& shape, ElementType type, mlir::Ir* ir) {
  std::vector<int64_t> sizes;
  for (const Dim dim : shape.dims()) sizes.push_back(dim.size());
  return mlir::TypeText(*ir, ir->TensorType(type, sizes));
}

// The text of the function.
std::string FunctionText(const Row& row, const Shape& operand,
                         absl::string_view symbol, mlir::Ir* ir) {
  const ElementType type = operand.element_type();
  const bool narrow = type != ElementType::kF64 && type != ElementType::kF32;
  const std::string s = TypeOf(operand, type, ir);
  const std::string t = TypeOf(operand, narrow ? ElementType::kF32 : type, ir);
  const std::string p = TypeOf(operand, ElementType::kPred, ir);
  return absl::StrCat(
      "func.func private @\"", symbol, "\"(%", narrow ? "in" : "x", ": ", s,
      ") -> ", s, " {\n",
      narrow ? absl::StrCat("%x = stablehlo.convert %in : (", s, ") -> ", t)
             : "",
      absl::StrReplaceAll(row.body, {{"$T", t}, {"$P", p}}),
      narrow ? absl::StrCat("%out = stablehlo.convert ", row.result, " : (", t,
                            ") -> ", s, "\n")
             : "",
      "return ", narrow ? "%out" : row.result, " : ", s, "\n}\n");
}

// Copies operations with their regions from one Ir to another.
class Copier {
 public:
  Copier(const mlir::Ir& from, mlir::Ir* to) : from_(from), to_(*to) {}

  void Copy(mlir::OpId id, mlir::BlockId block) {
    const mlir::Op& op = from_.op(id);
    mlir::Ir::OpParts parts;
    parts.name = to_.Intern(from_.name(op));
    std::vector<mlir::ValueId> operands;
    for (const mlir::ValueId value : from_.operands(op)) {
      operands.push_back(values_[value.index]);
    }
    std::vector<mlir::TypeId> results;
    for (uint32_t i = 0; i < op.result_count; ++i) {
      results.push_back(
          CopyType(from_, from_.type_of(from_.result(op, i)), &to_));
    }
    for (const mlir::NamedAttr& attr : from_.properties(op)) {
      parts.properties.push_back({to_.Intern(from_.text(attr.name)),
                                  CopyAttr(from_, attr.value, &to_)});
    }
    for (const mlir::RegionId region : from_.regions(op)) {
      parts.regions.push_back(Copy(region));
    }
    parts.operands = operands;
    parts.results = results;
    const mlir::OpId copy = to_.AddOp(block, std::move(parts));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      values_[from_.result(op, i).index] = to_.result(to_.op(copy), i);
    }
  }

 private:
  mlir::RegionId Copy(mlir::RegionId id) {
    const mlir::RegionId region = to_.AddRegion();
    for (const mlir::BlockId from : from_.region(id).blocks) {
      const mlir::BlockId block = to_.AddBlock(region);
      for (const mlir::ValueId argument : from_.block(from).arguments) {
        values_[argument.index] = to_.AddArgument(
            block, CopyType(from_, from_.type_of(argument), &to_));
      }
      for (const mlir::OpId op : from_.block(from).ops) Copy(op, block);
    }
    return region;
  }

  const mlir::Ir& from_;
  mlir::Ir& to_;
  absl::flat_hash_map<uint32_t, mlir::ValueId> values_;
};

}  // namespace

bool HasDecomposition(absl::string_view op, const Shape& operand) {
  return FindRow(op) != nullptr && operand.has_rank() && operand.is_static() &&
         IsFloat(operand.element_type());
}

void AddDecomposition(absl::string_view op, const Shape& operand,
                      absl::string_view symbol, mlir::Ir* ir) {
  const Row* row = FindRow(op);
  if (row == nullptr) return;
  const absl::StatusOr<mlir::Ir> function =
      mlir::ParseMlirText(FunctionText(*row, operand, symbol, ir));
  if (!function.ok()) return;  // decompose_test reads each row
  Copier copier(*function, ir);
  for (const mlir::OpId id : function->block(function->module_block()).ops) {
    copier.Copy(id, ir->module_block());
  }
}

}  // namespace stablehlo_export
}  // namespace indim
