// The operations of ComputationBuilder between devices, between a device and
// its host, and those that begin here and end there.

#ifndef INDIM_BUILDER_DEVICE_OPS_H_
#define INDIM_BUILDER_DEVICE_OPS_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/array_ops.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/layout.h"
#include "indim/shape/types/shape.h"

namespace indim {

// A part of ComputationBuilder (computation_builder.h), whose comment tells
// what holds for every call.
class DeviceOps : public ArrayOps {
 public:
  // --- Collectives -----------------------------------------------------------
  // `attributes` say who takes part: attributes.replica_groups (lists, a
  // formula, or axes of a mesh; nothing: all), channel_id,
  // use_global_device_ids. Dims and counts among them are set by the call.
  // all-reduce, all-gather and reduce-scatter of a tuple work on its elements
  // and give a tuple, but of one element, as XLA's builder does, all-gather and
  // reduce-scatter give an array; of an empty tuple: IND0518. A `layout` is
  // that of the result (else IND0630), and is demanded: constrain_layout. All
  // but the rules named here: IND0101, no array.

  // The operand, folded over the devices of each group by `computation`. Of a
  // tuple with several element types: IND0517. `shape_with_layout`: the result
  // as it is demanded; another shape is IND0105. Source: XLA,
  // InferAllReduceShape, AllReduceImpl.
  Op AllReduce(Op operand, const Callee& computation,
               CollectiveAttributes attributes = {},
               const std::optional<ShapeArg>& shape_with_layout = {},
               Caller caller = Caller::Here());
  // Several arrays at once; the result is a tuple (of one operand, an array).
  Op AllReduce(absl::Span<const Op> operands, const Callee& computation,
               CollectiveAttributes attributes = {},
               const std::optional<ShapeArg>& shape_with_layout = {},
               Caller caller = Caller::Here());
  // The sum over the devices of each group; of pred, or. Source: XLA,
  // XlaBuilder::CrossReplicaSum.
  Op CrossReplicaSum(Op operand, const ReplicaGroups& replica_groups = {},
                     Caller caller = Caller::Here());
  // The shard_count operands of a group, one after the other along a dim
  // (IND0111). 0: as many as attributes.replica_groups say, else IND0104.
  // Source: XLA, InferAllGatherShape, AllGatherImpl.
  Op AllGather(Op operand, int64_t all_gather_dimension, int64_t shard_count,
               CollectiveAttributes attributes = {},
               const std::optional<Layout>& layout = {},
               Caller caller = Caller::Here());
  Op AllGather(absl::Span<const Op> operands, int64_t all_gather_dimension,
               int64_t shard_count, CollectiveAttributes attributes = {},
               const std::optional<Layout>& layout = {},
               Caller caller = Caller::Here());
  // The folded operand, of which each device keeps one of shard_count parts; a
  // dim that they don't divide is IND0510. Of a tuple with several element
  // types: IND0517. Source: XLA, InferReduceScatterShape, ReduceScatter.
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
  // The operand in split_count parts along one dim, part i for device i of the
  // group, and what the devices sent, put together along another. Where both
  // dims are one, this is one op; else, as in XLA's builder, an all-to-all that
  // a reshape, a transpose and a reshape follow; with a layout, the tuple form
  // between slices and a concatenate. No groups: one, of 0..split_count-1.
  // Errors: IND0111, IND0120, IND0510, IND0512 (a bounded dim); IND0611: the
  // dims differ, or a layout is given, and a size is unknown. Source: XLA,
  // InferAllToAllShape, XlaBuilder::AllToAllArray.
  Op AllToAll(Op operand, int64_t split_dimension, int64_t concat_dimension,
              int64_t split_count, CollectiveAttributes attributes = {},
              const std::optional<Layout>& layout = {},
              Caller caller = Caller::Here());
  // Operand i for device i of the group; the result is the tuple of what the
  // devices sent here. The operands are equal: IND0513. Source: XLA,
  // InferAllToAllTupleShape.
  Op AllToAllTuple(absl::Span<const Op> operands,
                   CollectiveAttributes attributes = {},
                   const std::optional<Layout>& layout = {},
                   Caller caller = Caller::Here());
  // Rows of `input`, from offsets and in sizes that are values, to the rows of
  // each device's `output` that output_offsets name. The order is the op's;
  // XLA's builder names its arguments otherwise, but passes them on in order.
  // Errors: IND0513, IND0514. Source: XLA, InferRaggedAllToAllShape.
  Op RaggedAllToAll(Op input, Op output, Op input_offsets, Op send_sizes,
                    Op output_offsets, Op recv_sizes,
                    CollectiveAttributes attributes = {},
                    Caller caller = Caller::Here());
  // Each device gets the operand of the first one of its group. Source: XLA,
  // InferCollectiveBroadcastShape.
  Op CollectiveBroadcast(Op operand, CollectiveAttributes attributes = {},
                         Caller caller = Caller::Here());
  // Several; with attributes.has_dynamic_root the last operand is a vector of
  // s32 that says whose each of the others is (else IND0410).
  Op CollectiveBroadcast(absl::Span<const Op> operands,
                         CollectiveAttributes attributes = {},
                         Caller caller = Caller::Here());
  // Each target gets its source's operand, others zeros. Source: XLA,
  // InferCollectivePermuteShape.
  Op CollectivePermute(Op operand,
                       const CollectivePermuteAttributes& attributes,
                       Caller caller = Caller::Here());
  // Several arrays at once, to a tuple. With attributes.slice_sizes in place:
  // the operands are input, output and the offsets in each (else IND0100), the
  // result is the output.
  Op CollectivePermute(absl::Span<const Op> operands,
                       const CollectivePermuteAttributes& attributes,
                       Caller caller = Caller::Here());

