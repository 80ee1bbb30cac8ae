// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/docs/doc_tables.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

// A row of grad/rules.def likewise.
struct GradientColumns {
  Opcode opcode;
  absl::string_view rule;
  absl::string_view transpose;
  absl::string_view words;
};
constexpr GradientColumns kGradients[] = {
#define INDIM_GRADIENT(op, rule, transpose, traits, words) \
  {Opcode::k##op, #rule, #transpose, words},
#include "indim/grad/rules.def"
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

// What kind of rule stands in a row of grad/rules.def.
absl::string_view RuleWords(absl::string_view rule) {
  constexpr std::pair<absl::string_view, absl::string_view> kKinds[] = {
      {"Zero", "zero"},
      {"Partials", "partial derivatives"},
      {"Linear", "linear"},
      {"Bilinear", "bilinear"},
      {"Own", "own"},
      {"Calls", "calls"},
      {"Expanded", "made of others"},
      {"Refused(kTransfer)", "none: it moves data between programs"},
      {"Refused(kSizesAtRunTime)", "none: sizes are known at run time only"}};
  for (const auto& [begin, words] : kKinds) {
    if (absl::StartsWith(rule, begin)) return words;
  }
  return rule;
}

std::string GradientRow(const GradientColumns& row) {
  return absl::StrCat("| `", Info(row.opcode).wire, "` | ", RuleWords(row.rule),
                      " | ", row.words, " | ",
                      row.transpose == "None" ? "" : "its own", " |\n");
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

std::string GradientRulesDocument() {
  std::string text =
      "# Rules of derivatives\n\n"
      "Made of `grad/rules.def` by `bazel run //tools/docs:make_docs`; don't "
      "edit. [gradients.md](gradients.md) tells how they are used, and what "
      "happens at ties and kinks.\n\n"
      "Rule: zero; partial derivatives, by each operand; linear, the same "
      "operation on tangents; bilinear, a sum of two; own, a function of its "
      "own; calls, of the computations that it calls; made of others, which "
      "are differentiated. Formula: partial derivatives by operands x, y, or "
      "the tangent of the result r from tangents t, u. Transpose: whether the "
      "operation itself is recorded in reverse mode; the others record "
      "those.\n\n"
      "| operation | rule | formula | transpose |\n"
      "| --- | --- | --- | --- |\n";
  for (const GradientColumns& row : kGradients) text += GradientRow(row);
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
  absl::StrAppend(
      &text,
      "\n## Functions by name\n\n"
      "What `indim_composite` of C and `Builder::Composite` of `indim.hpp` "
      "take: a name, its operands, and the other parameters as a JSON object. "
      "A parameter behind `=` has that default. The types are those of the "
      "C++ function.\n\n"
      "| name | parameters | C++ |\n| --- | --- | --- |\n");
  for (const CompositeNames& composite : Composites()) {
    absl::StrAppend(&text, "| `", composite.name, "` | `", composite.parameters,
                    "` | `", CppSignature(composite.cpp), "` |\n");
  }
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
