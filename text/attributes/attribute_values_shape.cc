// SPDX-License-Identifier: Apache-2.0
// Values with shapes, literals, shardings, or indices into shapes.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/shape.h"
#include "indim/sharding/text/sharding_text.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/attributes/literal_reader.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/base/shape_text.h"

namespace indim {
namespace {

using field::HloInstructionProto::kConstrainLayout;
using field::HloInstructionProto::kDomainEntrySharding;
using field::HloInstructionProto::kDomainExitSharding;

// XLA's spelling; "" for an invalid shape.
std::string ShapeWireText(absl::string_view wire) {
  const absl::StatusOr<Shape> shape = ParseShapeProto(wire);
  return shape.ok() ? shape->ToString() : "";
}

// "f32[2]{0} {1, 2}", "( s32[] 1, pred[] true )": each array with its shape,
// printed in full with any options. Wire messages limit the nesting.
void AppendTypedLiteral(absl::string_view wire, const ExternalFiles* files,
                        std::string* out) {
  using field::LiteralProto::kTupleLiterals;
  FieldList literal(WireMessage::kLiteralProto, wire);
  const absl::StatusOr<Shape> shape =
      ParseShapeProto(literal.Text(field::LiteralProto::kShape));
  if (!shape.ok() || !shape->is_tuple()) {
    absl::StrAppend(out, shape.ok() ? shape->ToString() : "", " ");
    return AppendConstantText(wire, /*large=*/true, out, files);
  }
  out->append("( ");
  absl::string_view comma = "";
  for (const absl::string_view element : literal.Texts(kTupleLiterals)) {
    absl::StrAppend(out, comma);
    AppendTypedLiteral(element, files, out);
    comma = ", ";
  }
  out->append(" )");
}

// Reads a shape whose layouts count. Those of scalars are never printed.
bool ReadWithLayouts(Lexer* lexer, const AttributesRead& to,
                     std::string* wire) {
  Shape shape;
  if (!ReadShape(lexer, /*fill_layouts=*/!to.recorded, &shape)) return false;
  *wire = SerializeShapeProto(shape.WithScalarLayouts());
  return true;
}

}  // namespace

bool ReadShapeValue(const TextAttribute& row, Lexer* lexer,
                    AttributesRead* to) {
  std::string wire;
  if (!ReadWithLayouts(lexer, *to, &wire)) return false;
  to->fields.SetText(row.path[0], wire);
  return true;
}

bool PrintShapeValue(const PrintedValue& value, std::string* out) {
  if (!value.fields.has(value.row.path[0])) return false;
  out->append(ShapeWireText(value.fields.Text(value.row.path[0])));
  return true;
}

bool ReadShapesValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to) {
  std::vector<std::string> shapes;
  const auto read = [&] {
    return ReadWithLayouts(lexer, *to, &shapes.emplace_back());
  };
  if (!ReadList(lexer, read)) return false;
  to->fields.SetTexts(row.path[0], shapes);
  // A separate field marks layouts as given, even an empty list.
  to->fields.SetNumber(kConstrainLayout, 1);
  return true;
}

bool PrintShapesValue(const PrintedValue& value, std::string* out) {
  if (value.fields.Number(kConstrainLayout) == 0 &&
      !(value.recorded && value.fields.has(value.row.path[0]))) {
    return false;
  }
  AppendList(
      value.fields.Texts(value.row.path[0]), ", ", out,
      [out](absl::string_view wire) { out->append(ShapeWireText(wire)); });
  return true;
}

bool PrintConstrainLayoutValue(const PrintedValue& value, std::string* out) {
  using field::HloInstructionProto::kOperandShapesWithLayout;
  if (value.fields.Number(kConstrainLayout) != 0 ||
      !value.fields.has(kOperandShapesWithLayout)) {
    return false;
  }
  out->append("false");
  return true;
}

bool ReadLiteralValue(const TextAttribute& row, Lexer* lexer,
                      AttributesRead* to) {
  ReadLiteralResult literal;
  if (!ReadTypedLiteral(lexer, LiteralReaderOptions(), &literal)) return false;
  to->fields.SetText(row.path[0], literal.wire);
  return true;
}

bool PrintLiteralValue(const PrintedValue& value, std::string* out) {
  AppendTypedLiteral(value.fields.Text(value.row.path[0]),
                     internal::ExternalFilesOf(value.instruction), out);
  return true;
}

