// The single checks behind VerifyStructure (structure.h), and what they share.
// Not for others.

#ifndef INDIM_STRUCTURE_CHECKS_H_
#define INDIM_STRUCTURE_CHECKS_H_

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
#include "indim/shape/ops/opcode.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/shape/types/shape.h"
#include "indim/storage/id_index.h"
#include "indim/structure/structure.h"

namespace indim {
namespace structure {

// What a module holds, found in one sweep: a check of what doesn't occur is not
// even begun, and none looks for a field in attribute bytes that lack it.
class Occurrences {
 public:
  // Fields of HloInstructionProto that checks look for. Bits.
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

  // Whether the module's arrays hold what the records say. False: nothing is
  // safe.
  static bool SlicesFit(const ModuleData& data);
  // Whether all is as CheckOrder wants it; nothing else counts where it isn't.
  bool in_order() const { return in_order_; }
  // Whether the parameters of each computation are numbered 0, 1, 2 ... in the
  // order in which they stand.
  bool parameters_in_order() const { return parameters_in_order_; }
  // Positions of a computation's parameters, as they stand in it.
  absl::Span<const uint32_t> parameters(uint32_t computation) const {
    const uint32_t first = first_parameter_[computation];
    return absl::MakeConstSpan(parameters_)
        .subspan(first, first_parameter_[computation + 1] - first);
  }
  // Instructions that call computations, and those that CheckAttributes looks
  // at for their opcode, in order.
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
  // False: the attribute bytes of an instruction lack the field.
  bool Has(AttributeBytesId attribute_bytes, Field field) const {
    return (any_ & field) != 0 &&
           (attribute_bytes_[attribute_bytes.value] & field) != 0;
  }

 private:
  void Look(const ModuleData& data, uint32_t computation);
  // One that no instruction before had.
  void LookAtNewAttributeBytes(const ModuleData& data,
                               AttributeBytesId attribute_bytes);

  static_assert(sizeof(Opcode) == 1, "");
  std::array<bool, 256> opcodes_ = {};
  std::vector<uint8_t> attribute_bytes_;  // by id: bits of Field
  uint8_t any_ = 0;
  bool in_order_ = true;
  bool parameters_in_order_ = true;
  std::vector<uint32_t> parameters_;
  std::vector<uint32_t> first_parameter_;  // of each computation; then the end
  std::vector<Place> callers_, attributed_;
};

// The parameters of all computations by number.
class ParameterLists {
 public:
  // `data` is in order (CheckOrder).
  void Fill(const ModuleData& data, const Occurrences& occurs);
  // As ModuleData::Parameters.
  absl::Span<const uint32_t> Of(uint32_t computation) const {
    const uint32_t first = first_[computation];
    return absl::MakeConstSpan(positions_)
        .subspan(first, first_[computation + 1] - first);
  }

 private:
  std::vector<uint32_t> positions_;
  std::vector<uint32_t> first_;  // in positions_, of each; then the end
};

// On which thread each computation runs: "main", unless something says another.
class Threads {
 public:
  using Place = Occurrences::Place;
  Threads(const ModuleData& data, const Occurrences& occurs);

  const std::string& Of(uint32_t computation) const {
    return threads_[computation];
  }
  // What it says of itself.
  const std::string& Declared(uint32_t computation) const {
    return said_[computation];
  }
  // The async-start that moved it to its thread; nullopt: none did.
  const std::optional<Place>& mover(uint32_t computation) const {
    return movers_[computation];
  }
  // What an async-start says of itself.
  static std::string ThreadOf(const Instruction& start);

 private:
  void FindMovers(const ModuleData& data, const Occurrences& occurs);

  std::vector<std::string> said_, threads_;
  std::vector<std::optional<Place>> movers_;
};

// What a check is given: the module, and where to report.
class Context {
 public:
  Context(const ModuleData& data, DeviceCounts devices, Report* report)
      : data(data), devices(devices), occurs(data), report_(report) {}

  const ModuleData& data;
  const DeviceCounts devices;
  const Occurrences occurs;
  ParameterLists parameters;  // filled once the order was checked
  // Only once the order was checked.
  const Threads& threads() {
    if (!threads_) threads_.emplace(data, occurs);
    return *threads_;
  }

