// Faults of groups of devices that a formula or the axes of a mesh give. Used
// by the checks of modules and by the builder.

#ifndef INDIM_STRUCTURE_GROUP_FORM_H_
#define INDIM_STRUCTURE_GROUP_FORM_H_

#include <string>

#include "indim/wire/attribute_bytes.h"

namespace indim {
namespace structure {

// The fault of the replica groups in a collective's attribute bytes, as the
// predicate of a sentence about their formula (IND0797); "": none, or they are
// lists. An axis that the mesh lacks is no fault here, because such attributes
// can't be read at all. Source: XLA, IotaReplicaGroupList::FromProto,
// MeshAxesReplicaGroupList::FromProto.
std::string GroupFault(const AttributeBytesView& collective);

}  // namespace structure
}  // namespace indim

#endif  // INDIM_STRUCTURE_GROUP_FORM_H_
