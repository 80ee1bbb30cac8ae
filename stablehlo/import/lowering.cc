// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/lowering.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/stablehlo/import/module_fields.h"
#include "indim/stablehlo/import/reductions.h"

namespace indim::stablehlo_import {

Lowering FindLowering(absl::string_view name) {
  static const auto* const map =
      new absl::flat_hash_map<absl::string_view, Lowering>{
#define INDIM_MLIR_LOWERING(name, function) {name, &Lower##function},
#define INDIM_MLIR_LOWERING_TOO(name, function) {name, &Lower##function},
#define INDIM_MLIR_ELEMENT_FUNCTION(name, value) {name, &LowerFunction},
#include "indim/stablehlo/import/lowering.def"
      };
  constexpr absl::string_view kBroadcasts = "chlo.broadcast_";
  const auto found =
      map->find(absl::StartsWith(name, kBroadcasts) ? kBroadcasts : name);
  return found == map->end() ? nullptr : found->second;
}

// --- Attributes --------------------------------------------------------------

namespace {

// #stablehlo.result_accuracy<atol = ..., rtol = ..., ulps = ..., mode = ...> as
// a ResultAccuracy message.
std::string AccuracyBytes(const Ir& ir, const Attribute& accuracy) {
  namespace of = field::ResultAccuracy;
  FieldList message(WireMessage::kResultAccuracy);
  const absl::string_view mode =
      ReadWord(ir, ir.Find(accuracy, "mode")).value_or("DEFAULT");
  if (mode == "HIGHEST") message.SetNumber(of::kMode, 1);
  if (mode == "TOLERANCE") {
    namespace tolerance_of = field::ResultAccuracy_Tolerance;
    FieldList tolerance(WireMessage::kResultAccuracy_Tolerance);
    const auto number = [&](absl::string_view field) {
      return ReadFloat(ir, ir.Find(accuracy, field)).value_or(0);
    };
    tolerance.SetDouble(tolerance_of::kAtol, number("atol"));
    tolerance.SetDouble(tolerance_of::kRtol, number("rtol"));
    tolerance.SetNumber(tolerance_of::kUlps,
                        static_cast<int64_t>(number("ulps")));
    message.SetText(of::kTolerance, tolerance.Serialize());
  }
  return message.Serialize();
}

}  // namespace

void AddCommonAttributes(OpImport* op, Node node) {
  op->KeepCommonAttributes();
  const Ir& ir = op->ir();
  const AttrId accuracy = op->Find("result_accuracy");
  if (op->op().discardable_count == 0 && !accuracy.valid()) return;
  op->writer().Edit(node, [&](FieldList* fields) {
    if (accuracy.valid()) {
      fields->SetText(field::HloInstructionProto::kResultAccuracy,
                      AccuracyBytes(ir, ir.attr(accuracy)));
    }
    AddDiscardable(ir, ir.discardable(op->op()), &op->importer().shardy(),
                   fields);
  });
}

void SetMainResult(OpImport* op, const std::optional<Node>& node) {
  if (!node.has_value()) return;
  AddCommonAttributes(op, *node);
  op->SetResult(0, *node);
}

// --- The same operation ------------------------------------------------------

void LowerSame(OpImport* op) {
  Attributes attributes;
  if (!ReadAttributes(op, &attributes)) return;
  std::vector<Node> operands = op->operands();
  if (!PrepareReduction(op, &operands)) return;
  const Node node = op->Emit(op->row().opcode, op->ResultsShape(), attributes,
                             operands, op->importer().callees());
  AddCommonAttributes(op, node);
  op->SetResults(node);
}

}  // namespace indim::stablehlo_import
