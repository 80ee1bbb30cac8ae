// SPDX-License-Identifier: Apache-2.0
// The checks that VerifyStructure (structure.h) runs, and their common parts.
// Internal to passes/structure/.

#ifndef INDIM_PASSES_STRUCTURE_CHECKS_H_
#define INDIM_PASSES_STRUCTURE_CHECKS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/id_index.h"
#include "indim/passes/structure/structure.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/layout.h"
#include "indim/shape/types/shape.h"

namespace indim::structure {

// Lists what a module contains, in one sweep. A check is skipped when the
// module has nothing for it, and no check searches attribute bytes that lack
// its field.
class Occurrences {
 public:
  // Fields of HloInstructionProto that checks look for, as bits.
  enum Field : uint8_t {
    kControl = 1,        // control_predecessor_ids
    kSharding = 2,       // sharding
    kAliasing = 4,       // output_operand_aliasing
    kOrigin = 8,         // original_value
    kComposite = 16,     // is_composite
    kGroupFormula = 32,  // iota and mesh_axes replica groups
    kRare = 64           // parameter_replication, result_accuracy, ..._payload
  };

  explicit Occurrences(const ModuleData& data);

  // Whether the records' ranges lie inside the module's arrays. False: using
  // the records is unsafe.
  static bool SlicesFit(const ModuleData& data);
  // Whether CheckOrder finds no fault; if it does, everything else here is
  // invalid.
  bool in_order() const { return in_order_; }
  // Whether each computation's parameters stand in the order of their numbers
  // 0, 1, 2, ...
  bool parameters_in_order() const { return parameters_in_order_; }
  // The positions of a computation's parameters, in ascending order.
  absl::Span<const uint32_t> parameters(uint32_t computation) const {
    const uint32_t first = first_parameter_[computation];
    return absl::MakeConstSpan(parameters_)
        .subspan(first, first_parameter_[computation + 1] - first);
  }
  // Instructions that call computations, and instructions whose opcode
  // CheckAttributes checks, in order.
  struct Place {
    uint32_t computation, instruction;
  };
  absl::Span<const Place> callers() const { return callers_; }
  absl::Span<const Place> attributed() const { return attributed_; }

  bool Any(Opcode opcode) const {
    return opcodes_[static_cast<uint8_t>(opcode)];
  }
  bool Any(std::initializer_list<Opcode> opcodes) const {
    return std::any_of(opcodes.begin(), opcodes.end(),
                       [this](Opcode opcode) { return Any(opcode); });
  }
  bool AnyWith(AttributesKind kind) const;
  bool Any(Field field) const { return (any_ & field) != 0; }
  // Whether the attribute bytes of an instruction have the field.
  bool Has(AttributeBytesId attribute_bytes, Field field) const {
    return (any_ & field) != 0 &&
           (attribute_bytes_[attribute_bytes.value] & field) != 0;
  }

 private:
  void Look(const ModuleData& data, uint32_t computation);
  // Looks at attribute bytes that no earlier instruction had.
  void LookAtNewAttributeBytes(const ModuleData& data,
                               AttributeBytesId attribute_bytes);

  static_assert(sizeof(Opcode) == 1, "");
  std::array<bool, 256> opcodes_ = {};
  std::vector<uint8_t> attribute_bytes_;  // by id: Field bits
  uint8_t any_ = 0;
  bool in_order_ = true;
  bool parameters_in_order_ = true;
  std::vector<uint32_t> parameters_;
  std::vector<uint32_t> first_parameter_;  // of each computation, then the end
  std::vector<Place> callers_, attributed_;
};

// The parameters of each computation by number.
class ParameterLists {
 public:
  // `data` must be in order (CheckOrder).
  void Fill(const ModuleData& data, const Occurrences& occurs);
  // Like ModuleData::Parameters.
  absl::Span<const uint32_t> Of(uint32_t computation) const {
    const uint32_t first = first_[computation];
    return absl::MakeConstSpan(positions_)
        .subspan(first, first_[computation + 1] - first);
  }

 private:
  std::vector<uint32_t> positions_;
  std::vector<uint32_t>
      first_;  // of each computation in positions_, then the end
};

// The thread of each computation: "main", unless something names another.
class Threads {
 public:
  using Place = Occurrences::Place;
  Threads(const ModuleData& data, const Occurrences& occurs);

