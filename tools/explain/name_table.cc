// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/name_table.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

struct SignatureRow {
  absl::string_view name;
  absl::string_view signature;
};

constexpr SignatureRow kSignatures[] = {
#define INDIM_SIGNATURE(name, signature) {name, signature},
#include "indim/tools/explain/signatures.def"
#undef INDIM_SIGNATURE
};

NameRow::Names Split(absl::string_view names, char between = ' ') {
  NameRow::Names split = absl::StrSplit(names, between, absl::SkipWhitespace());
  for (absl::string_view& name : split) {
    name = absl::StripAsciiWhitespace(name);
  }
  return split;
}

NameRow MakeRow(absl::string_view hlo, absl::string_view xla,
                absl::string_view cpp, absl::string_view mlir,
                absl::string_view jax, absl::string_view numpy,
                absl::string_view python, absl::string_view words) {
  NameRow row = {OpcodeFromName(hlo), Split(hlo),  Split(xla),   Split(cpp),
                 Split(mlir),         Split(jax),  Split(numpy), {},
                 Split(python, ';'),  Split(words)};
  for (const CompositeNames& composite : Composites()) {
    const auto is_it = [&](absl::string_view name) {
      return absl::StripPrefix(name, "b.") == composite.cpp;
    };
    if (absl::c_any_of(row.cpp, is_it)) row.c.push_back(composite.name);
  }
  const mlir::OpRow* op = row.opcode ? mlir::FindOp(*row.opcode) : nullptr;
  if (op != nullptr) row.mlir.insert(row.mlir.begin(), op->name);
  return row;
}

// A column, and how its names may begin when they are asked for.
struct NameColumn {
  absl::string_view title;
  NameRow::Names NameRow::*names;
  // What stands before a name, and is left out or becomes another.
  std::vector<std::pair<absl::string_view, absl::string_view>> prefixes;
};

const std::vector<NameColumn>& Columns() {
  static const auto& columns = *new std::vector<NameColumn>{
      {"C++", &NameRow::cpp, {}},
      {"Python", &NameRow::python, {}},
      {"C", &NameRow::c, {}},
      {"HLO", &NameRow::hlo, {{"hlo.", ""}}},
      {"StableHLO", &NameRow::mlir, {}},
      {"XlaBuilder", &NameRow::xla, {{"xla::", ""}}},
      {"JAX",
       &NameRow::jax,
       {{"jax.numpy.", "jnp."}, {"jax.lax.", "lax."}, {"jax.nn.", "nn."}}},
      {"NumPy", &NameRow::numpy, {{"numpy.", ""}, {"np.", ""}}},
      {"also", &NameRow::words, {}},
  };
  return columns;
}

// "where" of "jnp.where" and of "b.where"; an expression is its own.
absl::string_view LastPart(absl::string_view name) {
  if (absl::StrContains(name, '(')) return name;
  return name.substr(name.rfind('.') + 1);
}

bool Same(absl::string_view a, absl::string_view b, bool capitals) {
  return capitals ? a == b : absl::EqualsIgnoreCase(a, b);
}

// Whether the row has `name` in this column.
bool Has(const NameColumn& column, const NameRow& row, absl::string_view name,
         bool capitals) {
  std::string spelled(name);
  for (const auto& [prefix, becomes] : column.prefixes) {
    if (absl::StartsWith(name, prefix)) {
      spelled = absl::StrCat(becomes, name.substr(prefix.size()));
    }
  }
  const bool whole = spelled != name || absl::StrContains(name, '.');
  return absl::c_any_of(row.*column.names, [&](absl::string_view own) {
    return Same(own, spelled, capitals) ||
           (!whole && Same(LastPart(own), spelled, capitals));
  });
}

std::vector<const NameRow*> Find(absl::string_view name, bool capitals) {
  std::vector<const NameRow*> found;
  for (const NameRow& row : NameRows()) {
    if (absl::c_any_of(Columns(), [&](const NameColumn& column) {
          return Has(column, row, name, capitals);
        })) {
      found.push_back(&row);
    }
  }
  return found;
}

