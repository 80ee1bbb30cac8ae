#include "indim/passes/expanded_writer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "indim/ir/final_names.h"
#include "indim/ir/instruction_encoder.h"
#include "indim/ir/memo_table.h"
#include "indim/ir/module_data.h"
#include "indim/ir/module_writer.h"
#include "indim/ir/plain_module.h"
#include "indim/ir/report.h"
#include "indim/ir/shape_wire.h"
#include "indim/ir/structure.h"
#include "indim/ir/wire_buffer.h"
#include "indim/passes/node_expander.h"
#include "indim/passes/node_verifier.h"
#include "indim/passes/recipe.h"
#include "indim/passes/spelling.h"

namespace indim {
namespace {

constexpr uint64_t kLargestForXla = std::numeric_limits<int32_t>::max();

// What a node's steps, bytes and verification depend on: but for its name, id
// and the ids of its operands and callees all that there is.
struct Key {
  static constexpr size_t kParts = 6;  // operands and callees

  std::array<uint64_t, 2 + kParts / 2> words = {};
  static_assert(kParts == 6, "all words are named below");

  friend bool operator==(const Key& a, const Key& b) {
    return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) |
            (a.words[2] ^ b.words[2]) | (a.words[3] ^ b.words[3]) |
            (a.words[4] ^ b.words[4])) == 0;
  }
  uint64_t Hash() const {
    // Products that don't wait for each other.
    const uint64_t hash =
        words[0] * 0x9e3779b97f4a7c15 + words[1] * 0xa0761d6478bd642f +
        words[2] * 0xe7037ed1a0b428db + words[3] * 0x8ebc6af09c88c6e3 +
        words[4] * 0x589965cc75374cc3;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
  }
};

// How a node is written.
struct Plan {
  Recipe recipe;
  std::vector<InstructionBytes> steps;  // of the recipe
  InstructionBytes bytes;
  // None of this: the node stays as it is where its computation has nothing to
  // expand, and is expanded elsewhere.
  bool hangs_on_computation = false;
};

class ExpandedWriter {
 public:
  ExpandedWriter(const Module& module, ExportCheck check)
      : data_(module.data()),
        check_(check),
        names_(data_, FinalNames::Keep::kGiven),
        buffer_(nullptr),
        encoder_(&buffer_),
        verifier_(&data_, BroadcastableMode::kLenient, &report_),
        as_xla_(&data_, InferPolicy::kVerifier, BroadcastableMode::kLenient,
                &report_),
        expander_(&data_, &report_) {
    FindReplacedShapes();
  }

  std::optional<std::string> ToString();
  std::optional<absl::Status> To(const std::function<absl::Status()>& begin,
                                 const WireBuffer::Sink& sink);

 private:
  // Of the node's computation.
  enum class State : uint8_t { kAny, kHasNothing, kIsExpanded };

  // All of it into buffer_. False: this is not the way for it.
  bool Write();
  bool WriteComputation(uint32_t c);
  bool KeyOf(const ComputationRecord& computation, const InstructionRecord& r,
             Key* key);
  // Null: see Write.
  Plan* PlanOf(uint32_t c, uint32_t i);
  Plan* FindOrMake(uint32_t c, uint32_t i, State state, const Key* key);
  bool MakePlan(uint32_t c, uint32_t i, State state, Plan* plan);
  // False: see Write.
  bool MakeRecipe(uint32_t c, uint32_t i, State state, Plan* plan);
  void WriteNode(const ComputationRecord& computation, uint32_t position,
                 Plan* plan);
  void WriteSteps(Plan* plan, absl::Span<const int64_t> operands);
  void FindReplacedShapes();

