// What one OpSharding says. Not for others.

#ifndef INDIM_IR_STRUCTURE_SHARDING_FORM_H_
#define INDIM_IR_STRUCTURE_SHARDING_FORM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/ir/field_list.h"
#include "indim/ir/field_numbers.h"
#include "indim/shape/attributes.h"

namespace indim {
namespace structure {

// A sharding of one array.
struct ShardingForm {
  // What XLA's importer refuses (HloSharding::FromProto), as what is said of a
  // sharding; "": nothing, and the rest counts.
  std::string fault;
  // As many tiles as devices are demanded, but these are there: the fault says
  // it too.
  std::optional<int64_t> tiles;
  // What it splits: that many dims; nullopt: nothing, and all shapes will do.
  std::optional<int> rank;
  int64_t device_count = 0;  // of what splits
  // The devices that it names; empty where it names them by a formula.
  DimIndices devices;
};

ShardingForm ReadShardingForm(const FieldList& sharding);

// A tuple of shardings, of which there is one for each leaf of a shape.
bool IsTupleSharding(const FieldList& sharding);
using field::OpSharding::kTupleShardings;

// What XLA's importer refuses of a sharding, whatever it is of, as
// ShardingForm.fault. `wire` is a canonical OpSharding.
std::string ShardingFault(absl::string_view wire);

}  // namespace structure
}  // namespace indim

#endif  // INDIM_IR_STRUCTURE_SHARDING_FORM_H_
