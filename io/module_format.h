// SPDX-License-Identifier: Apache-2.0
// ModuleFormat: the format of a module's bytes. FormatOfContent determines it
// by their content, because file names are often wrong.

#ifndef INDIM_IO_MODULE_FORMAT_H_
#define INDIM_IO_MODULE_FORMAT_H_

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

// Reads the comments that it begins with, and 4096 bytes. A byte order mark,
// comments, and the lines that protobuf prints before a message (proto_text.h)
// may precede the module. kUnknown: the content matches no format.
ModuleFormat FormatOfContent(absl::string_view bytes);

// Whether they are what jax.export's Exported.serialize() gives: a flatbuffer
// with a portable artifact in it, which is none of the formats.
bool IsJaxExport(absl::string_view bytes);

// The format for the extension of `path`: .pb, .pbtxt or .textproto, .hlo,
// .mlir, .mlirbc or .mlir.bc; kUnknown for others.
ModuleFormat FormatOfName(absl::string_view path);

}  // namespace indim

#endif  // INDIM_IO_MODULE_FORMAT_H_