  const ModuleData& data_;
  const ExportCheck check_;
  const FinalNames names_;
  WireBuffer buffer_;
  InstructionEncoder encoder_;
  Report report_;
  NodeVerifier verifier_;
  NodeVerifier as_xla_;  // of nodes that need no other to be expanded
  NodeExpander expander_;
  int64_t last_id_ = 0;  // of any instruction, new ones included
  // Of the computation at hand; kAny: nobody asked yet.
  State state_ = State::kAny;
  absl::flat_hash_map<uint32_t, Shape> replaced_;
  // Null: seen once. Plans are kept when they are wanted a second time.
  MemoTable<Key, std::unique_ptr<Plan>, 16, 4096> plans_;
  Plan once_;
  // Ids of operands, where they are many, and of callees; what a recipe makes
  // of operands.
  std::vector<int64_t> operands_, callees_;
  absl::InlinedVector<int64_t, 6> values_;
};

bool ExpandedWriter::KeyOf(const ComputationRecord& computation,
                           const InstructionRecord& r, Key* key) {
  const uint32_t parts = r.operand_count + r.callee_count;
  if (r.operand_count > Key::kParts || parts > Key::kParts) return false;
  key->words[0] = static_cast<uint64_t>(r.opcode) | r.operand_count << 8 |
                  r.callee_count << 16 | uint64_t{r.metadata.value} << 32;
  key->words[1] = r.shape.value | uint64_t{r.blob.value} << 32;
  const InstructionRecord* const base =
      data_.instructions.data() + computation.first;
  const uint32_t* const operands = data_.operands.data() + r.first_operand;
  if (parts <= 2 && r.callee_count == 0) {  // nearly all
    uint64_t shapes = 0;
    if (parts > 0) shapes = base[operands[0]].shape.value;
    if (parts > 1) shapes |= uint64_t{base[operands[1]].shape.value} << 32;
    key->words[2] = shapes;
    return true;
  }
  const auto set = [key](uint32_t part, uint32_t value) {
    key->words[2 + part / 2] |= uint64_t{value} << (part % 2 * 32);
  };
  for (uint32_t k = 0; k < r.operand_count; ++k) {
    set(k, base[operands[k]].shape.value);
  }
  for (uint32_t k = r.operand_count; k < parts; ++k) {
    set(k, verifier_.inputs().Representative(operands[k]));
  }
  return true;
}

bool ExpandedWriter::MakeRecipe(uint32_t c, uint32_t i, State state,
                                Plan* plan) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  plan->recipe = Recipe();
  plan->hangs_on_computation = false;
  const bool is_constant = r.opcode == Opcode::kConstant;
  if (state == State::kHasNothing && !is_constant) return true;
  std::optional<Recipe> recipe = expander_.Expand(c, i);
  if (!recipe) return false;
  plan->hangs_on_computation = state == State::kAny && !is_constant &&
                               !recipe->keeps_all() &&
                               expander_.IsExpanded(c, r);
  if (!plan->hangs_on_computation) plan->recipe = *std::move(recipe);
  return true;
}

bool ExpandedWriter::MakePlan(uint32_t c, uint32_t i, State state, Plan* plan) {
  const uint32_t position = data_.computations[c].first + i;
  const InstructionRecord& r = data_.instructions[position];
  const Pools& pools = *data_.pools;
  if (!r.shape || !HasXlaSpelling(pools.shapes().shape(r.shape))) return false;
  verifier_.Check(c, i);
  if (!report_.ok()) return false;
  if (!MakeRecipe(c, i, state, plan)) return false;
  if (plan->hangs_on_computation) return true;
  const Recipe& recipe = plan->recipe;
  if (recipe.steps.empty() && check_ == ExportCheck::kAll) {
    // XLA's builder takes more than its verifier, which sees the node as it is.
    as_xla_.Check(c, i);
    if (!report_.ok()) return false;
  }
  const absl::string_view metadata = pools.metadata(r.metadata);
  const absl::string_view* const user = r.metadata ? &metadata : nullptr;
  plan->steps.resize(recipe.steps.size());
  for (size_t s = 0; s < recipe.steps.size(); ++s) {
    const Recipe::Step& step = recipe.steps[s];
    const std::string wire = SerializeShapeProto(step.shape);
    const absl::string_view shape = wire;
    plan->steps[s].Assign(Name(step.opcode), &shape, user, step.blob.view());
  }
  const std::string replaced =
      recipe.shape ? SerializeShapeProto(*recipe.shape) : std::string();
  const absl::string_view shape =
      recipe.shape ? absl::string_view(replaced) : pools.shapes().wire(r.shape);
  plan->bytes.Assign(Name(r.opcode), &shape, user,
                     recipe.blob ? recipe.blob->view() : pools.blob(r.blob));
  return true;
}

