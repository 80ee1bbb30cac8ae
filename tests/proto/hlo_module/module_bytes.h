// SPDX-License-Identifier: Apache-2.0
// Modules to test with, from protobuf text format.
#ifndef INDIM_TESTS_PROTO_HLO_MODULE_MODULE_BYTES_H_
#define INDIM_TESTS_PROTO_HLO_MODULE_MODULE_BYTES_H_

#include <string>

namespace indim {

// Canonical HloModuleProto bytes of `text` (text format, our schema); a test
// failure and "" when it isn't any.
std::string ModuleBytes(const std::string& text);

// A module "m" with one computation "main" (id 1, root_id 9) that holds the
// given instructions, and no program shapes.
std::string ModuleOf(const std::string& instructions);

}  // namespace indim

#endif  // INDIM_TESTS_PROTO_HLO_MODULE_MODULE_BYTES_H_
