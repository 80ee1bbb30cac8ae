// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/docs.h"

namespace indim {
namespace {

struct CodeRow {
  Code code;
  CodeDoc doc;
};
constexpr CodeRow kCodeDocs[] = {
#define INDIM_CODE_DOC(name, why, right, wrong) \
  {Code::k##name, {why, right, wrong}},
#include "indim/shape/diagnostics/code_docs.def"
#undef INDIM_CODE_DOC
};

struct OpDocRow {
  Opcode opcode = Opcode::kInvalid;
  absl::string_view statement;
  absl::string_view result;
  absl::string_view example;
};
constexpr OpDocRow kOpDocs[] = {
#define INDIM_OP_DOC(name, statement, result, example) \
  {Opcode::k##name, statement, result, example},
#include "indim/shape/ops/op_docs.def"
#undef INDIM_OP_DOC
};

constexpr CodeDoc kNoDoc;
constexpr OpDocRow kNoRow = {};

const OpDocRow& RowOf(Opcode opcode) {
  for (const OpDocRow& row : kOpDocs) {
    if (row.opcode == opcode) return row;
  }
  return kNoRow;
}

}  // namespace

const CodeDoc& DocOf(Code code) {
  for (const CodeRow& row : kCodeDocs) {
    if (row.code == code) return row.doc;
  }
  return kNoDoc;
}

absl::string_view DocOf(Opcode opcode) { return RowOf(opcode).statement; }

absl::string_view ResultDocOf(Opcode opcode) { return RowOf(opcode).result; }

absl::string_view ExampleOf(Opcode opcode) { return RowOf(opcode).example; }

}  // namespace indim
