// Shardings by the named axes of a mesh: HLO's NamedShardingProto, and what
// Shardy's attribute #sdy.sharding says.

#ifndef INDIM_SHARDING_NAMED_SHARDING_H_
#define INDIM_SHARDING_NAMED_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/sharding/mesh.h"

namespace indim {

// The reductions of unreduced axes, by number.
inline constexpr absl::string_view kReductions[] = {"sum", "max", "min"};

struct NamedSharding {
  struct DimSharding {
    AxisRefs axes;  // from major to minor
    bool is_open = false;
    std::optional<int64_t> priority;  // Shardy's alone
  };

  Mesh mesh;
  std::vector<DimSharding> dims;
  AxisRefs replicated;
  AxisRefs unreduced;  // each device has a part of a sum
  AxisRefs manual;     // HLO's alone
  int64_t reduction = 0;
  std::vector<std::string> metadata;  // OpMetadata

  static NamedSharding FromWire(absl::string_view wire);  // canonical bytes
  std::string ToWire() const;
};

}  // namespace indim

#endif  // INDIM_SHARDING_NAMED_SHARDING_H_
