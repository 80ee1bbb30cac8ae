// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/limits/hostile_inputs.h"

#include <string>

#include "indim/ir/report.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

absl::StatusOr<Module> ReadInput(const HostileInput& input) {
  switch (input.form) {
    case InputForm::kWire:
      return ReadHloModuleProto(input.bytes);
    case InputForm::kProtoText:
      return ReadHloModuleText(input.bytes);
    case InputForm::kHloText:
      return ParseHloText(input.bytes);
  }
  return Module();
}

std::string ReadAndVerify(const HostileInput& input) {
  const absl::StatusOr<Module> module = ReadInput(input);
  if (!module.ok()) return std::string(module.status().message());
  const VerifyResult verified = VerifyModule(*module);
  return verified.ok() ? "" : RenderReport(*module, verified.report);
}

}  // namespace indim
