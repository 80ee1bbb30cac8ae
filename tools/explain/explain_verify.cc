// SPDX-License-Identifier: Apache-2.0
// A recorded result against the Broadcastable trait, as MLIR's document has it.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tools/explain/explain_parts.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/text_table.h"

namespace indim {
namespace {

constexpr absl::string_view kModeNames[kModeCount] = {"lenient", "strict",
                                                      "mlir"};

BroadcastableMode ModeAt(size_t i) { return static_cast<BroadcastableMode>(i); }

// What the mode infers, which isn't the same in all of them; `plain` where the
// rule is another one.
Shape InferredIn(BroadcastableMode mode, const BroadcastQuestion& question,
                 const OperandShapes& operands, const Shape& plain) {
  if (question.spec.rule != BroadcastRule::kNumpy) return plain;
  std::vector<Diagnostic> diagnostics;
  std::optional<Shape> inferred =
      InferBroadcastable(mode, operands, &diagnostics);
  return inferred && inferred->has_rank() && plain.has_rank() &&
                 inferred->rank() == plain.rank()
             ? *inferred
             : plain;
}

std::vector<std::string> Cells(const std::string& name,
                               const TraitTable::Row& row) {
  std::vector<std::string> cells = {name, row.inferred, row.recorded};
  for (const bool ok : row.ok) cells.push_back(ok ? "ok" : "error");
  return cells;
}

std::string RowJson(const TraitTable::Row& row) {
  JsonWriter json;
  json.Add("inferred", row.inferred).Add("recorded", row.recorded);
  for (size_t i = 0; i < kModeCount; ++i) json.Add(kModeNames[i], row.ok[i]);
  return json.text();
}

}  // namespace

bool PassesTrait(BroadcastableMode mode, const BroadcastQuestion& question,
                 const BroadcastPlan& plan, const OperandShapes& operands,
                 std::vector<Diagnostic>* diagnostics) {
  return question.spec.rule == BroadcastRule::kNumpy
             ? VerifyBroadcastable(mode, operands, *question.result,
                                   diagnostics)
             : VerifyBroadcastable(mode, plan, operands, *question.result,
                                   diagnostics);
}

TraitTable VerifyTrait(const BroadcastQuestion& question,
                       const BroadcastPlan& plan, const Shape& inferred,
                       const OperandShapes& operands) {
  const Shape& recorded = *question.result;
  TraitTable table;
  const bool dims = inferred.has_rank() && recorded.has_rank() &&
                    inferred.rank() == recorded.rank();
  if (dims) table.dims.resize(static_cast<size_t>(recorded.rank()));
  for (size_t mode = 0; mode < kModeCount; ++mode) {
    const Shape of_mode =
        InferredIn(ModeAt(mode), question, operands, inferred);
    for (size_t i = 0; i < table.dims.size(); ++i) {
      const int d = static_cast<int>(i);
      TraitTable::Row& row = table.dims[i];
      const std::string text = of_mode.dim(d).ToString();
      if (mode == 0) {
        row.inferred = inferred.dim(d).ToString();
        row.recorded = recorded.dim(d).ToString();
      }
      if (text != inferred.dim(d).ToString()) {
        absl::StrAppend(&row.inferred, " (", kModeNames[mode], ": ", text, ")");
      }
      row.ok[mode] = DimPasses(ModeAt(mode), of_mode.dim(d), recorded.dim(d));
    }
    std::vector<Diagnostic> diagnostics;
    table.result.ok[mode] =
        PassesTrait(ModeAt(mode), question, plan, operands, &diagnostics);
  }
  table.result.inferred = ShapeText(question, inferred);
  table.result.recorded = ShapeText(question, recorded);
  return table;
}

std::string TraitText(const TraitTable& table, BroadcastableMode mode) {
  std::vector<std::vector<std::string>> rows = {{"", "inferred", "recorded"}};
  for (const absl::string_view mode : kModeNames) rows[0].emplace_back(mode);
  for (size_t d = 0; d < table.dims.size(); ++d) {
    rows.push_back(Cells(absl::StrCat("dim ", d), table.dims[d]));
  }
  rows.push_back(Cells("result", table.result));
  std::string text = "\n" + TextTable(rows) + "\n";
  bool agree = true;
  for (const bool ok : table.result.ok) agree &= ok == table.result.ok[0];
  for (size_t i = 0; !agree && i < kModeCount; ++i) {
    if (ModeAt(i) != mode) continue;
    absl::StrAppend(&text, "  --mode=", kModeNames[i], " decides\n\n");
  }
  return text;
}

std::string TraitJson(const TraitTable& table) {
  std::vector<std::string> dims;
  for (const TraitTable::Row& row : table.dims) dims.push_back(RowJson(row));
  JsonWriter json;
  json.AddList("dims", dims).AddRaw("result", RowJson(table.result));
  return json.text();
}

}  // namespace indim
