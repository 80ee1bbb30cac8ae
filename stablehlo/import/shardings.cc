// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/shardings.h"

#include <utility>

#include "absl/strings/match.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/shardy/shardy_meaning.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/text/sharding_text.h"
#include "indim/stablehlo/import/module_fields.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/text/base/lexer.h"

namespace indim::stablehlo_import {
namespace {

constexpr uint32_t kSharding = field::HloInstructionProto::kSharding;

}  // namespace

ValueSharding ShardingOfText(absl::string_view text) {
  if (absl::StartsWith(text, "{")) {
    TextErrors errors;
    Lexer lexer(text, &errors);
    std::string wire;
    if (!ReadSharding(&lexer, &wire) || !errors.empty()) return std::nullopt;
    return wire;
  }
  absl::StatusOr<std::string> bytes =
      Canonicalize(WireMessage::kOpSharding, text, 3);
  if (!bytes.ok()) return std::nullopt;
  return *std::move(bytes);
}

ValueSharding ShardingOf(const HloWriter& writer, Node node) {
  bool has = false;
  const absl::string_view sharding =
      AttributeBytesField(writer.attribute_bytes(node), kSharding, &has);
  if (!has) return std::nullopt;
  return std::string(sharding);
}

void SetSharding(HloWriter* writer, Node node, absl::string_view sharding) {
  const OwnedAttributeBytes before = Owned(writer->attribute_bytes(node));
  writer->SetAttributeBytes(
      node, WithField(before.view(), kSharding, sharding).view());
}

void AddNotes(HloWriter* writer, Node node,
              absl::Span<const FrontendNote> notes) {
  namespace of = field::HloInstructionProto;
  const OwnedAttributeBytes before = Owned(writer->attribute_bytes(node));
  std::string all(AttributeBytesField(before.view(), of::kFrontendAttributes));
  for (const FrontendNote& note : notes) {
    all = WithFrontendAttribute(all, note.key, note.value);
  }
  writer->SetAttributeBytes(
      node, WithField(before.view(), of::kFrontendAttributes, all).view());
}

std::vector<ValueSharding> ShardingsOfResults(const std::string& sharding,
                                              size_t count) {
  const auto parts = TupleParts(sharding);
  // One without parts, {}, is wrong for each result: the verifier says so.
  if (!parts.has_value() || parts->empty()) {
    return std::vector<ValueSharding>(count, sharding);
  }
  return std::vector<ValueSharding>(parts->begin(), parts->end());
}

absl::StatusOr<Mesh> FindMesh(const Ir& ir, absl::string_view name) {
  for (const OpId id : ir.block(ir.module_block()).ops) {
    const mlir::Op& op = ir.op(id);
    if (ir.name(op) == "sdy.mesh" &&
        ir.attr(ir.Find(op, note::kSymName)).text == name) {
      return ReadShardyMesh(AttributeText(ir, ir.Find(op, "mesh")));
    }
  }
  return absl::NotFoundError(name);
}

const ValueSharding& ShardyMeanings::Of(AttrId sharding) {
  const auto [entry, is_new] = known_.try_emplace(sharding.index);
  if (!is_new || ir_.attr(sharding).kind != AttrKind::kDialect) {
    return entry->second;
  }
  entry->second = MeaningOfShardy(
      AttributeText(ir_, sharding),
      [this](absl::string_view name) { return FindMesh(ir_, name); });
  return entry->second;
}

ValueSharding ShardingOfTuple(absl::Span<const ValueSharding> values) {
  std::vector<std::string> all;
  bool any = false;
  for (const ValueSharding& value : values) {
    any |= value.has_value();
    const std::string one = value.value_or(ReplicateSharding());
    const auto parts = TupleParts(one);
    if (parts.has_value()) {
      for (const absl::string_view part : *parts) all.emplace_back(part);
    } else {
      all.push_back(one);
    }
  }
  if (!any) return std::nullopt;
  return TupleSharding(all);
}

Node ResultOfFunction(const Ir& ir, const mlir::Op& function,
                      absl::Span<const Node> results, ShardyMeanings* shardy,
                      HloWriter* writer) {
  std::vector<ValueSharding> shardings(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Attribute& attributes =
        AttributesOf(ir, function, note::kResAttrs, i);
    const Attribute& text = ir.attr(ir.Find(attributes, note::kHloSharding));
    const AttrId of_shardy = ir.Find(attributes, note::kShardySharding);
    if (text.kind == AttrKind::kString) {
      shardings[i] = ShardingOfText(text.text);
    } else if (of_shardy.valid()) {
      shardings[i] = shardy->Of(of_shardy);
    }
  }
  const ValueSharding of_tuple = ShardingOfTuple(shardings);
  if (!of_tuple.has_value()) return writer->Tuple(results, true);
  const Node tuple = writer->Tuple(results);
  if (results.size() != 1) {
    SetSharding(writer, tuple, *of_tuple);
    return tuple;
  }
  const ValueSharding own = ShardingOfTuple({ShardingOf(*writer, results[0])});
  if (own.has_value()) SetSharding(writer, tuple, *own);
  const Node result = writer->Element(tuple, 0);
  SetSharding(writer, result, *shardings[0]);
  return result;
}

}  // namespace indim::stablehlo_import
