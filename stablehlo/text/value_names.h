// SPDX-License-Identifier: Apache-2.0
// The names that MLIR's printer gives values.

#ifndef INDIM_STABLEHLO_TEXT_VALUE_NAMES_H_
#define INDIM_STABLEHLO_TEXT_VALUE_NAMES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// Names of all values of an Ir, which must outlive this. Results and blocks'
// arguments are numbered in the order of a region, the regions inside it after
// the region; an operation of the table may name its results instead (the
// column `names`) or the arguments of its regions.
class ValueNames {
 public:
  // generic: no operation names values, and no number is used twice.
  ValueNames(const Ir& ir, bool generic);

  // A name, without % and the number of the result.
  void Append(ValueId value, std::string* out) const {
    const Name& name = names_[value.index];
    if (name.text.empty()) {
      AppendNumber(name.number, out);
    } else {
      out->append(name.text.data(), name.text.size());
    }
  }
  // Whether the results of an operation are named one by one.
  bool NamesResults(const Op& op) const {
    return op.result_count > 0 && !names_[op.first_result.index].text.empty();
  }
  // The row of an operation; null: none.
  const OpRow* Row(const Op& op) const {
    const int32_t row = rows_[op.name.index];
    return row < 0 ? nullptr : &Ops()[static_cast<size_t>(row)];
  }

 private:
  struct Name {
    absl::string_view text;  // empty: `number`
    uint32_t number = 0;
  };
  struct Counters {
    uint32_t value = 0;
    uint32_t argument = 0;
    uint32_t conflict = 0;
  };
  // A region that waits, with the counters at the end of the one around it.
  struct Waiting {
    RegionId region;
    OpId op;
    Counters counters;
    size_t depth = 0;  // how many regions are around it
  };

  static void AppendNumber(uint32_t number, std::string* out);
  const OpRow* FindRow(const Op& op);
  void NameRegion(RegionId region, const Op& op);
  void NameArguments(RegionId region, const Op& op);
  void NameResults(const Op& op);
  std::string ScalarName(const Op& op) const;
  void Set(ValueId value, absl::string_view name);

  const Ir& ir_;
  const bool generic_;
  std::vector<Name> names_;  // by the value's index
  std::vector<int32_t>
      rows_;  // by the name's StringId: -1 none, -2 not known yet
  std::deque<std::string> made_;
  Counters counters_;
  // The names in use, in the regions around and this one.
  absl::flat_hash_set<absl::string_view> used_;
  std::vector<absl::string_view> used_order_;
  std::vector<size_t>
      scopes_;  // sizes of used_order_ at the regions' beginnings
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_VALUE_NAMES_H_
