// Modules in files, also in two: the module, and beside it the values of its
// large constants.
//
//   WriteOptions options(ModuleForm::kForXla);  // io/write.h
//   options.external_min_bytes = 1024;
//   absl::Status written = WriteModuleFile(module, "m.pb", options);
//
// writes m.pb and m.pb.0123456789abcdef.data, named after what is in it: so
// while it is written, and when that is interrupted, an older m.pb keeps the
// values that it refers to. A file that nothing refers to any more stays until
// someone removes it; a copy of a module may refer to it.
//
// The values stand there as in LiteralProto (floats and small integers
// little-endian as in memory, integers of 32 and 64 bits and preds as varints),
// each literal's at a multiple of 64, so that it can be mapped: a program that
// keeps weights of gigabytes there asks MapExternalValues for them. By itself
// Indim reads ranges of the file when they are asked for and keeps none: what
// was cut short or altered meanwhile is an error, not a signal. Each literal
// has a checksum, which is checked whenever all of its values are read.

#ifndef INDIM_HLO_PROTO_EXTERNAL_CONSTANTS_H_
#define INDIM_HLO_PROTO_EXTERNAL_CONSTANTS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim {

// `module`, read from `path`, with the files opened that its literals refer to;
// as it is when they refer to none. InvalidArgument, NotFound or
// PermissionDenied, with the instruction, the file and what was expected: the
// file isn't there, is no regular file (a link neither), is shorter than a
// literal says; a name with a folder in it; a size that isn't that of the
// elements. Altered values are found when they are read.
absl::StatusOr<Module> OpenExternalConstants(Module module,
                                             absl::string_view path);

// Values of a constant, mapped into memory.
struct MappedValues {
  // An array, with the layout that `bytes` are in (row-major without one).
  Shape shape;
  // Elements as in Literal::bytes(), but for their order. At a multiple of 64
  // in memory, too, where Indim wrote the file.
  absl::string_view bytes;
  // Keeps them mapped, whatever becomes of the module.
  std::shared_ptr<const char> mapping;
};

// The values of `constant`, kept outside and opened (ReadModuleFile), without
// reading them: pages come from the file when they are touched, and are shared
// with all programs that map it. `verify` reads them once and compares their
// checksum. The file must be left as it is while it is mapped
// (RandomAccessFile::Map, file.h); Instruction::literal() has no such need.
// FailedPrecondition: it isn't an array whose values are kept outside, they are
// preds or integers of 32 or 64 bits (varints there, which only literal() can
// read), or their file wasn't opened. InvalidArgument: the file was cut short,
// or altered.
absl::StatusOr<MappedValues> MapExternalValues(const Instruction& constant,
                                               bool verify = false);

namespace internal {

// The folder that holds `path`, its links resolved, with a / behind it.
std::string FolderOf(absl::string_view path);
// `status`, about a literal, with the first instruction before its message that
// has `attribute_bytes`.
absl::Status AtAttributeBytes(const Module& module,
                              AttributeBytesId attribute_bytes,
                              const absl::Status& status);

}  // namespace internal
}  // namespace indim

#endif  // INDIM_HLO_PROTO_EXTERNAL_CONSTANTS_H_