// With signatures in the place of C++'s names.
NameRow::Names Shown(const NameColumn& column, const NameRow& row) {
  return column.names == &NameRow::cpp ? row.signatures() : row.*column.names;
}

std::string RowText(const NameRow& row) {
  std::string text =
      row.opcode
          ? absl::StrCat(Name(*row.opcode), ", an operation\n")
          : absl::StrCat(row.cpp[0], ", a function made of operations\n");
  for (const NameColumn& column : Columns()) {
    const NameRow::Names names = Shown(column, row);
    if (names.empty() || column.names == &NameRow::words) continue;
    const absl::string_view between =
        column.names == &NameRow::cpp ? "\n              " : ", ";
    absl::StrAppend(&text, "  ", column.title,
                    std::string(12 - column.title.size(), ' '),
                    absl::StrJoin(names, between), "\n");
  }
  return row.opcode ? absl::StrCat(text, "\n", ExplainOp(*row.opcode)) : text;
}

std::string RowJson(const NameRow& row) {
  JsonWriter json;
  for (const NameColumn& column : Columns()) {
    const NameRow::Names names = Shown(column, row);
    json.AddTexts(absl::AsciiStrToLower(column.title),
                  std::vector<std::string>(names.begin(), names.end()));
  }
  return json.text() + "\n";
}

// Of those that no row has.
std::string CompositeText(const CompositeNames& composite, bool json) {
  if (json) {
    return JsonWriter()
               .AddTexts("c++", {std::string(CppSignature(composite.cpp))})
               .AddTexts("c", {std::string(composite.name)})
               .text() +
           "\n";
  }
  return absl::StrCat(composite.cpp, ", a function made of operations\n",
                      "  C++         ", CppSignature(composite.cpp),
                      "\n  C           ", composite.name, "\n");
}

}  // namespace

absl::Span<const CompositeNames> Composites() {
  static constexpr CompositeNames kComposites[] = {
#define INDIM_COMPOSITE(name, function, parameters) \
  {#name, #function, parameters},
#include "indim/builder/composites/composites.def"
  };
  return kComposites;
}

absl::Span<const NameRow> NameRows() {
  static const auto& rows = *new std::vector<NameRow>{
#define INDIM_NAME(hlo, xla, cpp, mlir, jax, numpy, python, words) \
  MakeRow(hlo, xla, cpp, mlir, jax, numpy, python, words),
#include "indim/tools/explain/name_table.def"
#undef INDIM_NAME
  };
  return rows;
}

NameRow::Names NameRow::signatures() const {
  Names signatures;
  for (absl::string_view name : cpp) signatures.push_back(CppSignature(name));
  return signatures;
}

absl::string_view CppSignature(absl::string_view name) {
  const auto* row = absl::c_find_if(
      kSignatures, [&](const SignatureRow& own) { return own.name == name; });
  return row == std::end(kSignatures) ? "" : row->signature;
}

std::vector<const NameRow*> FindNames(absl::string_view name) {
  std::vector<const NameRow*> found = Find(name, /*capitals=*/true);
  return found.empty() ? Find(name, /*capitals=*/false) : found;
}

std::string ExplainName(absl::string_view name, bool json) {
  std::vector<std::string> texts;
  for (const NameRow* row : FindNames(name)) {
    texts.push_back(json ? RowJson(*row) : RowText(*row));
  }
  for (const CompositeNames& composite : Composites()) {
    if (texts.empty() && (composite.name == name || composite.cpp == name)) {
      return CompositeText(composite, json);
    }
  }
  return absl::StrJoin(texts, json ? "" : "\n");
}

std::vector<absl::string_view> KnownNames() {
  std::vector<absl::string_view> known;
  for (const NameRow& row : NameRows()) {
    for (const NameColumn& column : Columns()) {
      for (absl::string_view name : row.*column.names) {
        known.push_back(name);
        known.push_back(LastPart(name));
      }
    }
  }
  for (const CompositeNames& composite : Composites()) {
    known.push_back(composite.name);
  }
  return known;
}

}  // namespace indim
