// SPDX-License-Identifier: Apache-2.0
// Scans modules, computations and instructions: splits them into the fields
// that the graph has, and the other bytes, unchanged. For module_reader.h.
//
// A scan checks that the fields it decodes are canonical. The caller checks the
// other bytes, because equal bytes need only one check.

#ifndef INDIM_PROTO_HLO_MODULE_MODULE_SCANNER_H_
#define INDIM_PROTO_HLO_MODULE_MODULE_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"

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

// Scans `bytes` into *result. False, with *result partly set, if a part that it
// checks isn't canonical. It checks everything except the opcode's text, the
// two lists of ids, and the contents of shape, metadata and the three runs of
// the attribute bytes. If those are canonical too, `bytes` are.
bool ScanInstruction(absl::string_view bytes, ScannedInstruction* result);

// Whether all of `fields`, of an instruction, follow the called computations in
// canonical form; then none replaces an earlier field.
bool AllFollowCallees(absl::string_view fields);

// Calls f(id) for each id of a list. False: the list isn't canonical. Bytes up
// to `end`, which is after the list, are readable.
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

// Consecutive records of one repeated field.
struct RecordRun {
  absl::string_view bytes;
  size_t count = 0;
};

// The fields that HloModuleProto and HloComputationProto share.
struct ScannedParts {
  absl::string_view name;
  absl::string_view entry_name;  // modules: entry_computation_name
  RecordRun elements;            // computations or instructions
  std::optional<absl::string_view> program_shape;  // modules: of the host
  int64_t id = 0;
  int64_t entry_or_root_id = 0;
  absl::string_view rest;  // from the first record of any other field on
};

// Scans `bytes`. False: the fields that it decodes aren't canonical. It doesn't
// check the contents of the elements, the program shape and the rest; if those
// are canonical too, `bytes` are.
bool ScanModule(absl::string_view bytes, ScannedParts* parts);

// A computation's bytes, one instruction at a time: first the name (false: it
// isn't canonical; without one *name stays), then each instruction (false: no
// more that is canonical; *reader stays before it), then the fields after them
// (false: they aren't canonical; they have no name and no elements).
bool ReadComputationName(WireReader* reader, absl::string_view* name);
// Whether none of the computation's fields is a name, not even an empty one.
bool HasNoComputationName(absl::string_view fields);
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadNextInstruction(
    WireReader* reader, absl::string_view* bytes) {
  constexpr uint32_t kInstructions = MakeTag(
      field::HloComputationProto::kInstructions, WireType::kLengthDelimited);
  WireReader next = *reader;
  if (!next.ConsumeTag(kInstructions) ||
      !next.ReadMinimalLengthDelimited(bytes)) {
    return false;
  }
  *reader = next;
  return true;
}
bool ScanAfterInstructions(absl::string_view bytes, ScannedParts* parts);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_MODULE_SCANNER_H_
