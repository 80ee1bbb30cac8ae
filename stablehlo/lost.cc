// SPDX-License-Identifier: Apache-2.0
// What a module has and StableHLO has no place for (lost.def).

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/types/layout.h"
#include "indim/shape/types/shape.h"
#include "indim/sharding/sharding.h"
#include "indim/stablehlo/write.h"

namespace indim {
namespace {

namespace of = field::HloInstructionProto;
namespace of_module = field::HloModuleProto;

bool KeepsConfig(Opcode opcode) {
  return opcode == Opcode::kCustomCall || opcode == Opcode::kRaggedAllToAll;
}

// Whether no operation of StableHLO stands for it.
bool IsDropped(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kCopy:
    case Opcode::kDomain:
      return true;
    default:
      return false;
  }
}

// Whether a precision other than DEFAULT stands beside an algorithm.
bool HasAlgorithmAndPrecision(const FieldList& fields) {
  FieldList config(WireMessage::kPrecisionConfig,
                   fields.Text(of::kPrecisionConfig));
  if (config.Number(field::PrecisionConfig::kAlgorithm) == 0) return false;
  for (const int64_t precision :
       config.Numbers(field::PrecisionConfig::kOperandPrecision)) {
    if (precision != 0) return true;
  }
  return false;
}

// XLA writes many fields also where they are empty.
bool HasOneOf(const FieldList& fields,
              std::initializer_list<uint32_t> numbers) {
  for (const int number : numbers) {
    if (!fields.Text(number).empty() || fields.Number(number) != 0 ||
        !fields.Numbers(number).empty()) {
      return true;
    }
  }
  return false;
}

constexpr absl::string_view kNouns[] = {
#define INDIM_LOST_OF_INSTRUCTION(noun, operations, ...) noun,
#include "indim/stablehlo/lost.def"
    "layouts inside of the graph"};
constexpr size_t kNounCount = sizeof(kNouns) / sizeof(kNouns[0]);
constexpr uint32_t kLayouts = uint32_t{1} << (kNounCount - 1);
// The last row of the table.
constexpr uint32_t kDroppedNotes = kLayouts >> 1;

// A bit for each noun that is true of an instruction with these attributes.
uint32_t LostOf(Opcode opcode, AttributeBytesView bytes) {
  if (bytes.empty()) return 0;
  const FieldList all = FieldList::Of(bytes);
  uint32_t lost = 0;
  uint32_t bit = 1;
#define INDIM_LOST_OF_INSTRUCTION(noun, operations, ...) \
  if ((operations) && HasOneOf(all, {__VA_ARGS__})) {    \
    lost |= bit;                                         \
  }                                                      \
  bit <<= 1;
#include "indim/stablehlo/lost.def"
  return lost;
}

bool HasLayout(const Shape& shape) {
  for (const Shape& element : shape.elements()) {
    if (HasLayout(element)) return true;
  }
  return shape.layout() != nullptr &&
         *shape.layout() != Layout::RowMajor(shape.rank());
}

// The entry's parameters and result keep theirs, custom calls what they ask
// for.
bool LosesLayout(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
    case Opcode::kCustomCall:
    case Opcode::kInfeed:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
      return false;
    default:
      return !(instruction == instruction.computation().root() &&
               instruction.computation().is_entry()) &&
             HasLayout(instruction.shape());
  }
}

// Whether an element or a tuple notes what its operands note: XLA writes both.
bool RepeatsNotes(const Instruction& i) {
  const FieldList own = internal::FieldsOf(i);
  if (i.opcode() == Opcode::kGetTupleElement &&
      i.operand(0).shape().depth() == 1) {
    const FieldList of_tuple = internal::FieldsOf(i.operand(0));
    const int64_t k = As<GetTupleElementAttributes>(i.attributes()).index;
    const int count = i.operand(0).shape().tuple_size();
    return k >= 0 && k < count &&
           own.Text(of::kSharding) ==
               LeafShardings(
                   of_tuple.Text(of::kSharding),
                   static_cast<size_t>(count))[static_cast<size_t>(k)] &&
           (own.Text(of::kFrontendAttributes).empty() ||
            own.Text(of::kFrontendAttributes) ==
                of_tuple.Text(of::kFrontendAttributes));
  }
  if (i.opcode() != Opcode::kTuple || i.shape().depth() != 1 ||
      !own.Text(of::kFrontendAttributes).empty()) {
    return false;
  }
  const std::vector<absl::string_view> shardings = LeafShardings(
      own.Text(of::kSharding), static_cast<size_t>(i.operand_count()));
  for (int k = 0; k < i.operand_count(); ++k) {
    if (shardings[static_cast<size_t>(k)] !=
        internal::FieldsOf(i.operand(k)).Text(of::kSharding)) {
      return false;
    }
  }
  return true;
}

// Whether each computation becomes a function, whose results have the notes of
// its root.
std::vector<bool> Functions(const Module& module) {
  std::vector<bool> functions(static_cast<size_t>(module.computation_count()),
                              false);
  for (const Computation& computation : module.computations()) {
    if (computation.is_entry()) {
      functions[static_cast<size_t>(computation.index())] = true;
    }
    for (const Instruction& i : computation.instructions()) {
      if (i.opcode() != Opcode::kCall && i.opcode() != Opcode::kFusion)
        continue;
      for (int k = 0; k < i.callee_count(); ++k) {
        functions[static_cast<size_t>(i.callee(k).index())] = true;
      }
    }
  }
  return functions;
}

}  // namespace

std::vector<std::string> LostAsStablehlo(const Module& module) {
  std::vector<std::string> lost;
  FieldList fields(WireMessage::kHloModuleProto,
                   internal::DataOf(module).other_fields);
#define INDIM_LOST_OF_MODULE(noun, field) \
  if (fields.has(of_module::field)) lost.push_back(noun);
#include "indim/stablehlo/lost.def"

  std::array<int64_t, kNounCount> counts = {};
  std::array<std::string, kNounCount> first;
  absl::flat_hash_map<std::pair<uint8_t, uint32_t>, uint32_t> known;
  const std::vector<bool> functions = Functions(module);
  for (const Computation& computation : module.computations()) {
    const bool is_function =
        functions[static_cast<size_t>(computation.index())];
    for (const Instruction& i : computation.instructions()) {
      const auto [entry, is_new] =
          known.try_emplace({static_cast<uint8_t>(i.opcode()),
                             internal::RecordOf(i).attribute_bytes.value});
      if (is_new) {
        entry->second = LostOf(i.opcode(), internal::AttributeBytesOf(i));
      }
      uint32_t bits = entry->second;
      if (LosesLayout(i)) bits |= kLayouts;
      if ((bits & kDroppedNotes) != 0 &&
          ((is_function && i == computation.root()) || RepeatsNotes(i))) {
        bits &= ~kDroppedNotes;
      }
      for (size_t n = 0; bits != 0; ++n, bits >>= 1) {
        if ((bits & 1) != 0 && counts[n]++ == 0) first[n] = Printable(i.name());
      }
    }
  }
  for (size_t n = 0; n < kNounCount; ++n) {
    if (counts[n] == 0) continue;
    lost.push_back(
        absl::StrCat(kNouns[n], " of ", counts[n],
                     counts[n] == 1 ? " instruction (" : " instructions (",
                     first[n], counts[n] == 1 ? ")" : ", ...)"));
  }
  return lost;
}

}  // namespace indim
