// SPDX-License-Identifier: Apache-2.0
// DeviceOps: the operations of ComputationBuilder between devices and between a
// device and its host, and asynchronous operations.

#ifndef INDIM_BUILDER_DEVICE_OPS_H_
#define INDIM_BUILDER_DEVICE_OPS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/builder_part.h"
#include "indim/builder/lambda.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/layout.h"
#include "indim/shape/types/shape.h"

namespace indim {

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
class DeviceOps : public internal::BuilderPart<DeviceOps> {
 public:
  // --- Collectives -----------------------------------------------------------
  // `attributes` say which devices take part: replica_groups (lists, a formula,
  // or axes of a mesh; empty: all devices), channel_id, use_global_device_ids.
  // The call sets dims and counts in them. all-reduce, all-gather and
  // reduce-scatter of a tuple work on its elements and give a tuple. For a
  // tuple of one element all-gather and reduce-scatter give an array, as XLA's
  // builder does; for an empty tuple: IND0518. A `layout` must fit the result
  // (IND0630), and XLA must keep it (constrain_layout). All report IND0101 for
  // an operand that isn't an array.

  // Folds the operand over the devices of each group by `computation`. A tuple
  // of several element types: IND0517. `shape_with_layout` requires the
  // result's layout; another shape is IND0105. Source: XLA,
  // InferAllReduceShape, AllReduceImpl.
  Op AllReduce(Op operand, const Callee& computation,
               CollectiveAttributes attributes = {},
               const std::optional<ShapeArg>& shape_with_layout = {},
               Caller caller = Caller::Here());
  // Several arrays together; the result is a tuple (for one operand, an array).
  Op AllReduce(absl::Span<const Op> operands, const Callee& computation,
               CollectiveAttributes attributes = {},
               const std::optional<ShapeArg>& shape_with_layout = {},
               Caller caller = Caller::Here());
  // With a lambda of two scalars (lambda.h).
  template <typename Fold, typename = internal::IfOfScalars<Fold>>
  Op AllReduce(Op operand, Fold&& fold, CollectiveAttributes attributes = {},
               Caller caller = Caller::Here()) {
    return AllReduceOf(operand, internal::ScalarsOf(fold),
                       std::move(attributes), caller);
  }
  // The sum over the devices of each group; for pred, "or". Source: XLA,
  // XlaBuilder::CrossReplicaSum.
  Op CrossReplicaSum(Op operand, const ReplicaGroups& replica_groups = {},
                     Caller caller = Caller::Here());
  // Concatenates the shard_count operands of a group along a dim (IND0111).
  // shard_count 0: the size of the groups in attributes.replica_groups, else
  // IND0104. Source: XLA, InferAllGatherShape, AllGatherImpl.
  Op AllGather(Op operand, int64_t all_gather_dimension, int64_t shard_count,
               CollectiveAttributes attributes = {},
               const std::optional<Layout>& layout = {},
               Caller caller = Caller::Here());
  Op AllGather(absl::Span<const Op> operands, int64_t all_gather_dimension,
               int64_t shard_count, CollectiveAttributes attributes = {},
               const std::optional<Layout>& layout = {},
               Caller caller = Caller::Here());
  // Folds the operand; each device keeps one of shard_count parts. A dim that
  // shard_count doesn't divide: IND0510. A tuple of several element types:
  // IND0517. Source: XLA, InferReduceScatterShape, ReduceScatter.
  Op ReduceScatter(Op operand, const Callee& computation,
                   int64_t scatter_dimension, int64_t shard_count,
                   CollectiveAttributes attributes = {},
                   const std::optional<Layout>& layout = {},
                   Caller caller = Caller::Here());
  Op ReduceScatter(absl::Span<const Op> operands, const Callee& computation,
                   int64_t scatter_dimension, int64_t shard_count,
                   CollectiveAttributes attributes = {},
                   const std::optional<Layout>& layout = {},
                   Caller caller = Caller::Here());
  // With a lambda of two scalars.
  template <typename Fold, typename = internal::IfOfScalars<Fold>>
  Op ReduceScatter(Op operand, Fold&& fold, int64_t scatter_dimension,
                   int64_t shard_count, CollectiveAttributes attributes = {},
                   Caller caller = Caller::Here()) {
    return ReduceScatterOf(operand, internal::ScalarsOf(fold),
                           scatter_dimension, shard_count,
                           std::move(attributes), caller);
  }
  // Splits the operand into split_count parts along split_dimension, sends part
  // i to device i of the group, and concatenates the received parts along
  // concat_dimension. Dims below 0 count from the end. Where the two dims are
  // equal this is one op. Else, as in XLA's builder, it is an all-to-all, then
  // a reshape, a transpose and a reshape; with a layout, the tuple form between
  // slices and a concatenate. No groups: one group, 0..split_count-1. Errors:
  // IND0111, IND0120, IND0510, IND0512 (a bounded dim); IND0611, where the dims
  // differ or a layout is given, and a size is unknown (with a layout: isn't
  // static); IND0640, more than 2^20 parts. Source: XLA, InferAllToAllShape,
  // XlaBuilder::AllToAllArray.
  Op AllToAll(Op operand, int64_t split_dimension, int64_t concat_dimension,
              int64_t split_count, CollectiveAttributes attributes = {},
              const std::optional<Layout>& layout = {},
              Caller caller = Caller::Here());
  // Sends operand i to device i of the group; the result is the tuple of the
  // received arrays. Operands that aren't equal: IND0513. Source: XLA,
  // InferAllToAllTupleShape.
  Op AllToAllTuple(absl::Span<const Op> operands,
                   CollectiveAttributes attributes = {},
                   const std::optional<Layout>& layout = {},
                   Caller caller = Caller::Here());
  // Sends rows of `input`, with offsets and sizes known at run time, to the
  // rows of each device's `output` at output_offsets. The arguments have the
  // op's order; XLA's builder has other names for them, but the same order.
  // Errors: IND0513, IND0514. Source: XLA, InferRaggedAllToAllShape.
  Op RaggedAllToAll(Op input, Op output, Op input_offsets, Op send_sizes,
                    Op output_offsets, Op recv_sizes,
                    CollectiveAttributes attributes = {},
                    Caller caller = Caller::Here());
  // Each device gets the operand of the first device of its group. Source: XLA,
  // InferCollectiveBroadcastShape.
  Op CollectiveBroadcast(Op operand, CollectiveAttributes attributes = {},
                         Caller caller = Caller::Here());
  // Several operands. With attributes.has_dynamic_root the last one is a vector
  // of s32 that gives the root of each other operand (else IND0410).
  Op CollectiveBroadcast(absl::Span<const Op> operands,
                         CollectiveAttributes attributes = {},
                         Caller caller = Caller::Here());
  // Folds the operand over the devices of each group by `computation`, for the
  // first device of the group; the others get zeros. With
  // attributes.has_dynamic_root as CollectiveBroadcast. Source: StableHLO,
  // collective_reduce; XLA 0.12, older XLA doesn't know it.
  Op CollectiveReduce(Op operand, const Callee& computation,
                      CollectiveAttributes attributes = {},
                      Caller caller = Caller::Here());
  Op CollectiveReduce(absl::Span<const Op> operands, const Callee& computation,
                      CollectiveAttributes attributes = {},
                      Caller caller = Caller::Here());
  // Each target gets its source's operand; other devices get zeros. Source:
  // XLA, InferCollectivePermuteShape.
  Op CollectivePermute(Op operand,
                       const CollectivePermuteAttributes& attributes,
                       Caller caller = Caller::Here());
  // Several arrays together, to a tuple. With attributes.slice_sizes it works
  // in place: the operands are input, output and the offsets in each (else
  // IND0100), the result is the output.
  Op CollectivePermute(absl::Span<const Op> operands,
                       const CollectivePermuteAttributes& attributes,
                       Caller caller = Caller::Here());

