// SPDX-License-Identifier: Apache-2.0
// External constants: a module in two files, the second with the values of its
// large constants.
//
//   WriteOptions options(ModuleForm::kForXla);  // io/write.h
//   options.external_min_bytes = 1024;
//   absl::Status written = WriteModuleFile(module, "m.pb", options);
//
// writes m.pb and m.pb.0123456789abcdef.data. The second name is a hash of the
// content: an older m.pb keeps its values while a new one is written, even if
// that is interrupted. Indim never removes such a file, since a copy of a
// module may refer to it.
//
// Values are encoded as in LiteralProto (floats and small integers
// little-endian as in memory, integers of 32 and 64 bits and preds as varints).
// Each literal begins at a multiple of 64, so that MapExternalValues can map
// it, for example weights of gigabytes. Indim itself reads ranges of the file
// on request and keeps none: a file that was cut short or altered gives an
// error, not a signal. Each literal has a checksum, which is checked whenever
// all of its values are read.

#ifndef INDIM_PROTO_HLO_MODULE_EXTERNAL_CONSTANTS_H_
#define INDIM_PROTO_HLO_MODULE_EXTERNAL_CONSTANTS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim {

// `module`, read from `path`, with all files opened that its literals refer to;
// unchanged when they refer to none. InvalidArgument, NotFound or
// PermissionDenied, with the instruction, the file and what was expected: the
// file doesn't exist, isn't a regular file (a link isn't), or is shorter than a
// literal requires; its name has a folder; a size doesn't match the elements.
// Altered values are found when they are read.
absl::StatusOr<Module> OpenExternalConstants(Module module,
                                             absl::string_view path);

// The values of a constant, mapped into memory.
struct MappedValues {
  // An array with the layout of `bytes` (row-major if it has none).
  Shape shape;
  // Elements as in Literal::bytes(), but in the order of the layout. In files
  // that Indim wrote they begin at a multiple of 64 in memory too.
  absl::string_view bytes;
  // Keeps the mapping alive, independent of the module.
  std::shared_ptr<const char> mapping;
};

// Maps the values of `constant`, which are in an opened external file
// (ReadModuleFile), without reading them: the system loads pages on access and
// shares them with all programs that map the file. `verify` reads the values
// once and compares their checksum. The file must not change while it is mapped
// (RandomAccessFile::Map, file.h); Instruction::literal() has no such
// condition. FailedPrecondition: it isn't an array with external values; they
// are preds or integers of 32 or 64 bits (stored as varints, which only
// literal() can read); or their file wasn't opened. InvalidArgument: the file
// was cut short or altered.
absl::StatusOr<MappedValues> MapExternalValues(const Instruction& constant,
                                               bool verify = false);

namespace internal {

// The folder that holds `path`, with links resolved, ending in a /.
std::string FolderOf(absl::string_view path);
// `status`, about a literal, with the first instruction that has
// `attribute_bytes` before its message.
absl::Status AtAttributeBytes(const Module& module,
                              AttributeBytesId attribute_bytes,
                              const absl::Status& status);

}  // namespace internal
}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_EXTERNAL_CONSTANTS_H_