// XLA's text and files swap the names of the two sides: the domain's entry is
// on the users' side.
bool ReadDomainValue(const TextAttribute&, Lexer* lexer, AttributesRead* to) {
  constexpr absl::string_view kNames[] = {"kind", "entry", "exit"};
  const size_t offset = lexer->offset();
  uint64_t given = 0;
  const auto read = [&](size_t i) {
    if (i == 0) {
      const size_t kind_offset = lexer->offset();
      const size_t length = lexer->end() - kind_offset;
      std::string kind;
      if (!lexer->ReadString(&kind)) return false;
      return kind == "sharding" ||
             lexer->ErrorAt(kind_offset, length,
                            "the kind of a domain is \"sharding\"");
    }
    std::string sharding;
    if (!ReadSharding(lexer, &sharding)) return false;
    to->fields.SetText(i == 1 ? kDomainExitSharding : kDomainEntrySharding,
                       sharding);
    return true;
  };
  if (!ReadMembers(lexer, "domain", kNames, read, &given)) return false;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if ((given >> i & 1) == 0) {
      return lexer->ErrorAt(offset, 1,
                            absl::StrCat("the domain lacks ", kNames[i], "="));
    }
  }
  return true;
}

bool PrintDomainValue(const PrintedValue& value, std::string* out) {
  const auto side = [&](uint32_t field) -> std::string {
    if (!value.fields.has(field)) return "{}";
    return ShardingText(value.fields.Text(field), /*metadata=*/false);
  };
  absl::StrAppend(out, "{kind=\"sharding\", entry=", side(kDomainExitSharding),
                  ", exit=", side(kDomainEntrySharding), "}");
  return true;
}

// { {0}: (1, {}), {1}: (0, {2}) }: output index, operand, index into it.
bool ReadAliasingValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to) {
  namespace of = field::OutputOperandAliasing;
  std::vector<std::string> aliases;
  const auto read = [&] {
    DimIndices output, index;
    int64_t operand = 0;
    if (!lexer->ReadInts(&output) || !lexer->Expect(Token::kColon) ||
        !lexer->Expect(Token::kLeftParen) || !lexer->ReadInt(&operand) ||
        !lexer->Expect(Token::kComma) || !lexer->ReadInts(&index) ||
        !lexer->Expect(Token::kRightParen)) {
      return false;
    }
    FieldList alias(WireMessage::kOutputOperandAliasing);
    alias.SetNumbers(of::kOutputShapeIndex, output);
    alias.SetNumber(of::kOperandIndex, operand);
    alias.SetNumbers(of::kOperandShapeIndex, index);
    aliases.push_back(alias.Serialize());
    return true;
  };
  if (!ReadList(lexer, read)) return false;
  to->fields.SetTexts(row.path[0], aliases);
  return true;
}

bool PrintAliasingValue(const PrintedValue& value, std::string* out) {
  namespace of = field::OutputOperandAliasing;
  const auto append = [out](absl::string_view wire) {
    FieldList alias(WireMessage::kOutputOperandAliasing, wire);
    AppendInts(alias.Numbers(of::kOutputShapeIndex), out);
    absl::StrAppend(out, ": (", alias.Number(of::kOperandIndex), ", ");
    AppendInts(alias.Numbers(of::kOperandShapeIndex), out);
    out->append(")");
  };
  AppendList(value.fields.Texts(value.row.path[0]), ", ", out, append);
  return true;
}

bool ReadReplicationValue(const TextAttribute& row, Lexer* lexer,
                          AttributesRead* to) {
  DimIndices flags;
  const auto read = [&] {
    bool flag = false;
    if (!lexer->ReadBool(&flag)) return false;
    flags.push_back(flag ? 1 : 0);
    return true;
  };
  if (!ReadList(lexer, read)) return false;
  FieldList replication(WireMessage::kParameterReplication);
  replication.SetNumbers(field::ParameterReplication::kReplicatedAtLeafBuffers,
                         flags);
  // XLA writes no empty list.
  if (!flags.empty()) {
    to->fields.SetText(row.path[0], replication.Serialize());
  }
  return true;
}

bool PrintReplicationValue(const PrintedValue& value, std::string* out) {
  if (!value.options.ids || !value.fields.has(value.row.path[0])) return false;
  FieldList replication(WireMessage::kParameterReplication,
                        value.fields.Text(value.row.path[0]));
  AppendList(replication.Numbers(
                 field::ParameterReplication::kReplicatedAtLeafBuffers),
             ",", out, [out](int64_t flag) {
               out->append(flag != 0 ? "true" : "false");
             });
  return true;
}

bool ReadShardingValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to) {
  std::string sharding;
  if (!ReadSharding(lexer, &sharding)) return false;
  to->fields.SetText(row.path[0], sharding);
  return true;
}

bool PrintShardingValue(const PrintedValue& value, std::string* out) {
  out->append(ShardingText(value.fields.Text(value.row.path[0]),
                           value.options.metadata));
  return true;
}

bool ReadReplicaGroupsValue(const TextAttribute&, Lexer* lexer,
                            AttributesRead* to) {
  return ReadReplicaGroups(lexer, &to->fields);
}

bool PrintReplicaGroupsValue(const PrintedValue& value, std::string* out) {
  const std::string groups =
      ReplicaGroupsText(value.fields, value.options.full_replica_groups);
  // For ops other than XLA's, the text distinguishes none from an empty list.
  if (value.recorded && groups == "{}" &&
      !value.fields.has(value.row.path[0])) {
    return false;
  }
  out->append(groups);
  return true;
}

}  // namespace indim
