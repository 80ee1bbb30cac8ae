// SPDX-License-Identifier: Apache-2.0
// Custom calls that stand for operations (custom_call_ops.def).

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/wire/field_list.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/import/module_fields.h"

namespace indim::stablehlo_import {
namespace {

constexpr absl::string_view kAttributes = "mhlo.attributes";
constexpr absl::string_view kVersion = "mhlo.version";

struct CustomCallOp {
  absl::string_view target;
  Opcode opcode;
};
constexpr CustomCallOp kCustomCallOps[] = {
#define INDIM_MLIR_CUSTOM_CALL_OP(target, opcode) {target, Opcode::k##opcode},
#include "indim/stablehlo/import/custom_call_ops.def"
};

// Whether the call says nothing that the operation has no place for.
bool IsOnlyTheOperation(OpImport* op) {
  const Ir& ir = op->ir();
  const AttrId config = op->Find("backend_config");
  if (config.valid() && (ir.attr(config).kind != AttrKind::kString ||
                         !ir.attr(config).text.empty())) {
    return false;
  }
  constexpr absl::string_view kEmpty[] = {"called_computations",
                                          "operand_layouts", "result_layouts",
                                          "output_operand_aliases"};
  for (const absl::string_view name : kEmpty) {
    if (!ir.attr(op->Find(name)).elements.empty()) return false;
  }
  constexpr absl::string_view kKnown[] = {
      kAttributes,           kVersion,
      note::kHloSharding,    note::kFrontendAttributes,
      note::kShardySharding, note::kShardyRule};
  for (const NamedAttr& attribute : ir.discardable(op->op())) {
    if (!absl::c_linear_search(kKnown, ir.text(attribute.name))) return false;
  }
  return !op->Bool("has_side_effect") &&
         op->Number("api_version", kApiOriginal) == kApiOriginal;
}

// False: there is another attribute.
bool ReadTopK(const Ir& ir, const Attribute& dictionary, TopKAttributes* to) {
  to->largest = true;
  for (const NamedAttr& attribute : dictionary.fields) {
    const absl::string_view name = ir.text(attribute.name);
    const std::optional<int64_t> number = ReadNumber(ir, attribute.value);
    if (name == "k" && number.has_value()) {
      to->k = *number;
    } else if (name == "largest" && number.has_value()) {
      to->largest = *number != 0;
    } else if (name != note::kHloSharding) {
      return false;
    }
  }
  return ir.Find(dictionary, "k").valid();
}

}  // namespace

bool LowerAsOperation(OpImport* op) {
  const std::string target = op->Text("call_target_name");
  const CustomCallOp* const row =
      mlir::FindRow(kCustomCallOps, &CustomCallOp::target, target);
  if (row == nullptr) return false;
  const Ir& ir = op->ir();
  const AttrId id = op->Find(kAttributes);
  if (!id.valid() || ir.attr(id).kind != AttrKind::kDictionary ||
      !IsOnlyTheOperation(op)) {
    return false;
  }
  Attributes attributes;
  const Attribute& dictionary = ir.attr(id);
  if (row->opcode == Opcode::kTopK) {
    TopKAttributes topk;
    if (!ReadTopK(ir, dictionary, &topk)) return false;
    attributes = topk;
  } else if (dictionary.fields.size() >
             (ir.Find(dictionary, note::kHloSharding).valid() ? 1u : 0u)) {
    return false;
  }
  const size_t results = row->opcode == Opcode::kTopK ? 2 : 1;
  const size_t operands = row->opcode == Opcode::kMulhi ? 2 : 1;
  if (op->result_count() != results || op->operand_count() != operands) {
    op->Error(absl::StrCat("stands for ", Name(row->opcode), ", which has ",
                           operands, operands == 1 ? " operand" : " operands",
                           " and ", results,
                           results == 1 ? " result" : " results"));
    return true;
  }
  const Node node =
      op->Emit(row->opcode, op->ResultsShape(), attributes, op->operands());
  AddCommonAttributes(op, node);
  // Shardy's export notes a sharding there.
  op->writer().Edit(node, [&](FieldList* fields) {
    AddDiscardable(ir, dictionary.fields, &op->importer().shardy(), fields);
  });
  op->Keep(kAttributes);
  op->Keep(kVersion);
  op->SetResults(node);
  return true;
}

}  // namespace indim::stablehlo_import
