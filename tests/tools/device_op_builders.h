// SPDX-License-Identifier: Apache-2.0
// The part of AllOpBuilders() that is about devices: transfers, collectives,
// work in two halves.

#ifndef INDIM_TESTS_TOOLS_DEVICE_OP_BUILDERS_H_
#define INDIM_TESTS_TOOLS_DEVICE_OP_BUILDERS_H_

#include <vector>

#include "indim/tests/tools/op_builders.h"

namespace indim {

void AddDeviceOpBuilders(std::vector<OpBuilder>* to);

}  // namespace indim

#endif  // INDIM_TESTS_TOOLS_DEVICE_OP_BUILDERS_H_
