#include "indim/stablehlo/import/shardings.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "indim/builder/sharding.h"
#include "indim/stablehlo/import/module_fields.h"
#include "indim/text/attributes/sharding_text.h"
#include "indim/text/base/lexer.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/canonical.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim::mlir {
namespace {

constexpr uint32_t kSharding = field::HloInstructionProto::kSharding;

// The parts of a tuple's sharding; nullopt: it is one of an array.
std::optional<std::vector<std::string>> PartsOf(absl::string_view sharding) {
  constexpr int64_t kTuple = 2;  // OpSharding.Type
  FieldList fields(WireMessage::kOpSharding);
  fields.Append(sharding);
  if (fields.Number(field::OpSharding::kType) != kTuple) return std::nullopt;
  const std::vector<absl::string_view> parts =
      fields.Texts(field::OpSharding::kTupleShardings);
  return std::vector<std::string>(parts.begin(), parts.end());
}

bool HasShardysAttribute(const Ir& ir, absl::Span<const NamedAttr> attributes) {
  return absl::c_any_of(attributes, [&](const NamedAttr& attribute) {
    return absl::StartsWith(ir.text(attribute.name), "sdy.");
  });
}

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

ValueSharding ShardingOf(const GraphWriter& writer, Node node) {
  bool has = false;
  const absl::string_view sharding =
      AttributeBytesField(writer.attribute_bytes(node), kSharding, &has);
  if (!has) return std::nullopt;
  return std::string(sharding);
}

void SetSharding(GraphWriter* writer, Node node, absl::string_view sharding) {
  const OwnedAttributeBytes before = Owned(writer->attribute_bytes(node));
  writer->SetAttributeBytes(
      node, WithField(before.view(), kSharding, sharding).view());
}

std::vector<ValueSharding> ShardingsOfResults(const std::string& sharding,
                                              size_t count) {
  const auto parts = PartsOf(sharding);
  if (!parts.has_value()) return std::vector<ValueSharding>(count, sharding);
  return std::vector<ValueSharding>(parts->begin(), parts->end());
}

ValueSharding ShardingOfTuple(absl::Span<const ValueSharding> values) {
  std::vector<std::string> all;
  bool any = false;
  for (const ValueSharding& value : values) {
    any |= value.has_value();
    std::string one = value.value_or(ReplicateSharding());
    auto parts = PartsOf(one);
    if (!parts.has_value()) parts.emplace({std::move(one)});
    all.insert(all.end(), parts->begin(), parts->end());
  }
  if (!any) return std::nullopt;
  return TupleSharding(all);
}

Node ResultOfFunction(const Ir& ir, const Op& function,
                      absl::Span<const Node> results, GraphWriter* writer) {
  std::vector<ValueSharding> shardings(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Attribute* attributes = AttributesOf(ir, function, "res_attrs", i);
    const AttrId id = attributes == nullptr
                          ? AttrId()
                          : ir.Find(*attributes, "mhlo.sharding");
    if (id.valid() && ir.attr(id).kind == AttrKind::kString) {
      shardings[i] = ShardingOfText(ir.attr(id).text);
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

bool MentionsShardy(const Ir& ir) {
  for (uint32_t i = 0; i < ir.op_count(); ++i) {
    const Op& op = ir.op({i});
    if (absl::StartsWith(ir.name(op), "sdy.") ||
        HasShardysAttribute(ir, ir.discardable(op))) {
      return true;
    }
    if (ir.name(op) != "func.func") continue;
    for (const absl::string_view list : {"arg_attrs", "res_attrs"}) {
      for (const AttrId attributes : ir.attr(ir.Find(op, list)).elements) {
        if (HasShardysAttribute(ir, ir.attr(attributes).fields)) return true;
      }
    }
  }
  return false;
}

}  // namespace indim::mlir