Plan* ExpandedWriter::FindOrMake(uint32_t c, uint32_t i, State state,
                                 const Key* key) {
  std::unique_ptr<Plan>* kept = nullptr;
  if (key != nullptr) {
    kept = plans_.Find(*key);
    if (kept == nullptr) {
      plans_.Insert(*key, nullptr);
    } else if (*kept != nullptr) {
      return kept->get();
    }
  }
  if (kept == nullptr) return MakePlan(c, i, state, &once_) ? &once_ : nullptr;
  auto plan = std::make_unique<Plan>();
  if (!MakePlan(c, i, state, plan.get())) return nullptr;
  *kept = std::move(plan);
  return kept->get();
}

Plan* ExpandedWriter::PlanOf(uint32_t c, uint32_t i) {
  const ComputationRecord& computation = data_.computations[c];
  Key key;
  const bool has_key =
      KeyOf(computation, data_.instructions[computation.first + i], &key);
  if (has_key) {
    const std::unique_ptr<Plan>* const known = plans_.Find(key);
    if (known != nullptr && *known != nullptr &&
        !(*known)->hangs_on_computation) {
      return known->get();
    }
  }
  Plan* const plan = FindOrMake(c, i, State::kAny, has_key ? &key : nullptr);
  if (plan == nullptr || !plan->hangs_on_computation) return plan;
  if (state_ == State::kAny) {
    state_ = expander_.IsExpanded(c) ? State::kHasNothing : State::kIsExpanded;
  }
  key.words[0] |= static_cast<uint64_t>(state_) << 24;
  return FindOrMake(c, i, state_, has_key ? &key : nullptr);
}

void ExpandedWriter::WriteSteps(Plan* plan,
                                absl::Span<const int64_t> operands) {
  const Recipe& recipe = plan->recipe;
  const int64_t first_step = last_id_ + 1;
  const auto find = [&](const Recipe::Values& values) {
    values_.clear();
    for (const Recipe::Value value : values) {
      values_.push_back(
          value < 0 ? first_step + static_cast<int64_t>(Recipe::StepOf(value))
                    : operands[static_cast<size_t>(value)]);
    }
  };
  for (size_t s = 0; s < plan->steps.size(); ++s) {
    find(recipe.steps[s].operands);
    encoder_.Write(++last_id_, values_, &plan->steps[s]);
  }
  find(recipe.operands);
}

void ExpandedWriter::WriteNode(const ComputationRecord& computation,
                               uint32_t position, Plan* plan) {
  const InstructionRecord& r = data_.instructions[position];
  std::array<int64_t, Key::kParts> few;
  int64_t* ids = few.data();
  if (r.operand_count > few.size()) {
    operands_.resize(r.operand_count);
    ids = operands_.data();
  }
  const uint32_t* const operands = data_.operands.data() + r.first_operand;
  for (uint32_t k = 0; k < r.operand_count; ++k) {
    ids[k] = int64_t{computation.first} + operands[k] + 1;
  }
  absl::Span<const int64_t> written = absl::MakeConstSpan(ids, r.operand_count);
  if (!plan->steps.empty()) {
    WriteSteps(plan, written);
    written = values_;
  }
  const int64_t id = int64_t{position} + 1;
  buffer_.Step();
  if (!r.name && r.callee_count == 0) {
    return encoder_.Write(id, written, &plan->bytes);
  }
  InstructionEncoder::Own own;
  own.id = id;
  own.operands = written;
  if (r.name) own.name = data_.pools->name(r.name);
  callees_.clear();
  for (const uint32_t callee : data_.Callees(r)) {
    callees_.push_back(data_.computations[callee].id);
  }
  own.callees = callees_;
  encoder_.Write(own, &plan->bytes);
}

