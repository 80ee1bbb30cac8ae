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

  friend bool operator==(const Key& a, const Key& b) {
    uint64_t differ = 0;
    for (size_t i = 0; i < a.words.size(); ++i) {
      differ |= a.words[i] ^ b.words[i];
    }
    return differ == 0;
  }
  uint64_t Hash() const {
    // Products that don't wait for each other.
    constexpr uint64_t kFactors[] = {0x9e3779b97f4a7c15, 0xa0761d6478bd642f,
                                     0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3,
                                     0x589965cc75374cc3};
    uint64_t hash = 0;
    for (size_t i = 0; i < words.size(); ++i) hash += words[i] * kFactors[i];
    return (hash ^ hash >> 32) * kFactors[0];
  }
};

// How a node is written.
struct Plan {
  Recipe recipe;
  std::vector<InstructionBytes> steps;  // of the recipe
  InstructionBytes bytes;
};

class ExpandedWriter {
 public:
  explicit ExpandedWriter(const Module& module)
      : data_(module.data()),
        names_(data_, FinalNames::Keep::kGiven),
        buffer_(&bytes_),
        encoder_(&buffer_),
        verifier_(&data_, BroadcastableMode::kLenient, &report_),
        as_xla_(&data_, InferPolicy::kVerifier, BroadcastableMode::kLenient,
                &report_),
        expander_(&data_, &report_),
        last_id_(static_cast<int64_t>(data_.instructions.size())) {}

  std::optional<std::string> Run();

 private:
  bool WriteComputation(uint32_t c);
  // False: this is not the way for it.
  bool Visit(uint32_t c, uint32_t i);
  bool KeyOf(const ComputationRecord& computation, const InstructionRecord& r,
             Key* key);
  // Null: see Visit.
  Plan* PlanOf(uint32_t c, uint32_t i);
  bool MakePlan(uint32_t c, uint32_t i, Plan* plan);
  void WriteNode(const ComputationRecord& computation, uint32_t position,
                 Plan* plan);
  void FindReplacedShapes();

  const ModuleData& data_;
  const FinalNames names_;
  std::string bytes_;
  WireBuffer buffer_;
  InstructionEncoder encoder_;
  Report report_;
  NodeVerifier verifier_;
  NodeVerifier as_xla_;  // of nodes that need no other to be expanded
  NodeExpander expander_;
  int64_t last_id_;    // of any instruction, new ones included
  bool keep_ = false;  // the computation at hand has nothing to expand
  absl::flat_hash_map<uint32_t, Shape> replaced_;
  // Null: seen once. Plans are kept when they are wanted a second time.
  MemoTable<Key, std::unique_ptr<Plan>, 16, 4096> plans_;
  Plan once_;
  // Ids of operands and callees; results of steps.
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
  const auto set = [key](uint32_t part, uint32_t value) {
    key->words[2 + part / 2] |= uint64_t{value} << (part % 2 * 32);
  };
  for (uint32_t k = 0; k < r.operand_count; ++k) {
    set(k, base[operands[k]].shape.value);
  }
  for (uint32_t k = r.operand_count; k < parts; ++k) {
    set(k, verifier_.inputs().Representative(operands[k]));
  }
  // Whether a node is expanded hangs on its computation.
  if (keep_) key->words[0] |= uint64_t{1} << 31;
  return true;
}

