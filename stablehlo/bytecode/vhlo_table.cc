// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/vhlo_table.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim::mlir {
namespace {

struct VersionRow {
  absl::string_view operation;
  int version;
  Version first;
  VhloLimit limit_before;
};

constexpr VersionRow kVersions[] = {
#define INDIM_VHLO_VERSION(operation, version, major, minor, limit_before) \
  {operation, version, {major, minor, 0}, VhloLimit::limit_before},
#include "indim/stablehlo/bytecode/vhlo_ops.def"
#undef INDIM_VHLO_VERSION
};

// VHLO's name of a field of `row`; empty: it has none.
absl::string_view NameOfField(const AttributeRow& row, const FieldRow& field) {
  if (row.of != "stablehlo.channel_handle") return field.name;
  if (field.name == "handle") return "channel_id";
  return row.required ? "channel_type" : "";
}

void AddSlots(VhloOp* op) {
  for (const AttributeRow& row : op->row->attributes) {
    if (op->first < row.since) continue;
    // VHLO has a struct of its own for this one alone.
    if (row.kind != ValueKind::kStruct ||
        row.of == "stablehlo.result_accuracy") {
      op->slots.push_back({row.name, &row, nullptr});
      continue;
    }
    for (const FieldRow& field : FindStruct(row.of)->fields) {
      const absl::string_view name = NameOfField(row, field);
      if (!name.empty() && !(op->first < field.since)) {
        op->slots.push_back({name, &row, &field});
      }
    }
  }
  if (op->vhlo_name == "dynamic_conv_v1") {
    op->slots.push_back({"padding", nullptr, nullptr});
  }
  std::sort(
      op->slots.begin(), op->slots.end(),
      [](const VhloSlot& a, const VhloSlot& b) { return a.name < b.name; });
}

struct VhloTable {
  std::deque<VhloOp> ops;
  absl::flat_hash_map<absl::string_view, const VhloOp*> by_vhlo_name;
  absl::flat_hash_map<absl::string_view, std::vector<const VhloOp*>> versions;

  VhloTable() {
    for (const OpRow& row : Ops()) {
      const absl::string_view dialect = DialectOf(row.name);
      if (row.since == kNotPortable || row.name == "func.return" ||
          (dialect != "stablehlo" && dialect != "func")) {
        continue;
      }
      const absl::string_view name = row.name.substr(dialect.size() + 1);
      VhloOp* last = Add(row, name, 1, row.since);
      for (const VersionRow& version : kVersions) {
        if (version.operation != name) continue;
        last->limit = version.limit_before;
        last = Add(row, name, version.version, version.first);
      }
    }
    versions["func.return"] = versions["stablehlo.return"];
  }

  VhloOp* Add(const OpRow& row, absl::string_view name, int version,
              Version first) {
    VhloOp& op = ops.emplace_back();
    op.vhlo_name = absl::StrCat(name, "_v", version);
    op.version = version;
    op.first = first;
    op.row = &row;
    AddSlots(&op);
    by_vhlo_name[op.vhlo_name] = &op;
    versions[row.name].push_back(&op);
    return &op;
  }
};

const VhloTable& TheTable() {
  static const VhloTable* const table = new VhloTable();
  return *table;
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

std::vector<const AttributeRow*> AttributesByName(const OpRow& row) {
  std::vector<const AttributeRow*> rows;
  for (const AttributeRow& attribute : row.attributes) {
    rows.push_back(&attribute);
  }
  std::sort(rows.begin(), rows.end(),
            [](const AttributeRow* a, const AttributeRow* b) {
              return a->name < b->name;
            });
  return rows;
}

}  // namespace indim::mlir
