// SPDX-License-Identifier: Apache-2.0
// Random edits of modules, misuse included. Whatever is called: no crash; an
// error, or a module like any other; and the module that went in never changes.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/constants_to_parameters.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/extract.h"
#include "indim/edit/passes/fold_constants.h"
#include "indim/edit/passes/inline_calls.h"
#include "indim/edit/pattern.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/edit/random_module.h"
#include "indim/tests/fuzz/fuzz_target.h"
#include "indim/tests/fuzz/module_checks.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

constexpr int kMaxEdits = 60;

// With state that edits rewrite: a schedule, aliases, a control dependency.
constexpr char kText[] =
    R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main {
  p = f32[4]{0} parameter(0), sharding={replicated}
  q = f32[4]{0} parameter(1)
  z = f32[] constant(0)
  e = f32[4]{0} exponential(p), metadata={op_name="e" source_file="a.py" source_line=3}
  l = f32[4]{0} log(q), control-predecessors={e}
  r = f32[] reduce(l, z), dimensions={0}, to_apply=add
  c = f32[] custom-call(r), custom_call_target="effect", custom_call_has_side_effect=true
  ROOT t = (f32[4]{0}, f32[]) tuple(e, r)
}
)";

class EditPlayer {
 public:
  explicit EditPlayer(absl::string_view program) : program_(program) {
    module_ = MakeModule();
    editor_ = std::make_unique<Editor>(module_);
    other_ = std::make_unique<Editor>(module_);
    refs_.push_back(InstructionRef());
    for (const ComputationRef c : other_->computations()) {
      refs_.push_back(other_->root(c));
    }
    for (const ComputationRef c : editor_->computations()) {
      for (const InstructionRef i : editor_->instructions(c)) {
        refs_.push_back(i);
      }
      computations_.push_back(c);
    }
    computations_.push_back(ComputationRef());
    computations_.push_back(other_->entry());
  }

  std::string Run() {
    const absl::StatusOr<std::string> before = SerializeModule(module_);
    for (int i = 0; i < kMaxEdits && !program_.empty(); ++i) Step();
    insertions_.clear();
    const EditResult result = editor_->Finish();
    const absl::StatusOr<std::string> after = SerializeModule(module_);
    if (!before.ok() || !after.ok() || *before != *after) {
      return "the module that went in changed";
    }
    if (!result.ok()) {
      return result.status().ok() ? "an error, but the status is OK" : "";
    }
    const VerifyResult verified = VerifyModule(result.module);
    if (!verified.ok()) {
      return absl::StrCat("an edited module is wrong: ",
                          RenderReport(result.module, verified.report));
    }
    const std::string complaint = CheckModule(result.module, /*built=*/false);
    return complaint.empty() ? CheckDerivatives(result.module) : complaint;
  }

 private:
  // Of kText, or of random instructions: made once each.
  const Module& MakeModule() {
    static auto* const made = new std::map<int, Module>;
    const uint8_t seed = Byte();
    const bool of_text = Byte() % 2 == 0;
    const auto [slot, is_new] = made->try_emplace(of_text ? -1 : seed);
    if (is_new) {
      RandomStream random(seed);
      absl::StatusOr<Module> module =
          of_text ? ParseHloText(kText) : RandomModule(&random);
      if (module.ok()) slot->second = *std::move(module);
    }
    return slot->second;
  }
  uint8_t Byte() {
    if (program_.empty()) return 0;
    const uint8_t byte = static_cast<uint8_t>(program_[0]);
    program_.remove_prefix(1);
    return byte;
  }
  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from.empty() ? T() : from[Byte() % from.size()];
  }
  InstructionRef AnyRef() { return Pick(refs_); }
  ComputationRef AnyComputation() { return Pick(computations_); }
  // Mostly an operand or an index that is there.
  int Index() { return static_cast<int>(Byte() % 4) - (Byte() % 16 == 0); }
  std::vector<InstructionRef> Some() {
    std::vector<InstructionRef> some;
    for (int n = Byte() % 4; n > 0; --n) some.push_back(AnyRef());
    return some;
  }
  Shape AnyShape() {
    return Byte() % 2 == 0 ? Shape::Of(ElementType::kF32, {4})
                           : Shape::Of(ElementType::kS32, {Byte() % 4});
  }
  void Keep(InstructionRef ref) {
    if (ref) refs_.push_back(ref);
  }

  void Step() {
    const uint8_t kind = Byte() % 32;
    kind < 16 ? EditOne(kind) : kind < 24 ? EditMany(kind) : Insert(kind);
  }
  void EditOne(uint8_t kind);
  void EditMany(uint8_t kind);
  void Insert(uint8_t kind);
  void Record(Insertion* at);

  absl::string_view program_;
  Module module_;
  std::unique_ptr<Editor> editor_, other_;
  std::vector<InstructionRef> refs_;
  std::vector<ComputationRef> computations_;
  std::vector<Insertion> insertions_;
  std::vector<Op> ops_;
};

