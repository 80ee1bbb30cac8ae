// SPDX-License-Identifier: Apache-2.0
// libprotobuf's reader of its text format, silent.

#ifndef INDIM_TESTS_FUZZ_PROTO_TEXT_H_
#define INDIM_TESTS_FUZZ_PROTO_TEXT_H_

#include "absl/strings/string_view.h"
#include "indim/proto/hlo.pb.h"

namespace indim {

// Whether libprotobuf takes `text`, of at most 100 messages inside each other.
// It says nothing of errors: most mutants have some, and libprotobuf would log
// a line for each.
bool ParseProtoText(absl::string_view text, proto::HloModuleProto* module);

}  // namespace indim

#endif  // INDIM_TESTS_FUZZ_PROTO_TEXT_H_