bool ExpandedWriter::WriteComputation(uint32_t c) {
  const ComputationRecord& computation = data_.computations[c];
  if (computation.name == Pools::kNameless ||
      !computation.program_shape.empty() ||
      computation.program_shape_when_empty != WhenEmpty::kMake) {
    return false;
  }
  state_ = State::kAny;
  for (uint32_t i = 0; i < computation.count; ++i) {
    // Expansion looks at shapes, first at those of operands.
    const InstructionRecord& r = data_.instructions[computation.first + i];
    if (!r.shape || r.name == Pools::kNameless) return false;
    Plan* const plan = PlanOf(c, i);
    if (plan == nullptr || buffer_.over_limit()) return false;
    WriteNode(computation, computation.first + i, plan);
  }
  return true;
}

// A computation's shape is that of its root as it is written.
void ExpandedWriter::FindReplacedShapes() {
  for (const ComputationRecord& computation : data_.computations) {
    const uint32_t root = computation.first + computation.root;
    if (computation.root >= computation.count ||
        data_.instructions[root].opcode != Opcode::kConstant) {
      continue;
    }
    const InstructionRecord& r = data_.instructions[root];
    Recipe recipe;
    LayOutConstant(*data_.pools, r.shape, r.blob, &recipe);
    if (recipe.shape) replaced_[root] = *std::move(recipe.shape);
  }
}

bool ExpandedWriter::Write() {
  if (!names_.leaves_made()) return false;
  const uint64_t old = data_.instructions.size();
  last_id_ = static_cast<int64_t>(old);
  buffer_.set_limit(kLargestForXla);
  ModuleWriter writer(data_, names_, &buffer_);
  writer.LeaveOutMark();
  writer.ReplaceShapes(&replaced_);
  if (!writer.Write([this](uint32_t c) { return WriteComputation(c); }) ||
      buffer_.over_limit()) {
    return false;
  }
  // A given name may be that of a new instruction.
  return static_cast<uint64_t>(last_id_) == old ||
         names_.largest_number() <= old;
}

std::optional<std::string> ExpandedWriter::ToString() {
  std::string bytes;
  buffer_ = WireBuffer(&bytes);
  if (!Write()) return std::nullopt;
  return bytes;
}

std::optional<absl::Status> ExpandedWriter::To(
    const std::function<absl::Status()>& begin, const WireBuffer::Sink& sink) {
  if (!Write()) return std::nullopt;
  const absl::Status begun = begin();
  if (!begun.ok()) return begun;
  buffer_ = WireBuffer(sink, buffer_.TakeLengths());
  if (!Write()) return absl::InternalError("two sweeps differ");
  return buffer_.status();
}

// Nothing that a file spelled in its own way.
bool IsAsBuilt(const ModuleData& data) {
  return data.recorded && !data.names_as_read && data.ids.empty() &&
         data.opcode_names.empty() && data.operand_spellings.empty() &&
         data.root_spellings.empty() && data.entry_name.empty() &&
         data.entry_name_when_empty == WhenEmpty::kMake &&
         data.host_program_shape.empty() &&
         data.host_program_shape_when_empty == WhenEmpty::kMake;
}

bool CanBeWritten(const Module& module, ExportCheck check) {
  const ModuleData& data = module.data();
  if (data.entry >= data.computations.size() || !IsAsBuilt(data) ||
      HasCompactLiterals(*data.pools)) {
    return false;
  }
  if (check == ExportCheck::kShapes) return true;
  const StructureResult structure = VerifyStructure(module);
  return structure.in_order && structure.report.ok();
}

}  // namespace

std::optional<std::string> VerifyExpandAndWrite(const Module& module,
                                                ExportCheck check) {
  if (!CanBeWritten(module, check)) return std::nullopt;
  return ExpandedWriter(module, check).ToString();
}

std::optional<absl::Status> VerifyExpandAndWriteTo(
    const Module& module, ExportCheck check,
    const std::function<absl::Status()>& begin,
    const std::function<absl::Status(absl::string_view)>& sink) {
  if (!CanBeWritten(module, check)) return std::nullopt;
  return ExpandedWriter(module, check).To(begin, sink);
}

}  // namespace indim
