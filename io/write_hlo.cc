// SPDX-License-Identifier: Apache-2.0
#include "indim/io/write_hlo.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

// The printer omits a literal that it can't read or spell, and returns no
// error; so this checks first.
absl::Status CheckLiterals(const Module& module) {
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      const absl::string_view wire =
          AttributeBytesField(internal::AttributeBytesOf(instruction),
                              field::HloInstructionProto::kLiteral);
      if (wire.empty() || !IsCompactLiteral(wire)) continue;
      absl::Status status = instruction.literal().status();
      ForEachValues(wire, [&](const StoredValues& values) {
        const int64_t count = values.shape.ElementCount().value_or(0);
        if (values.kind == StoredValues::Kind::kSplat &&
            count > Literal::kMaxSplatElements) {
          status = absl::ResourceExhaustedError(
              absl::StrCat(count, " elements are too many for a text"));
        }
        return true;
      });
      if (status.ok()) continue;
      return absl::Status(status.code(),
                          absl::StrCat("instruction \"", instruction.name(),
                                       "\": ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> WriteHloText(const Module& module,
                                         const HloTextOptions& options) {
  const absl::StatusOr<Module> formed =
      InForm(module, options.form, options.verify);
  if (!formed.ok()) return formed.status();
  const uint64_t size = SerializedSize(*formed);
  if (size > uint64_t{1} << 31) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the module takes ", size, " bytes, too many for a text"));
  }
  const absl::Status literals = CheckLiterals(*formed);
  if (!literals.ok()) return literals;
  PrintOptions print = options.print;
  print.exact_sugar |= options.form != ModuleForm::kForXla;
  return PrintHloText(*formed, print);
}

absl::Status WriteHloFile(const Module& module, absl::string_view path,
                          const HloTextOptions& options) {
  const absl::StatusOr<std::string> text = WriteHloText(module, options);
  return text.ok() ? WriteFile(path, *text) : text.status();
}

}  // namespace indim