  // Collectives in two halves, between which other work can run. AllReduceStart
  // gives AllReduce's result; AllGatherStart the tuple (operands, gathered);
  // CollectivePermuteStart (operands, results, contexts...), where the backend
  // determines `contexts` (on TPU twice u32[]). -Done gives the result; an
  // operand that isn't such a start: IND0410. Source: XLA, XlaBuilderFriend.
  Op AllReduceStart(absl::Span<const Op> operands, const Callee& computation,
                    CollectiveAttributes attributes = {},
                    const std::optional<ShapeArg>& shape_with_layout = {},
                    Caller caller = Caller::Here());
  Op AllReduceDone(Op start, Caller caller = Caller::Here());
  Op AllGatherStart(absl::Span<const Op> operands, int64_t all_gather_dimension,
                    int64_t shard_count, CollectiveAttributes attributes = {},
                    Caller caller = Caller::Here());
  Op AllGatherDone(Op start, Caller caller = Caller::Here());
  Op CollectivePermuteStart(absl::Span<const Op> operands,
                            const CollectivePermuteAttributes& attributes,
                            absl::Span<const Shape> contexts = {},
                            Caller caller = Caller::Here());
  Op CollectivePermuteDone(Op start, Caller caller = Caller::Here());

  // --- Infeed, outfeed -------------------------------------------------------
  // Arrays without a layout get the row-major one. Errors: IND0604, an invalid
  // text of a shape; IND0110, not a token. Source: XLA,
  // XlaBuilder::InfeedWithToken, OutfeedWithToken, Infeed, Outfeed.

