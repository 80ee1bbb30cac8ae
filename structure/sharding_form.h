// What one OpSharding says, and what is wrong with it. For the checks of
// modules and for the builder.

#ifndef INDIM_STRUCTURE_SHARDING_FORM_H_
#define INDIM_STRUCTURE_SHARDING_FORM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/shape.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

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

// What is wrong with a sharding of something of `shape`, where there are
// `devices` (0: who knows), in order; empty: nothing. Of Shape::Kind::kNone
// that is what no shape makes right. `wire` is a canonical OpSharding. Errors:
// IND0785..IND0789. Source: XLA, HloSharding::Validate.
std::vector<Diagnostic> ShardingErrors(absl::string_view wire,
                                       const Shape& shape, int64_t devices);

}  // namespace structure
}  // namespace indim

#endif  // INDIM_STRUCTURE_SHARDING_FORM_H_