  // The same in two halves, between which other work can go on.
  // AllReduceStart gives what AllReduce does; AllGatherStart the tuple
  // (operands, gathered), CollectivePermuteStart (operands, results,
  // contexts...), where `contexts` are what the backend wants (u32[] twice on
  // TPU). -Done gives the result; an operand that is nothing started: IND0410.
  // Source: XLA, XlaBuilderFriend.
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
  // Arrays without a layout get the row-major one. A shape's text that is none:
  // IND0604; no token: IND0110. Source: XLA, XlaBuilder::InfeedWithToken,
  // OutfeedWithToken and their like.

  // The tuple (data, token) of the infeed's next `shape`.
  Op InfeedWithToken(Op token, const ShapeArg& shape,
                     absl::string_view config = "",
                     Caller caller = Caller::Here());
  // The data alone. Infeeds written so follow each other.
  Op Infeed(const ShapeArg& shape, absl::string_view config = "",
            Caller caller = Caller::Here());
  // A token. The operand has the shape that is written out (else IND0410).
  Op OutfeedWithToken(Op operand, Op token, const ShapeArg& shape_with_layout,
                      absl::string_view outfeed_config = "",
                      Caller caller = Caller::Here());
  // An empty tuple. Outfeeds written so follow each other.
  Op Outfeed(Op operand, const ShapeArg& shape_with_layout,
             absl::string_view outfeed_config = "",
             Caller caller = Caller::Here());

  // --- Send, receive ---------------------------------------------------------
  // Over a channel, from device to device, or to and from the host with
  // is_host_transfer. Source: XLA, HloSendInstruction and its like,
  // XlaBuilder::SendWithToken and its like.

  // (operand, u32[], token[]), until SendDone gives a token. Errors: IND0110,
  // no token; IND0410, nothing that was sent.
  Op Send(Op operand, Op token, int64_t channel_id,
          bool is_host_transfer = false, Caller caller = Caller::Here());
  Op SendDone(Op send, int64_t channel_id, bool is_host_transfer = false,
              Caller caller = Caller::Here());
  // (shape, u32[], token[]), until RecvDone gives (shape, token[]). Also
  // IND0604.
  Op Recv(Op token, const ShapeArg& shape, int64_t channel_id,
          bool is_host_transfer = false, Caller caller = Caller::Here());
  Op RecvDone(Op recv, int64_t channel_id, bool is_host_transfer = false,
              Caller caller = Caller::Here());
  // Both halves: a token; the tuple (data, token).
  Op SendWithToken(Op operand, Op token, int64_t channel_id,
                   Caller caller = Caller::Here());
  Op RecvWithToken(Op token, const ShapeArg& shape, int64_t channel_id,
                   Caller caller = Caller::Here());
  // Both halves, after a new token: a token; the data alone.
  Op Send(Op operand, int64_t channel_id, Caller caller = Caller::Here());
  Op Recv(const ShapeArg& shape, int64_t channel_id,
          Caller caller = Caller::Here());
  // Both halves, to and from the host: a token; the tuple (data, token). The
  // data is an array of `shape` (IND0101, IND0105, IND0411), which gets the
  // row-major layout if it has none.
  Op SendToHost(Op operand, Op token, const ShapeArg& shape_with_layout,
                int64_t channel_id, Caller caller = Caller::Here());
  Op RecvFromHost(Op token, const ShapeArg& shape, int64_t channel_id,
                  Caller caller = Caller::Here());

  // --- Work in two halves ----------------------------------------------------

  // `computation` of the operands, begun on `execution_thread` ("": the main
  // one): ((operands...), result, contexts...). Errors: IND0401, IND0402.
  // Source: XLA, HloInstruction::CreateAsyncStart.
  Op AsyncStart(absl::Span<const Op> operands, const Callee& computation,
                absl::string_view execution_thread = "",
                absl::Span<const Shape> contexts = {},
                Caller caller = Caller::Here());
  // The same, still under way; its result. IND0410: not under way.
  Op AsyncUpdate(Op async, Caller caller = Caller::Here());
  Op AsyncDone(Op async, Caller caller = Caller::Here());
  // (destination, source, u32[]), until CopyDone gives the destination. An
  // index says which buffer of the next program it is. Source: XLA,
  // HloCopyStartInstruction.
  Op CopyStart(Op operand, std::optional<int> cross_program_prefetch_index = {},
               Caller caller = Caller::Here());
  Op CopyDone(Op start, Caller caller = Caller::Here());

  // --- Which device ----------------------------------------------------------

  // u32[]: which device this is.
  Op ReplicaId(Caller caller = Caller::Here());
  Op PartitionId(Caller caller = Caller::Here());

 protected:
  using ArrayOps::ArrayOps;
  ~DeviceOps() = default;
  DeviceOps(DeviceOps&&) noexcept = default;
  DeviceOps& operator=(DeviceOps&&) noexcept = default;

 private:
  // What the next Infeed and Outfeed without a token follow.
  Op infeed_token_;
  Op outfeed_token_;
};

}  // namespace indim

#endif  // INDIM_BUILDER_DEVICE_OPS_H_