  const std::string& Of(uint32_t computation) const {
    return threads_[computation];
  }
  // The thread that the computation names itself.
  const std::string& Declared(uint32_t computation) const {
    return declared_[computation];
  }
  // The async-start that moved the computation to its thread; nullopt: none
  // did.
  const std::optional<Place>& mover(uint32_t computation) const {
    return movers_[computation];
  }
  // The thread that an async-start names.
  static std::string ThreadOf(const Instruction& start);

 private:
  void FindMovers(const ModuleData& data, const Occurrences& occurs);

  std::vector<std::string> declared_, threads_;
  std::vector<std::optional<Place>> movers_;
};

// The input of a check, the module, and its output, the report.
class Context {
 public:
  Context(const ModuleData& data, DeviceCounts devices, Report* report)
      : data(data), devices(devices), occurs(data), report_(report) {}

  const ModuleData& data;
  const DeviceCounts devices;
  const Occurrences occurs;
  ParameterLists parameters;  // filled after CheckOrder
  // Call it only after CheckOrder.
  const Threads& threads() {
    if (!threads_) threads_.emplace(data, occurs);
    return *threads_;
  }

  // Adds a diagnostic with these arguments: texts as text, numbers as numbers.
  template <typename... Args>
  void Add(Code code, uint32_t computation, uint32_t instruction,
           Args&&... args) {
    Diagnostic diagnostic;
    diagnostic.code = code;
    (diagnostic.args.push_back(Arg(std::forward<Args>(args))), ...);
    Add(std::move(diagnostic), computation, instruction);
  }
  void Add(Diagnostic diagnostic, uint32_t computation, uint32_t instruction) {
    report_->Add({std::move(diagnostic), computation, instruction});
  }

  const Report& report() const { return *report_; }

  Instruction At(uint32_t computation, uint32_t instruction) const {
    return internal::InstructionOf(&data, computation, instruction);
  }
  // The name of the instruction at this position in its computation.
  std::string NameAt(uint32_t computation, uint32_t instruction) const {
    return At(computation, instruction).name();
  }
  std::string ComputationName(uint32_t computation) const {
    return std::string(data.pools->name(data.computations[computation].name));
  }
  const Shape& ShapeOf(const InstructionRecord& r) const {
    return data.pools->shapes().shape(r.shape);
  }

  // Calls f(computation, position in it, record) on every instruction.
  template <typename F>
  void ForEachInstruction(F f) const {
    for (uint32_t c = 0; c < data.computations.size(); ++c) {
      const auto instructions = data.Instructions(c);
      for (uint32_t i = 0; i < instructions.size(); ++i) {
        f(c, i, instructions[i]);
      }
    }
  }

 private:
  static DiagnosticArg Arg(int64_t value) { return value; }
  static DiagnosticArg Arg(const Shape& shape) {
    return shape.is_none() ? DiagnosticArg(std::string("nothing"))
                           : DiagnosticArg(shape.WithoutLayout());
  }
  static DiagnosticArg Arg(absl::string_view text) { return std::string(text); }
  static DiagnosticArg Arg(const std::string& text) { return text; }
  static DiagnosticArg Arg(const char* text) { return std::string(text); }

  std::optional<Threads> threads_;  // made on first use
  Report* report_;
};

// The part of `shape` at path `index` through nested tuples; null: there is
// none.
const Shape* PartOf(const Shape& shape, absl::Span<const int64_t> index);

// Finds instructions of one computation by XLA's ids, of which only the low 32
// bits count. The index is made on the first use.
class IdLookup {
 public:
  explicit IdLookup(const ModuleData& data) : data_(data) {}
  // The position in `computation`; nullopt: there is none.
  std::optional<uint32_t> Find(uint32_t computation, int64_t id);

