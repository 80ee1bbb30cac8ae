// SPDX-License-Identifier: Apache-2.0
// ModuleFinisher: makes the Module of what was read, with the names, ids and
// other fields that XLA's HloModuleProto of the same text has.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_MODULE_FINISHER_H_
#define INDIM_TEXT_PARSE_MODULE_FINISHER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/text/base/frame_table.h"
#include "indim/text/parse/hlo_header.h"
#include "indim/text/parse/parsed_module.h"

namespace indim {

class ModuleFinisher {
 public:
  // `frame_tables`: canonical StackFrameIndexProto bytes.
  ModuleFinisher(TextInput* in, ParsedModule* module, ModuleHeader* header,
                 const std::string* frame_tables)
      : in_(*in),
        module_(*module),
        header_(*header),
        frame_tables_(*frame_tables) {}

  absl::StatusOr<Module> Finish();

 private:
  void NameEverything();
  void SetIds();
  void SetThreads();
  void SetComputationFields();
  void SetModuleFields();
  void SetProgramShape();
  void NumberFrames(std::string* other_fields);
  MetadataId NumberFrame(MetadataId id, FrameTable* frames);
  void SetSchedule(std::string* other_fields);
  void SetAliases();
  void AppendModuleField(uint32_t number, absl::string_view bytes);
  bool CheckAsyncCallers();

  TextInput& in_;
  ParsedModule& module_;
  ModuleHeader& header_;
  const std::string& frame_tables_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_MODULE_FINISHER_H_
