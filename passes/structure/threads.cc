// SPDX-License-Identifier: Apache-2.0
// The thread of each computation (XLA: SetThreadName,
// CheckAsyncOpComputationThreadName). When XLA's importer reaches an
// async-start, it moves the callee, and all computations that it calls, to the
// start's thread. A computation that no start reaches keeps the thread that it
// names itself.

#include <algorithm>
#include <string>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::structure {
namespace {

using field::HloComputationProto::kExecutionThread;

absl::string_view OrMain(absl::string_view thread) {
  return thread.empty() ? absl::string_view("main") : thread;
}

}  // namespace

Threads::Threads(const ModuleData& data, const Occurrences& occurs) {
  declared_.reserve(data.computations.size());
  for (const ComputationRecord& c : data.computations) {
    FieldList fields(WireMessage::kHloComputationProto, c.other_fields);
    declared_.push_back(std::string(OrMain(fields.Text(kExecutionThread))));
  }
  movers_.resize(declared_.size());
  threads_ = declared_;
  if (occurs.Any(Opcode::kAsyncStart)) FindMovers(data, occurs);
}

// The last start that reaches a computation decides, so it goes through callers
// from the end and keeps the first start found. Everything called from a
// computation that was reached before was reached too.
void Threads::FindMovers(const ModuleData& data, const Occurrences& occurs) {
  const absl::Span<const Place> callers = occurs.callers();
  // The index of each computation's first caller in `callers`; then the end.
  std::vector<size_t> first(declared_.size() + 1, callers.size());
  for (size_t k = callers.size(); k-- > 0;) first[callers[k].computation] = k;
  for (size_t c = declared_.size(); c-- > 0;) {
    first[c] = std::min(first[c], first[c + 1]);
  }
  std::vector<uint32_t> reached;
  const auto reach = [&](Place caller) {
    const auto callees =
        data.Callees(data.Instructions(caller.computation)[caller.instruction]);
    reached.insert(reached.end(), callees.begin(), callees.end());
  };
  for (size_t k = callers.size(); k-- > 0;) {
    const Instruction start = internal::InstructionOf(
        &data, callers[k].computation, callers[k].instruction);
    if (start.opcode() != Opcode::kAsyncStart) continue;
    reach(callers[k]);
    while (!reached.empty()) {
      const uint32_t c = reached.back();
      reached.pop_back();
      if (movers_[c]) continue;
      movers_[c] = callers[k];
      threads_[c] = ThreadOf(start);
      for (size_t n = first[c]; n < first[c + 1]; ++n) reach(callers[n]);
    }
  }
}

std::string Threads::ThreadOf(const Instruction& start) {
  return std::string(
      OrMain(As<AsyncAttributes>(start.attributes()).execution_thread));
}

// A start runs on the thread to which its computation was moved, if it was.
void CheckAsyncThreads(Context* context) {
  const Threads& threads = context->threads();
  for (const auto& [c, i] : context->occurs.callers()) {
    const Instruction start = context->At(c, i);
    if (start.opcode() != Opcode::kAsyncStart) continue;
    const std::string own =
        threads.mover(c) ? threads.Of(c) : Threads::ThreadOf(start);
    const uint32_t callee = static_cast<uint32_t>(start.callee(0).index());
    const Occurrences::Place mover = *threads.mover(callee);
    if (own != threads.Of(callee)) {
      context->Add(Code::kAsyncThread, c, i, own,
                   context->ComputationName(callee), threads.Of(callee),
                   context->NameAt(mover.computation, mover.instruction));
    } else if (mover.computation == c && mover.instruction == i &&
               own != threads.Declared(callee)) {
      context->Add(Code::kComputationThreadOdd, c, i, own,
                   context->ComputationName(callee), threads.Declared(callee));
    }
  }
}

}  // namespace indim::structure
