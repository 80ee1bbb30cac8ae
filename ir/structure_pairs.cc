// Operations in two halves: -start and -done, send and recv, async chains
// (XLA: VerifyAsynchronousInstructionPairs, VerifyChannels).

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/structure_checks.h"

namespace indim {
namespace structure {
namespace {

struct Pair {
  Opcode start;
  Opcode done;
  // Loops may carry it: through a tuple into the state, and out of it again.
  bool carried;
};
constexpr Pair kPairs[] = {
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, false},
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, false},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone, false},
    {Opcode::kCopyStart, Opcode::kCopyDone, false},
    {Opcode::kSend, Opcode::kSendDone, true},
    {Opcode::kRecv, Opcode::kRecvDone, true},
};

const Pair* PairOf(Opcode opcode) {
  for (const Pair& pair : kPairs) {
    if (pair.start == opcode || pair.done == opcode) return &pair;
  }
  return nullptr;
}

bool IsAsync(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone;
}

// Its users are asked for below.
bool IsStarted(Opcode opcode) {
  if (opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate) {
    return true;
  }
  const Pair* pair = PairOf(opcode);
  return pair != nullptr && pair->start == opcode;
}

// Users of the started operations of one computation, each user once.
class StartedUsers {
 public:
  StartedUsers(const ModuleData& data, uint32_t computation) {
    const auto instructions = data.Instructions(computation);
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      for (const uint32_t operand : data.Operands(instructions[i])) {
        if (!IsStarted(instructions[operand].opcode)) continue;
        auto& users = users_[operand];
        if (users.empty() || users.back() != i) users.push_back(i);
      }
    }
  }
  absl::Span<const uint32_t> Of(uint32_t i) const {
    const auto found = users_.find(i);
    return found == users_.end() ? absl::Span<const uint32_t>()
                                 : absl::MakeConstSpan(found->second);
  }

 private:
  absl::flat_hash_map<uint32_t, absl::InlinedVector<uint32_t, 1>> users_;
};

// "nothing uses it", "it has 2", "'x' is a tuple".
std::string UsersText(const Context& context, uint32_t c,
                      absl::Span<const uint32_t> users) {
  if (users.empty()) return "nothing uses it";
  if (users.size() > 1) return absl::StrCat("it has ", users.size());
  const Instruction user = context.At(c, users[0]);
  return absl::StrCat("'", user.name(), "' is a ", user.opcode_name());
}

void CheckStart(Context* context, uint32_t c, uint32_t i, const Pair& pair,
                absl::Span<const uint32_t> users, bool is_wrapped) {
  // An async-start stands for both halves of what its computation starts.
  if (is_wrapped && users.empty() && i == context->data.computations[c].root) {
    return;
  }
  if (users.size() == 1) {
    const Opcode user = context->At(c, users[0]).opcode();
    if (user == pair.done || (pair.carried && user == Opcode::kTuple)) return;
  }
  context->Add(Rule::kPairUsers, c, i, Name(pair.done),
               UsersText(*context, c, users));
}

void CheckDone(Context* context, uint32_t c, uint32_t i, const Pair& pair) {
  const Instruction done = context->At(c, i);
  if (done.operand_count() == 0) return;  // its arity is reported elsewhere
  const Instruction operand = done.operand(0);
  if (operand.opcode() == pair.start ||
      (pair.carried && operand.opcode() == Opcode::kGetTupleElement)) {
    return;
  }
  context->Add(Rule::kPairOperand, c, i, Name(pair.start), operand.name(),
               operand.opcode_name());
}

// Computations that an async-start wraps.
std::vector<bool> WrappedComputations(const ModuleData& data) {
  std::vector<bool> wrapped(data.computations.size());
  for (const InstructionRecord& r : data.instructions) {
    if (!IsAsync(r.opcode)) continue;
    for (const uint32_t callee : data.Callees(r)) wrapped[callee] = true;
  }
  return wrapped;
}

// --- Async chains -----------------------------------------------------------

// What may hand on an asynchronous value that it doesn't finish.
bool HandsOn(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kParameter:
      return true;
    default:
      return false;
  }
}

void CheckAsyncUsers(Context* context, uint32_t c, uint32_t i,
                     absl::Span<const uint32_t> users) {
  if (users.empty() && i == context->data.computations[c].root) return;
  size_t continued = 0;
  bool handed_on = false;
  for (const uint32_t user : users) {
    const Instruction next = context->At(c, user);
    if (HandsOn(next.opcode())) {
      handed_on = true;
    } else if (IsAsync(next.opcode()) && next.opcode() != Opcode::kAsyncStart &&
               next.operand(0).index() == static_cast<int>(i)) {
      ++continued;
    } else {
      context->Add(Rule::kAsyncUsers, c, i,
                   absl::StrCat("'", next.name(), "', a ", next.opcode_name(),
                                ", uses it"));
      return;
    }
  }
  if (continued > 1) {
    context->Add(Rule::kAsyncUsers, c, i,
                 absl::StrCat(continued, " continue it"));
  } else if (continued == 0 && !handed_on) {
    context->Add(Rule::kAsyncUsers, c, i, "nothing uses it");
  }
}

// Empty: the instruction names none.
const std::string& NamedThread(const Instruction& instruction) {
  return As<AsyncAttributes>(instruction.attributes()).execution_thread;
}

std::string AsyncThread(const Instruction& instruction) {
  const std::string& thread = NamedThread(instruction);
  return thread.empty() ? "main" : thread;
}

