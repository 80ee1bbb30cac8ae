// SPDX-License-Identifier: Apache-2.0
// Linearizer: copies a computation into a builder, and writes the tangents of
// its values onto a tape.

#ifndef INDIM_GRAD_LINEARIZER_H_
#define INDIM_GRAD_LINEARIZER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/instruction_copier.h"
#include "indim/builder/op.h"
#include "indim/grad/gradient.h"
#include "indim/grad/tape.h"
#include "indim/grad/wanted.h"
#include "indim/ir/gradient_mark.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/passes/cost/trip_count.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// Whether it says how its operand, or its operands' parts, are spread: a
// custom-call that XLA mustn't drop, and that does nothing.
bool IsShardingNote(const Instruction& node);

// Whether it says more than what to compute: a sharding, frontend attributes
// (marks among them), a backend's configuration, that it is a composite.
bool HasAnnotations(const Instruction& node);

// What an instruction is marked with.
GradientMark MarkOf(const Instruction& node);

// Which instructions of a computation its root is computed from, by index.
std::vector<bool> NeededByRoot(const Computation& computation);

// Copies the instructions of a computation into `builder`, with `arguments` for
// its parameters. Returns its root.
Op CopyComputation(ComputationBuilder* builder, const Computation& computation,
                   absl::Span<const Op> arguments, InstructionCopier* copies);

// Copies an instruction, with these operands, into `builder`.
Op CopyInstruction(ComputationBuilder* builder, const Instruction& node,
                   absl::Span<const Op> operands, InstructionCopier* copies);

// Whether some part of a value has elements with tangents, and has one.
bool HasTangents(const Shape& shape);
bool AnyTangent(const TangentLeaves& tangents);

// Whether a call becomes the instructions of its computation: it says no more,
// and there are few that call nothing, or they only look at a part of an
// operand, whose derivative is a part too.
bool IsWrittenOut(const Instruction& call);

// How deeply computations that run others may nest.
constexpr int kMostNestedCalls = 200;

// The metadata of what stands for an instruction: of its value, and of what its
// derivative needs, whose op_name ends in "/jvp" or "/vjp".
struct Origin {
  MetadataId value, derivative;
};

struct CallRules;

// What the derivative of one module shares among its computations.
struct GradientContext {
  GradientContext(Module differentiated, std::shared_ptr<SharedState> family)
      : module(differentiated),
        copies(std::move(differentiated), std::move(family)) {}
  // The context of a module that stands for an instruction of this one.
  GradientContext& AddInner(Module inner_module, Origin origin_of_all) {
    inner.push_back(std::make_unique<GradientContext>(std::move(inner_module),
                                                      copies.family()));
    inner.back()->origin = origin_of_all;
    inner.back()->is_inner = true;
    inner.back()->last_channel = last_channel;
    inner.back()->options = options;
    return *inner.back();
  }
  // OK, or the first error, of the inner ones too.
  absl::Status FirstError() const {
    for (const auto& context : inner) {
      if (absl::Status s = context->FirstError(); !s.ok()) return s;
    }
    return status;
  }

  // Whether an instruction, or one of a computation that it calls, gives
  // something else each time or has a side effect.
  bool CantRunTwice(const Instruction& node);
  bool CantRunTwice(const Computation& computation);

  // The site of what `caller` runs, which is called at `outer`.
  const CallChain* AddSite(const Instruction& caller, int callee,
                           const CallChain* outer) {
    sites.push_back(
        {caller, callee, outer, outer == nullptr ? 1 : outer->depth + 1});
    return &sites.back();
  }

  const Module module;
  GradientOptions options;
  InstructionCopier copies;
  bool is_inner = false;
  bool tells_path = false;  // an error does
  // Of recorded values: what depends on one that a rule records again is
  // recorded again too, up to the result.
  bool renews = false;
  // Of instructions that have none themselves.
  Origin origin;
  // The highest channel_id in use.
  std::shared_ptr<int64_t> last_channel = std::make_shared<int64_t>(0);
  std::deque<CallChain> sites;
  WantedMemo wanted;
  // What was made for computations that are called (calls.cc).
  std::shared_ptr<CallRules> calls;
  // How many instructions of callees were copied: a module whose branches
  // double at each level would become too large.
  int64_t visited = 0;
  std::vector<bool> cant_run_twice;  // by computation; empty: nobody asked
  absl::Status status;  // of what is written when the tape is transposed
  std::vector<std::unique_ptr<GradientContext>> inner;
};

class Linearizer {
 public:
  // `site` is where the computation is run; null: it is the entry.
  Linearizer(GradientContext* context, Tape* tape, const CallChain* site)
      : context_(*context), tape_(*tape), site_(site) {}

  // Copies `computation`, whose parameters are `arguments`. `wanted` are the
  // leaves of its result whose tangents someone wants; null: all. Errors: an
  // instruction on a path from a tangent to a result has no derivative.
  // `recorded`: by index of the instruction, a value that is in the builder
  // already, and the tangents of an independent one; a default value isn't
  // there, and is recorded where a rule needs it.
  absl::StatusOr<Traced> Run(const Computation& computation,
                             absl::Span<const Traced> arguments,
                             absl::Span<const Traced> recorded = {},
                             const ActiveLeaves* wanted = nullptr);
  // The value of an instruction, recorded if it wasn't needed before.
  const Traced& Value(const Instruction& node, std::vector<Traced>* values);

