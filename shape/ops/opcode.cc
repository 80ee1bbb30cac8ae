// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/opcode.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/ops/call_names.h"
#include "indim/shape/types/suggest.h"

namespace indim {
namespace {

constexpr OpInfo kOps[] = {
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, function, traits,          \
                 broadcastable)                                              \
  {Opcode::k##name,                                                          \
   #name,                                                                    \
   wire,                                                                     \
   min,                                                                      \
   max,                                                                      \
   AttributesKind::k##attributes,                                            \
   CalleeForm::k##callees,                                                   \
   CalleeCount(CalleeForm::k##callees),                                      \
   TypeMask::operand,                                                        \
   ResultType::type,                                                         \
   ResultSource::result,                                                     \
   traits,                                                                   \
   Broadcastability::broadcastable},
#include "indim/shape/ops/ops.def"
#undef INDIM_OP
};

// Numbers ascend; a number that an op has given up leaves a gap.
constexpr bool Ascending() {
  Opcode last = Opcode::kInvalid;
  for (const OpInfo& op : kOps) {
    if (op.opcode <= last) return false;
    last = op.opcode;
  }
  return true;
}
static_assert(Ascending(), "ops.def must ascend by number");

constexpr OpInfo kInvalidOp = {Opcode::kInvalid,
                               "Invalid",
                               "invalid",
                               0,
                               0,
                               AttributesKind::kNo,
                               CalleeForm::kNo,
                               0,
                               TypeMask::kAny,
                               ResultType::kOther,
                               ResultSource::kInferred,
                               kNoTraits,
                               Broadcastability::kUnknown};

// The row for every value of Opcode.
constexpr std::array<const OpInfo*, 256> RowsByNumber() {
  std::array<const OpInfo*, 256> rows = {};
  for (const OpInfo*& row : rows) row = &kInvalidOp;
  for (const OpInfo& op : kOps) rows[static_cast<uint8_t>(op.opcode)] = &op;
  return rows;
}

// A hash table of the rows by name: the index in kOps + 1; 0: a free place.
using NameTable = std::array<uint8_t, 512>;
static_assert(std::size(kOps) < 256, "NameTable's numbers are too small");

// Where a name, not empty, is in the table, or soon after. Few names of ops
// agree in their first, middle and last letter.
constexpr size_t PlaceOf(absl::string_view name) {
  const auto letter = [name](size_t i) {
    return static_cast<uint8_t>(name[i]);
  };
  return (size_t{3} * letter(0) + size_t{7} * letter(name.size() / 2) +
          size_t{19} * letter(name.size() - 1) + name.size()) %
         std::tuple_size<NameTable>::value;
}
constexpr NameTable RowsByName() {
  NameTable table = {};
  for (size_t i = 0; i < std::size(kOps); ++i) {
    size_t place = PlaceOf(kOps[i].wire);
    while (table[place] != 0) place = (place + 1) % table.size();
    table[place] = static_cast<uint8_t>(i + 1);
  }
  return table;
}
constexpr NameTable kRowsByName = RowsByName();

struct BroadcastabilityText {
  absl::string_view name;
  absl::string_view words;
};
// By number.
constexpr BroadcastabilityText kBroadcastabilityTexts[] = {
    {"yes", "yes"},
    {"no-operand", "it has no operand"},
    {"several-results", "its result is a tuple, not one array"},
    {"not-arrays", "an operand or the result is no array"},
    {"not-from-shapes",
     "its result's shape doesn't follow from operands' shapes alone"},
    {"not-compatible", "its operands' shapes needn't go together"},
    {"other-result", "its result isn't what its operands broadcast to"},
    {"unknown", "it can't be checked"}};
static_assert(std::size(kBroadcastabilityTexts) == kBroadcastabilityCount);

}  // namespace

namespace opcode_internal {
constexpr std::array<const OpInfo*, 256> kRows = RowsByNumber();
}  // namespace opcode_internal

absl::string_view Name(Broadcastability b) {
  return kBroadcastabilityTexts[static_cast<size_t>(b)].name;
}

absl::string_view Describe(Broadcastability b) {
  return kBroadcastabilityTexts[static_cast<size_t>(b)].words;
}

absl::Span<const OpInfo> AllOps() { return kOps; }

std::string CalleeRole(Opcode opcode, int callee) {
  const OpInfo& op = Info(opcode);
  switch (op.callee_form) {
    case CalleeForm::kBodyAndCondition:
      return callee == 0 ? "the body" : "the condition";
    case CalleeForm::kBranches:
      return absl::StrCat("branch ", callee);
    case CalleeForm::kSelectAndScatter:
      return callee == 0 ? "the selection" : "the scatter computation";
    default:
      return op.callees == 1 ? "its computation"
                             : absl::StrCat("computation ", callee);
  }
}

bool CallsAsControlFlow(Opcode opcode) {
  switch (Info(opcode).callee_form) {
    case CalleeForm::kCalled:
    case CalleeForm::kBodyAndCondition:
    case CalleeForm::kBranches:
    case CalleeForm::kStarted:
    case CalleeForm::kOfStart:
      return true;
    default:
      return false;
  }
}

std::optional<Opcode> OpcodeFromName(absl::string_view wire) {
  if (wire.empty()) return std::nullopt;
  for (size_t place = PlaceOf(wire); kRowsByName[place] != 0;
       place = (place + 1) % kRowsByName.size()) {
    const OpInfo& op = kOps[kRowsByName[place] - 1];
    if (op.wire == wire) return op.opcode;
  }
  return std::nullopt;
}

std::optional<Opcode> NearestOpcode(absl::string_view wire) {
  static const auto* const kNames = [] {
    auto* names = new std::vector<absl::string_view>();
    for (const OpInfo& op : kOps) names->push_back(op.wire);
    return names;
  }();
  // Of XLA's builder and jax.lax: mul is no mulhi that lacks two letters.
  for (const OpInfo& op : kOps) {
    const CallNames names = CallNamesOf(op.opcode);
    if (absl::EqualsIgnoreCase(names.cpp, wire)) return op.opcode;
    if (!wire.empty() && names.python == wire) return op.opcode;
  }
  return OpcodeFromName(NearestName(wire, *kNames));
}

}  // namespace indim