// What began the chain that `link`, a half of it, belongs to, as far back as it
// can be followed here.
Instruction ChainStart(Instruction link) {
  while (link.opcode() == Opcode::kAsyncUpdate && link.operand_count() > 0 &&
         IsAsync(link.operand(0).opcode()) &&
         IsStarted(link.operand(0).opcode())) {
    link = link.operand(0);
  }
  return link;
}

// An update or done and what it continues.
void CheckAsyncLink(Context* context, uint32_t c, uint32_t i) {
  const Instruction link = context->At(c, i);
  if (link.operand_count() == 0) return;
  Instruction from = link.operand(0);
  const Shape& handed = from.shape();
  if (HandsOn(from.opcode()) && (handed.is_tuple() || handed.is_none())) return;
  if (!IsStarted(from.opcode()) || !IsAsync(from.opcode())) {
    context->Add(Rule::kAsyncOperand, c, i, from.name(), from.opcode_name());
    return;
  }
  // Halves later than the start may leave out the thread: it is the start's.
  const std::string started = AsyncThread(ChainStart(from));
  if (!NamedThread(link).empty() && AsyncThread(link) != started) {
    context->Add(Rule::kAsyncThreadChanges, c, i, AsyncThread(link),
                 from.name(), started);
  }
  // Halves later than the start may leave out the computation.
  while (from.callee_count() == 0 && from.opcode() == Opcode::kAsyncUpdate &&
         from.operand_count() > 0) {
    from = from.operand(0);
  }
  if (link.callee_count() == 0 || from.callee_count() == 0) return;
  if (link.callee(0) == from.callee(0)) return;
  context->Add(Rule::kAsyncCallee, c, i, link.callee(0).name(), from.name(),
               from.callee(0).name());
}

void CheckAsyncThread(Context* context, uint32_t c, uint32_t i) {
  const Instruction instruction = context->At(c, i);
  if (instruction.callee_count() == 0) return;
  const std::string thread = AsyncThread(instruction);
  const uint32_t callee = static_cast<uint32_t>(instruction.callee(0).index());
  const std::string theirs = ThreadOf(context->data, callee);
  if (thread == theirs) return;
  context->Add(Rule::kAsyncThread, c, i, thread,
               context->ComputationName(callee), theirs);
}

// --- Channels ---------------------------------------------------------------

// A done half and what it finishes. A channel id of 0 or less is none.
void CheckDoneChannel(Context* context, uint32_t c, uint32_t i) {
  const Instruction done = context->At(c, i);
  if (done.operand_count() == 0) return;
  const Instruction start = done.operand(0);
  if (PairOf(start.opcode()) != PairOf(done.opcode())) return;
  const auto& theirs = As<ChannelAttributes>(start.attributes());
  const auto& ours = As<ChannelAttributes>(done.attributes());
  if (std::max<int64_t>(ours.channel_id, 0) !=
      std::max<int64_t>(theirs.channel_id, 0)) {
    context->Add(Rule::kChannelDiffers, c, i, ours.channel_id, start.name(),
                 theirs.channel_id);
  }
  if (ours.is_host_transfer != theirs.is_host_transfer) {
    context->Add(Rule::kHostTransferDiffers, c, i,
                 ours.is_host_transfer ? "is" : "isn't", start.name(),
                 ours.is_host_transfer ? "is none" : "is one");
  }
}

}  // namespace

void CheckPairs(Context* context) {
  const ModuleData& data = context->data;
  const std::vector<bool> wrapped = WrappedComputations(data);
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const StartedUsers users(data, c);
    const auto instructions = data.Instructions(c);
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const Pair* pair = PairOf(instructions[i].opcode);
      if (pair == nullptr) continue;
      if (instructions[i].opcode == pair->done) {
        CheckDone(context, c, i, *pair);
      } else {
        CheckStart(context, c, i, *pair, users.Of(i), wrapped[c]);
      }
    }
  }
}

void CheckChannels(Context* context) {
  // The first of each operation on each host channel.
  absl::flat_hash_map<std::pair<int64_t, Opcode>, std::pair<uint32_t, uint32_t>>
      hosts;
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (r.opcode == Opcode::kSendDone || r.opcode == Opcode::kRecvDone) {
          CheckDoneChannel(context, c, i);
        }
        if (r.opcode != Opcode::kSend && r.opcode != Opcode::kRecv) return;
        const Instruction here = context->At(c, i);
        const auto& channel = As<ChannelAttributes>(here.attributes());
        if (!channel.is_host_transfer || channel.channel_id <= 0) return;
        const auto [found, is_new] =
            hosts.try_emplace({channel.channel_id, r.opcode}, c, i);
        if (is_new) return;
        const Instruction first =
            context->At(found->second.first, found->second.second);
        if (first.shape().is_none() || here.shape().is_none() ||
            Compatible(first.shape(), here.shape())) {
          return;
        }
        context->Add(Rule::kHostChannelShapes, c, i, first.name(),
                     channel.channel_id, first.shape());
      });
}

void CheckAsync(Context* context) {
  const ModuleData& data = context->data;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const StartedUsers users(data, c);
    const auto instructions = data.Instructions(c);
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const Opcode opcode = instructions[i].opcode;
      if (!IsAsync(opcode)) continue;
      if (opcode != Opcode::kAsyncDone) {
        CheckAsyncUsers(context, c, i, users.Of(i));
      }
      if (opcode == Opcode::kAsyncStart) {
        CheckAsyncThread(context, c, i);
      } else {
        CheckAsyncLink(context, c, i);
      }
    }
  }
}

}  // namespace structure
}  // namespace indim
