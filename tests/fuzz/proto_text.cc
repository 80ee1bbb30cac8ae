// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/fuzz/proto_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <string>

namespace indim {
namespace {

class NoErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
  void AddWarning(int, int, const std::string&) override {}
};

}  // namespace

bool ParseProtoText(absl::string_view text, proto::HloModuleProto* module) {
  NoErrors quiet;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&quiet);
  parser.SetRecursionLimit(100);
  return parser.ParseFromString(std::string(text), module);
}

}  // namespace indim
