// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/docs/doc_tables.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/constraint_text.h"
#include "indim/shape/ops/docs.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/explain/name_table.h"

namespace indim {
namespace {

// A row of ops.def with its columns as they are written there.
struct OpColumns {
  Opcode opcode;
  absl::string_view attributes;
  absl::string_view result;
  absl::string_view function;
  absl::string_view traits;
};
constexpr OpColumns kOps[] = {
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, function, traits,          \
                 broadcastable)                                              \
  {Opcode::k##name, #attributes, #result, #function, #traits},
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
};

// "2", "0 or more", "2 to 4".
std::string CountText(int min, int max) {
  if (min == max) return absl::StrCat(min);
  if (max < 0) return absl::StrCat(min, " or more");
  return absl::StrCat(min, " to ", max);
}

// "kMixesFloats" -> "mixes floats".
std::string Words(absl::string_view enumerator) {
  absl::ConsumePrefix(&enumerator, "k");
  std::string words;
  for (const char c : enumerator) {
    if (absl::ascii_isupper(c) && !words.empty()) words += ' ';
    words += absl::ascii_tolower(c);
  }
  return words;
}

std::string TraitsText(absl::string_view traits) {
  if (traits == "kNoTraits") return "";
  std::string text;
  for (absl::string_view trait : absl::StrSplit(traits, " | ")) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Words(trait));
  }
  return text;
}

// What the row declares; else words about what its shape function says.
std::string ResultCell(const OpColumns& row) {
  const std::string words = ResultWords(row.opcode);
  return ResultText(row.opcode).empty()
             ? absl::StrCat(words, " (`Infer", row.function, "`)")
             : words;
}

std::string OpRow(const OpColumns& row) {
  const OpInfo& op = Info(row.opcode);
  return absl::StrCat(
      "| ", static_cast<int>(op.opcode), " | `", op.wire, "` | ",
      CountText(op.min_operands, op.max_operands), " | ",
      DeclaredText(row.opcode), " | ", ResultCell(row), " | ",
      Words(row.result), " | ",
      row.attributes == "No" ? "" : absl::StrCat("`", row.attributes, "`"),
      " | ", op.callees < 0 ? "any" : absl::StrCat(op.callees), " | ",
      TraitsText(row.traits), " | ", BroadcastableWords(row.opcode), " | ",
      DocOf(op.opcode), " | `", ExampleOf(op.opcode), "` |\n");
}

// `a`<br>`b`, in a cell of a table.
std::string Cell(absl::Span<const absl::string_view> names) {
  return absl::StrJoin(
      names, "<br>", [](std::string* out, absl::string_view name) {
        absl::StrAppend(out, "`", absl::StrReplaceAll(name, {{"|", "\\|"}}),
                        "`");
      });
}

std::string NamesRow(const NameRow& row) {
  return absl::StrCat("| ", Cell(row.hlo), " | ", Cell(row.signatures()), " | ",
                      Cell(row.python), " | ", Cell(row.xla), " | ",
                      Cell(row.mlir), " | ", Cell(row.jax), " | ",
                      Cell(row.numpy), " |\n");
}

int CompleteCount() {
  int complete = 0;
  for (const OpInfo& op : AllOps()) {
    complete += DeclarationOf(op.opcode).is_complete() ? 1 : 0;
  }
  return complete;
}

}  // namespace

std::string OpsDocument() {
  std::string text = absl::StrCat(
      "# Operations\n\n"
      "Made of `shape/ops/ops.def` and `shape/ops/op_docs.def` by `bazel run "
      "//tools/docs:make_docs`; don't edit.\n\n"
      "What must hold: what the row declares, in the order in which it is "
      "checked, with the codes that are reported. Result: what the row "
      "declares, or what the shape function says that adds what can't be "
      "declared: ",
      CompleteCount(), " of ", AllOps().size(),
      " operations need no C++ of their own. Given: whether the shape is "
      "inferred, takes a given element type or given sizes, or is given and "
      "checked. Attributes: the struct of `shape/ops/attributes.h`. "
      "Broadcastable: whether MLIR's trait holds where operands and result "
      "are arrays ([broadcastable.md](broadcastable.md)), or the first of its "
      "preconditions that isn't met.\n\n"
      "| no. | name | operands | what must hold | result | given | attributes "
      "| calls | traits | broadcastable | what it does | `indim explain` |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n");
  for (const OpColumns& row : kOps) text += OpRow(row);
  return text;
}

std::string NamesDocument() {
  std::string text =
      "# Names\n\n"
      "What an operation or a function is called elsewhere, and here. Made of "
      "`tools/explain/name_table.def`, the table of StableHLO's operations and "
      "the builder's headers by `bazel run //tools/docs:make_docs`; don't "
      "edit. `indim explain jnp.where` shows a row of any of these names.\n\n"
      "`jnp` is `jax.numpy`, `lax` is `jax.lax`, `nn` is `jax.nn`; in Python "
      "`b` is a `Builder`, `x` and `y` are its values. A function without a "
      "name in HLO is made of several operations.\n\n"
      "| HLO | C++ | Python | XlaBuilder | StableHLO, CHLO | JAX | NumPy |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const NameRow& row : NameRows()) text += NamesRow(row);
  return text;
}

std::string CodesDocument() {
  std::string text =
      "# Codes\n\n"
      "What a diagnostic can say. Made of `shape/diagnostics/codes.def` and "
      "`shape/diagnostics/code_docs.def` by `bazel run "
      "//tools/docs:make_docs`; don't edit. `indim explain IND0007` shows one "
      "of them. Examples that are JSON are lines for `indim query`.\n";
  for (const CodeInfo& info : AllCodes()) {
    const CodeDoc& doc = DocOf(info.code);
    absl::StrAppend(
        &text, "\n## ", CodeText(info.code), " ", info.slug, "\n\n",
        info.severity() == Severity::kError ? "Error: " : "Warning: ", "`",
        info.message, "`\n\n", absl::StrReplaceAll(doc.why, {{"*", "\\*"}}),
        "\n\n- right: `", doc.right, "`\n- wrong: `", doc.wrong, "`\n");
  }
  return text;
}

}  // namespace indim