  // Texts given as text, numbers as numbers.
  template <typename... Args>
  void Add(Rule rule, uint32_t computation, uint32_t instruction,
           Args&&... args) {
    Diagnostic diagnostic;
    diagnostic.rule = rule;
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
  // By the position in its computation.
  std::string NameAt(uint32_t computation, uint32_t instruction) const {
    return At(computation, instruction).name();
  }
  std::string ComputationName(uint32_t computation) const {
    return std::string(data.pools->name(data.computations[computation].name));
  }
  const Shape& ShapeOf(const InstructionRecord& r) const {
    return data.pools->shapes().shape(r.shape);
  }

  // f(computation, position in it, record) on every instruction.
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

  std::optional<Threads> threads_;  // once asked for
  Report* report_;
};

// The part of `shape` that `index` leads to through tuples; null: there is
// none.
const Shape* PartOf(const Shape& shape, absl::Span<const int64_t> index);
// "{}", "{0,1}".
std::string IndexText(absl::Span<const int64_t> index);

// XLA's ids of what must come before an instruction.
DimIndices ControlPredecessors(AttributeBytesView attribute_bytes);

// Instructions of one computation by XLA's ids, of which the low 32 bits
// count. Made when it is first asked.
class IdLookup {
 public:
  explicit IdLookup(const ModuleData& data) : data_(data) {}
  // Position in `computation`.
  std::optional<uint32_t> Find(uint32_t computation, int64_t id);

 private:
  const ModuleData& data_;
  std::optional<uint32_t> computation_;
  std::vector<int64_t> ids_;
  IdIndex index_;
};

// What CheckAttributes looks at in an instruction of `opcode`; null: nothing.
using AttributeCheck = void (*)(Context* context, uint32_t c, uint32_t i);
AttributeCheck AttributeCheckOf(Opcode opcode);

// The custom calls that make a buffer of an array, an array of a buffer, a
// buffer of nothing: XLA knows them by their targets.
enum class BufferCall { kNone, kPin, kUnpin, kCreate };
BufferCall BufferCallOf(const Instruction& instruction);

// Whether asynchronous values may pass through an instruction unchanged.
bool HandsOn(const Instruction& instruction);
// A custom call that orders what is scheduled and takes no part.
bool IsControlDependency(const Instruction& instruction);
// "an add", "a while".
std::string OneOf(absl::string_view opcode);

// Follows values through what hands them on: tuples, loops, copies, annotations
// (XLA: TraceAsyncDataflow, IsCarriedAcrossWhileLoop).
class AsyncTracer {
 public:
  using Place = Occurrences::Place;
  struct Found {
    std::optional<Place> place;
    bool given_up = false;  // it's too far away to say
  };

  explicit AsyncTracer(const Context& context);
  // The instruction of a wanted opcode that the value at `from` comes from.
  Found Find(Place from, absl::FunctionRef<bool(Opcode)> wanted) const;
  // Whether the value at `from` goes into a loop, or is left to its next turn.
  bool IsCarried(Place from);
  // What becomes of the value at `from` in its own computation.
  struct Uses {
    std::vector<uint32_t> finishers;  // each once
    std::optional<uint32_t> reader;   // takes it, or a part of it, as it is
    bool given_up = false;            // there are too many to say
  };
  Uses UsesInside(Place from, absl::FunctionRef<bool(Opcode)> finishes);

 private:
  struct Step {
    Place place;
    DimIndices index;  // of the part that is followed, the outermost last
  };
  struct Loop {
    Place place;
    bool is_body;
  };
  using Users = std::vector<absl::InlinedVector<uint32_t, 2>>;

  void StepBack(const Step& at, std::vector<Step>* steps) const;
  void StepOn(const Step& at, const Instruction& user, std::vector<Step>* steps,
              Uses* uses) const;
  // Of each instruction, each user once; made when it is first asked.
  const Users& UsersIn(uint32_t computation);

  const Context& context_;
  // Of each computation: who calls it, and which loops.
  absl::flat_hash_map<uint32_t, std::vector<Place>> callers_;
  absl::flat_hash_map<uint32_t, std::vector<Loop>> loops_;
  absl::flat_hash_map<uint32_t, Users> users_;
};

// structure.cc
bool CheckOrder(Context* context);  // false: nothing else can be checked
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
void CheckChannels(Context* context);
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

}  // namespace structure
}  // namespace indim

#endif  // INDIM_STRUCTURE_CHECKS_H_
