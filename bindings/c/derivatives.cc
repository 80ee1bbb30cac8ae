// SPDX-License-Identifier: Apache-2.0
// Derivatives of values of a builder, and of modules.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/recording.h"
#include "indim/grad/builder_gradient.h"
#include "indim/grad/gradient.h"
#include "indim/grad/marks.h"

static_assert(INDIM_LOOP_NOTHING ==
              static_cast<int>(indim::LoopMemory::kNothing));

namespace indim::capi {
namespace {

// A call that was read.
struct DerivativeCall {
  int32_t kind = 0;
  Op y;
  absl::Span<const Op> wrt, others;
  Caller caller;
};

// Whether it has as many operands as its kind takes.
bool HasOperands(const DerivativeCall& call) {
  switch (call.kind) {
    case INDIM_DERIVATIVE_GRADIENT:
    case INDIM_DERIVATIVE_VALUE_AND_GRADIENT:
      return call.others.size() <= 1;
    case INDIM_DERIVATIVE_TANGENT:
      return call.others.size() == call.wrt.size();
    case INDIM_DERIVATIVE_HESSIAN_VECTOR_PRODUCT:
      return call.wrt.size() == 1 && call.others.size() == 1;
    default:
      return call.wrt.size() == 1 && call.others.empty();
  }
}

std::vector<Op> Record(const DerivativeCall& call) {
  std::optional<Op> seed;
  if (!call.others.empty()) seed = call.others[0];
  switch (call.kind) {
    case INDIM_DERIVATIVE_GRADIENT:
      return Gradient(call.y, call.wrt, seed, call.caller);
    case INDIM_DERIVATIVE_VALUE_AND_GRADIENT: {
      ValueAndGradients both =
          ValueAndGradient(call.y, call.wrt, seed, call.caller);
      both.gradients.insert(both.gradients.begin(), both.value);
      return std::move(both.gradients);
    }
    case INDIM_DERIVATIVE_TANGENT:
      return {Tangent(call.y, call.wrt, call.others, call.caller)};
    case INDIM_DERIVATIVE_JACOBIAN:
      return {Jacobian(call.y, call.wrt[0], call.caller)};
    case INDIM_DERIVATIVE_HESSIAN:
      return {Hessian(call.y, call.wrt[0], call.caller)};
    default:
      return {HessianVectorProduct(call.y, call.wrt[0], call.others[0],
                                   call.caller)};
  }
}

}  // namespace
extern "C" {

indim_error* indim_derivative(indim_builder* builder, int32_t kind,
                              const indim_value* operands, size_t operand_count,
                              size_t wrt_count, indim_location location,
                              indim_value* values, size_t capacity,
                              size_t* count) {
  return Guard(
      {{"builder", builder},
       {"operands", operands, operand_count},
       {"values", values, capacity}},
      [&] {
        if (kind < 0 || kind > INDIM_DERIVATIVE_HESSIAN_VECTOR_PRODUCT) {
          return Misuse(absl::StrCat(kind, " is no indim_derivative_kind"));
        }
        OpList ops;
        if (indim_error* error =
                FindOps(*builder, List(operands, operand_count), &ops)) {
          return error;
        }
        const std::optional<Caller> caller = CallerOf(*builder, location);
        if (!caller) return NoSuchFile(location);
        DerivativeCall call{kind, {}, {}, {}, *caller};
        if (wrt_count < ops.size()) {
          const absl::Span<const Op> behind =
              absl::MakeConstSpan(ops).subspan(1);
          call.y = ops[0];
          call.wrt = behind.first(wrt_count);
          call.others = behind.subspan(wrt_count);
        }
        if (wrt_count >= ops.size() || !HasOperands(call)) {
          return Misuse(absl::StrCat("a derivative of this kind doesn't take ",
                                     operand_count, " operands, ", wrt_count,
                                     " of them to differentiate by"));
        }
        const internal::Recorder::Mark mark = builder->recorder()->Here();
        return GiveResults(builder, mark, Record(call), values, capacity,
                           count);
      });
}

indim_error* indim_mark_gradient(indim_builder* builder, indim_value value,
                                 const char* mark, size_t mark_size) {
  return Guard({{"builder", builder}, {"mark", mark, mark_size}}, [&] {
    const Op* const op = FindOp(*builder, value);
    if (op == nullptr) return NoSuchValue(*builder, value);
    const std::string text(Text(mark, mark_size));
    bool found = false;
    indim_error* error =
        ChangeBuilder(builder, [&](internal::Recorder& recorder) {
          found = internal::SetGradientMark(&recorder, *op, text);
        });
    return error != nullptr || found
               ? error
               : Misuse(absl::StrCat("value ", value, " can't have the mark \"",
                                     text, "\""));
  });
}

indim_error* indim_module_derivative(const indim_module* module,
                                     const int64_t* wrt, size_t wrt_count,
                                     const indim_derivative_options* options,
                                     indim_module** derivative,
                                     indim_diagnostics** warnings) {
  return GuardOptions(
      {{"module", module}, {"wrt", wrt, wrt_count}, {"derivative", derivative}},
      "indim_derivative_options", options,
      [&](const indim_derivative_options& given) {
        if (given.loop_memory < 0 || given.loop_memory > INDIM_LOOP_NOTHING) {
          return Misuse(
              absl::StrCat(given.loop_memory, " is no indim_loop_memory"));
        }
        GradientOptions how;
        how.loops = static_cast<LoopMemory>(given.loop_memory);
        how.loop_bound = given.loop_bound;
        how.conjugate = given.conjugate != 0;
        DiagnosticList found;
        how.warnings = &found;
        const absl::Span<const int64_t> numbers = List(wrt, wrt_count);
        absl::StatusOr<Module> made =
            given.forward != 0 ? Tangents(module->module, numbers, how)
                               : Gradient(module->module, numbers, how);
        if (!made.ok()) return ErrorOf(made.status());
        if (warnings != nullptr) {
          *warnings = new indim_diagnostics{std::move(found)};
        }
        *derivative = new indim_module(*std::move(made), module->devices);
        return kOk;
      });
}

}  // extern "C"
}  // namespace indim::capi
