// SPDX-License-Identifier: Apache-2.0
// Attributes of dialects, and the short forms of values.

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/ops/attribute_kind.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/mlir_syntax.h"
#include "indim/stablehlo/text/spaced_text.h"

namespace indim::mlir {

bool StructParser::Parse(std::string mnemonic, AttrId* attribute) {
  if (FindWords(mnemonic) != nullptr) {
    return lexer_.Expect('<') && ParseWord(mnemonic, attribute) &&
           lexer_.Expect('>');
  }
  const StructRow* const row = FindStruct(mnemonic);
  if (row != nullptr) return ParseStruct(*row, attribute);
  const absl::string_view dialect =
      absl::string_view(mnemonic).substr(0, mnemonic.find('.'));
  if (dialect == "stablehlo" || dialect == "chlo") {
    return lexer_.Error(absl::StrCat("unknown attribute #", mnemonic),
                        Code::kMlirAttribute);
  }
  if (!lexer_.Is('<')) {
    *attribute = ir_.DialectAttr(mnemonic, {});
    return true;
  }
  const size_t begin = lexer_.offset();
  const size_t end = lexer_.EndOfBrackets(begin);
  if (end == absl::string_view::npos) return false;
  *attribute = OpaqueAttr(mnemonic, begin + 1, end - 1);
  lexer_.Seek(end);
  return true;
}

AttrId StructParser::OpaqueAttr(absl::string_view mnemonic, size_t begin,
                                size_t end) {
  const absl::string_view text = lexer_.whole_text().substr(begin, end - begin);
  const bool is_shardy = mnemonic.substr(0, mnemonic.find('.')) == "sdy";
  return ir_.WordAttr(mnemonic,
                      is_shardy ? ShardySpaced(text) : SingleSpaced(text));
}

bool StructParser::ParseStruct(const StructRow& row, AttrId* attribute) {
  std::vector<AttrId> values(row.fields.size());
  if (row.attribute == "stablehlo.conv") {
    if (!lexer_.Expect('<')) return false;
    if (!lexer_.AcceptWord("raw")) {
      return ParseConvDims(attribute) && lexer_.Expect('>');
    }
    if (!ParseFields(row, &values)) return false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].valid() && row.fields[i].kind == ValueKind::kI64) {
        values[i] = ir_.IntegerAttr(0);
      }
    }
    *attribute = MakeStruct(row, values, &ir_);
    return true;
  }
  if (row.attribute == "stablehlo.sub_axis_info") {  // (1)2
    int64_t before = 0;
    int64_t size = 0;
    const bool brackets = lexer_.Accept('<');
    if (!lexer_.Expect('(') || !lexer_.ReadInteger(&before) ||
        !lexer_.Expect(')') || !lexer_.ReadInteger(&size) ||
        (brackets && !lexer_.Expect('>'))) {
      return false;
    }
    *attribute =
        MakeStruct(row, {ir_.IntegerAttr(before), ir_.IntegerAttr(size)}, &ir_);
    return true;
  }
  const size_t offset = lexer_.offset();
  if (!lexer_.Expect('<') || !ParseFields(row, &values)) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].valid() || row.fields[i].otherwise != DefaultValue::kNone) {
      continue;
    }
    return lexer_.ErrorAt(offset, lexer_.offset() - offset,
                          absl::StrCat("#", row.attribute, " requires '",
                                       row.fields[i].name, "'"),
                          Code::kMlirAttribute);
  }
  *attribute = MakeStruct(row, values, &ir_);
  return true;
}

// name = value, ...>
bool StructParser::ParseFields(const StructRow& row,
                               std::vector<AttrId>* values) {
  return lexer_.ReadRest('>', [&] {
    size_t i = 0;
    while (i < row.fields.size() && !lexer_.IsWord(row.fields[i].name)) ++i;
    if (i == row.fields.size()) {
      std::vector<absl::string_view> names;
      for (const FieldRow& field : row.fields) names.push_back(field.name);
      const absl::string_view near = NearestName(lexer_.text(), names);
      std::string what = "one of";
      for (const absl::string_view name : names) {
        absl::StrAppend(&what, " ", name);
      }
      return lexer_.Expected(
          near.empty() ? what
                       : absl::StrCat(what, " (did you mean \"", near, "\"?)"),
          Code::kMlirAttribute);
    }
    if ((*values)[i].valid()) {
      return lexer_.Error(
          absl::StrCat("'", row.fields[i].name, "' is given twice"),
          Code::kMlirRedefined);
    }
    lexer_.Next();
    return lexer_.Expect('=') && ParseFieldValue(row.fields[i], &(*values)[i]);
  });
}

