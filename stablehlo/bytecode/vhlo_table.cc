#include "indim/stablehlo/bytecode/vhlo_table.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim::mlir {
namespace {

struct Row {
  absl::string_view operation;
  int version;
  Version first;
  Version last;
  VhloLimit limit;
};

constexpr Row kRows[] = {
#define INDIM_VHLO_OP(operation, version, first_major, first_minor, \
                      last_major, last_minor, limit)                \
  {operation,                                                       \
   version,                                                         \
   {first_major, first_minor, 0},                                   \
   {last_major, last_minor, 999999},                                \
   VhloLimit::limit},
#include "indim/stablehlo/bytecode/vhlo_ops.def"
#undef INDIM_VHLO_OP
};

constexpr VhloTypeCode kTypes[] = {
#define INDIM_VHLO_TYPE(code, type, major, minor) \
  {code, ElementType::k##type, {major, minor, 0}},
#define INDIM_VHLO_WORD(...)
#include "indim/stablehlo/bytecode/vhlo_codes.def"
#undef INDIM_VHLO_TYPE
#undef INDIM_VHLO_WORD
};

constexpr VhloWordCode kWords[] = {
#define INDIM_VHLO_TYPE(...)
#define INDIM_VHLO_WORD(code, attribute, major, minor) \
  {code, attribute, {major, minor, 0}},
#include "indim/stablehlo/bytecode/vhlo_codes.def"
#undef INDIM_VHLO_TYPE
#undef INDIM_VHLO_WORD
};

VhloForm FormOf(const AttributeRow& row) {
  switch (row.kind) {
    case ValueKind::kI64Array:
      return VhloForm::kI64Array;
    case ValueKind::kBoolArray:
      return VhloForm::kBoolArray;
    case ValueKind::kUnit:
      return VhloForm::kUnit;
    case ValueKind::kSymbol:
      return VhloForm::kSymbol;
    case ValueKind::kSymbolArray:
      return VhloForm::kSymbolArray;
    case ValueKind::kI32:
      return row.name == "api_version" ? VhloForm::kApiVersion
                                       : VhloForm::kSame;
    case ValueKind::kStruct:
      // VHLO has an attribute of its own for this one alone.
      return row.of == "stablehlo.result_accuracy" ? VhloForm::kSame
                                                   : VhloForm::kField;
    default:
      return VhloForm::kSame;
  }
}

// VHLO's name of a field of `row`; empty: it has none.
absl::string_view NameOfField(const AttributeRow& row, const FieldRow& field) {
  if (row.of != "stablehlo.channel_handle") return field.name;
  if (field.name == "handle") return "channel_id";
  return row.required ? "channel_type" : "";
}

void AddSlots(VhloOp* op) {
  for (const AttributeRow& row : op->row->attributes) {
    if (op->first < row.since) continue;
    VhloSlot slot;
    slot.name = row.name;
    slot.form = FormOf(row);
    slot.attribute = &row;
    if (slot.form != VhloForm::kField) {
      op->slots.push_back(slot);
      continue;
    }
    for (const FieldRow& field : FindStruct(row.of)->fields) {
      slot.name = NameOfField(row, field);
      slot.field = &field;
      if (!slot.name.empty() && !(op->first < field.since)) {
        op->slots.push_back(slot);
      }
    }
  }
  if (op->vhlo_name == "dynamic_conv_v1") {
    VhloSlot padding;
    padding.name = "padding";
    padding.form = VhloForm::kDropped;
    op->slots.push_back(padding);
  }
  std::sort(
      op->slots.begin(), op->slots.end(),
      [](const VhloSlot& a, const VhloSlot& b) { return a.name < b.name; });
}

struct Table {
  std::deque<VhloOp> ops;
  absl::flat_hash_map<absl::string_view, const VhloOp*> by_vhlo_name;
  absl::flat_hash_map<absl::string_view, std::vector<const VhloOp*>> versions;

  Table() {
    for (const Row& row : kRows) {
      const bool func = row.operation == "func" || row.operation == "call";
      const OpRow* const op_row =
          FindOp(absl::StrCat(func ? "func." : "stablehlo.", row.operation));
      if (op_row == nullptr) continue;  // vhlo_table_test refuses this
      VhloOp& op = ops.emplace_back();
      op.vhlo_name = absl::StrCat(row.operation, "_v", row.version);
      op.version = row.version;
      op.first = row.first;
      op.last = row.last;
      op.limit = row.limit;
      op.row = op_row;
      AddSlots(&op);
      by_vhlo_name[op.vhlo_name] = &op;
      versions[op_row->name].push_back(&op);
    }
    versions["func.return"] = versions["stablehlo.return"];
  }
};

const Table& TheTable() {
  static const Table* const table = new Table();
  return *table;
}

template <typename T, size_t size, typename Is>
const T* Find(const T (&rows)[size], Is is) {
  const T* const found = std::find_if(std::begin(rows), std::end(rows), is);
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace

const VhloOp* FindVhloOp(absl::string_view vhlo_name) {
  const auto& map = TheTable().by_vhlo_name;
  const auto found = map.find(vhlo_name);
  return found == map.end() ? nullptr : found->second;
}

absl::Span<const VhloOp* const> VhloVersionsOf(
    absl::string_view stablehlo_name) {
  const auto& map = TheTable().versions;
  const auto found = map.find(stablehlo_name);
  if (found == map.end()) return {};
  return found->second;
}

const VhloTypeCode* FindVhloType(uint64_t code) {
  return Find(kTypes, [&](const VhloTypeCode& t) { return t.code == code; });
}
const VhloTypeCode* FindVhloType(ElementType type) {
  return Find(kTypes, [&](const VhloTypeCode& t) { return t.type == type; });
}
const VhloWordCode* FindVhloWord(uint64_t code) {
  return Find(kWords, [&](const VhloWordCode& w) { return w.code == code; });
}
const VhloWordCode* FindVhloWord(absl::string_view attribute) {
  return Find(kWords,
              [&](const VhloWordCode& w) { return w.attribute == attribute; });
}

}  // namespace indim::mlir
