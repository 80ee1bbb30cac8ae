// SPDX-License-Identifier: Apache-2.0
// The computation that an async-start wraps (XLA: VerifyAsyncComputation).

#include <vector>

#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::structure {
namespace {

using field::HloInstructionProto::kFrontendAttributes;

// Marks an async-start of several collectives at once.
constexpr absl::string_view kGroup = "_collectives_group";

bool IsGroup(const Instruction& start) {
  return FrontendAttribute(
             AttributeBytesField(internal::AttributeBytesOf(start),
                                 kFrontendAttributes),
             kGroup)
      .has_value();
}

// The first instruction of `c` that is neither its root nor a parameter;
// kNowhere: there is none, or all such instructions are get-tuple-elements.
uint32_t Surplus(const ModuleData& data, uint32_t c) {
  const auto instructions = data.Instructions(c);
  uint32_t first = kNowhere;
  bool barrier = true;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const Opcode opcode = instructions[i].opcode;
    if (i == data.computations[c].root || opcode == Opcode::kParameter) {
      continue;
    }
    if (first == kNowhere) first = i;
    barrier = barrier && opcode == Opcode::kGetTupleElement;
  }
  return barrier ? kNowhere : first;
}

}  // namespace

void CheckAsyncBodies(Context* context) {
  const ModuleData& data = context->data;
  std::vector<bool> seen(data.computations.size());
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (r.opcode != Opcode::kAsyncStart || r.callee_count == 0) return;
    const uint32_t body = data.Callees(r)[0];
    if (seen[body]) return;
    seen[body] = true;
    if (context->threads().Of(body) != "main" || IsGroup(context->At(c, i))) {
      return;
    }
    const uint32_t surplus = Surplus(data, body);
    if (surplus == kNowhere) return;
    context->Add(Code::kAsyncBody, c, i, context->ComputationName(body),
                 context->NameAt(body, surplus));
  });
}

}  // namespace indim::structure
