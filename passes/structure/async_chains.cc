// SPDX-License-Identifier: Apache-2.0
// Chains of asynchronous operations: one start, any number of updates, one done
// (XLA: VerifyAsynchronousInstructionPairs, CheckAsyncUpdateOperands,
// CheckAsyncDoneOperands). Tuples, loops and the like may pass on the value
// between two links, so the checks follow values.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"
#include "indim/sharding/annotation_calls.h"

namespace indim::structure {
namespace {

using Place = Occurrences::Place;

// More steps than a sensible program has between two links. Farther links count
// as found.
constexpr int kEnoughSteps = 1000;

uint64_t KeyOf(Place place) {
  return uint64_t{place.computation} << 32 | place.instruction;
}

bool IsAsyncProducer(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate;
}

// Custom calls that only annotate the value that they pass on.
bool IsAnnotation(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCustomCall &&
         IsAnnotationCall(
             As<CustomCallAttributes>(instruction.attributes()).target);
}

// Whether it may use an asynchronous value without continuing the chain.
bool TakesAsync(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCall ||
         instruction.opcode() == Opcode::kConditional ||
         instruction.opcode() == Opcode::kDomain || HandsOn(instruction);
}

// Empty: the instruction names no thread.
const std::string& NamedThread(const Instruction& instruction) {
  return As<AsyncAttributes>(instruction.attributes()).execution_thread;
}

std::string AsyncThread(const Instruction& instruction) {
  const std::string& thread = NamedThread(instruction);
  return thread.empty() ? "main" : thread;
}

class ChainChecker {
 public:
  explicit ChainChecker(Context* context)
      : context_(context), tracer_(*context) {}

  void Run() {
    context_->ForEachInstruction(
        [this](uint32_t c, uint32_t i, const InstructionRecord& r) {
          CheckOperands(c, i, r);
          if (!IsAsync(r.opcode)) return;
          if (r.opcode != Opcode::kAsyncStart && r.operand_count > 0) {
            CheckLink(c, i);
          }
        });
    context_->ForEachInstruction(
        [this](uint32_t c, uint32_t i, const InstructionRecord& r) {
          if (r.opcode == Opcode::kAsyncDone) FollowBack({c, i});
        });
    context_->ForEachInstruction(
        [this](uint32_t c, uint32_t i, const InstructionRecord& r) {
          const bool is_start = r.opcode == Opcode::kAsyncStart;
          if (!is_start && r.opcode != Opcode::kAsyncUpdate) return;
          if (TellReader({c, i})) return;
          if (follower_.contains(KeyOf({c, i})) || tracer_.IsCarried({c, i})) {
            return;
          }
          context_->Add(Code::kAsyncUsers, c, i, "nothing finishes it");
        });
  }

 private:
  Instruction At(Place place) const {
    return context_->At(place.computation, place.instruction);
  }

  // Checks the direct users of a started operation.
  void CheckOperands(uint32_t c, uint32_t i, const InstructionRecord& r) {
    const auto instructions = context_->data.Instructions(c);
    const auto operands = context_->data.Operands(r);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!IsAsyncProducer(instructions[operands[k]].opcode)) continue;
      const Instruction user = context_->At(c, i);
      const bool continues =
          IsAsync(r.opcode) && r.opcode != Opcode::kAsyncStart && k == 0;
      if (continues || (!IsAsync(r.opcode) && TakesAsync(user))) continue;
      context_->Add(Code::kAsyncUsers, c, operands[k],
                    absl::StrCat("'", user.name(), "', ",
                                 OneOf(user.opcode_name()), ", uses it"));
    }
  }

  // Reports an instruction that reads a started operation's value, unless
  // CheckOperands has reported it. Returns whether it did.
  bool TellReader(Place producer) {
    const auto [c, i] = producer;
    const AsyncTracer::Uses uses =
        tracer_.UsesInside(producer, [](Opcode opcode) {
          return opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone;
        });
    if (!uses.reader) return false;
    const Instruction reader = context_->At(c, *uses.reader);
    if (reader.opcode() != Opcode::kGetTupleElement &&
        absl::c_linear_search(
            context_->data.Operands(internal::RecordOf(reader)), i)) {
      return false;
    }
    context_->Add(
        Code::kAsyncUsers, c, i,
        absl::StrCat("'", reader.name(), "', ", OneOf(reader.opcode_name()),
                     ", reads it before that"));
    return true;
  }

