#include "indim/passes/conditions.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/passes/node_inputs.h"
#include "indim/shape/dim_expr.h"

namespace indim {
namespace {

class Collector {
 public:
  explicit Collector(const Module& module)
      : data_(module.data()),
        inputs_(&module.data()),
        context_(module.is_recorded() ? InferPolicy::kBuilder
                                      : InferPolicy::kVerifier) {}

  Conditions Run() {
    for (uint32_t c = 0; c < data_.computations.size(); ++c) {
      seen_.clear();
      for (uint32_t i = 0; i < data_.computations[c].count; ++i) Visit(c, i);
    }
    return std::move(result_);
  }

 private:
  void Visit(uint32_t c, uint32_t i);
  void Add(uint32_t c, uint32_t i, const DimCondition& condition);
  // Takes an equation over; false: it contradicts those before it.
  bool Accept(const DimCondition& condition);

  const ModuleData& data_;
  NodeInputs inputs_;
  InferContext context_;
  Conditions result_;
  absl::flat_hash_set<DimCondition> seen_;  // of one computation
  // What the equations so far say, and their text.
  SymbolScope scope_;
  std::string equations_;
};

void Collector::Visit(uint32_t c, uint32_t i) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  OpInputs inputs;
  const std::optional<Shape> result =
      inputs_.InferAgain(c, r, &context_, &inputs);
  if (!result) return;
  for (const SizeCondition& condition : context_.conditions()) {
    const std::optional<DimCondition> named =
        Named(condition, inputs.operands, &*result);
    if (named) Add(c, i, *named);
  }
  for (const DimCondition& condition : context_.dim_conditions()) {
    Add(c, i, condition);
  }
}

bool Collector::Accept(const DimCondition& condition) {
  if (condition.kind != DimCondition::Kind::kEqual) return true;
  const DimExpr difference = DimExpr(condition.a) - DimExpr(condition.b);
  const auto solved = difference.Solve();
  return !solved || scope_.Bind(solved->first, solved->second).ok();
}

void Collector::Add(uint32_t c, uint32_t i, const DimCondition& condition) {
  const std::optional<DimCondition> simple = Simplify(condition);
  if (!simple) return;  // the op itself is refused
  if (Decide(*simple) == Answer::kProven || !seen_.insert(*simple).second) {
    return;
  }
  // In the light of the equations before it.
  const std::optional<Dim> a = scope_.Apply(simple->a);
  const std::optional<Dim> b = scope_.Apply(simple->b);
  const std::optional<DimCondition> now =
      a && b ? Simplify({simple->kind, *a, *b}) : std::nullopt;
  if (now && Decide(*now) == Answer::kProven) return;
  if (!now || !Accept(*now)) {
    Diagnostic d;
    d.rule = Rule::kConditionContradicts;
    d.args = {ToString(*simple), equations_.empty()
                                     ? std::string("facts say otherwise")
                                     : equations_};
    result_.report.Add({std::move(d), c, i});
    return;
  }
  constexpr size_t kLongest = 200;
  if (simple->kind == DimCondition::Kind::kEqual &&
      equations_.size() < kLongest) {
    absl::StrAppend(&equations_, equations_.empty() ? "" : ", ",
                    ToString(*simple));
  }
  result_.conditions.push_back({c, i, *simple});
}

}  // namespace

Conditions CollectConditions(const Module& module) {
  return Collector(module).Run();
}

std::string RenderConditions(const Module& module,
                             const Conditions& conditions) {
  std::string text;
  for (const NodeCondition& c : conditions.conditions) {
    const Instruction instruction(&module.data(), c.computation, c.instruction);
    absl::StrAppend(&text, "%", instruction.name(), " needs ",
                    ToString(c.condition), "\n");
  }
  return text;
}

}  // namespace indim
