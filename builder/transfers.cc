// SPDX-License-Identifier: Apache-2.0
// Operations of DeviceOps: infeed and outfeed, send and receive, asynchronous
// calls and copies, ids.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op_queries.h"
#include "indim/builder/record_util.h"
#include "indim/builder/sharding.h"

namespace indim {
namespace {

using internal::ForItself;
using internal::Frame;
using internal::One;
using internal::Recorder;
using internal::RejectText;
using internal::SwappedSharding;
using internal::With;

// The sharding of a token: device 0 if a sharding is in scope, as in XLA.
std::optional<std::string> TokenSharding(const Recorder& recorder) {
  if (!recorder.settings().sharding()) return std::nullopt;
  return MaximalSharding(0);
}

// The sharding in scope with a token's added, for data beside a token. `wrap`:
// also if it isn't a tuple's.
std::optional<std::string> WithTokenSharding(const Recorder& recorder,
                                             bool wrap) {
  const std::optional<std::string> token = TokenSharding(recorder);
  if (!token) return std::nullopt;
  const std::string& sharding = *recorder.settings().sharding();
  const auto tuple = TupleParts(sharding);
  if (!tuple && !wrap) return sharding;
  std::vector<std::string> parts = {sharding};
  if (tuple) parts = std::vector<std::string>(tuple->begin(), tuple->end());
  parts.push_back(*token);
  return TupleSharding(parts);
}

// The first op of a pair that a call records: a device for the pair is one for
// it too, but a sharding of its result may not fit (data, u32[], token[]).
class PartOfPair : public SwappedSharding {
 public:
  // `data` may be null. `context`: whether there is a u32[].
  PartOfPair(Recorder* recorder, const Shape* data, bool context)
      : SwappedSharding(recorder, recorder->settings().ShardingFor(
                                      ResultOf(data, context))) {}

