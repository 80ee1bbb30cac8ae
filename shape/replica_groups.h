// Which devices a collective joins: how many, and whether the groups make
// sense.

#ifndef INDIM_SHAPE_REPLICA_GROUPS_H_
#define INDIM_SHAPE_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>

#include "indim/shape/attributes.h"
#include "indim/shape/infer.h"

namespace indim {

// What groups must have in common.
enum class GroupRule : uint8_t {
  kAll,       // every device is in one
  kAllEqual,  // and all groups have one size
  kSome,      // devices may be left out (collective-broadcast)
};

// Under InferPolicy::kVerifier the groups are as XLA's HLO verifier wants them:
// none empty (IND0500), together the devices 0..n-1, each once (IND0501), of
// one size (IND0502), as far as `rule` says; global device ids with a channel
// (IND0503) and groups (IND0504). XLA's builder looks at none of it. How many
// devices there are only the module's configuration tells.
bool ExpectReplicaGroups(InferContext* context, const OpInputs& inputs,
                         GroupRule rule);

// How many devices one group joins; nullopt where the attributes don't tell:
// one group of all, groups of different sizes, or groups of replicas whose
// partitions take part as well (a channel without global device ids).
std::optional<int64_t> GroupSize(const CollectiveAttributes& collective);

}  // namespace indim

#endif  // INDIM_SHAPE_REPLICA_GROUPS_H_
