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

NameRow MakeRow(absl::string_view hlo, absl::string_view xla,
                absl::string_view cpp, absl::string_view mlir,
                absl::string_view jax, absl::string_view numpy,
                absl::string_view python, absl::string_view words) {
  NameRow row = {OpcodeFromName(hlo),
                 xla,
                 cpp,
                 std::string(mlir),
                 jax,
                 numpy,
                 python,
                 words};
  if (!row.opcode) return row;
  if (const mlir::OpRow* op = mlir::FindOp(*row.opcode)) {
    row.mlir = absl::StrCat(op->name, mlir.empty() ? "" : " ", mlir);
  }
  return row;
}

std::vector<absl::string_view> Split(absl::string_view names) {
  return absl::StrSplit(names, ' ', absl::SkipEmpty());
}

// A column, and how its names may begin when they are asked for.
struct NameColumn {
  absl::string_view title;
  // The names that a question may mean, as they stand in the row.
  std::vector<absl::string_view> (*names)(const NameRow& row);
  // What stands before a name, and is left out or becomes another.
  std::vector<std::pair<absl::string_view, absl::string_view>> prefixes;
};

const std::vector<NameColumn>& Columns() {
  static const auto& columns = *new std::vector<NameColumn>{
      {"C++", [](const NameRow& row) { return Split(row.cpp); }, {}},
      {"Python",
       [](const NameRow& row) {
         // "b.cond b.switch" are two names, "x + y" is one.
         std::vector<absl::string_view> names = Split(row.python);
         const bool are_calls = absl::c_all_of(names, [](absl::string_view n) {
           return absl::StartsWith(n, "b.") && !absl::StrContains(n, '(');
         });
         return are_calls ? names : std::vector<absl::string_view>{row.python};
       },
       {}},
      {"HLO",
       [](const NameRow& row) {
         return row.opcode ? std::vector<absl::string_view>{Name(*row.opcode)}
                           : std::vector<absl::string_view>();
       },
       {{"hlo.", ""}}},
      {"StableHLO", [](const NameRow& row) { return Split(row.mlir); }, {}},
      {"XlaBuilder",
       [](const NameRow& row) { return Split(row.xla); },
       {{"xla::", ""}}},
      {"JAX",
       [](const NameRow& row) { return Split(row.jax); },
       {{"jax.numpy.", "jnp."}, {"jax.lax.", "lax."}, {"jax.nn.", "nn."}}},
      {"NumPy",
       [](const NameRow& row) { return Split(row.numpy); },
       {{"numpy.", ""}, {"np.", ""}}},
      {"also", [](const NameRow& row) { return Split(row.words); }, {}},
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
  return absl::c_any_of(column.names(row), [&](absl::string_view own) {
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
std::vector<absl::string_view> Shown(const NameColumn& column,
                                     const NameRow& row) {
  std::vector<absl::string_view> names = column.names(row);
  if (column.title == "C++") {
    for (absl::string_view& name : names) name = CppSignature(name);
  }
  return names;
}

std::string RowText(const NameRow& row) {
  std::string text =
      row.opcode ? absl::StrCat(Name(*row.opcode), ", an operation\n")
                 : absl::StrCat(row.cpp, ", a function made of operations\n");
  for (const NameColumn& column : Columns()) {
    const std::vector<absl::string_view> names = Shown(column, row);
    if (names.empty() || column.title == "also") continue;
    const absl::string_view between =
        column.title == "C++" ? "\n              " : ", ";
    absl::StrAppend(&text, "  ", column.title,
                    std::string(12 - column.title.size(), ' '),
                    absl::StrJoin(names, between), "\n");
  }
  return row.opcode ? absl::StrCat(text, "\n", ExplainOp(*row.opcode)) : text;
}

std::string RowJson(const NameRow& row) {
  JsonWriter json;
  for (const NameColumn& column : Columns()) {
    const std::vector<absl::string_view> names = Shown(column, row);
    json.AddTexts(absl::AsciiStrToLower(column.title),
                  std::vector<std::string>(names.begin(), names.end()));
  }
  return json.text() + "\n";
}

}  // namespace

absl::Span<const NameRow> NameRows() {
  static const auto& rows = *new std::vector<NameRow>{
#define INDIM_NAME(hlo, xla, cpp, mlir, jax, numpy, python, words) \
  MakeRow(hlo, xla, cpp, mlir, jax, numpy, python, words),
#include "indim/tools/explain/name_table.def"
#undef INDIM_NAME
  };
  return rows;
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
  return absl::StrJoin(texts, json ? "" : "\n");
}

std::vector<absl::string_view> KnownNames() {
  std::vector<absl::string_view> known;
  for (const NameRow& row : NameRows()) {
    for (const NameColumn& column : Columns()) {
      for (absl::string_view name : column.names(row)) {
        known.push_back(name);
        known.push_back(LastPart(name));
      }
    }
  }
  return known;
}

}  // namespace indim