  // The operation that `link` continues, through its first operand.
  AsyncTracer::Found Producer(const Instruction& link) const {
    const Place operand = {static_cast<uint32_t>(link.computation().index()),
                           static_cast<uint32_t>(link.operand(0).index())};
    return tracer_.Find(operand, [](Opcode opcode) {
      return IsAsyncProducer(opcode) || opcode == Opcode::kAllGatherStart ||
             opcode == Opcode::kAllReduceStart ||
             opcode == Opcode::kCollectivePermuteStart;
    });
  }

  // The start of a chain, or the earliest link that can be found. Links in
  // between may leave out the computation and the thread.
  Instruction ChainStart(Instruction link) {
    const uint64_t first =
        KeyOf({static_cast<uint32_t>(link.computation().index()),
               static_cast<uint32_t>(link.index())});
    absl::flat_hash_set<uint64_t> seen;
    while (link.opcode() == Opcode::kAsyncUpdate && link.operand_count() > 0) {
      const AsyncTracer::Found from = Producer(link);
      if (!from.place || !IsAsyncProducer(At(*from.place).opcode()) ||
          !seen.insert(KeyOf(*from.place)).second) {
        break;
      }
      const auto known = starts_.find(KeyOf(*from.place));
      link = At(known == starts_.end() ? *from.place : known->second);
    }
    starts_[first] = {static_cast<uint32_t>(link.computation().index()),
                      static_cast<uint32_t>(link.index())};
    return link;
  }

  // Checks an update or done against the operation that it continues.
  void CheckLink(uint32_t c, uint32_t i) {
    const Instruction link = context_->At(c, i);
    const AsyncTracer::Found from = Producer(link);
    if (from.given_up) return;
    if (!from.place || !IsAsyncProducer(At(*from.place).opcode())) {
      const Instruction other = from.place ? At(*from.place) : link.operand(0);
      context_->Add(Code::kAsyncOperand, c, i, other.name(),
                    OneOf(other.opcode_name()));
      return;
    }
    const Instruction producer = At(*from.place);
    const Instruction start = ChainStart(producer);
    if (!NamedThread(link).empty() && AsyncThread(link) != AsyncThread(start)) {
      context_->Add(Code::kAsyncThreadChanges, c, i, AsyncThread(link),
                    producer.name(), AsyncThread(start));
    }
    const Instruction& named = producer.callee_count() > 0 ? producer : start;
    if (link.callee_count() == 0 || named.callee_count() == 0 ||
        link.callee(0) == named.callee(0)) {
      return;
    }
    context_->Add(Code::kAsyncCallee, c, i, link.callee(0).name(), named.name(),
                  named.callee(0).name());
  }

  // Follows a chain from a done to its start, and checks that each link belongs
  // to one chain only.
  void FollowBack(Place done) {
    for (Place here = done; At(here).operand_count() > 0;) {
      const AsyncTracer::Found from = Producer(At(here));
      if (!from.place || !IsAsyncProducer(At(*from.place).opcode())) return;
      const auto [found, is_new] =
          follower_.try_emplace(KeyOf(*from.place), here);
      if (!is_new) {
        context_->Add(Code::kAsyncUsers, from.place->computation,
                      from.place->instruction,
                      absl::StrCat("'", At(found->second).name(), "' and '",
                                   At(here).name(), "' both do"));
        return;
      }
      here = *from.place;
    }
  }

  Context* context_;
  AsyncTracer tracer_;
  absl::flat_hash_map<uint64_t, Place> starts_;  // results of ChainStart
  // For each start and update on the way back from a done, the link that
  // continues it.
  absl::flat_hash_map<uint64_t, Place> follower_;
};

}  // namespace

bool HandsOn(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kCopy:
    case Opcode::kParameter:
    case Opcode::kWhile:
      return true;
    default:
      return IsAnnotation(instruction);
  }
}

bool IsControlDependency(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCustomCall &&
         As<CustomCallAttributes>(instruction.attributes()).target ==
             "control_dep";
}

