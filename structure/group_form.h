// What is wrong with groups of devices that a formula or the axes of a mesh
// give. For the checks of modules and for the builder.

#ifndef INDIM_STRUCTURE_GROUP_FORM_H_
#define INDIM_STRUCTURE_GROUP_FORM_H_

#include <string>

#include "indim/wire/attribute_bytes.h"

namespace indim {
namespace structure {

// What is wrong with the replica groups of a collective, of its attribute
// bytes, as what is said of their formula (IND0797); "": nothing, or they are
// lists. Axes that the mesh lacks are no fault here: such attributes can't be
// read at all. Source: XLA, IotaReplicaGroupList::FromProto,
// MeshAxesReplicaGroupList::FromProto.
std::string GroupFault(const AttributeBytesView& collective);

}  // namespace structure
}  // namespace indim

#endif  // INDIM_STRUCTURE_GROUP_FORM_H_
