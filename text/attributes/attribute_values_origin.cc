// SPDX-License-Identifier: Apache-2.0
// origin={...}: the instruction of an earlier module from which each leaf of a
// result comes. {({"a"}, {"b" {0}})}: a tuple of a's result and of part {0} of
// b's. {{"a"},["f/g"]}: with the calls around it.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/base/escaped_text.h"

namespace indim {
namespace {

using field::OriginalArrayProto::kInstructionName;
using field::OriginalValueElementProto::kOriginalArray;
using field::OriginalValueProto::kCallHierarchy;
using field::OriginalValueProto::kElements;
using field::OriginalValueProto::kIsSyntheticCall;

// Shapes don't nest deeper.
constexpr size_t kMaxDepth = 1000;

// Reads {"name" {0}} or {}: one leaf, at `index` of the tree.
bool ReadOriginLeaf(Lexer* lexer, const DimIndices& index,
                    std::vector<std::string>* elements) {
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  FieldList element(WireMessage::kOriginalValueElementProto);
  element.SetNumbers(field::OriginalValueElementProto::kShapeIndex, index);
  if (lexer->token() == Token::kString) {
    FieldList array(WireMessage::kOriginalArrayProto);
    std::string name;
    if (!ReadUtf8(lexer, &name)) return false;
    array.SetText(kInstructionName, name);
    if (lexer->token() == Token::kLeftBrace) {
      DimIndices part;
      if (!lexer->ReadInts(&part)) return false;
      array.SetNumbers(field::OriginalArrayProto::kShapeIndex, part);
    }
    if (!name.empty()) element.SetText(kOriginalArray, array.Serialize());
  }
  elements->push_back(element.Serialize());
  return lexer->Expect(Token::kRightBrace);
}

// Reads parentheses, commas and leaves up to the closing brace or the bracket
// of the calls.
bool ReadTree(Lexer* lexer, std::vector<std::string>* elements) {
  DimIndices index;
  while (lexer->token() != Token::kRightBrace) {
    if (index.empty() && lexer->token() == Token::kComma) {
      lexer->Next();
      if (lexer->token() != Token::kLeftBracket) {
        return lexer->Expected("\"[\"");
      }
      return true;
    }
    switch (lexer->token()) {
      case Token::kLeftParen:
        if (index.size() >= kMaxDepth) {
          return lexer->Error("this nests too deep");
        }
        index.push_back(0);
        break;
      case Token::kRightParen:
        if (index.empty()) return lexer->Expected("\"{\" or \"(\"");
        index.pop_back();
        break;
      case Token::kComma:
        ++index.back();
        break;
      case Token::kLeftBrace:
        if (!ReadOriginLeaf(lexer, index, elements)) return false;
        continue;
      default:
        return lexer->Expected(
            "[synthetic_call] or a tree of {\"name\" {index}}");
    }
    lexer->Next();
  }
  if (!index.empty()) return lexer->Expected("\")\"");
  return true;
}

// A leaf of the printed tree.
struct OriginLeaf {
  DimIndices index;
  std::string text;
};

std::vector<OriginLeaf> LeavesOf(const FieldList& origin) {
  std::vector<OriginLeaf> leaves;
  for (const absl::string_view wire : origin.Texts(kElements)) {
    FieldList element(WireMessage::kOriginalValueElementProto, wire);
    OriginLeaf leaf{
        element.Numbers(field::OriginalValueElementProto::kShapeIndex), "{"};
    if (element.has(kOriginalArray)) {
      FieldList array(WireMessage::kOriginalArrayProto,
                      element.Text(kOriginalArray));
      absl::StrAppend(&leaf.text, "\"", array.Text(kInstructionName), "\"");
      const DimIndices part =
          array.Numbers(field::OriginalArrayProto::kShapeIndex);
      if (!part.empty()) {
        leaf.text.append(" ");
        AppendInts(part, &leaf.text);
      }
    }
    leaf.text.append("}");
    leaves.push_back(std::move(leaf));
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const OriginLeaf& a, const OriginLeaf& b) {
                     return a.index < b.index;
                   });
  return leaves;
}

// Prints the tree of sorted leaves: from each leaf to the next it closes and
// opens parentheses.
std::string TreeText(const std::vector<OriginLeaf>& leaves) {
  if (leaves.empty()) return "()";
  std::string out;
  DimIndices at;
  bool first = true;
  for (const OriginLeaf& leaf : leaves) {
    size_t common = 0;
    while (common < at.size() && common < leaf.index.size() &&
           at[common] == leaf.index[common]) {
      ++common;
    }
    if (!first) {
      for (size_t i = common + 1; i < at.size(); ++i) out.append(")");
      out.append(", ");
    }
    const size_t opened = first ? 0 : common + 1;
    for (size_t i = opened; i < leaf.index.size(); ++i) out.append("(");
    out.append(leaf.text);
    at = leaf.index;
    first = false;
  }
  for (size_t i = 0; i < at.size(); ++i) out.append(")");
  return out;
}

}  // namespace

bool ReadOriginValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to) {
  FieldList origin(WireMessage::kOriginalValueProto);
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  if (lexer->Accept(Token::kLeftBracket)) {
    if (!lexer->ExpectWord("synthetic_call") ||
        !lexer->Expect(Token::kRightBracket)) {
      return false;
    }
    origin.SetNumber(kIsSyntheticCall, 1);
  } else {
    std::vector<std::string> elements;
    if (!ReadTree(lexer, &elements)) return false;
    origin.SetTexts(kElements, elements);
    if (lexer->Accept(Token::kLeftBracket)) {
      std::string calls;
      if (!ReadUtf8(lexer, &calls) || !lexer->Expect(Token::kRightBracket)) {
        return false;
      }
      origin.SetText(kCallHierarchy, calls);
    }
  }
  to->fields.SetText(row.path[0], origin.Serialize());
  return lexer->Expect(Token::kRightBrace);
}

bool PrintOriginValue(const PrintedValue& value, std::string* out) {
  if (!value.options.original_value || !value.fields.has(value.row.path[0])) {
    return false;
  }
  FieldList origin(WireMessage::kOriginalValueProto,
                   value.fields.Text(value.row.path[0]));
  const bool has_calls = origin.has(kCallHierarchy);
  if (origin.Number(kIsSyntheticCall) != 0 && !has_calls) {
    out->append("{[synthetic_call]}");
    return true;
  }
  absl::StrAppend(out, "{", TreeText(LeavesOf(origin)));
  if (has_calls) {
    absl::StrAppend(out, ",[\"", EscapeText(origin.Text(kCallHierarchy)),
                    "\"]");
  }
  out->append("}");
  return true;
}

}  // namespace indim