void EditPlayer::EditOne(uint8_t kind) {
  Editor& e = *editor_;
  const InstructionRef x = AnyRef();
  switch (kind) {
    case 0:
    case 1:
      return e.SetOperand(x, Index(), AnyRef());
    case 2:
      return e.SetOperands(x, Some());
    case 3:
      return e.SetCallee(x, Index(), AnyComputation());
    case 4:
      return e.SetAttributes(x, Byte() % 2 == 0
                                    ? Attributes(e.attributes(AnyRef()))
                                    : Attributes(DimensionsAttributes{{0}}));
    case 5:
      return e.SetShape(x, AnyShape());
    case 6:
      return e.SetName(x, Byte() % 4 == 0 ? "\xff" : "name");
    case 7:
      return e.SetSharding(
          x, Byte() % 2 == 0 ? std::string("\x08\x01") : std::string("\xff"));
    case 8:
      return e.SetMetadata(x, std::string("\x12\x01m"));
    case 9:
      return e.SetFrontendAttribute(x, "key", "value");
    case 10:
    case 11:
      return e.ReplaceAllUses(x, AnyRef());
    case 12:
      return e.SetRoot(AnyComputation(), x);
    case 13:
      return e.Erase(x);
    case 14:
      return e.Erase(AnyComputation());
    default:
      return Keep(e.Clone(x));
  }
}

void EditPlayer::EditMany(uint8_t kind) {
  Editor& e = *editor_;
  switch (kind) {
    case 16:
      computations_.push_back(e.CloneComputation(AnyComputation()));
      return;
    case 17:
      return Keep(e.InlineCall(AnyRef()));
    case 18:
      return Keep(e.Outline(Some(), "region"));
    case 19:
      return Keep(e.AddParameter(AnyComputation(), AnyShape(), "new"));
    case 20:
      return e.RemoveParameter(AnyComputation(), Index());
    case 21:
      Keep(e.AddResult(AnyComputation(), AnyRef()));
      return e.RemoveResult(AnyComputation(), Index());
    case 22:
      if (Byte() % 4 == 0) return e.SetEntry(AnyComputation());
      if (Byte() % 4 == 0) {
        ExtractOptions options;
        options.inputs = Some();
        return ExtractCone(&e, Some(), options);
      }
      for (const ComputationRef c : e.computations()) {
        e.PostOrder(c);
        e.callers(c);
      }
      if (const auto pattern = Pattern::Parse("add(?a, constant(0))");
          pattern.ok()) {
        for (const PatternMatch& match : FindAll(e, *pattern)) {
          Keep(match["a"]);
        }
      }
      return;
    default:
      switch (Byte() % 5) {
        case 0:
          RemoveDeadCode(&e);
          return;
        case 1:
          MergeCommonSubexpressions(&e);
          return;
        case 2:
          FoldConstants(&e);
          return;
        case 3:
          InlineCalls(&e, InlineOptions{-1, 1000});
          return;
        default:
          ConstantsToParameters(&e);
      }
  }
}

void EditPlayer::Record(Insertion* at) {
  ComputationBuilder& b = at->builder();
  const Op x = at->Use(AnyRef());
  const Op y = Byte() % 4 == 0 ? Pick(ops_) : at->Use(AnyRef());
  Op z;
  switch (Byte() % 8) {
    case 0:
      z = b.Add(x, y);
      break;
    case 1:
      z = b.Neg(x);
      break;
    case 2:
      z = b.Splat(1, "f32[4]");
      break;
    case 3:
      z = b.Call(at->UseComputation(AnyComputation()), {x, y});
      break;
    case 4:
      z = b.Tuple({x, y});
      break;
    case 5:
      z = b.Neg(x);
      b.AddControlDependency(x, z);
      break;
    case 6:
      b.SetName(Byte() % 4 == 0 ? x : y, "used");
      z = y;
      break;
    default:
      z = Byte() % 4 == 0 ? b.Parameter(Index(), "f32[4]") : b.Max(x, y);
  }
  ops_.push_back(z);
}

void EditPlayer::Insert(uint8_t kind) {
  Editor& e = *editor_;
  if (kind >= 30 && !insertions_.empty()) {  // one that stays open
    Insertion& at = insertions_[Byte() % insertions_.size()];
    Record(&at);
    if (kind == 31) Keep(at.Insert(Pick(ops_)));
    return;
  }
  Insertion at = kind % 3 == 0   ? e.Before(AnyRef())
                 : kind % 3 == 1 ? e.After(AnyRef())
                                 : e.AtEnd(AnyComputation());
  for (int n = Byte() % 3; n >= 0; --n) Record(&at);
  if (kind == 24) {
    insertions_.push_back(std::move(at));
    return;
  }
  const InstructionRef made = at.Insert(ops_.back());
  Keep(made);
  if (Byte() % 2 == 0) e.ReplaceAllUses(AnyRef(), made);
}

}  // namespace

std::string CheckEditor(absl::string_view program) {
  return EditPlayer(program).Run();
}

}  // namespace indim
