// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/exporters.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/bits.h"
#include "absl/strings/match.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/stablehlo/export/decompose.h"
#include "indim/stablehlo/export/discardable.h"
#include "indim/stablehlo/export/members.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_export {
namespace {

using ExportFunction = void (*)(NodeExport*);

void ExportOperand(NodeExport* node) { node->SetResult(node->Operands(0, 1)); }

std::array<ExportFunction, 256> MakeFunctions() {
  std::array<ExportFunction, 256> functions;
  functions.fill(&ExportPlain);
#define INDIM_EXPORT(opcode, function) \
  functions[static_cast<uint8_t>(Opcode::k##opcode)] = &function;
#define INDIM_EXPORT_OPERAND(opcode) INDIM_EXPORT(opcode, ExportOperand)
#define INDIM_NO_EXPORT(opcode, reason, fix)                                  \
  functions[static_cast<uint8_t>(Opcode::k##opcode)] = [](NodeExport* node) { \
    node->Refuse(reason, fix);                                                \
  };
#include "indim/stablehlo/export/exporters.def"
  return functions;
}

// An instruction of a computation on the parts of devices. False: it is of
// none.
bool ExportAsManualComputation(NodeExport* node) {
  ManualComputations& all = node->writer().manual_computations();
  if (all.IsPart(node->instruction())) {  // the operation stands for it
    node->SetResult(std::vector<ValueId>(node->ResultTypes().size(),
                                         MlirWriter::Nothing()));
    return true;
  }
  const ManualComputation* const manual = all.EndingAt(node->instruction());
  if (manual == nullptr) return false;
  std::vector<ValueId> operands;
  for (const Instruction& operand : manual->operands) {
    operands.push_back(node->writer().ValuesOf(operand).front());
  }
  Ir::OpParts parts;
  parts.name = node->ir().Intern("sdy.manual_computation");
  parts.operands = operands;
  parts.results = node->ResultTypes();
  parts.properties = {node->Named("in_shardings", manual->in_shardings),
                      node->Named("out_shardings", manual->out_shardings),
                      node->Named("manual_axes", manual->manual_axes)};
  namespace of = field::HloInstructionProto;
  if (node->fields().has(of::kSharding)) {
    parts.discardable.push_back(
        ShardingNote(node->fields().Text(of::kSharding), &node->ir()));
  }
  AddFrontendAttrs(node->fields().Text(of::kFrontendAttributes), kSdyPrefix,
                   OwnerKind::kOperation, &node->writer().shardy(),
                   &parts.discardable, &node->ir());
  parts.regions = std::move(node->regions());
  parts.location = node->writer().locations().Of(node->instruction());
  parts.offset = OffsetOf(node->instruction());
  const OpId op = node->ir().AddOp(node->block(), std::move(parts));
  node->SetResult(node->ir().results(node->ir().op(op)));
  return true;
}

namespace accuracy = field::ResultAccuracy;
namespace tolerance = field::ResultAccuracy_Tolerance;

constexpr absl::string_view kMode = "stablehlo.result_accuracy_mode";
constexpr int64_t kTolerance = 2;  // the number of the word TOLERANCE

// Sets result_accuracy where the instruction has one that isn't the default.
// Refuses it where the operation `row` has no such attribute.
void SetResultAccuracy(const mlir::OpRow& row, NodeExport* node) {
  const absl::string_view wire =
      node->fields().Text(field::HloInstructionProto::kResultAccuracy);
  if (wire.empty()) return;
  if (mlir::FindAttribute(row, "result_accuracy") == nullptr) {
    node->Refuse("asks for an accuracy, which StableHLO's operation can't",
                 "remove result_accuracy");
    return;
  }
  Ir& ir = node->ir();
  FieldList fields(WireMessage::kResultAccuracy, wire);
  std::vector<NamedAttr> parts;
  int64_t mode = fields.Number(accuracy::kMode);
  if (fields.has(accuracy::kTolerance)) {
    mode = kTolerance;
    FieldList bounds(WireMessage::kResultAccuracy_Tolerance,
                     fields.Text(accuracy::kTolerance));
    const auto number = [&](absl::string_view name, double value) {
      if (value == 0) return;
      parts.push_back(
          node->Named(name, ir.FloatAttr(ir.ElementTypeId(ElementType::kF64),
                                         absl::bit_cast<uint64_t>(value))));
    };
    number("atol", bounds.Double(tolerance::kAtol));
    number("rtol", bounds.Double(tolerance::kRtol));
    const int64_t ulps = bounds.Number(tolerance::kUlps);
    if (ulps != 0) parts.push_back(node->Named("ulps", ir.IntegerAttr(ulps)));
  } else if (mode == 0) {
    return;
  }
  const AttrId word = NumberedWord(kMode, mode, &ir);
  if (!word.valid()) {
    node->Refuse("asks for an accuracy that StableHLO doesn't have",
                 "use the mode default or highest, or a tolerance");
    return;
  }
  parts.push_back(node->Named("mode", word));
  node->Set("result_accuracy",
            ir.DialectAttr("stablehlo.result_accuracy", std::move(parts)));
}

}  // namespace

void ExportNode(NodeExport* node) {
  static const auto* const functions =
      new std::array<ExportFunction, 256>(MakeFunctions());
  const std::string& fault = node->writer().types().fault(
      internal::RecordOf(node->instruction()).shape);
  if (!fault.empty()) {
    node->Refuse(fault, "give it a type that StableHLO has");
    return;
  }
  if (ExportAsManualComputation(node)) return;
  (*functions)[static_cast<uint8_t>(node->opcode())](node);
}

void ExportPlain(NodeExport* node) {
  ExportPlain(node->instruction().attributes(), node);
}

void ExportPlain(const Attributes& attributes, NodeExport* node) {
  const mlir::OpRow* row = mlir::FindOp(node->opcode());
  if (row == nullptr || node->opcode() == Opcode::kInvalid) {
    node->Refuse("has no operation in StableHLO", "replace it by others");
    return;
  }
  if (node->writer().options().composites &&
      absl::StartsWith(row->name, "chlo.")) {
    return ExportDecomposed(
        row->name,
        UnaryDecomposition(row->name, node->instruction().operand(0).shape()),
        node);
  }
  node->SetMembers(row->name, attributes);
  if (!row->attributes.empty()) SetResultAccuracy(*row, node);
  node->EmitResult(row->name);
}

void ExportDecomposed(absl::string_view op, const std::string& function,
                      NodeExport* node) {
  if (function.empty()) {
    node->Refuse("is an operation of CHLO, which no portable artifact holds",
                 "write MLIR text, or write it as other operations");
    return;
  }
  Ir& ir = node->ir();
  std::vector<NamedAttr> attributes = node->TakeProperties();
  if (!attributes.empty()) {
    node->Set("composite_attributes", ir.DictionaryAttr(std::move(attributes)));
  }
  node->Set("name", ir.StringAttr(op));
  node->Set("version", ir.IntegerAttr(1, ElementType::kS32));
  node->Set(
      "decomposition",
      ir.SymbolAttr(node->writer().symbols().Decomposition(op, function)));
  node->EmitResult("stablehlo.composite");
}

bool HasRegions(Opcode opcode) {
  switch (Info(opcode).callee_form) {
    case CalleeForm::kApplied:
    case CalleeForm::kBodyAndCondition:
    case CalleeForm::kBranches:
    case CalleeForm::kSelectAndScatter:
      return true;
    default:
      return false;
  }
}

OpId AddCall(BlockId block, absl::string_view symbol,
             absl::Span<const ValueId> arguments,
             absl::Span<const TypeId> results, Ir* ir) {
  Ir::OpParts parts;
  parts.name = ir->Intern("func.call");
  parts.operands = arguments;
  parts.results = results;
  parts.properties = {{ir->Intern("callee"), ir->SymbolAttr(symbol)}};
  return ir->AddOp(block, std::move(parts));
}

}  // namespace indim::stablehlo_export
