// SPDX-License-Identifier: Apache-2.0
// Checks pairs of a -start and a -done, and send and recv with theirs (XLA:
// VerifySingleUser, VerifySingleOperand, VerifyChannels).

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"

namespace indim::structure {
namespace {

struct Pair {
  Opcode start;
  Opcode done;
  bool is_transfer;
  bool is_collective;  // others may pass on the started value
};
constexpr Pair kPairs[] = {
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, false, true},
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, false, true},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone, false,
     true},
    {Opcode::kCopyStart, Opcode::kCopyDone, false, false},
    {Opcode::kSend, Opcode::kSendDone, true, false},
    {Opcode::kRecv, Opcode::kRecvDone, true, false},
};

const Pair* PairOf(Opcode opcode) {
  for (const Pair& pair : kPairs) {
    if (pair.start == opcode || pair.done == opcode) return &pair;
  }
  return nullptr;
}

// Whether StartedUsers lists its users.
bool IsStarted(Opcode opcode) {
  const Pair* pair = PairOf(opcode);
  return pair != nullptr && pair->start == opcode;
}

// The users of the started operations of one computation, each user once.
class StartedUsers {
 public:
  StartedUsers(const Context& context, uint32_t computation) {
    const auto instructions = context.data.Instructions(computation);
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      for (const uint32_t operand : context.data.Operands(instructions[i])) {
        if (!IsStarted(instructions[operand].opcode) ||
            IsControlDependency(context.At(computation, i))) {
          continue;
        }
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

// The fault in the uses of a start whose only user passes the value on; "":
// none.
std::string HandedOnText(const Context& context, AsyncTracer* tracer,
                         Occurrences::Place start, const Pair& pair,
                         bool is_wrapped) {
  const auto quoted = [&](uint32_t i) {
    return absl::StrCat("'", context.NameAt(start.computation, i), "'");
  };
  const AsyncTracer::Uses uses = tracer->UsesInside(
      start, [&](Opcode opcode) { return opcode == pair.done; });
  if (uses.given_up) return "";
  if (uses.finishers.size() > 1) {
    return absl::StrCat(quoted(uses.finishers[0]), " and ",
                        quoted(uses.finishers[1]), " both finish it");
  }
  if (uses.reader) {
    const Instruction reader = context.At(start.computation, *uses.reader);
    return absl::StrCat(quoted(*uses.reader), ", ", OneOf(reader.opcode_name()),
                        ", reads it before that");
  }
  if (!uses.finishers.empty() || tracer->IsCarried(start)) return "";
  // A group of transfers may be the result of a computation that an async-start
  // wraps.
  return is_wrapped && pair.is_transfer ? "" : "nothing finishes it";
}

// The fault in the users of a start; "": none.
std::string UsersText(const Context& context,
                      std::optional<AsyncTracer>* tracer,
                      Occurrences::Place start, const Pair& pair,
                      absl::Span<const uint32_t> users, bool is_wrapped) {
  if (users.size() > 1) return absl::StrCat("it has ", users.size(), " users");
  if (!users.empty()) {
    const Instruction user = context.At(start.computation, users[0]);
    if (user.opcode() == pair.done) return "";
    if (!HandsOn(user)) {
      return absl::StrCat("'", user.name(), "' is ", OneOf(user.opcode_name()));
    }
  }
  if (!tracer->has_value()) tracer->emplace(context);
  if (!users.empty()) {
    return HandedOnText(context, &**tracer, start, pair, is_wrapped);
  }
  return (*tracer)->IsCarried(start) ? "" : "nothing uses it";
}

void CheckStart(Context* context, uint32_t c, uint32_t i, const Pair& pair,
                absl::Span<const uint32_t> users, bool is_wrapped,
                std::optional<AsyncTracer>* tracer) {
  // The async-start finishes a transfer that is the root of its computation.
  if (is_wrapped && pair.is_transfer &&
      i == context->data.computations[c].root) {
    return;
  }
  const std::string text =
      UsersText(*context, tracer, {c, i}, pair, users, is_wrapped);
  if (text.empty()) return;
  context->Add(Code::kPairUsers, c, i, OneOf(Name(pair.done)), text);
}

void CheckDone(Context* context, uint32_t c, uint32_t i, const Pair& pair,
               std::optional<AsyncTracer>* tracer) {
  const Instruction done = context->At(c, i);
  if (done.operand_count() == 0) return;  // its arity is reported elsewhere
  const Instruction operand = done.operand(0);
  // A transfer may come out of a loop.
  if (operand.opcode() == pair.start ||
      (pair.is_transfer && operand.opcode() == Opcode::kGetTupleElement)) {
    return;
  }
  if (pair.is_collective && HandsOn(operand)) {
    if (!tracer->has_value()) tracer->emplace(*context);
    const AsyncTracer::Found from = (*tracer)->Find(
        {c, static_cast<uint32_t>(operand.index())}, [](Opcode opcode) {
          const Pair* other = PairOf(opcode);
          return other != nullptr && other->is_collective &&
                 other->start == opcode;
        });
    if (from.given_up || (from.place && context->At(from.place->computation,
                                                    from.place->instruction)
                                                .opcode() == pair.start)) {
      return;
    }
  }
  context->Add(Code::kPairOperand, c, i, OneOf(Name(pair.start)),
               operand.name(), OneOf(operand.opcode_name()));
}

// The computations that an async-start wraps.
std::vector<bool> WrappedComputations(const ModuleData& data) {
  std::vector<bool> wrapped(data.computations.size());
  for (const InstructionRecord& r : data.instructions) {
    if (!IsAsync(r.opcode)) continue;
    for (const uint32_t callee : data.Callees(r)) wrapped[callee] = true;
  }
  return wrapped;
}

// --- Channels ---------------------------------------------------------------

// Compares the channel of a done with that of its start. A channel id of 0 or
// less means none, and XLA then compares nothing.
void CheckDoneChannel(Context* context, uint32_t c, uint32_t i) {
  const Instruction done = context->At(c, i);
  if (done.operand_count() == 0) return;
  const Instruction start = done.operand(0);
  if (PairOf(start.opcode()) != PairOf(done.opcode())) return;
  const auto& theirs = As<ChannelAttributes>(start.attributes());
  const auto& ours = As<ChannelAttributes>(done.attributes());
  if (theirs.channel_id <= 0) return;
  if (ours.channel_id != theirs.channel_id) {
    context->Add(Code::kChannelDiffers, c, i, ours.channel_id, start.name(),
                 theirs.channel_id);
  }
  if (ours.is_host_transfer != theirs.is_host_transfer) {
    context->Add(Code::kHostTransferDiffers, c, i,
                 ours.is_host_transfer ? "is" : "isn't", start.name(),
                 ours.is_host_transfer ? "is none" : "is one");
  }
}

// The difference between two transfers on one host channel, besides their
// shapes; "": none.
std::string HostTransferDifference(const Instruction& first,
                                   const Instruction& second) {
  if (first.opcode() != second.opcode()) {
    return absl::StrCat("one is a ", first.opcode_name(), ", the other a ",
                        second.opcode_name());
  }
  // Field numbers in HloInstructionProto.
  constexpr std::pair<int, const char*> kFields[] = {
      {43, "backend_config"}, {68, "frontend_attributes"}};
  for (const auto& [number, name] : kFields) {
    if (AttributeBytesField(internal::AttributeBytesOf(first), number) !=
        AttributeBytesField(internal::AttributeBytesOf(second), number)) {
      return absl::StrCat("their ", name, " differ");
    }
  }
  return "";
}

}  // namespace

bool HasPairs(const Occurrences& occurs) {
  return absl::c_any_of(kPairs, [&occurs](const Pair& pair) {
    return occurs.Any({pair.start, pair.done});
  });
}

bool HasChannels(const Occurrences& occurs) {
  return absl::c_any_of(kPairs, [&occurs](const Pair& pair) {
    return pair.is_transfer && occurs.Any({pair.start, pair.done});
  });
}

void CheckPairs(Context* context) {
  const ModuleData& data = context->data;
  const std::vector<bool> wrapped = WrappedComputations(data);
  std::optional<AsyncTracer> tracer;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const StartedUsers users(*context, c);
    const auto instructions = data.Instructions(c);
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const Pair* pair = PairOf(instructions[i].opcode);
      if (pair == nullptr) continue;
      if (instructions[i].opcode == pair->done) {
        CheckDone(context, c, i, *pair, &tracer);
      } else {
        CheckStart(context, c, i, *pair, users.Of(i), wrapped[c], &tracer);
      }
    }
  }
}

void CheckChannels(Context* context) {
  // The first transfer on each host channel.
  absl::flat_hash_map<int64_t, std::pair<uint32_t, uint32_t>> hosts;
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (r.opcode == Opcode::kSendDone || r.opcode == Opcode::kRecvDone) {
      CheckDoneChannel(context, c, i);
    }
    if (r.opcode != Opcode::kSend && r.opcode != Opcode::kRecv) return;
    const Instruction here = context->At(c, i);
    const auto& channel = As<ChannelAttributes>(here.attributes());
    if (!channel.is_host_transfer || channel.channel_id <= 0) return;
    const auto [found, is_new] = hosts.try_emplace(channel.channel_id, c, i);
    if (is_new) return;
    const Instruction first =
        context->At(found->second.first, found->second.second);
    if (!first.shape().is_none() && !here.shape().is_none() &&
        !Compatible(first.shape(), here.shape())) {
      context->Add(Code::kHostChannelShapes, c, i, first.name(),
                   channel.channel_id, first.shape());
      return;
    }
    const std::string difference = HostTransferDifference(first, here);
    if (difference.empty()) return;
    context->Add(Code::kHostChannelDiffers, c, i, first.name(),
                 channel.channel_id, difference);
  });
}

}  // namespace indim::structure
