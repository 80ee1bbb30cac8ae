#include "indim/passes/infer_shapes.h"

#include <memory>
#include <utility>

#include "indim/passes/node_inferrer.h"
#include "indim/passes/node_inputs.h"
#include "indim/passes/node_memo.h"

namespace indim {
namespace {

class Sweep {
 public:
  Sweep(ModuleData* data, const InferOptions& options, Report* report)
      : data_(*data),
        inputs_(data),
        inferrer_(data, options.drop, options.only_missing, &inputs_, report) {}

  void Run() {
    inferrer_.ForEach([this](uint32_t c, uint32_t i) { return Visit(c, i); });
  }

 private:
  // True when the shape of a parameter or of the root changed.
  bool Visit(uint32_t c, uint32_t i) {
    const InstructionRecord& r =
        data_.instructions[data_.computations[c].first + i];
    if (!inferrer_.MayChange(r)) return false;
    NodeKey key;
    const bool memoised = inputs_.KeyOf(c, r, r.shape.value, &key);
    const ShapeId* known = memoised ? memo_.Find(key) : nullptr;
    if (known != nullptr) return inferrer_.Record(c, i, *known);
    const NodeInferrer::Answer answer = inferrer_.Infer(c, i);
    if (memoised && answer.silent) memo_.Insert(key, answer.shape);
    return inferrer_.Record(c, i, answer.shape);
  }

  ModuleData& data_;
  NodeInputs inputs_;
  NodeInferrer inferrer_;
  // The declared part of a key is a ShapeId: layouts matter to what is
  // recorded.
  NodeMemo<ShapeId> memo_;
};

}  // namespace

InferResult InferShapes(Module module, const InferOptions& options) {
  const std::shared_ptr<ModuleData> data = Module::Take(std::move(module));
  data->MutablePools();  // its own from here on
  InferResult result;
  result.report = Report(options.max_per_rule);
  Sweep(data.get(), options, &result.report).Run();
  result.module = Module(data);
  return result;
}

}  // namespace indim
