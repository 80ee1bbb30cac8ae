// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/ops/op_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace indim::mlir {
namespace {

constexpr Version V(int major, int minor, int patch) {
  return {major, minor, patch};
}

// An INDIM_MLIR_OP column such as (0, -1).
constexpr Count MakeCount(int least, int most) { return {least, most}; }

// The column `need`.
enum Need { kRequired, kOptional, kDefaulted, kFilled };

constexpr AttributeRow kAttributes[] = {
#define INDIM_MLIR_ATTRIBUTE(op, name, kind, of, need, otherwise, since) \
  {op,                                                                   \
   name,                                                                 \
   ValueKind::kind,                                                      \
   of,                                                                   \
   need == kRequired,                                                    \
   need == kDefaulted,                                                   \
   need == kFilled,                                                      \
   DefaultValue::otherwise,                                              \
   since},
#include "indim/stablehlo/ops/op_attributes.def"
};

constexpr FieldRow kFields[] = {
#define INDIM_MLIR_FIELD(attribute, name, kind, of, otherwise, since) \
  {attribute, name, ValueKind::kind, of, DefaultValue::otherwise, since},
#include "indim/stablehlo/ops/struct_fields.def"
};

struct NewWord {
  absl::string_view attribute;
  absl::string_view word;
  Version since;
};
constexpr NewWord kNewWords[] = {
#define INDIM_MLIR_NEW_WORD(attribute, word, since) {attribute, word, since},
#include "indim/stablehlo/ops/struct_fields.def"
};

// The part of `rows`, sorted by a name, that has `name`.
template <typename Row, size_t n>
constexpr absl::Span<const Row> RowsOf(const Row (&rows)[n],
                                       absl::string_view Row::*key,
                                       absl::string_view name) {
  size_t begin = 0;
  while (begin < n && rows[begin].*key != name) ++begin;
  size_t end = begin;
  while (end < n && rows[end].*key == name) ++end;
  return absl::Span<const Row>(rows + begin, end - begin);
}

// The column `op` of its attributes.
constexpr absl::string_view OwnerOf(absl::string_view name, Traits traits) {
  return (traits & kAccuracy) != 0        ? ""
         : (traits & kBroadcastDims) != 0 ? "chlo.broadcast_"
                                          : name;
}

std::vector<OpRow> MakeOps() {
  std::vector<OpRow> ops = {
#define INDIM_MLIR_OP(name, opcode, operands, results, regions, form, names, \
                      since, traits)                                         \
  {name,                                                                     \
   Opcode::k##opcode,                                                        \
   MakeCount operands,                                                       \
   MakeCount results,                                                        \
   MakeCount regions,                                                        \
   form,                                                                     \
   names,                                                                    \
   since,                                                                    \
   traits,                                                                   \
   RowsOf(kAttributes, &AttributeRow::op, OwnerOf(name, traits))},
#include "indim/stablehlo/ops/ops.def"
#undef INDIM_MLIR_OP
  };
  return ops;
}

std::vector<StructRow> MakeStructs() {
  return {
#define INDIM_MLIR_STRUCT(name) \
  {name, RowsOf(kFields, &FieldRow::attribute, name)},
#include "indim/stablehlo/ops/struct_fields.def"
  };
}

// The rows by name, and the first row of each opcode.
struct OpTables {
  std::vector<OpRow> ops = MakeOps();
  std::vector<StructRow> structs = MakeStructs();
  std::vector<WordsRow> words;
  absl::flat_hash_map<absl::string_view, const OpRow*> ops_by_name;
  std::array<const OpRow*, 256> ops_by_opcode = {};

  OpTables() {
#define INDIM_MLIR_WORDS(attribute, first, ...)                       \
  {                                                                   \
    static constexpr absl::string_view kWords[] = {__VA_ARGS__};      \
    words.push_back({attribute, first, absl::MakeConstSpan(kWords)}); \
  }
#include "indim/stablehlo/ops/struct_fields.def"
    for (const OpRow& row : ops) {
      ops_by_name.emplace(row.name, &row);
      const OpRow*& first = ops_by_opcode[static_cast<uint8_t>(row.opcode)];
      if (first == nullptr) first = &row;
    }
    ops_by_opcode[static_cast<uint8_t>(Opcode::kInvalid)] = nullptr;
  }
};

const OpTables& TheTable() {
  static const OpTables* const table = new OpTables();
  return *table;
}

}  // namespace

std::string ToString(Version version) {
  return absl::StrCat(version.major, ".", version.minor, ".", version.patch);
}

absl::Span<const OpRow> Ops() { return TheTable().ops; }

const OpRow* FindOp(absl::string_view name) {
  const auto found = TheTable().ops_by_name.find(name);
  return found == TheTable().ops_by_name.end() ? nullptr : found->second;
}

const OpRow* FindOp(Opcode opcode) {
  return TheTable().ops_by_opcode[static_cast<uint8_t>(opcode)];
}

absl::Span<const AttributeRow> AllAttributes() { return kAttributes; }

const AttributeRow* FindAttribute(const OpRow& op, absl::string_view name) {
  return FindRow(op.attributes, &AttributeRow::name, name);
}

const StructRow* FindStruct(absl::string_view attribute) {
  return FindRow(TheTable().structs, &StructRow::attribute, attribute);
}

const WordsRow* FindWords(absl::string_view attribute) {
  return FindRow(TheTable().words, &WordsRow::attribute, attribute);
}

Version WordSince(absl::string_view attribute, absl::string_view word) {
  for (const NewWord& row : kNewWords) {
    if (row.attribute == attribute && row.word == word) return row.since;
  }
  return {};
}

int NumberOf(const WordsRow& words, absl::string_view word) {
  for (size_t i = 0; i < words.words.size(); ++i) {
    if (words.words[i] == word) return words.first + static_cast<int>(i);
  }
  return -1;
}

}  // namespace indim::mlir
