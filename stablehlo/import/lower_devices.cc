// SPDX-License-Identifier: Apache-2.0
// Collectives and transfers.

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/computation_builder.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/values/tile_assignment.h"
#include "indim/stablehlo/import/lower_arrays.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/import/shardings.h"
#include "indim/stablehlo/ops/attribute_kind.h"
#include "indim/stablehlo/ops/collectives.h"

namespace indim::stablehlo_import {

namespace {

// Result i has a node of its own, whose sharding is that of this result alone.
void KeepShardingOf(OpImport* op, size_t i, Node node) {
  const size_t count = op->result_count();
  HloWriter& writer = op->writer();
  const ValueSharding all = ShardingOf(writer, node);
  if (count < 2 || !all.has_value()) return;
  const std::vector<ValueSharding> each = ShardingsOfResults(*all, count);
  if (i < each.size()) SetSharding(&writer, node, *each[i]);
  const std::optional<std::string> shardy = FrontendAttribute(
      AttributeBytesField(writer.attribute_bytes(node),
                          field::HloInstructionProto::kFrontendAttributes),
      kSdySharding);
  if (!shardy.has_value()) return;
  const std::vector<std::string> parts = ShardyShardings(*shardy);
  if (i >= parts.size()) return;
  AddNotes(&writer, node, {{kSdySharding, ShardyPerValue({parts[i]})}});
}

// The declared results but the last, a token: a tuple, or the only one if
// `unless_one`.
Shape DataShape(OpImport* op, bool unless_one) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i + 1 < op->result_count(); ++i) {
    shapes.push_back(op->result_shape(i));
  }
  if (unless_one && shapes.size() == 1) return shapes[0];
  return Shape::Tuple(std::move(shapes));
}

bool EndsWithToken(OpImport* op) {
  const size_t count = op->result_count();
  if (count == 0 || !op->result_shape(count - 1).is_token()) {
    return op->Fail(absl::StrCat(
        "last element of result types is expected to be of token type",
        count == 0 ? ""
                   : absl::StrCat(", but got ",
                                  op->result_shape(count - 1).ToString())));
  }
  for (size_t i = 0; i + 1 < count; ++i) {
    if (op->result_shape(i).is_array()) continue;
    return op->Fail(
        absl::StrCat("all elements of result types, except the last element, "
                     "are expected to be of tensor type, but got ",
                     op->result_shape(i).ToString()));
  }
  return true;
}

// Results from (data, token).
void SetDataResults(OpImport* op, Node pair) {
  HloWriter& writer = op->writer();
  const size_t count = op->result_count();
  op->SetResult(count - 1, writer.Element(pair, 1));
  if (count == 1) return;
  const Node data = writer.Element(pair, 0);
  if (!writer.shape(data).is_tuple()) return op->SetResult(0, data);
  for (size_t i = 0; i + 1 < count; ++i) {
    op->SetResult(i, writer.Element(data, static_cast<int64_t>(i)));
  }
}

// The operands but the last, a token: a tuple, or the only one if `unless_one`.
Node DataOperand(OpImport* op, bool unless_one) {
  std::vector<Node> operands = op->operands();
  operands.pop_back();
  return op->writer().Tuple(operands, unless_one);
}

// `shape` with the layouts of the attribute `layout`, a list of lists.
bool SetInfeedLayout(OpImport* op, Shape* shape) {
  const AttrId id = op->Find("layout");
  if (!id.valid()) return true;
  const Ir& ir = op->ir();
  const std::vector<AttrId>& lists = ir.attr(id).elements;
  const size_t count = op->result_count() - 1;
  if (lists.empty()) return true;
  if (lists.size() != count) {
    return op->Fail(absl::StrCat(
        "layout-attribute size must be ", count,
        " (which is the number of op-results - 1 (for token result)), but got ",
        lists.size()));
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) {
    shapes.push_back(op->result_shape(i));
    const Attribute& list = ir.attr(lists[i]);
    Layout layout;
    if (list.kind != AttrKind::kArray) {
      return op->Fail(
          "layout-attribute expected to have elements of type array, but got "
          "another");
    }
    for (const AttrId dim : list.elements) {
      if (ir.attr(dim).kind != AttrKind::kInteger) {
        return op->Fail(
            "layout-attribute's leaf elements are expected to be of type "
            "integer");
      }
      layout.minor_to_major.push_back(ir.attr(dim).integer);
    }
    if (shapes[i].rank() == 0) continue;  // a scalar has one layout
    if (static_cast<int>(list.elements.size()) != shapes[i].rank() ||
        !IsPermutation(layout.minor_to_major)) {
      return op->Fail(absl::StrCat("layout-attribute ", i,
                                   " isn't a permutation of the dims of ",
                                   shapes[i].ToString()));
    }
    shapes[i].set_layout(std::move(layout));
  }
  *shape = Shape::Tuple(std::move(shapes));
  return true;
}