 private:
  const ModuleData& data_;
  std::optional<uint32_t> computation_;
  std::vector<int64_t> ids_;
  IdIndex index_;
};

// The check that CheckAttributes makes on instructions of `opcode`; null: none.
using AttributeCheck = void (*)(Context* context, uint32_t c, uint32_t i);
AttributeCheck AttributeCheckOf(Opcode opcode);

// Custom calls that turn an array into a buffer, a buffer into an array, or
// create a buffer. XLA knows them by their targets.
enum class BufferCall { kNone, kPin, kUnpin, kCreate };
BufferCall BufferCallOf(const Instruction& instruction);

// Whether an instruction may pass on asynchronous values unchanged.
bool HandsOn(const Instruction& instruction);
// Whether it is a custom call that only orders the schedule and uses no value.
bool IsControlDependency(const Instruction& instruction);
// The opcode with an article: "an add", "a while".
std::string OneOf(absl::string_view opcode);

// Follows values through instructions that pass them on: tuples, loops, copies,
// annotations (XLA: TraceAsyncDataflow, IsCarriedAcrossWhileLoop).
class AsyncTracer {
 public:
  using Place = Occurrences::Place;
  struct Found {
    std::optional<Place> place;
    bool given_up = false;  // too many steps to tell
  };

  explicit AsyncTracer(const Context& context);
  // The instruction of a wanted opcode that produced the value at `from`.
  Found Find(Place from, absl::FunctionRef<bool(Opcode)> wanted) const;
  // Whether the value at `from` enters a loop, or is kept for its next turn.
  bool IsCarried(Place from);
  // The uses of the value at `from` inside its computation.
  struct Uses {
    std::vector<uint32_t> finishers;  // each once
    std::optional<uint32_t>
        reader;             // uses the value, or a part of it, directly
    bool given_up = false;  // too many steps to tell
  };
  Uses UsesInside(Place from, absl::FunctionRef<bool(Opcode)> finishes);

 private:
  struct Step {
    Place place;
    DimIndices index;  // path to the part, the outermost index last
  };
  struct Loop {
    Place place;
    bool is_body;
  };
  using Users = std::vector<absl::InlinedVector<uint32_t, 2>>;

  void StepBack(const Step& at, std::vector<Step>* steps) const;
  void StepOn(const Step& at, const Instruction& user, std::vector<Step>* steps,
              Uses* uses) const;
  // For each instruction its users, each once; made on first use.
  const Users& UsersIn(uint32_t computation);

  const Context& context_;
  // For each computation its callers, and the loops that call it.
  absl::flat_hash_map<uint32_t, std::vector<Place>> callers_;
  absl::flat_hash_map<uint32_t, std::vector<Loop>> loops_;
  absl::flat_hash_map<uint32_t, Users> users_;
};

// structure.cc
bool CheckOrder(Context* context);  // false: no other check can run
void CheckNames(Context* context);
void CheckParameters(Context* context);
void CheckControl(Context* context);
// calls.cc
void CheckContexts(Context* context);
void CheckFusions(Context* context);
void CheckCalleeThreads(Context* context);
void CheckComposites(Context* context);
// aliasing.cc
void CheckAliasing(Context* context);
// attributes.cc
void CheckAttributes(Context* context);
void CheckRareFields(Context* context);
// buffers.cc
void CheckBuffers(Context* context);
// pairs.cc
void CheckPairs(Context* context);
bool HasPairs(const Occurrences& occurs);
void CheckChannels(Context* context);
bool HasChannels(const Occurrences& occurs);
// async_chains.cc
void CheckAsync(Context* context);
// async.cc
void CheckAsyncBodies(Context* context);
// devices.cc
void CheckReplicaGroups(Context* context);
void CheckPermutes(Context* context);
void CheckConstrainLayout(Context* context);
// groups.cc
void CheckGroupFormulas(Context* context);
void CheckSplits(Context* context);
// device_counts.cc
void CheckDeviceCounts(Context* context);
void CheckDeviceAssignment(Context* context);
void CheckShardCounts(Context* context);
// sharding.cc
void CheckShardings(Context* context);
void CheckDomains(Context* context);
void CheckModuleShardings(Context* context);
// call_shardings.cc
void CheckCallShardings(Context* context);
// entry.cc
void CheckProgramShapes(Context* context);
void CheckAliases(Context* context);
// schedule.cc
void CheckSchedule(Context* context);
// threads.cc
void CheckAsyncThreads(Context* context);
// layouts.cc
void CheckLayouts(Context* context);
// What is wrong with the numbers of an array's layout: "has an empty tile"; ""
// where nothing is.
std::string LayoutFault(const Layout& layout, const Shape& array);
// The same of the layout in which a constant's value lies. XLA keeps values
// densely: it takes no other size of elements there, and no padding of a
// scalar.
std::string ValueLayoutFault(const Shape& value);

}  // namespace indim::structure

#endif  // INDIM_PASSES_STRUCTURE_CHECKS_H_
