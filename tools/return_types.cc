// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/return_types.h"

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/eval/values/value.h"
#include "indim/passes/check/verify_shapes.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

// An op that two values are enough to make.
bool IsBinary(const OpInfo& op) {
  return op.min_operands == 2 && op.max_operands == 2 && op.callees == 0 &&
         op.result == ResultSource::kInferred && !op.has(kSideEffect) &&
         (op.attributes == AttributesKind::kElementwise ||
          op.attributes == AttributesKind::kCompare ||
          op.attributes == AttributesKind::kNo);
}

// A shape of the computation, and one value of it.
struct TestOperand {
  Shape shape;
  Literal value;
};

class Driver {
 public:
  Driver(const ReturnTypeOptions& options, ReturnTypeResult* result)
      : options_(options), random_(options.seed), result_(*result) {}

  void Run(const Computation& computation) {
    const std::vector<TestOperand> operands = OperandsOf(computation);
    for (const OpInfo& op : AllOps()) {
      if (!IsBinary(op)) continue;
      for (const TestOperand& lhs : operands) {
        for (const TestOperand& rhs : operands) Create(op, lhs, rhs);
      }
    }
  }

 private:
  // The distinct shapes among a computation's values, with a value each.
  std::vector<TestOperand> OperandsOf(const Computation& computation) {
    std::vector<TestOperand> operands;
    absl::flat_hash_set<std::string> seen;
    for (Instruction instruction : computation.instructions()) {
      const Shape shape = instruction.shape().WithoutLayout();
      if (!shape.is_array() || !seen.insert(shape.ToString()).second) continue;
      const Shape concrete = RandomConcrete(shape, &random_);
      const std::optional<int64_t> count = concrete.ElementCount();
      if (!count || *count > options_.max_elements ||
          static_cast<int64_t>(operands.size()) >= options_.max_shapes) {
        ++result_.left_out;
        continue;
      }
      absl::StatusOr<Literal> value = RandomLiteral(concrete, &random_);
      if (value.ok()) operands.push_back({shape, *std::move(value)});
    }
    return operands;
  }

  // Shapes alone decide what inference says, and many computations have the
  // same: a pair of static ones is asked for once.
  bool IsNew(const OpInfo& op, const TestOperand& lhs, const TestOperand& rhs) {
    if (!lhs.shape.is_static() || !rhs.shape.is_static()) return true;
    return created_.insert({op.opcode, lhs.shape, rhs.shape}).second;
  }

  void Create(const OpInfo& op, const TestOperand& lhs,
              const TestOperand& rhs) {
    if (!IsNew(op, lhs, rhs)) return;
    ++result_.created;
    // What a builder is told of the values: their shapes, as recorded.
    const Shape* shapes[] = {&lhs.shape, &rhs.shape};
    InferContext context;
    OpInputs inputs;
    inputs.opcode = op.opcode;
    inputs.operands = shapes;
    const std::optional<Shape> inferred = InferShape(&context, inputs);
    const Literal values[] = {lhs.value, rhs.value};
    OpCall call;
    call.opcode = op.opcode;
    call.operands = values;
    const absl::StatusOr<Literal> value = EvaluateOp(call);
    const bool is_static = lhs.shape.is_static() && rhs.shape.is_static();
    if (inferred && value.ok()) {
      if (Contains(*inferred, value->shape())) {
        ++result_.agreed;
      } else {
        Disagree(op, lhs, rhs, inferred->ToString(), value->shape().ToString());
      }
    } else if (!inferred && !value.ok()) {
      ++result_.refused;
    } else if (inferred && CodeOf(value.status()) == Code::kEvalType) {
      ++result_.without_meaning;
    } else if (inferred && !is_static) {
      ++result_.refused;  // the sizes that were made up don't go together
    } else {
      Disagree(op, lhs, rhs, inferred ? inferred->ToString() : "refused",
               value.ok() ? value->shape().ToString()
                          : std::string(value.status().message()));
    }
  }

  void Disagree(const OpInfo& op, const TestOperand& lhs,
                const TestOperand& rhs, const std::string& inferred,
                const std::string& evaluated) {
    result_.disagreements.push_back(absl::StrCat(
        op.wire, "(", lhs.shape.ToString(), ", ", rhs.shape.ToString(),
        "): inferred ", inferred, ", evaluated ", evaluated));
  }

  const ReturnTypeOptions& options_;
  RandomStream random_;
  absl::flat_hash_set<std::tuple<Opcode, Shape, Shape>> created_;
  ReturnTypeResult& result_;
};

}  // namespace

ReturnTypeResult TestReturnTypes(const Module& module,
                                 const ReturnTypeOptions& options) {
  ReturnTypeResult result;
  const VerifyResult verified = VerifyShapes(module);
  result.verified = verified.inferred + verified.related;
  for (const ModuleDiagnostic& d : verified.report.diagnostics()) {
    if (d.diagnostic.severity() != Severity::kError) continue;
    --result.verified;
    result.disagreements.push_back(MessageText(module, d));
  }
  Driver driver(options, &result);
  for (Computation computation : module.computations()) {
    driver.Run(computation);
  }
  return result;
}

}  // namespace indim