std::string OneOf(absl::string_view opcode) {
  const bool vowel = !opcode.empty() && absl::StrContains("aeiou", opcode[0]);
  return absl::StrCat(vowel ? "an " : "a ", opcode);
}

// --- Where a value comes from ------------------------------------------------

AsyncTracer::AsyncTracer(const Context& context) : context_(context) {
  const ModuleData& data = context.data;
  for (const auto& [c, i] : context.occurs.callers()) {
    const InstructionRecord& r = data.Instructions(c)[i];
    const auto callees = data.Callees(r);
    for (size_t k = 0; k < callees.size(); ++k) {
      callers_[callees[k]].push_back({c, i});
      if (r.opcode != Opcode::kWhile) continue;
      // Only the body, callee 0, gets the value that a turn leaves.
      loops_[callees[k]].push_back({{c, i}, k == 0});
    }
  }
}

// One step back from `at`; the step to take first is pushed last.
void AsyncTracer::StepBack(const Step& at, std::vector<Step>* steps) const {
  const uint32_t c = at.place.computation;
  const Instruction here = context_.At(c, at.place.instruction);
  const auto operand = [&](int k, DimIndices index) {
    if (k < 0 || k >= here.operand_count()) return;
    const uint32_t from = static_cast<uint32_t>(here.operand(k).index());
    steps->push_back({{c, from}, std::move(index)});
  };
  const auto root = [&](uint32_t body) {
    steps->push_back({{body, context_.data.computations[body].root}, at.index});
  };
  switch (here.opcode()) {
    case Opcode::kGetTupleElement: {
      DimIndices index = at.index;
      index.push_back(As<GetTupleElementAttributes>(here.attributes()).index);
      return operand(0, std::move(index));
    }
    case Opcode::kOptimizationBarrier:
      if (here.operand_count() == 1) return operand(0, at.index);
      [[fallthrough]];
    case Opcode::kTuple: {
      if (at.index.empty()) {
        for (int k = here.operand_count(); k-- > 0;) operand(k, {});
        return;
      }
      const int64_t k = at.index.back();
      if (k < 0 || k >= here.operand_count()) return;
      return operand(static_cast<int>(k),
                     DimIndices(at.index.begin(), at.index.end() - 1));
    }
    case Opcode::kParameter: {
      const auto loops = loops_.find(c);
      if (loops == loops_.end() || loops->second.size() != 1) return;
      const auto& [loop, is_body] = loops->second[0];
      if (!is_body) return;
      root(c);
      const Instruction caller =
          context_.At(loop.computation, loop.instruction);
      if (caller.operand_count() == 0) return;
      const uint32_t init = static_cast<uint32_t>(caller.operand(0).index());
      steps->push_back({{loop.computation, init}, at.index});
      return;
    }
    case Opcode::kWhile:
      operand(0, at.index);
      if (here.callee_count() > 0) {
        root(static_cast<uint32_t>(here.callee(0).index()));
      }
      return;
    default:
      if (HandsOn(here)) operand(0, at.index);
  }
}

AsyncTracer::Found AsyncTracer::Find(
    Place from, absl::FunctionRef<bool(Opcode)> wanted) const {
  std::vector<Step> steps = {{from, {}}};
  absl::flat_hash_set<std::pair<uint64_t, std::vector<int64_t>>> seen;
  for (int count = 0; !steps.empty(); ++count) {
    if (count == kEnoughSteps) return {std::nullopt, /*given_up=*/true};
    const Step at = std::move(steps.back());
    steps.pop_back();
    if (!seen.insert({KeyOf(at.place), {at.index.begin(), at.index.end()}})
             .second) {
      continue;
    }
    const auto [c, i] = at.place;
    if (wanted(context_.At(c, i).opcode())) return {at.place, false};
    StepBack(at, &steps);
  }
  return {};
}

// --- Where a value goes to ---------------------------------------------------

const AsyncTracer::Users& AsyncTracer::UsersIn(uint32_t computation) {
  const auto [found, is_new] = users_.try_emplace(computation);
  if (!is_new) return found->second;
  const auto instructions = context_.data.Instructions(computation);
  found->second.resize(instructions.size());
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    for (const uint32_t operand : context_.data.Operands(instructions[i])) {
      auto& users = found->second[operand];
      if (users.empty() || users.back() != i) users.push_back(i);
    }
  }
  return found->second;
}

