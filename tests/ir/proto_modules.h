// SPDX-License-Identifier: Apache-2.0
// Modules of protobuf messages, for tests of what they hold.

#ifndef INDIM_TESTS_IR_PROTO_MODULES_H_
#define INDIM_TESTS_IR_PROTO_MODULES_H_

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"

namespace indim {

// A failure of the test where there is no module.
inline Module ModuleOfProto(const proto::HloModuleProto& message) {
  absl::StatusOr<Module> module =
      ReadHloModuleProto(message.SerializeAsString());
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

// The same of protobuf's text format.
inline Module ModuleOfProtoText(const std::string& text) {
  proto::HloModuleProto message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message))
      << text;
  return ModuleOfProto(message);
}

}  // namespace indim

#endif  // INDIM_TESTS_IR_PROTO_MODULES_H_
