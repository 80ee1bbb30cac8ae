// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proto/hlo_module/module_bytes.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {

std::string ModuleBytes(const std::string& text) {
  proto::HloModuleProto module;
  if (!google::protobuf::TextFormat::ParseFromString(text, &module)) {
    ADD_FAILURE() << "not text format: " << text;
    return std::string();
  }
  return DeterministicBytes(module);
}

std::string ModuleOf(const std::string& instructions) {
  return ModuleBytes(absl::StrCat("name: 'm' computations { name: 'main' ",
                                  instructions,
                                  " id: 1 root_id: 9 }"
                                  " entry_computation_id: 1"));
}

}  // namespace indim