bool AsyncTracer::IsCarried(Place from) {
  std::vector<Place> places = {from};
  absl::flat_hash_set<uint64_t> seen;
  int count = 0;
  while (!places.empty()) {
    const auto [c, i] = places.back();
    places.pop_back();
    if (!seen.insert(KeyOf({c, i})).second) continue;
    if (i == context_.data.computations[c].root) {
      for (const Place& caller : callers_[c]) {
        if (++count == kEnoughSteps) return true;
        const Opcode opcode =
            context_.At(caller.computation, caller.instruction).opcode();
        if (opcode == Opcode::kCall || opcode == Opcode::kConditional) {
          places.push_back(caller);
        }
      }
      for (const auto& [loop, is_body] : loops_[c]) {
        if (is_body) return true;
      }
    }
    for (const uint32_t user : UsersIn(c)[i]) {
      if (++count == kEnoughSteps) return true;
      switch (context_.At(c, user).opcode()) {
        case Opcode::kWhile:
          return true;
        case Opcode::kAsyncUpdate:
        case Opcode::kTuple:
        case Opcode::kGetTupleElement:
        case Opcode::kOptimizationBarrier:
        case Opcode::kDomain:
        case Opcode::kCall:
        case Opcode::kConditional:
          places.push_back({c, user});
          break;
        default:
          break;
      }
    }
  }
  return false;
}

// One step forward from `at` into `user`. An empty index means the whole value.
void AsyncTracer::StepOn(const Step& at, const Instruction& user,
                         std::vector<Step>* steps, Uses* uses) const {
  const Place there = {at.place.computation,
                       static_cast<uint32_t>(user.index())};
  const bool makes_tuple = user.opcode() == Opcode::kTuple ||
                           (user.opcode() == Opcode::kOptimizationBarrier &&
                            user.operand_count() > 1);
  if (makes_tuple) {
    for (int k = 0; k < user.operand_count(); ++k) {
      if (user.operand(k).index() != static_cast<int>(at.place.instruction)) {
        continue;
      }
      DimIndices index = at.index;
      index.push_back(k);
      steps->push_back({there, std::move(index)});
    }
  } else if (user.opcode() == Opcode::kGetTupleElement) {
    if (at.index.empty()) {
      uses->reader = there.instruction;
    } else if (at.index.back() ==
               As<GetTupleElementAttributes>(user.attributes()).index) {
      steps->push_back({there, {at.index.begin(), at.index.end() - 1}});
    }
  } else if (user.opcode() != Opcode::kWhile && HandsOn(user)) {
    steps->push_back({there, at.index});
  } else if (at.index.empty() && !TakesAsync(user)) {
    uses->reader = there.instruction;
  }
}

AsyncTracer::Uses AsyncTracer::UsesInside(
    Place from, absl::FunctionRef<bool(Opcode)> finishes) {
  const uint32_t c = from.computation;
  Uses uses;
  std::vector<Step> steps = {{from, {}}};
  absl::flat_hash_set<std::pair<uint64_t, std::vector<int64_t>>> seen;
  int count = 0;
  while (!steps.empty()) {
    const Step at = std::move(steps.back());
    steps.pop_back();
    if (!seen.insert({KeyOf(at.place), {at.index.begin(), at.index.end()}})
             .second) {
      continue;
    }
    for (const uint32_t u : UsersIn(c)[at.place.instruction]) {
      if (++count == kEnoughSteps) {
        uses.given_up = true;
        return uses;
      }
      const Instruction user = context_.At(c, u);
      if (IsControlDependency(user)) continue;
      if (!at.index.empty() || !finishes(user.opcode())) {
        StepOn(at, user, &steps, &uses);
      } else if (!absl::c_linear_search(uses.finishers, u)) {
        uses.finishers.push_back(u);
      }
    }
  }
  absl::c_sort(uses.finishers);
  return uses;
}

// --- Chains ------------------------------------------------------------------

void CheckAsync(Context* context) { ChainChecker(context).Run(); }

}  // namespace indim::structure
