// Counting the groups that a mesh and some of its axes make.

#ifndef INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
#define INDIM_SHAPE_OPS_REPLICA_GROUPS_H_

#include "indim/shape/ops/attributes.h"

namespace indim {

// Sets how many groups there are, and how large, from groups->mesh, where that
// is given. False: an axis that the mesh doesn't have, a size below 1, a number
// of devices above 2^63-1, or one that the groups don't divide.
bool CountMeshGroups(ReplicaGroups* groups);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_REPLICA_GROUPS_H_