bool StructParser::ParseFieldValue(const FieldRow& row, AttrId* value) {
  switch (row.kind) {
    case ValueKind::kI64Array: {
      if (!ParseIntegers(&integers_)) return false;
      *value = ir_.I64ArrayAttr(integers_);
      return true;
    }
    case ValueKind::kF64:
      return syntax_.attributes.ParseNumber(value);
    case ValueKind::kStructArray: {
      std::vector<AttrId> elements;
      const bool good = lexer_.ReadList('[', ']', [&] {
        elements.emplace_back();
        return ParseShort(ValueKind::kStruct, row.of, &elements.back());
      });
      if (good) *value = ir_.ArrayAttr(elements);
      return good;
    }
    case ValueKind::kStruct:
      if (lexer_.Is('(')) {
        return ParseStruct(*FindStruct(row.of), value);
      }
      return ParseShort(row.kind, row.of, value);
    default:
      return ParseShort(row.kind, row.of, value);
  }
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
bool StructParser::ParseConvDims(AttrId* attribute) {
  std::vector<AttrId> values;
  const auto side = [&](absl::string_view letters) {
    int64_t first = 0;
    int64_t second = 0;
    std::vector<int64_t> spatial;
    if (!ParseConvSide(letters, &first, &second, &spatial)) return false;
    values.push_back(ir_.IntegerAttr(first));
    values.push_back(ir_.IntegerAttr(second));
    values.push_back(ir_.I64ArrayAttr(spatial));
    return true;
  };
  if (!side("bf") || !lexer_.ExpectWord("x") || !side("io") ||
      !lexer_.ExpectArrow() || !side("bf")) {
    return false;
  }
  *attribute = MakeStruct(*FindStruct("stablehlo.conv"), values, &ir_);
  return true;
}

// [b, 0, 1, f]: where the two letters stand, and where the numbers 0, 1 ... do.
bool StructParser::ParseConvSide(absl::string_view letters, int64_t* first,
                                 int64_t* second,
                                 std::vector<int64_t>* spatial) {
  const size_t begin = lexer_.offset();
  std::vector<int64_t> numbers;  // of each place; -1, -2: the letters
  const bool good = lexer_.ReadList('[', ']', [&] {
    int64_t number = 0;
    if (lexer_.token() == MlirToken::kWord && lexer_.text().size() == 1 &&
        absl::StrContains(letters, lexer_.text())) {
      number = lexer_.text()[0] == letters[0] ? -1 : -2;
      lexer_.Next();
    } else if (lexer_.token() != MlirToken::kInteger) {
      return lexer_.Expected(absl::StrCat("a number of a spatial dimension, '",
                                          letters.substr(0, 1), "' or '",
                                          letters.substr(1), "'"));
    } else if (!lexer_.ReadInteger(&number)) {
      return false;
    }
    numbers.push_back(number);
    return true;
  });
  if (!good) return false;
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<int64_t> places(numbers.size() + 2, -1);
  for (int64_t place = 0; place < count; ++place) {
    const int64_t number = numbers[static_cast<size_t>(place)];
    if (number >= count - 2 || places[static_cast<size_t>(number + 2)] >= 0) {
      return lexer_.ErrorAt(
          begin, lexer_.offset() - begin,
          absl::StrCat("expected the letters ", letters.substr(0, 1), " and ",
                       letters.substr(1),
                       count > 2 ? absl::StrCat(", and the numbers 0 to ",
                                                count - 3, ", each once")
                                 : ""));
    }
    places[static_cast<size_t>(number + 2)] = place;
  }
  if (count < 2) {
    return lexer_.ErrorAt(
        begin, lexer_.offset() - begin,
        absl::StrCat("expected the letters ", letters.substr(0, 1), " and ",
                     letters.substr(1)));
  }
  *first = places[1];
  *second = places[0];
  spatial->assign(places.begin() + 2,
                  places.begin() + static_cast<int64_t>(numbers.size()));
  return true;
}

// --- Short forms -------------------------------------------------------------

bool StructParser::ParseShort(ValueKind kind, absl::string_view of,
                              AttrId* value) {
  switch (kind) {
    case ValueKind::kI32:
    case ValueKind::kI64: {
      int64_t integer = 0;
      if (!lexer_.ReadInteger(&integer)) return false;
      *value =
          ir_.IntegerAttr(integer, kind == ValueKind::kI32 ? ElementType::kS32
                                                           : ElementType::kS64);
      return true;
    }
    case ValueKind::kI64Array:
      if (!lexer_.Is('[')) return syntax_.attributes.Parse(value);
      return ParseIntegerArray(value);
    case ValueKind::kWord:
      return ParseWord(of, value);
    case ValueKind::kString: {  // no type follows
      std::string text;
      if (!lexer_.ReadString(&text)) return false;
      *value = ir_.StringAttr(text);
      return true;
    }
    case ValueKind::kStruct: {
      if ((lexer_.Is('[') || lexer_.Is('{')) &&
          absl::ConsumePrefix(&of, "sdy.")) {
        // `[{"x"}, {}]` for #sdy<list_of_axis_ref_lists[{"x"}, {}]>.
        const size_t begin = lexer_.offset();
        const size_t end = lexer_.EndOfBrackets(begin);
        if (end == absl::string_view::npos) return false;
        *value = ir_.WordAttr(
            "sdy", absl::StrCat(of, ShardySpaced(lexer_.whole_text().substr(
                                        begin, end - begin))));
        lexer_.Seek(end);
        return true;
      }
      if (!lexer_.Is('<')) return syntax_.attributes.Parse(value);
      return Parse(std::string(of), value);
    }
    default:
      return syntax_.attributes.Parse(value);
  }
}

bool StructParser::ParseWord(absl::string_view of, AttrId* value) {
  if (lexer_.token() == MlirToken::kHash)
    return syntax_.attributes.Parse(value);
  const WordsRow& words = *FindWords(of);
  if (lexer_.token() != MlirToken::kWord) {
    return lexer_.Expected(KindText(ValueKind::kWord, of));
  }
  const absl::string_view word = lexer_.text();
  if (NumberOf(words, word) < 0 || word.empty()) {
    const absl::string_view near = NearestName(word, words.words);
    return lexer_.Error(
        absl::StrCat(
            "expected ", KindText(ValueKind::kWord, of), ", found '", word, "'",
            near.empty() ? "" : absl::StrCat(", did you mean \"", near, "\"?")),
        Code::kMlirAttribute);
  }
  lexer_.Next();
  *value = ir_.WordAttr(of, word);
  return true;
}

bool StructParser::ParseIntegers(std::vector<int64_t>* values) {
  values->clear();
  if (!lexer_.Expect('[')) return false;
  if (lexer_.Accept(']')) return true;
  do {
    int64_t value = 0;
    if (!lexer_.ReadInteger(&value)) return false;
    values->push_back(value);
  } while (lexer_.Accept(','));
  return lexer_.Expect(']');
}

// Unless the same text was read before.
bool StructParser::ParseIntegerArray(AttrId* value) {
  constexpr size_t kMost = 100;
  const absl::string_view rest = lexer_.rest().substr(0, kMost);
  const size_t end = rest.find(']');
  const absl::string_view text =
      end == absl::string_view::npos ? "" : rest.substr(0, end + 1);
  const auto found = lists_.find(text);
  if (found != lists_.end()) {
    *value = found->second;
    lexer_.Seek(lexer_.offset() + text.size());
    return true;
  }
  if (!ParseIntegers(&integers_)) return false;
  *value = ir_.I64ArrayAttr(integers_);
  if (!text.empty()) lists_.emplace(text, *value);
  return true;
}

}  // namespace indim::mlir
