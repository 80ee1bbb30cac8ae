// Modules, computations and instructions taken apart: the fields of their
// records, and everything else as bytes that stay as they are. For the reader
// (module_reader.h).
//
// Taking apart checks that what it reads itself is canonical, and leaves the
// bytes that it only finds to whoever uses them: equal bytes need to be checked
// once only.

#ifndef INDIM_HLO_PROTO_MODULE_SCANNER_H_
#define INDIM_HLO_PROTO_MODULE_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim {

struct ScannedInstruction {
  absl::string_view name;
  absl::string_view opcode;
  std::optional<absl::string_view> shape;
  std::optional<absl::string_view> metadata;
  int64_t id = 0;
  absl::string_view operand_ids;  // packed varints; empty: none
  absl::string_view callee_ids;
  AttributeBytesView attribute_bytes;
};

// Takes `bytes` apart, whatever *result held before. False, with *result in
// between, when what it reads isn't canonical: the order of fields, name and
// id, everything but the opcode's text, the two lists of ids and what is inside
// shape, metadata and the three runs of the attribute bytes. If those are
// canonical too, `bytes` are.
bool ScanInstruction(absl::string_view bytes, ScannedInstruction* result);

// Whether all of `fields`, of an instruction, come after the called
// computations when they are made canonical: none replaces one that came
// before.
bool AllFollowCallees(absl::string_view fields);

// Calls f(id) for each of a list of ids. False where the list isn't canonical.
// Up to `end`, which is after the list, bytes can be read.
template <typename F>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ForEachScannedId(
    absl::string_view list, const char* end, const F& f) {
  const char* at = list.data();
  const char* const list_end = at + list.size();
  while (at != list_end) {
    uint64_t id;
    const char* next =
        end - at >= 8 ? ParseShortMinimalVarint(at, &id) : nullptr;
    if (ABSL_PREDICT_FALSE(next == nullptr || next > list_end)) {
      WireReader reader(
          absl::string_view(at, static_cast<size_t>(list_end - at)));
      if (!reader.ReadMinimalVarint(&id)) return false;
      next = reader.cursor();
    }
    f(static_cast<int64_t>(id));
    at = next;
  }
  return true;
}

// A run of records of one repeated field, one after the other.
struct RecordRun {
  absl::string_view bytes;
  size_t count = 0;
};

// What HloModuleProto and HloComputationProto have in common.
struct ScannedParts {
  absl::string_view name;
  absl::string_view entry_name;  // modules: entry_computation_name
  RecordRun elements;            // computations, or instructions
  std::optional<absl::string_view> program_shape;  // modules: of the host
  int64_t id = 0;
  int64_t entry_or_root_id = 0;
  absl::string_view rest;  // from the first record of any other field on
};

// False when the records that they read aren't canonical. What is inside the
// elements, the program shape and the rest isn't checked; if it is canonical
// too, `bytes` are.
bool ScanModule(absl::string_view bytes, ScannedParts* parts);
bool ScanComputation(absl::string_view bytes, ScannedParts* parts);

// Bytes that ScanComputation has taken apart, once more, but with the
// instructions as they come: first the name, then each instruction (false:
// there is none any more). What remains then can be scanned like a computation.
absl::string_view ReadComputationName(WireReader* reader);
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadNextInstruction(
    WireReader* reader, absl::string_view* bytes) {
  constexpr uint32_t kInstructions = MakeTag(
      field::HloComputationProto::kInstructions, WireType::kLengthDelimited);
  return reader->ConsumeTag(kInstructions) &&
         reader->ReadMinimalLengthDelimited(bytes);
}

}  // namespace indim

#endif  // INDIM_HLO_PROTO_MODULE_SCANNER_H_