  Tape& tape() const { return tape_; }
  GradientContext& context() const { return context_; }
  const CallChain* site() const { return site_; }
  // Whether an instruction's value is recorded and independent.
  bool IsIndependent(const Instruction& node) const {
    return !recorded_.empty() &&
           AnyTangent(recorded_[static_cast<size_t>(node.index())].tangents);
  }
  Origin OriginOf(const Instruction& node);

 private:
  // The root's index, and what a run knows of each instruction, by index.
  struct Progress {
    int root;
    std::vector<ActiveLeaves> wanted;  // the leaves that a derivative may pass
    std::vector<bool> needed;          // the root is computed from it
    std::vector<bool> renewed;         // its value was recorded again
    std::vector<Traced> values;
  };
  // Counts a computation that is called. An error: they are too many, or nest
  // too deeply.
  absl::Status CheckNesting(const Computation& computation);
  // Whether its value is recorded where a rule needs it, and nowhere else.
  bool WaitsForUse(const Instruction& node, const Progress& run);
  absl::Status RunInstruction(const Instruction& node, Progress* run);
  absl::Status Visit(const Instruction& node, const ActiveLeaves& wanted,
                     bool is_recorded, std::vector<Traced>* values);
  // An instruction's error, which then names the path through it.
  absl::Status WithPath(const absl::Status& status, const Instruction& node,
                        const Progress& run);

  GradientContext& context_;
  Tape& tape_;
  const CallChain* const site_;
  absl::Span<const Traced> recorded_;  // while it runs
};

// Which parts of the result have tangents if these of the parameters do. It may
// say so of a part that turns out to be 0.
ActiveLeaves ActiveResults(const Computation& computation,
                           absl::Span<const ActiveLeaves> parameters);
// Which parts of each instruction of the computation have tangents then, and if
// this one has (null: none). No `parameters`: none of them has.
std::vector<ActiveLeaves> ActiveInstructions(
    const Computation& computation, absl::Span<const ActiveLeaves> parameters,
    const Instruction* independent = nullptr);
// Which parts of a loop's state have tangents if these of its start do.
ActiveLeaves ActiveInLoop(const Computation& body, ActiveLeaves carry);

// One instruction that is linearized.
class Primal {
 public:
  Primal(Linearizer* linearizer, const Instruction& node,
         const ActiveLeaves* wanted, std::vector<Traced>* values,
         Traced* result)
      : linearizer_(*linearizer),
        node_(node),
        wanted_(*wanted),
        values_(*values),
        result_(*result) {}

  const Instruction& node() const { return node_; }
  const Shape& shape() const { return node_.shape(); }
  const Shape& shape(int i) const { return node_.operand(i).shape(); }
  Tape& tape() const { return linearizer_.tape(); }
  ComputationBuilder& b() const { return tape().primal(); }
  Linearizer& linearizer() const { return linearizer_; }
  GradientContext& context() const { return linearizer_.context(); }
  // The parts of the result whose tangents someone wants.
  const ActiveLeaves& wanted() const { return wanted_; }
  // The site of its callee k.
  const CallChain* SiteOf(int k) const {
    return context().AddSite(node_, k, linearizer_.site());
  }

  // Values in b(): of operand i, and of the result.
  Op x(int i) const { return traced(i).value; }
  Op r() const { return result_.value; }
  const Traced& traced(int i) const { return TracedOf(node_.operand(i)); }
  const Traced& TracedOf(const Instruction& node) const {
    return linearizer_.Value(node, &values_);
  }
  // The tangents of operand i; of an array.
  const TangentLeaves& tangents(int i) const {
    return values_[static_cast<size_t>(node_.operand(i).index())].tangents;
  }
  const Tangent& t(int i) const { return tangents(i)[0]; }
  Op TangentOrZeros(int i) const { return tape().OrZeros(t(i), shape(i)); }

  // Sets the tangent of the result, an array.
  void Set(const Tangent& tangent) { result_.tangents[0] = tangent; }
  void Set(Traced traced) { result_ = std::move(traced); }
  TangentLeaves& tangents() { return result_.tangents; }

  // The same operation on other operands, of which those that are tangents are
  // on the tape.
  Op RecordLike(absl::Span<const Op> operands) const;

  // Differentiates a module that computes the same instead.
  absl::Status SetByExpansion(absl::StatusOr<Module> module);

  // Refuses the instruction. `way_out` says what to do instead.
  absl::Status Refuse(absl::string_view why,
                      absl::string_view way_out = "") const;
  // Refuses sizes that aren't numbers.
  absl::Status RefuseSizes() const;

 private:
  Linearizer& linearizer_;
  const Instruction& node_;
  const ActiveLeaves& wanted_;
  std::vector<Traced>& values_;
  Traced& result_;
};

}  // namespace indim::internal

#endif  // INDIM_GRAD_LINEARIZER_H_
