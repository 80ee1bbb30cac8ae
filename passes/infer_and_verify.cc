#include "indim/passes/infer_and_verify.h"

#include <memory>
#include <utility>

#include "absl/base/optimization.h"
#include "indim/ir/structure/structure.h"
#include "indim/passes/check_counts.h"
#include "indim/passes/few_memo.h"
#include "indim/passes/node_inferrer.h"
#include "indim/passes/node_memo.h"
#include "indim/passes/node_verifier.h"

namespace indim {
namespace {

class Sweep {
 public:
  Sweep(ModuleData* data, const InferOptions& infer,
        const VerifyOptions& verify, Report* inferred, VerifyResult* verified)
      : data_(*data),
        verified_(*verified),
        verifier_(data, verify.mode, &verified->report),
        inferrer_(data, infer.drop, infer.only_missing, &verifier_.inputs(),
                  inferred) {}

  void Run() {
    inferrer_.ForEach([this](uint32_t c, uint32_t i) { return Visit(c, i); });
  }

 private:
  // What is known of a node by everything that it depends on.
  struct Known {
    ShapeId shape;  // to be recorded
    NodeCheck check;
  };

  using Few = FewMemo<Known, 9>;

  // True when the shape of a parameter or of the root changed.
  bool Visit(uint32_t c, uint32_t i) {
    const InstructionRecord* const base =
        data_.instructions.data() + data_.computations[c].first;
    const InstructionRecord& r = base[i];
    if (ABSL_PREDICT_FALSE(!HasFewParts(r))) return VisitAny(c, i, nullptr);
    // The last bit: not all words are 0.
    const Few::Words words = {static_cast<uint64_t>(r.opcode) |
                                  r.operand_count << 8 | uint64_t{1} << 31 |
                                  uint64_t{r.blob.value} << 32,
                              r.shape.value, OperandShapes(data_, base, r)};
    const Known* const known = few_.Find(words);
    return ABSL_PREDICT_TRUE(known != nullptr) ? Use(c, i, *known)
                                               : VisitAny(c, i, &words);
  }

  bool Use(uint32_t c, uint32_t i, const Known& known) {
    const uint32_t position = data_.computations[c].first + i;
    CountCheck(known.check, data_, position, &verified_);
    return known.shape != data_.instructions[position].shape &&
           inferrer_.Record(c, i, known.shape);
  }

  // Remembers what is known under `words` as well, unless they are null.
  bool VisitAny(uint32_t c, uint32_t i, const Few::Words* words) {
    const InstructionRecord& r =
        data_.instructions[data_.computations[c].first + i];
    Known sure{r.shape, NodeCheck()};
    if (verifier_.glance().IsRight(c, r, &sure.check)) {
      if (words != nullptr) few_.Put(*words, sure);
      return Use(c, i, sure);
    }
    NodeKey key;
    const bool memoised = verifier_.KeyOf(c, r, r.shape.value, &key);
    const Known* known = memoised ? memo_.Find(key) : nullptr;
    if (known == nullptr) {
      return VisitAnew(c, i, memoised ? &key : nullptr, words);
    }
    if (words != nullptr) few_.Put(*words, *known);
    return Use(c, i, *known);
  }

  // Remembers the answer under `key`, and under `words` as well, unless they
  // are null, when there is nothing to say about it; under neither without a
  // key.
  bool VisitAnew(uint32_t c, uint32_t i, const NodeKey* key,
                 const Few::Words* words) {
    const uint32_t position = data_.computations[c].first + i;
    const InstructionRecord& r = data_.instructions[position];
    NodeInferrer::Answer answer = inferrer_.MayChange(r)
                                      ? inferrer_.Infer(c, i)
                                      : NodeInferrer::Answer::Unchanged(r);
    // The verifier would ask the same, unless the record is what was asked
    // about and another now.
    const bool asks_the_same =
        answer.silent && answer.inferred.has_value() &&
        (answer.shape == r.shape ||
         Info(r.opcode).result == ResultSource::kInferred);
    const bool changed = inferrer_.Record(c, i, answer.shape);
    answer.inputs.declared = &data_.pools->shapes().shape(r.shape);
    const NodeCheck check =
        asks_the_same
            ? verifier_.CheckInferred(c, i, answer.inputs, *answer.inferred)
            : verifier_.CheckAnew(c, i);
    CountCheck(check, data_, position, &verified_);
    if (key != nullptr && answer.silent && check.ok) {
      memo_.Insert(*key, {answer.shape, check});
      if (words != nullptr) few_.Put(*words, {answer.shape, check});
    }
    return changed;
  }

  ModuleData& data_;
  VerifyResult& verified_;
  NodeVerifier verifier_;
  NodeInferrer inferrer_;
  // The declared part of a key is a ShapeId: layouts matter to what is
  // recorded.
  NodeMemo<Known> memo_;
  Few few_;
};

}  // namespace

InferAndVerifyResult InferAndVerify(Module module, const InferOptions& infer,
                                    const VerifyOptions& verify) {
  std::shared_ptr<ModuleData> data = Module::Take(std::move(module));
  data->MutablePools();  // its own from here on
  InferAndVerifyResult result;
  result.inferred.report = Report(infer.max_per_rule);
  VerifyResult shapes;
  shapes.report = Report(verify.max_per_rule);
  Sweep(data.get(), infer, verify, &result.inferred.report, &shapes).Run();
  result.inferred.module = Module(std::move(data));
  StructureResult structure = VerifyStructure(
      result.inferred.module, verify.max_per_rule, verify.devices);
  if (structure.in_order) result.verified = std::move(shapes);
  AppendWithoutRepeats(result.verified.report, &structure.report);
  result.verified.report = std::move(structure.report);
  return result;
}

}  // namespace indim
