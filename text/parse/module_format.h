// Which format a module's bytes have, told by what is in them: names of files
// are often wrong.

#ifndef INDIM_TEXT_PARSE_MODULE_FORMAT_H_
#define INDIM_TEXT_PARSE_MODULE_FORMAT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace indim {

enum class ModuleFormat : uint8_t {
  kUnknown,
  kProto,      // a serialized HloModuleProto, or a message that wraps one
  kProtoText,  // the same in protobuf's text format
  kHloText,
  kMlir,  // StableHLO or another dialect, as text or bytecode
};

// Looks at the first 4096 bytes at most. A byte order mark, comments and what
// protobuf writes before a message that it prints (proto_text.h) may stand in
// front. kUnknown: nothing in them tells.
ModuleFormat FormatOfContent(absl::string_view bytes);

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_MODULE_FORMAT_H_
