// SPDX-License-Identifier: Apache-2.0
// A loop's state and a conditional's result are one value under several names,
// so all shardings of these names must be equal (XLA:
// InstructionVerifier::VerifyConsistentSharding).

#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::structure {
namespace {

using field::HloInstructionProto::kSharding;

// Compares the shardings of the names of one value with the first that has one.
class OneValue {
 public:
  OneValue(Context* context, uint32_t c, uint32_t i)
      : context_(context), c_(c), i_(i) {}

  void Add(const Instruction& name) {
    bool present = false;
    const absl::string_view sharding = AttributeBytesField(
        internal::AttributeBytesOf(name), kSharding, &present);
    if (!present) return;
    if (!known_) {
      known_ = true;
      first_ = name;
      sharding_ = sharding;
    } else if (sharding != sharding_) {
      context_->Add(Code::kShardingsOfCall, c_, i_, first_.name(), name.name());
    }
  }

 private:
  Context* context_;
  uint32_t c_;
  uint32_t i_;
  bool known_ = false;
  Instruction first_;
  absl::string_view sharding_;  // canonical, so equal bytes are equal shardings
};

void AddParameter(const Context& context, const Computation& callee,
                  OneValue* value) {
  const uint32_t c = static_cast<uint32_t>(callee.index());
  const absl::Span<const uint32_t> parameters = context.parameters.Of(c);
  if (parameters.size() != 1 ||
      parameters[0] >= context.data.computations[c].count) {
    return;  // another check reports it
  }
  value->Add(context.At(c, parameters[0]));
}

}  // namespace

void CheckCallShardings(Context* context) {
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (r.opcode != Opcode::kWhile && r.opcode != Opcode::kConditional) {
          return;
        }
        const Instruction call = context->At(c, i);
        OneValue value(context, c, i);
        value.Add(call);
        if (r.opcode == Opcode::kConditional) {
          for (int k = 0; k < call.callee_count(); ++k) {
            value.Add(call.callee(k).root());
          }
          return;
        }
        if (call.callee_count() != 2) return;
        value.Add(call.callee(0).root());
        AddParameter(*context, call.callee(0), &value);
        AddParameter(*context, call.callee(1), &value);
      });
}

}  // namespace indim::structure
