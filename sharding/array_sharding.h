// The sharding of an array that names no mesh, in the form to which XLA brings
// it: by HloSharding's factories, when it reads text and protos.

#ifndef INDIM_SHARDING_ARRAY_SHARDING_H_
#define INDIM_SHARDING_ARRAY_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indim/shape/dims/dim.h"
#include "indim/sharding/named_sharding.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/tile_assignment.h"
#include "indim/wire/field_list.h"

namespace indim {

struct ArraySharding {
  int64_t type = sharding_type::kReplicated;
  int64_t device = 0;         // kMaximal
  TileAssignment tiles;       // kOther
  DimIndices subgroup_types;  // of the trailing tile dims
  bool replicate_on_last = false;
  std::vector<std::string> metadata;
  std::optional<int64_t> shard_group;
  bool shard_like = false;  // else shard_as

  void Become(int64_t new_type);
  // Brings tiles with subgroups to XLA's form. False: too many devices to list.
  bool MergeSubgroups();
  // Reads the tiles of an OpSharding (HloSharding::FromProto). False: XLA would
  // refuse them.
  bool ReadTiles(const FieldList& from);

  std::string ToWire() const;
};

// What `named` says without a mesh, as XLA writes it beside Shardy's sharding;
// its manual axes don't count. nullopt: it has a fault, or too many devices to
// list.
std::optional<ArraySharding> WithoutMesh(const NamedSharding& named);

}  // namespace indim

#endif  // INDIM_SHARDING_ARRAY_SHARDING_H_