  // The tuple (data, token), with data of `shape` from the infeed.
  Op InfeedWithToken(Op token, const ShapeArg& shape,
                     absl::string_view config = "",
                     Caller caller = Caller::Here());
  // The data alone. Each such Infeed follows the previous one.
  Op Infeed(const ShapeArg& shape, absl::string_view config = "",
            Caller caller = Caller::Here());
  // A token. `shape_with_layout` is the operand's shape (else IND0410).
  Op OutfeedWithToken(Op operand, Op token, const ShapeArg& shape_with_layout,
                      absl::string_view outfeed_config = "",
                      Caller caller = Caller::Here());
  // An empty tuple. Each such Outfeed follows the previous one.
  Op Outfeed(Op operand, const ShapeArg& shape_with_layout,
             absl::string_view outfeed_config = "",
             Caller caller = Caller::Here());

  // --- Send, receive ---------------------------------------------------------
  // Transfers over a channel, from device to device, or to and from the host
  // with is_host_transfer. Source: XLA, HloSendInstruction, HloRecvInstruction,
  // XlaBuilder::SendWithToken, RecvWithToken.

  // Send gives (operand, u32[], token[]), and SendDone a token. Errors:
  // IND0110, not a token; IND0410, the operand of SendDone isn't a send.
  Op Send(Op operand, Op token, int64_t channel_id,
          bool is_host_transfer = false, Caller caller = Caller::Here());
  Op SendDone(Op send, int64_t channel_id, bool is_host_transfer = false,
              Caller caller = Caller::Here());
  // Recv gives (shape, u32[], token[]), and RecvDone (shape, token[]). Errors
  // also: IND0604.
  Op Recv(Op token, const ShapeArg& shape, int64_t channel_id,
          bool is_host_transfer = false, Caller caller = Caller::Here());
  Op RecvDone(Op recv, int64_t channel_id, bool is_host_transfer = false,
              Caller caller = Caller::Here());
  // Both halves. SendWithToken gives a token, RecvWithToken (data, token).
  Op SendWithToken(Op operand, Op token, int64_t channel_id,
                   Caller caller = Caller::Here());
  Op RecvWithToken(Op token, const ShapeArg& shape, int64_t channel_id,
                   Caller caller = Caller::Here());
  // Both halves after a new token. Send gives a token, Recv the data alone.
  Op Send(Op operand, int64_t channel_id, Caller caller = Caller::Here());
  Op Recv(const ShapeArg& shape, int64_t channel_id,
          Caller caller = Caller::Here());
  // Both halves, to and from the host. SendToHost gives a token, RecvFromHost
  // (data, token). The data is an array of `shape` (IND0101, IND0105, IND0411),
  // which gets the row-major layout if it has none.
  Op SendToHost(Op operand, Op token, const ShapeArg& shape_with_layout,
                int64_t channel_id, Caller caller = Caller::Here());
  Op RecvFromHost(Op token, const ShapeArg& shape, int64_t channel_id,
                  Caller caller = Caller::Here());

  // --- Asynchronous calls and copies -----------------------------------------

  // Starts `computation` of the operands on `execution_thread` ("": the main
  // one) and gives ((operands...), result, contexts...). Errors: IND0401,
  // IND0402. Source: XLA, HloInstruction::CreateAsyncStart.
  Op AsyncStart(absl::Span<const Op> operands, const Callee& computation,
                absl::string_view execution_thread = "",
                absl::Span<const Shape> contexts = {},
                Caller caller = Caller::Here());
  // AsyncUpdate gives its operand's shape, AsyncDone the result. IND0410: the
  // operand isn't an AsyncStart or AsyncUpdate.
  Op AsyncUpdate(Op async, Caller caller = Caller::Here());
  Op AsyncDone(Op async, Caller caller = Caller::Here());
  // CopyStart gives (destination, source, u32[]), and CopyDone the destination.
  // cross_program_prefetch_index says which buffer of the next program this
  // copies. Source: XLA, HloCopyStartInstruction.
  Op CopyStart(Op operand, std::optional<int> cross_program_prefetch_index = {},
               Caller caller = Caller::Here());
  Op CopyDone(Op start, Caller caller = Caller::Here());

  // --- Device ids ------------------------------------------------------------

  // u32[]: the id of the replica, or of the partition, that runs this.
  Op ReplicaId(Caller caller = Caller::Here());
  Op PartitionId(Caller caller = Caller::Here());

 private:
  friend class ComputationBuilder;
  DeviceOps() = default;

  Op AllReduceOf(Op operand, internal::OneResult fold,
                 CollectiveAttributes attributes, Caller caller);
  Op ReduceScatterOf(Op operand, internal::OneResult fold,
                     int64_t scatter_dimension, int64_t shard_count,
                     CollectiveAttributes attributes, Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_DEVICE_OPS_H_