bool CheckChannel(OpImport* op, bool is_send, bool to_host, int64_t type) {
  if (!to_host && type != mlir::kDeviceToDevice) {
    return op->Fail(
        "channel_type should be DEVICE_TO_DEVICE when is_host_transfer is "
        "false");
  }
  if (to_host &&
      type != (is_send ? mlir::kDeviceToHost : mlir::kHostToDevice)) {
    return op->Fail(absl::StrCat("channel_type should be ",
                                 is_send ? "DEVICE_TO_HOST" : "HOST_TO_DEVICE",
                                 " when is_host_transfer is true"));
  }
  return true;
}

bool ReadTransfer(OpImport* op, bool is_send, Attributes* attributes) {
  *attributes = ChannelAttributes();
  if (!ReadAttributes(op, attributes)) return false;
  auto* to = std::get_if<ChannelAttributes>(attributes);
  const Attribute& handle = op->ir().attr(op->Find("channel_handle"));
  const auto number = ReadNumber(op->ir(), op->ir().Find(handle, "handle"));
  if (!number.has_value()) return op->WrongKind("channel_handle");
  to->channel_id = *number;
  const auto type = ReadNumber(op->ir(), op->ir().Find(handle, "type"));
  return CheckChannel(op, is_send, to->is_host_transfer, type.value_or(0));
}

// HLO has the pairs as a frontend attribute.
void AddTransferAttributes(OpImport* op, Node node) {
  AddCommonAttributes(op, node);
  // VHLO's default, tensor<0xi64>, has no rows.
  if (IsLeftOut(op->ir(), mlir::DefaultValue::kEmptyIntegers,
                op->Find("source_target_pairs"))) {
    return;
  }
  std::vector<std::string> pairs;
  for (const std::vector<int64_t>& row : op->Rows("source_target_pairs")) {
    pairs.push_back(absl::StrCat("{", absl::StrJoin(row, ","), "}"));
  }
  if (pairs.empty()) return;
  AddNotes(&op->writer(), node,
           {{"_xla_send_recv_source_target_pairs",
             absl::StrCat("{", absl::StrJoin(pairs, ","), "}")}});
}

}  // namespace

// --- Collectives -------------------------------------------------------------

void LowerAllToAll(OpImport* op) {
  Attributes attributes = CollectiveAttributes();
  if (!ReadAttributes(op, &attributes)) return;
  auto* to = std::get_if<CollectiveAttributes>(&attributes);
  const int64_t split = op->Number("split_dimension");
  const int64_t concat = op->Number("concat_dimension");
  const int64_t count = op->Number("split_count");
  if (op->failed()) return;
  if (op->operand_count() != op->result_count()) {
    return op->Error("must have as many results as operands");
  }
  for (size_t i = 0; i < op->operand_count(); ++i) {
    Node node;
    if (split == concat) {
      to->dimensions = {split};
      node = op->Emit(Opcode::kAllToAll, op->result_shape(i), attributes,
                      {op->operand(i)});
    } else {
      const std::optional<Node> made = EmitByBuilder(
          op, {op->operand(i)},
          [&](ComputationBuilder* b, absl::Span<const Op> operands) {
            return b->AllToAll(operands[0], split, concat, count, *to);
          });
      if (!made.has_value()) return;
      node = *made;
    }
    AddCommonAttributes(op, node);
    KeepShardingOf(op, i, node);
    op->SetResult(i, node);
  }
}