 private:
  static Shape ResultOf(const Shape* data, bool context) {
    if (data == nullptr) return Shape();
    std::vector<Shape> elements = {*data};
    if (context) elements.push_back(Shape::Scalar(ElementType::kU32));
    elements.push_back(Shape::Token());
    return Shape::Tuple(std::move(elements));
  }
};

// Null: it can't be read.
const Shape* ShapeIn(const ShapeArg& shape) {
  return shape.shape().ok() ? &*shape.shape() : nullptr;
}

Op Element(Recorder* recorder, Op tuple, int64_t index, Caller caller) {
  const Attributes attributes = GetTupleElementAttributes{index};
  return recorder->Record({Opcode::kGetTupleElement, {tuple}, &attributes},
                          caller);
}

// `previous`, or a new token if there is none yet.
Op TokenAfter(Recorder* recorder, std::optional<Op> previous, Caller caller) {
  if (previous && recorder->ShapeOf(*previous) != nullptr) return *previous;
  const SwappedSharding scope(recorder, TokenSharding(*recorder));
  return recorder->Record({Opcode::kAfterAll, {}}, caller);
}

void SetToken(Recorder* recorder, Op Frame::*token, Op op) {
  if (!recorder->is_none()) recorder->open().current().*token = op;
}

// The parameters and result of a computation; null when its Build() failed.
const Signature* SignatureOf(const Recorder& recorder, const Callee& callee) {
  if (recorder.family() == nullptr) return nullptr;  // built
  const absl::StatusOr<uint32_t> linked = recorder.family()->Link(callee);
  return linked.ok() ? &recorder.family()->signature(*linked) : nullptr;
}

// The attributes of an async op: the execution thread of the op that it
// continues.
Attributes SameThread(const Recorder& recorder, Op async) {
  AsyncAttributes attributes;
  if (const Attributes* begun =
          internal::OpQueries(recorder).attributes(async)) {
    attributes.execution_thread = As<AsyncAttributes>(*begun).execution_thread;
  }
  return attributes;
}

ChannelAttributes Channel(int64_t channel_id, bool is_host_transfer) {
  return {channel_id, is_host_transfer};
}

}  // namespace

// --- Infeed, outfeed --------------------------------------------------------

Op DeviceOps::InfeedWithToken(Op token, const ShapeArg& shape,
                              absl::string_view config, Caller caller) {
  if (!shape.shape().ok()) {
    return RejectText(recorder(), Opcode::kInfeed, {token}, shape, caller);
  }
  const Shape result =
      Shape::Tuple({shape.shape()->WithDefaultLayout(), Shape::Token()});
  const Attributes attributes = InfeedAttributes{std::string(config)};
  return recorder()->Record({Opcode::kInfeed, {token}, &attributes, &result},
                            caller);
}

Op DeviceOps::Infeed(const ShapeArg& shape, absl::string_view config,
                     Caller caller) {
  const Op token =
      TokenAfter(recorder(), recorder()->open().current().infeed_token, caller);
  Op infeed;
  {
    const SwappedSharding scope(recorder(),
                                WithTokenSharding(*recorder(), false));
    infeed = InfeedWithToken(token, shape, config, caller);
  }
  {
    const SwappedSharding scope(recorder(), TokenSharding(*recorder()));
    SetToken(recorder(), &Frame::infeed_token,
             Element(recorder(), infeed, 1, caller));
  }
  return Element(recorder(), infeed, 0, caller);
}

Op DeviceOps::OutfeedWithToken(Op operand, Op token,
                               const ShapeArg& shape_with_layout,
                               absl::string_view outfeed_config,
                               Caller caller) {
  if (!shape_with_layout.shape().ok()) {
    return RejectText(recorder(), Opcode::kOutfeed, {operand, token},
                      shape_with_layout, caller);
  }
  return With(recorder(), Opcode::kOutfeed, {operand, token},
              OutfeedAttributes{std::string(outfeed_config),
                                shape_with_layout.shape()->WithDefaultLayout()},
              caller);
}

Op DeviceOps::Outfeed(Op operand, const ShapeArg& shape_with_layout,
                      absl::string_view outfeed_config, Caller caller) {
  const Op token = TokenAfter(
      recorder(), recorder()->open().current().outfeed_token, caller);
  {
    const SwappedSharding scope(recorder(),
                                WithTokenSharding(*recorder(), true));
    SetToken(recorder(), &Frame::outfeed_token,
             OutfeedWithToken(operand, token, shape_with_layout, outfeed_config,
                              caller));
  }
  // Return the token's error to the caller.
  if (recorder()->ShapeOf(recorder()->open().current().outfeed_token) ==
      nullptr) {
    return recorder()->open().current().outfeed_token;
  }
  const ForItself part(recorder());
  return recorder()->Record({Opcode::kTuple, {}}, caller);
}

// --- Send, receive ----------------------------------------------------------

Op DeviceOps::Send(Op operand, Op token, int64_t channel_id,
                   bool is_host_transfer, Caller caller) {
  return With(recorder(), Opcode::kSend, {operand, token},
              Channel(channel_id, is_host_transfer), caller);
}

Op DeviceOps::SendDone(Op send, int64_t channel_id, bool is_host_transfer,
                       Caller caller) {
  return With(recorder(), Opcode::kSendDone, {send},
              Channel(channel_id, is_host_transfer), caller);
}

Op DeviceOps::Recv(Op token, const ShapeArg& shape, int64_t channel_id,
                   bool is_host_transfer, Caller caller) {
  if (!shape.shape().ok()) {
    return RejectText(recorder(), Opcode::kRecv, {token}, shape, caller);
  }
  const Shape result = Shape::Tuple(
      {*shape.shape(), Shape::Scalar(ElementType::kU32), Shape::Token()});
  const Attributes attributes = Channel(channel_id, is_host_transfer);
  return recorder()->Record({Opcode::kRecv, {token}, &attributes, &result},
                            caller);
}

Op DeviceOps::RecvDone(Op recv, int64_t channel_id, bool is_host_transfer,
                       Caller caller) {
  return With(recorder(), Opcode::kRecvDone, {recv},
              Channel(channel_id, is_host_transfer), caller);
}

Op DeviceOps::SendWithToken(Op operand, Op token, int64_t channel_id,
                            Caller caller) {
  Op send;
  {
    const PartOfPair part(recorder(), recorder()->ShapeOf(operand), true);
    send = Send(operand, token, channel_id, false, caller);
  }
  return SendDone(send, channel_id, false, caller);
}

Op DeviceOps::RecvWithToken(Op token, const ShapeArg& shape, int64_t channel_id,
                            Caller caller) {
  Op recv;
  {
    const PartOfPair part(recorder(), ShapeIn(shape), true);
    recv = Recv(token, shape, channel_id, false, caller);
  }
  return RecvDone(recv, channel_id, false, caller);
}

Op DeviceOps::Send(Op operand, int64_t channel_id, Caller caller) {
  return SendWithToken(operand, TokenAfter(recorder(), {}, caller), channel_id,
                       caller);
}

Op DeviceOps::Recv(const ShapeArg& shape, int64_t channel_id, Caller caller) {
  const Op token = TokenAfter(recorder(), {}, caller);
  Op received;
  {
    const PartOfPair part(recorder(), ShapeIn(shape), false);
    received = RecvWithToken(token, shape, channel_id, caller);
  }
  return Element(recorder(), received, 0, caller);
}

Op DeviceOps::SendToHost(Op operand, Op token,
                         const ShapeArg& shape_with_layout, int64_t channel_id,
                         Caller caller) {
  if (!shape_with_layout.shape().ok()) {
    return RejectText(recorder(), Opcode::kSend, {operand, token},
                      shape_with_layout, caller);
  }
  const Shape* data = recorder()->ShapeOf(operand);
  if (data != nullptr && !data->is_array()) {
    InferContext context;
    context.Diagnose(Code::kOperandNotArray, 0);
    return recorder()->Reject(Opcode::kSend, {operand, token},
                              std::move(*context.mutable_diagnostics()),
                              caller);
  }
  const Shape result =
      Shape::Tuple({shape_with_layout.shape()->WithDefaultLayout(),
                    Shape::Scalar(ElementType::kU32), Shape::Token()});
  const Attributes attributes = Channel(channel_id, true);
  Op send;
  {
    const SwappedSharding part(recorder(),
                               recorder()->settings().ShardingFor(result));
    send = recorder()->Record(
        {Opcode::kSend, {operand, token}, &attributes, &result}, caller);
  }
  return SendDone(send, channel_id, true, caller);
}

Op DeviceOps::RecvFromHost(Op token, const ShapeArg& shape, int64_t channel_id,
                           Caller caller) {
  if (!shape.shape().ok()) {
    return RejectText(recorder(), Opcode::kRecv, {token}, shape, caller);
  }
  if (!shape.shape()->is_array()) {
    return recorder()->Reject(Opcode::kRecv, {token}, Code::kDeclaredShape,
                              {std::string("an array")}, caller);
  }
  const Shape data = shape.shape()->WithDefaultLayout();
  Op recv;
  {
    const PartOfPair part(recorder(), &data, true);
    recv = Recv(token, data, channel_id, true, caller);
  }
  // The received data gets the layout.
  const Shape result = Shape::Tuple({data, Shape::Token()});
  const Attributes attributes = Channel(channel_id, true);
  return recorder()->Record({Opcode::kRecvDone, {recv}, &attributes, &result},
                            caller);
}

// --- Asynchronous calls and copies -----------------------------------------

Op DeviceOps::AsyncStart(absl::Span<const Op> operands,
                         const Callee& computation,
                         absl::string_view execution_thread,
                         absl::Span<const Shape> contexts, Caller caller) {
  const Attributes attributes = AsyncAttributes{std::string(execution_thread)};
  Recorder::Request request{Opcode::kAsyncStart, operands, &attributes, nullptr,
                            One(computation)};
  Shape result;
  // Without a signature Record() reports what the computation lacks.
  if (const Signature* signature = SignatureOf(*recorder(), computation)) {
    std::vector<Shape> elements = {Shape::Tuple(signature->parameters),
                                   signature->result};
    elements.insert(elements.end(), contexts.begin(), contexts.end());
    result = Shape::Tuple(std::move(elements)).WithoutLayout();
    request.declared = &result;
  }
  return recorder()->Record(request, caller);
}

Op DeviceOps::AsyncUpdate(Op async, Caller caller) {
  const Shape* shape = recorder()->ShapeOf(async);
  Shape same;
  if (shape != nullptr) same = *shape;
  const Attributes attributes = SameThread(*recorder(), async);
  return recorder()->Record({Opcode::kAsyncUpdate,
                             {async},
                             &attributes,
                             shape != nullptr ? &same : nullptr},
                            caller);
}

Op DeviceOps::AsyncDone(Op async, Caller caller) {
  return With(recorder(), Opcode::kAsyncDone, {async},
              SameThread(*recorder(), async), caller);
}

Op DeviceOps::CopyStart(Op operand,
                        std::optional<int> cross_program_prefetch_index,
                        Caller caller) {
  CopyStartAttributes attributes;
  if (cross_program_prefetch_index) {
    attributes.cross_program_prefetch_index = *cross_program_prefetch_index;
  }
  return With(recorder(), Opcode::kCopyStart, {operand}, attributes, caller);
}

Op DeviceOps::CopyDone(Op start, Caller caller) {
  return recorder()->Record({Opcode::kCopyDone, {start}}, caller);
}

// --- Device ids -------------------------------------------------------------

Op DeviceOps::ReplicaId(Caller caller) {
  return recorder()->Record({Opcode::kReplicaId, {}}, caller);
}
Op DeviceOps::PartitionId(Caller caller) {
  return recorder()->Record({Opcode::kPartitionId, {}}, caller);
}

}  // namespace indim
