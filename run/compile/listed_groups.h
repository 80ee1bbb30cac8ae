// SPDX-License-Identifier: Apache-2.0
// Groups of collectives as lists, which every plugin reads.

#ifndef INDIM_RUN_COMPILE_LISTED_GROUPS_H_
#define INDIM_RUN_COMPILE_LISTED_GROUPS_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim::pjrt {

// `module` with the groups of its collectives as lists of devices. Plugins that
// don't know a newer form pass over it, and then all devices are one group: the
// C API 0.81 doesn't know formulas and axes of meshes as XLA writes them today
// (iota_collective_device_list, mesh_axes_replica_group_list). Groups of more
// than 2^20 devices stay. Errors are the editor's (edit/editor.h).
absl::StatusOr<Module> WithListedGroups(Module module);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_LISTED_GROUPS_H_
