// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/tools/device_op_builders.h"

namespace indim {
namespace {

using B = TestBuilder;
using Builders = std::vector<OpBuilder>;

void AddTransfers(Builders* to) {
  to->insert(
      to->end(),
      {{Opcode::kInfeed, "InfeedWithToken",
        [](B& b) { return b.InfeedWithToken(b.CreateToken(), "f32[3]"); }},
       {Opcode::kOutfeed, "OutfeedWithToken",
        [](B& b) {
          return b.OutfeedWithToken(b.P("f32[3]"), b.CreateToken(), "f32[3]");
        }},
       {Opcode::kSend, "Send",
        [](B& b) {
          const Op send = b.Send(b.P("f32[3]"), b.CreateToken(), 1);
          b.SendDone(send, 1);
          return send;
        }},
       {Opcode::kSendDone, "SendWithToken",
        [](B& b) {
          return b.SendWithToken(b.P("f32[3]"), b.CreateToken(), 1);
        }},
       {Opcode::kRecv, "Recv",
        [](B& b) {
          const Op recv = b.Recv(b.CreateToken(), "f32[3]", 1);
          b.RecvDone(recv, 1);
          return recv;
        }},
       {Opcode::kRecvDone, "RecvWithToken",
        [](B& b) { return b.RecvWithToken(b.CreateToken(), "f32[3]", 1); }},
       {Opcode::kPartitionId, "PartitionId",
        [](B& b) { return b.PartitionId(); }},
       {Opcode::kReplicaId, "ReplicaId", [](B& b) { return b.ReplicaId(); }}});
}

CollectivePermuteAttributes Swap() {
  CollectivePermuteAttributes swap;
  swap.source_target_pairs = {{0, 1}, {1, 0}};
  return swap;
}

CollectiveAttributes Pair() {
  CollectiveAttributes pair;
  pair.replica_groups.groups = {{0, 1}};
  return pair;
}

void AddCollectives(Builders* to) {
  to->insert(
      to->end(),
      {{Opcode::kAllReduce, "AllReduce",
        [](B& b) { return b.AllReduce(b.P("f32[3]"), AddScalars()); }},
       {Opcode::kAllReduceStart, "AllReduceStart",
        [](B& b) {
          const Op start = b.AllReduceStart({b.P("f32[3]")}, AddScalars());
          b.AllReduceDone(start);
          return start;
        }},
       {Opcode::kAllReduceDone, "AllReduceDone",
        [](B& b) {
          return b.AllReduceDone(
              b.AllReduceStart({b.P("f32[3]")}, AddScalars()));
        }},
       {Opcode::kAllGather, "AllGather",
        [](B& b) { return b.AllGather(b.P("f32[3]"), 0, 2, Pair()); }},
       {Opcode::kAllGatherStart, "AllGatherStart",
        [](B& b) {
          const Op start = b.AllGatherStart({b.P("f32[3]")}, 0, 2, Pair());
          b.AllGatherDone(start);
          return start;
        }},
       {Opcode::kAllGatherDone, "AllGatherDone",
        [](B& b) {
          return b.AllGatherDone(
              b.AllGatherStart({b.P("f32[3]")}, 0, 2, Pair()));
        }},
       {Opcode::kReduceScatter, "ReduceScatter",
        [](B& b) {
          return b.ReduceScatter(b.P("f32[4]"), AddScalars(), 0, 2, Pair());
        }},
       {Opcode::kAllToAll, "AllToAll",
        [](B& b) { return b.AllToAll(b.P("f32[4,3]"), 0, 0, 2); }},
       {Opcode::kRaggedAllToAll, "RaggedAllToAll",
        [](B& b) {
          const Op v = b.P("s32[2]");
          return b.RaggedAllToAll(b.P("f32[4]"), b.P("f32[8]"), v, v, v, v,
                                  Pair());
        }},
       {Opcode::kCollectiveBroadcast, "CollectiveBroadcast",
        [](B& b) { return b.CollectiveBroadcast(b.P("f32[3]"), Pair()); }},
       {Opcode::kCollectiveReduce, "CollectiveReduce",
        [](B& b) {
          return b.CollectiveReduce(b.P("f32[3]"), AddScalars(), Pair());
        }},
       {Opcode::kCollectivePermute, "CollectivePermute",
        [](B& b) { return b.CollectivePermute(b.P("f32[3]"), Swap()); }},
       {Opcode::kCollectivePermuteStart, "CollectivePermuteStart",
        [](B& b) {
          const Op start = b.CollectivePermuteStart({b.P("f32[3]")}, Swap());
          b.CollectivePermuteDone(start);
          return start;
        }},
       {Opcode::kCollectivePermuteDone, "CollectivePermuteDone", [](B& b) {
          return b.CollectivePermuteDone(
              b.CollectivePermuteStart({b.P("f32[3]")}, Swap()));
        }}});
}

void AddAsync(Builders* to) {
  const auto start = [](B& b) {
    return b.AsyncStart({b.P("f32[3]")}, Negated("f32[3]"));
  };
  to->insert(to->end(), {{Opcode::kAsyncStart, "AsyncStart",
                          [=](B& b) {
                            const Op started = start(b);
                            b.AsyncDone(started);
                            return started;
                          }},
                         {Opcode::kAsyncUpdate, "AsyncUpdate",
                          [=](B& b) {
                            const Op updated = b.AsyncUpdate(start(b));
                            b.AsyncDone(updated);
                            return updated;
                          }},
                         {Opcode::kAsyncDone, "AsyncDone",
                          [=](B& b) { return b.AsyncDone(start(b)); }},
                         {Opcode::kCopyStart, "CopyStart",
                          [](B& b) {
                            const Op started = b.CopyStart(b.P("f32[3]"));
                            b.CopyDone(started);
                            return started;
                          }},
                         {Opcode::kCopyDone, "CopyDone", [](B& b) {
                            return b.CopyDone(b.CopyStart(b.P("f32[3]")));
                          }}});
}

}  // namespace

void AddDeviceOpBuilders(std::vector<OpBuilder>* to) {
  AddTransfers(to);
  AddCollectives(to);
  AddAsync(to);
}

}  // namespace indim
