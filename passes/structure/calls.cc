// SPDX-License-Identifier: Apache-2.0
// Checks which instructions call which computations, and how (XLA: CallGraph,
// InstructionVerifier).

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::structure {
namespace {

using field::HloInstructionProto::kFrontendAttributes;
using field::HloInstructionProto::kIsComposite;

// The position of an instruction.
struct CallSite {
  uint32_t computation = kNowhere;
  uint32_t instruction = kNowhere;
  bool known() const { return computation != kNowhere; }
};

bool HasSideEffect(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kCustomCall) {
    return As<CustomCallAttributes>(instruction.attributes()).has_side_effect;
  }
  return Info(instruction.opcode()).has(kSideEffect);
}

// Checks the body of a fusion: nothing may use its root, and something must use
// every other instruction. *used is scratch space.
void CheckFusionBody(Context* context, uint32_t body, std::vector<char>* used) {
  const ModuleData& data = context->data;
  const auto instructions = data.Instructions(body);
  const uint32_t root = data.computations[body].root;
  used->assign(instructions.size(), 0);
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    for (const uint32_t operand : data.Operands(instructions[i])) {
      char& is_used = (*used)[operand];
      if (operand == root && is_used == 0) {
        context->Add(Code::kFusionRootUsed, body, root,
                     context->ComputationName(body), context->NameAt(body, i));
      }
      is_used = 1;
    }
  }
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (i == root || (*used)[i] != 0 || HasSideEffect(context->At(body, i))) {
      continue;
    }
    context->Add(Code::kFusionUnused, body, i, context->ComputationName(body));
  }
}

// The fault of a composite's attribute; "": none.
std::string CompositeFault(absl::string_view key,
                           std::optional<absl::string_view> value) {
  if (!value) return key == "composite.name" ? "missing" : "";
  if (key != "composite.version") return value->empty() ? "empty" : "";
  int64_t version;
  const bool number = absl::SimpleAtoi(*value, &version);
  return number && version >= 0 ? "" : absl::StrCat("'", *value, "'");
}

}  // namespace

// A computation may not be called both as control flow and embedded. XLA copies
// such a computation (FlattenCallGraph) before it compiles.
void CheckContexts(Context* context) {
  const ModuleData& data = context->data;
  if (context->occurs.callers().empty()) return;
  std::vector<CallSite> control(data.computations.size());
  std::vector<CallSite> embedded(data.computations.size());
  for (const auto& [c, i] : context->occurs.callers()) {
    const InstructionRecord& r = data.Instructions(c)[i];
    if (r.opcode == Opcode::kInvalid) continue;
    auto& callers = CallsAsControlFlow(r.opcode) ? control : embedded;
    for (const uint32_t callee : data.Callees(r)) {
      if (!callers[callee].known()) callers[callee] = {c, i};
    }
  }
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const CallSite& call = control[c];
    if (!embedded[c].known() || !call.known()) continue;
    context->Add(Code::kCalledTwoWays, embedded[c].computation,
                 embedded[c].instruction, context->ComputationName(c),
                 context->NameAt(call.computation, call.instruction));
  }
}

void CheckFusions(Context* context) {
  const ModuleData& data = context->data;
  // The first caller of each computation.
  std::vector<CallSite> callers(data.computations.size());
  std::vector<bool> reported(data.computations.size());
  const auto is_fusion = [&](const CallSite& place) {
    return data.Instructions(place.computation)[place.instruction].opcode ==
           Opcode::kFusion;
  };
  for (const auto& [c, i] : context->occurs.callers()) {
    for (const uint32_t callee : data.Callees(data.Instructions(c)[i])) {
      const CallSite here = {c, i};
      const CallSite first = callers[callee];
      if (!first.known()) {
        callers[callee] = here;
      } else if ((is_fusion(first) || is_fusion(here)) && !reported[callee]) {
        reported[callee] = true;
        const CallSite& fusion = is_fusion(here) ? here : first;
        const CallSite& other = is_fusion(here) ? first : here;
        context->Add(Code::kFusionBodyShared, fusion.computation,
                     fusion.instruction, context->ComputationName(callee),
                     context->NameAt(other.computation, other.instruction));
      }
    }
  }
  std::vector<char> used;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    if (!callers[c].known() || !is_fusion(callers[c])) continue;
    CheckFusionBody(context, c, &used);
    if (c == data.entry) {
      context->Add(Code::kEntryIsFusion, callers[c].computation,
                   callers[c].instruction, context->ComputationName(c));
    }
  }
}

// CheckCallableInstructionThreadName, for the opcodes that XLA checks by
// default.
void CheckCalleeThreads(Context* context) {
  const ModuleData& data = context->data;
  const Threads& threads = context->threads();
  for (const auto& [c, i] : context->occurs.callers()) {
    const InstructionRecord& r = data.Instructions(c)[i];
    if (r.opcode != Opcode::kFusion && r.opcode != Opcode::kWhile &&
        r.opcode != Opcode::kConditional) {
      continue;
    }
    for (const uint32_t callee : data.Callees(r)) {
      if (threads.Of(c) == threads.Of(callee)) continue;
      context->Add(Code::kCalleeThread, c, i, threads.Of(c),
                   context->ComputationName(callee), threads.Of(callee));
      break;
    }
  }
}

// ShapeVerifier::HandleCall.
void CheckComposites(Context* context) {
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (r.opcode != Opcode::kCall ||
        !context->occurs.Has(r.attribute_bytes, Occurrences::kComposite)) {
      return;
    }
    const FieldList fields =
        FieldList::Of(context->data.pools->attribute_bytes(r.attribute_bytes));
    if (fields.Number(kIsComposite) == 0) return;
    const absl::string_view attributes = fields.Text(kFrontendAttributes);
    for (absl::string_view key :
         {"composite.name", "composite.attributes", "composite.version"}) {
      const std::string fault =
          CompositeFault(key, FrontendAttribute(attributes, key));
      if (!fault.empty()) {
        context->Add(Code::kCompositeCall, c, i, key, fault);
      }
    }
  });
}

}  // namespace indim::structure
