// SPDX-License-Identifier: Apache-2.0
// Calls of functions.

#include "absl/strings/str_cat.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/import/shardings.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {
namespace {

Node EmitCall(OpImport* op) {
  return op->Emit(Opcode::kCall, op->ResultsShape(), NoAttributes(),
                  op->operands(), op->importer().callees());
}

}  // namespace

void LowerCall(OpImport* op) {
  const Node node = EmitCall(op);
  AddCommonAttributes(op, node);
  op->SetResults(node);
}

// A call of the decomposition, which says what it stands for.
void LowerComposite(OpImport* op) {
  if (op->op().region_count != 0) {
    return op->Error("has regions: HLO has no composites with regions",
                     Code::kNoHloForm);
  }
  const AttrId attributes = op->Find("composite_attributes");
  const Node node = EmitCall(op);
  AddCommonAttributes(op, node);
  op->writer().Edit(node, [](FieldList* fields) {
    fields->SetNumber(field::HloInstructionProto::kIsComposite, 1);
  });
  AddNotes(&op->writer(), node,
           {{"composite.attributes",
             attributes.valid() ? AttributeText(op->ir(), attributes) : "{}"},
            {"composite.name", op->Text("name")},
            {"composite.version", absl::StrCat(op->Number("version"))}});
  op->SetResults(node);
}

}  // namespace indim::stablehlo_import