bool ExpandedWriter::MakePlan(uint32_t c, uint32_t i, Plan* plan) {
  const uint32_t position = data_.computations[c].first + i;
  const InstructionRecord& r = data_.instructions[position];
  const Pools& pools = *data_.pools;
  if (!r.shape || !HasXlaSpelling(pools.shapes().shape(r.shape))) return false;
  verifier_.Check(c, i);
  if (!report_.ok()) return false;
  plan->recipe = Recipe();
  if (!keep_ || r.opcode == Opcode::kConstant) {
    std::optional<Recipe> recipe = expander_.Expand(c, i);
    if (!recipe) return false;
    plan->recipe = *std::move(recipe);
  }
  const Recipe& recipe = plan->recipe;
  if (recipe.steps.empty()) {
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

Plan* ExpandedWriter::PlanOf(uint32_t c, uint32_t i) {
  const ComputationRecord& computation = data_.computations[c];
  const InstructionRecord& r = data_.instructions[computation.first + i];
  Key key;
  std::unique_ptr<Plan>* kept = nullptr;
  if (KeyOf(computation, r, &key)) {
    kept = plans_.Find(key);
    if (kept == nullptr) {
      plans_.Insert(key, nullptr);
    } else if (*kept != nullptr) {
      return kept->get();
    }
  }
  if (kept == nullptr) return MakePlan(c, i, &once_) ? &once_ : nullptr;
  auto plan = std::make_unique<Plan>();
  if (!MakePlan(c, i, plan.get())) return nullptr;
  *kept = std::move(plan);
  return kept->get();
}

void ExpandedWriter::WriteNode(const ComputationRecord& computation,
                               uint32_t position, Plan* plan) {
  const InstructionRecord& r = data_.instructions[position];
  operands_.clear();
  for (const uint32_t operand : data_.Operands(r)) {
    operands_.push_back(int64_t{computation.first} + operand + 1);
  }
  const Recipe& recipe = plan->recipe;
  const int64_t first_step = last_id_ + 1;
  const auto ids_of = [&](const Recipe::Values& values) {
    values_.clear();
    for (const Recipe::Value value : values) {
      values_.push_back(
          value < 0 ? first_step + static_cast<int64_t>(Recipe::StepOf(value))
                    : operands_[static_cast<size_t>(value)]);
    }
    return absl::MakeConstSpan(values_);
  };
  for (size_t s = 0; s < plan->steps.size(); ++s) {
    InstructionEncoder::Own own;
    own.id = ++last_id_;
    own.operands = ids_of(recipe.steps[s].operands);
    encoder_.Write(own, &plan->steps[s]);
  }
  InstructionEncoder::Own own;
  if (r.name) own.name = data_.pools->name(r.name);
  own.id = int64_t{position} + 1;
  own.operands = operands_;
  if (!plan->steps.empty()) own.operands = ids_of(recipe.operands);
  if (r.callee_count != 0) {
    callees_.clear();
    for (const uint32_t callee : data_.Callees(r)) {
      callees_.push_back(data_.computations[callee].id);
    }
    own.callees = callees_;
  }
  encoder_.Write(own, &plan->bytes);
  buffer_.Step();
}

bool ExpandedWriter::WriteComputation(uint32_t c) {
  const ComputationRecord& computation = data_.computations[c];
  if (computation.name == Pools::kNameless ||
      !computation.program_shape.empty() ||
      computation.program_shape_when_empty != WhenEmpty::kMake) {
    return false;
  }
  const uint32_t end = computation.first + computation.count;
  for (uint32_t at = computation.first; at < end; ++at) {
    // Expansion looks at shapes.
    const InstructionRecord& r = data_.instructions[at];
    if (!r.shape || r.name == Pools::kNameless) return false;
  }
  keep_ = expander_.IsExpanded(c);
  for (uint32_t i = 0; i < computation.count; ++i) {
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

std::optional<std::string> ExpandedWriter::Run() {
  if (!names_.leaves_made()) return std::nullopt;
  FindReplacedShapes();
  buffer_.set_limit(kLargestForXla);
  ModuleWriter writer(data_, names_, &buffer_);
  writer.LeaveOutMark();
  writer.ReplaceShapes(&replaced_);
  if (!writer.Write([this](uint32_t c) { return WriteComputation(c); }) ||
      buffer_.over_limit()) {
    return std::nullopt;
  }
  // A given name may be that of a new instruction.
  const uint64_t old = data_.instructions.size();
  if (static_cast<uint64_t>(last_id_) > old && names_.largest_number() > old) {
    return std::nullopt;
  }
  return std::move(bytes_);
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

}  // namespace

std::optional<std::string> VerifyExpandAndWrite(const Module& module) {
  if (!IsAsBuilt(module.data()) || HasCompactLiterals(*module.data().pools)) {
    return std::nullopt;
  }
  const StructureResult structure = VerifyStructure(module);
  if (!structure.in_order || !structure.report.ok()) return std::nullopt;
  return ExpandedWriter(module).Run();
}

}  // namespace indim
