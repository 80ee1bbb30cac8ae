// SPDX-License-Identifier: Apache-2.0
// The number that plugins have for an element type (buffer_types.def).

#ifndef INDIM_RUN_ABI_BUFFER_TYPE_H_
#define INDIM_RUN_ABI_BUFFER_TYPE_H_

#include "indim/shape/types/element_type.h"

namespace indim::pjrt {

// 0: buffers don't have the type.
int BufferType(ElementType type);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_ABI_BUFFER_TYPE_H_
