#include "indim/eval/custom_calls.h"

#include "indim/eval/machine.h"

namespace indim {
namespace {

// Says something about its operand, and gives it.
std::optional<Value> PassOn(Evaluation& e, Machine&) {
  if (e.operand_count() != 1) return e.Fail("it needs one operand to pass on");
  return e.operand(0);
}

// The largest k of each last row, whatever its computation compares: as XLA's
// CPU. k is the recorded result's.
std::optional<Value> LargestK(Evaluation& e, Machine& machine) {
  const Shape* declared = e.declared();
  if (e.operand_count() != 1 || declared == nullptr || !declared->is_tuple() ||
      declared->element_count() != 2 || !declared->elements()[0].is_array() ||
      declared->elements()[0].rank() == 0) {
    return e.Fail("it needs one operand and a recorded (values, indices)");
  }
  const Shape& values = declared->elements()[0];
  const Dim k = values.dim(values.rank() - 1);
  if (!k.is_static()) return e.Fail("the number of its results isn't known");
  TopKAttributes topk;
  topk.k = k.size();
  topk.largest = true;
  const Attributes attributes = topk;
  Evaluation inner(&machine, Opcode::kTopK, &attributes, e.operands(), {},
                   declared);
  return machine.RunOp(inner);
}

struct KnownCustomCall {
  absl::string_view target;
  CustomCallFunction function;
};
constexpr KnownCustomCall kKnown[] = {
    // Sharding. Source: sharding_remover.cc, shardy/constants.h.
    {"Sharding", PassOn},
    {"SPMDFullToShardShape", PassOn},
    {"SPMDShardToFullShape", PassOn},
    {"LocalToGlobalShape", PassOn},
    {"GlobalToLocalShape", PassOn},
    {"xla.sdy.FuncResultSharding", PassOn},
    {"xla.sdy.PropagationBarrier", PassOn},
    {"xla.sdy.ShardingGroup", PassOn},
    {"xla.sdy.LocalToGlobalShape", PassOn},
    {"xla.sdy.GlobalToLocalShape", PassOn},
    // Where memory lies. Source: memory_annotations.h, layout_assignment.cc.
    {"annotate_device_placement", PassOn},
    {"MoveToHost", PassOn},
    {"MoveToDevice", PassOn},
    {"PinToDevice", PassOn},
    {"PinToDeviceSram", PassOn},
    {"LayoutConstraint", PassOn},
    // What a pass promises. Source: despecializer.cc.
    {"AssumeGatherIndicesInBound", PassOn},
    {"TopK", LargestK},
};

}  // namespace

CustomCallFunction FindCustomCall(absl::string_view target) {
  for (const KnownCustomCall& known : kKnown) {
    if (known.target == target) return known.function;
  }
  return nullptr;
}

}  // namespace indim
