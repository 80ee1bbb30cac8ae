#include "indim/shape/ops/opcode.h"

#include <array>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
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
  static const auto* const kByName = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, Opcode>();
    for (const OpInfo& op : kOps) map->emplace(op.wire, op.opcode);
    return map;
  }();
  auto found = kByName->find(wire);
  if (found == kByName->end()) return std::nullopt;
  return found->second;
}

std::optional<Opcode> NearestOpcode(absl::string_view wire) {
  static const auto* const kNames = [] {
    auto* names = new std::vector<absl::string_view>();
    for (const OpInfo& op : kOps) names->push_back(op.wire);
    return names;
  }();
  return OpcodeFromName(NearestName(wire, *kNames));
}

}  // namespace indim
