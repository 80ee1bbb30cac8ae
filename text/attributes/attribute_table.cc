// SPDX-License-Identifier: Apache-2.0
#include "indim/text/attributes/attribute_table.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace {

constexpr size_t kOpcodes = 256;

// A set of ops, known at compile time.
struct OpSet {
  uint64_t bits[kOpcodes / 64] = {};

  constexpr bool has(size_t op) const {
    return (bits[op / 64] >> (op % 64) & 1) != 0;
  }
};

constexpr OpSet Of(Opcode opcode) {
  OpSet set;
  const size_t op = static_cast<size_t>(opcode);
  set.bits[op / 64] = uint64_t{1} << (op % 64);
  return set;
}

constexpr OpSet Union(std::initializer_list<OpSet> sets) {
  OpSet all;
  for (const OpSet& set : sets) {
    for (size_t i = 0; i < kOpcodes / 64; ++i) all.bits[i] |= set.bits[i];
  }
  return all;
}

// The names of sets in the table: one op, several, all.
namespace sets {
#define INDIM_OP_NAME(number, name) constexpr OpSet name = Of(Opcode::k##name);
#include "indim/shape/ops/op_names.def"
#undef INDIM_OP_NAME
#define INDIM_TEXT_OPS(set, ...) constexpr OpSet set = Union({__VA_ARGS__});
#include "indim/text/attributes/attribute_text.def"
constexpr OpSet Approximate = Union({
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, function, traits,          \
                 broadcastable)                                              \
  ((traits)&kApproximate) != 0 ? name : OpSet(),
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
});
constexpr OpSet All = {
    {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}}};
}  // namespace sets

constexpr bool kRequired = true;
constexpr bool kOptional = false;

#define INDIM_TEXT_PATH(...) \
  { __VA_ARGS__ }
namespace rows {
using namespace field::HloInstructionProto;  // NOLINT: the rows' fields
constexpr TextAttribute kRows[] = {
#define INDIM_TEXT_ATTRIBUTE(set, name, kind, path, list, need, show, part) \
  {#set,         name, ValueSpelling::kind, {INDIM_TEXT_PATH path},         \
   &words::list, need, Show::show,          PrintedPart::part},
#include "indim/text/attributes/attribute_text.def"
};
}  // namespace rows
using rows::kRows;
#undef INDIM_TEXT_PATH

constexpr OpSet kSets[] = {
#define INDIM_TEXT_ATTRIBUTE(set, ...) sets::set,
#include "indim/text/attributes/attribute_text.def"
};

// Whether `row` is one of the opcode's; `others` are the rows that it has
// already.
bool IsRowOf(const TextAttribute& row, Opcode opcode,
             absl::Span<const TextAttribute* const> others) {
  if (row.part != PrintedPart::kRecorded) return true;
  if (row.path[0] == field::HloInstructionProto::kImplicitBroadcast) {
    return Info(opcode).has(kBroadcasts);
  }
  return std::none_of(
      others.begin(), others.end(),
      [&](const TextAttribute* other) { return other->name == row.name; });
}

// The rows of every opcode, consecutively.
class RowsByOpcode {
 public:
  RowsByOpcode() {
    for (size_t op = 0; op < kOpcodes; ++op) {
      begin_[op] = rows_.size();
      for (size_t i = 0; i < std::size(kRows); ++i) {
        if (kSets[i].has(op) &&
            IsRowOf(kRows[i], static_cast<Opcode>(op),
                    absl::MakeConstSpan(rows_).subspan(begin_[op]))) {
          rows_.push_back(&kRows[i]);
        }
      }
    }
    begin_[kOpcodes] = rows_.size();
  }

  absl::Span<const TextAttribute* const> Get(size_t op) const {
    return absl::MakeConstSpan(rows_).subspan(begin_[op],
                                              begin_[op + 1] - begin_[op]);
  }

 private:
  std::vector<const TextAttribute*> rows_;
  size_t begin_[kOpcodes + 1];
};

}  // namespace

absl::Span<const TextAttribute> AllTextAttributes() { return kRows; }

absl::Span<const TextAttribute* const> TextAttributesOf(Opcode opcode) {
  static const RowsByOpcode* const kByOpcode = new RowsByOpcode();
  return kByOpcode->Get(static_cast<uint8_t>(opcode));
}

}  // namespace indim
