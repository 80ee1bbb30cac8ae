// SPDX-License-Identifier: Apache-2.0
// Inference of one operation and broadcasting, without a graph.

#include "indim/shape/infer/infer.h"

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/attributes.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/query/query.h"

namespace indim::capi {
namespace {

// Called computations; their shapes are copied.
absl::StatusOr<std::vector<Signature>> SignaturesOf(
    absl::Span<const indim_signature> callees) {
  std::vector<Signature> signatures;
  for (const indim_signature& callee : callees) {
    std::vector<const Shape*> parameters;
    if (!IsList(callee.parameters, callee.parameter_count) ||
        callee.result == nullptr ||
        !ShapesOf(callee.parameters, callee.parameter_count, &parameters)) {
      return MisuseStatus("a shape of a callee is null");
    }
    Signature signature;
    for (const Shape* parameter : parameters) {
      signature.parameters.push_back(*parameter);
    }
    signature.result = callee.result->shape;
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

template <typename T>
std::vector<const T*> Pointers(const std::vector<T>& values) {
  std::vector<const T*> pointers;
  for (const T& value : values) pointers.push_back(&value);
  return pointers;
}

// The spec of a rule; an error for options that are none.
absl::StatusOr<BroadcastSpec> SpecOf(const indim_broadcast_options* options) {
  indim_broadcast_options given;
  if (!ReadOptions(options, &given)) {
    return absl::InvalidArgumentError("the options' struct_size isn't set");
  }
  const std::optional<BroadcastRule> rule = RuleOf(given.rule);
  if (!rule) {
    return absl::InvalidArgumentError(
        absl::StrCat(given.rule, " is no indim_broadcast_rule"));
  }
  if (!IsList(given.dimensions, given.dimensions_count)) {
    return absl::InvalidArgumentError("dimensions is null");
  }
  BroadcastSpec spec;
  spec.rule = *rule;
  spec.axis = given.axis;
  if (given.dimensions != nullptr) {
    spec.dimensions =
        DimIndices(given.dimensions, given.dimensions + given.dimensions_count);
  }
  return spec;
}

indim_error* GivePlan(BroadcastPlan plan, indim_plan** to) {
  auto made = std::make_unique<indim_plan>();
  for (const Condition& condition : plan.conditions) {
    made->conditions.push_back(ToString(condition));
  }
  made->plan = std::move(plan);
  *to = made.release();
  return nullptr;
}

}  // namespace
extern "C" {

indim_error* indim_infer(const char* opcode, size_t opcode_size,
                         const indim_shape* const* operands,
                         size_t operand_count,
                         const indim_attributes* attributes,
                         const indim_shape* result,
                         const indim_signature* callees, size_t callee_count,
                         indim_shape** inferred, indim_diagnostics** warnings) {
  return Guard({{"opcode", opcode, opcode_size},
                {"operands", operands, operand_count},
                {"callees", callees, callee_count},
                {"inferred", inferred}},
               [&] {
                 const absl::string_view name = Text(opcode, opcode_size);
                 OpInputs inputs;
                 inputs.opcode = OpcodeOf(name);
                 if (inputs.opcode == Opcode::kInvalid) {
                   return ErrorOf(UnknownOpcode(name));
                 }
                 std::vector<const Shape*> shapes;
                 if (!ShapesOf(operands, operand_count, &shapes)) {
                   return NullArgument("an operand");
                 }
                 inputs.operands = shapes;
                 indim_attributes given;
                 if (!ReadOptions(attributes, &given)) {
                   return NoStructSize("indim_attributes");
                 }
                 const auto read = ReadAttributesOf(inputs.opcode, given);
                 if (!read.ok()) return ErrorOf(read.status());
                 inputs.attributes = &read->attributes;
                 const auto signatures =
                     SignaturesOf(List(callees, callee_count));
                 if (!signatures.ok()) return ErrorOf(signatures.status());
                 const auto called = Pointers(*signatures);
                 inputs.callees = called;
                 if (result != nullptr) inputs.declared = &result->shape;
                 InferContext context;
                 std::optional<Shape> shape = InferShape(&context, inputs);
                 DiagnosticList list = FromInference(
                     Name(inputs.opcode), inputs, context.diagnostics());
                 if (!shape || context.has_error())
                   return ErrorOf(std::move(list));
                 auto made = std::make_unique<indim_shape>(*std::move(shape));
                 if (warnings != nullptr) {
                   *warnings = new indim_diagnostics{std::move(list)};
                 }
                 *inferred = made.release();
                 return kOk;
               });
}

indim_error* indim_broadcast(const indim_broadcast_options* options,
                             const indim_shape* const* operands,
                             size_t operand_count, indim_plan** plan) {
  return Guard({{"operands", operands, operand_count}, {"plan", plan}}, [&] {
    const auto spec = SpecOf(options);
    if (!spec.ok()) return Misuse(spec.status().message());
    std::vector<const Shape*> shapes;
    if (!ShapesOf(operands, operand_count, &shapes)) {
      return NullArgument("an operand");
    }
    BroadcastPlan made;
    std::vector<Diagnostic> diagnostics;
    if (!PlanBroadcast(*spec, shapes, &made, &diagnostics)) {
      return ErrorOf(FromBroadcast(Name(spec->rule), shapes, diagnostics));
    }
    return GivePlan(std::move(made), plan);
  });
}

indim_error* indim_broadcast_to(const indim_broadcast_options* options,
                                const indim_shape* operand,
                                const indim_shape* target, indim_plan** plan) {
  return Guard({{"operand", operand}, {"target", target}, {"plan", plan}}, [&] {
    const auto spec = SpecOf(options);
    if (!spec.ok()) return Misuse(spec.status().message());
    if (!operand->shape.is_array() || !target->shape.has_rank()) {
      return Misuse("the operand and the target aren't arrays");
    }
    BroadcastPlan made;
    std::vector<Diagnostic> diagnostics;
    if (!PlanBroadcastTo(spec->rule, operand->shape, target->shape.dims(),
                         spec->dimensions, spec->axis, &made, &diagnostics)) {
      const Shape* const shapes[] = {&operand->shape, &target->shape};
      return ErrorOf(FromBroadcast(Name(spec->rule), shapes, diagnostics));
    }
    return GivePlan(std::move(made), plan);
  });
}

void indim_plan_release(indim_plan* plan) { delete plan; }

int64_t indim_plan_dims(const indim_plan* plan, int64_t* sizes, int32_t* kinds,
                        size_t capacity) {
  if (plan == nullptr || plan->plan.unranked) return -1;
  WriteDims(plan->plan.dims, sizes, kinds, capacity);
  return static_cast<int64_t>(plan->plan.dims.size());
}

int64_t indim_plan_places(const indim_plan* plan, size_t operand,
                          int64_t* places, size_t capacity) {
  if (plan == nullptr || operand >= plan->plan.operands.size()) return -1;
  const auto& map = plan->plan.operands[operand];
  for (size_t i = 0; places != nullptr && i < map.size() && i < capacity; ++i) {
    places[i] = map[i];
  }
  return static_cast<int64_t>(map.size());
}

size_t indim_plan_condition_count(const indim_plan* plan) {
  return plan == nullptr ? 0 : plan->conditions.size();
}

const char* indim_plan_condition(const indim_plan* plan, size_t index,
                                 size_t* size) {
  return plan == nullptr || index >= plan->conditions.size()
             ? GiveNothing(size)
             : Give(plan->conditions[index], size);
}

indim_error* indim_query_json(const char* line, size_t size,
                              indim_bytes** answer) {
  return Guard({{"line", line, size}, {"answer", answer}},
               [&] { return GiveNew(AnswerLine(Text(line, size)), answer); });
}

indim_error* indim_explain(const char* question, size_t size,
                           indim_bytes** text) {
  return Guard({{"question", question, size}, {"text", text}}, [&] {
    absl::StatusOr<Explanation> explained = ExplainText(Text(question, size));
    if (!explained.ok()) return ErrorOf(explained.status());
    return GiveNew(std::move(explained->text), text);
  });
}

}  // extern "C"
}  // namespace indim::capi