// The old name of an all_reduce that adds.
void LowerCrossReplicaSum(OpImport* op) {
  Attributes attributes;
  if (!ReadMembers(op, op->row(), &attributes)) return;
  const auto& groups = As<CollectiveAttributes>(attributes).replica_groups;
  const std::optional<Node> node =
      EmitByBuilder(op, {op->operand(0)},
                    [&](ComputationBuilder* b, absl::Span<const Op> operands) {
                      return b->CrossReplicaSum(operands[0], groups);
                    });
  if (!node.has_value()) return;
  SetMainResult(op, node);
}

// --- Infeed and outfeed ------------------------------------------------------

void LowerInfeed(OpImport* op) {
  Attributes attributes = InfeedAttributes();
  if (!EndsWithToken(op) || !ReadAttributes(op, &attributes)) return;
  Shape data = DataShape(op, /*unless_one=*/false);
  if (!SetInfeedLayout(op, &data)) return;
  const Node node =
      op->Emit(Opcode::kInfeed, Shape::Tuple({data, Shape::Token()}),
               attributes, {op->operand(0)});
  AddCommonAttributes(op, node);
  SetDataResults(op, node);
}

void LowerOutfeed(OpImport* op) {
  Attributes attributes = OutfeedAttributes();
  if (!ReadAttributes(op, &attributes)) return;
  const Node data = DataOperand(op, /*unless_one=*/false);
  std::get_if<OutfeedAttributes>(&attributes)->outfeed_shape =
      op->writer().shape(data).WithDefaultLayout();
  const Node node = op->Emit(Opcode::kOutfeed, Shape::Token(), attributes,
                             {data, op->operand(op->operand_count() - 1)});
  SetMainResult(op, node);
}

// --- Send and receive --------------------------------------------------------

// HLO's start has the data, a context and a token, of which the operation has
// the data, or none, and the token.
void ShardStart(OpImport* op, Node start) {
  HloWriter& writer = op->writer();
  const ValueSharding own = ShardingOf(writer, start);
  if (!own.has_value()) return;
  const std::vector<ValueSharding> of_results = ShardingsOfResults(*own, 1);
  std::vector<ValueSharding> all;
  const Shape& data = writer.shape(start).elements()[0];
  const size_t leaves =
      data.is_tuple() ? static_cast<size_t>(data.tuple_size()) : size_t{1};
  for (size_t i = 0; i < leaves; ++i) {
    all.push_back(of_results[std::min(i, of_results.size() - 1)]);
  }
  all.push_back(of_results.front());
  all.push_back(of_results.back());
  SetSharding(&writer, start, *ShardingOfTuple(all));
}

void LowerSend(OpImport* op) {
  Attributes attributes;
  if (!ReadTransfer(op, /*is_send=*/true, &attributes)) return;
  const Node data = DataOperand(op, /*unless_one=*/true);
  const Shape shape =
      Shape::Tuple({op->writer().shape(data), Shape::Scalar(ElementType::kU32),
                    Shape::Token()});
  const Node start = op->Emit(Opcode::kSend, shape, attributes,
                              {data, op->operand(op->operand_count() - 1)});
  AddTransferAttributes(op, start);
  ShardStart(op, start);
  const Node done =
      op->Emit(Opcode::kSendDone, Shape::Token(), attributes, {start});
  AddTransferAttributes(op, done);
  op->SetResult(0, done);
}

void LowerRecv(OpImport* op) {
  Attributes attributes;
  if (!ReadTransfer(op, /*is_send=*/false, &attributes) || !EndsWithToken(op)) {
    return;
  }
  const Shape data = DataShape(op, /*unless_one=*/true);
  const Node start = op->Emit(
      Opcode::kRecv,
      Shape::Tuple({data, Shape::Scalar(ElementType::kU32), Shape::Token()}),
      attributes, {op->operand(0)});
  AddTransferAttributes(op, start);
  ShardStart(op, start);
  const Node done =
      op->Emit(Opcode::kRecvDone, Shape::Tuple({data, Shape::Token()}),
               attributes, {start});
  AddTransferAttributes(op, done);
  SetDataResults(op, done);
}

}  // namespace indim::stablehlo_import
