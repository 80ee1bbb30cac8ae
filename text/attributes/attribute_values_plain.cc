// SPDX-License-Identifier: Apache-2.0
// Values that are numbers, words, texts and lists of them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "indim/proto/codec/special_bindings.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/shape/types/element_type.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/base/escaped_text.h"

namespace indim {
namespace {

// Reads the word of the row's list at the current token. False after an error.
bool ReadWord(const TextAttribute& row, Lexer* lexer,
              const AttributeWord** word) {
  if (lexer->token() != Token::kWord) {
    return lexer->Expected(absl::StrCat("a ", row.name));
  }
  for (const AttributeWord& known : row.words->words) {
    if (known.word == lexer->text() ||
        (row.words->any_case &&
         absl::EqualsIgnoreCase(known.word, lexer->text()))) {
      *word = &known;
      lexer->Next();
      return true;
    }
  }
  std::vector<absl::string_view> names;
  for (const AttributeWord& known : row.words->words)
    names.push_back(known.word);
  return UnknownName(lexer, lexer->offset(), lexer->text(), row.name, names);
}

// The row with the path of the message that `word` stands for.
TextAttribute VariantOf(TextAttribute row, const AttributeWord& word) {
  row.path[1] = static_cast<uint32_t>(word.number);
  return row;
}

// Null: the list lacks the number.
const AttributeWord* FindWord(const TextAttribute& row, int64_t number) {
  for (const AttributeWord& known : row.words->words) {
    if (known.number == number) return &known;
  }
  return nullptr;
}

// The word for a number; the number itself if the list lacks it.
std::string WordOf(const TextAttribute& row, int64_t number) {
  const AttributeWord* const known = FindWord(row, number);
  return known != nullptr ? std::string(known->word) : absl::StrCat(number);
}

// Reads a number that WordOf wrote, which an enum may hold without a word.
bool ReadNumberWithoutWord(const TextAttribute& row, Lexer* lexer,
                           int64_t* number) {
  const size_t offset = lexer->offset();
  const size_t size = lexer->end() - offset;
  if (!lexer->ReadInt(number)) return false;
  if (*number == static_cast<int32_t>(*number) &&
      FindWord(row, *number) == nullptr) {
    return true;
  }
  return lexer->ErrorAt(
      offset, size,
      absl::StrCat("expected a ", row.name, ", found ", *number, ", a number"));
}

// Reads a word of the row's list, or a number that has none.
bool ReadWordNumber(const TextAttribute& row, Lexer* lexer, int64_t* number) {
  if (lexer->token() == Token::kInt) {
    return ReadNumberWithoutWord(row, lexer, number);
  }
  const AttributeWord* word = nullptr;
  if (!ReadWord(row, lexer, &word)) return false;
  *number = word->number;
  return true;
}

int64_t NumberAt(const PrintedValue& value) {
  int64_t number = 0;
  WithField(value.fields, value.row,
            [&](const FieldList& list, uint32_t field) {
              number = list.Number(field);
            });
  return number;
}

DimIndices NumbersAt(const PrintedValue& value) {
  DimIndices numbers;
  WithField(value.fields, value.row,
            [&](const FieldList& list, uint32_t field) {
              numbers = list.Numbers(field);
            });
  return numbers;
}

std::string TextAt(const PrintedValue& value) {
  std::string text;
  WithField(value.fields, value.row,
            [&](const FieldList& list, uint32_t field) {
              text = std::string(list.Text(field));
            });
  return text;
}

void SetNumberAt(const TextAttribute& row, int64_t number, AttributesRead* to) {
  EditField(&to->fields, row, [&](FieldList* list, uint32_t field) {
    list->SetNumber(field, number);
  });
}

void SetNumbersAt(const TextAttribute& row, const DimIndices& numbers,
                  AttributesRead* to) {
  EditField(&to->fields, row, [&](FieldList* list, uint32_t field) {
    list->SetNumbers(field, numbers);
  });
}

}  // namespace

bool ReadIntValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to) {
  int64_t number = 0;
  if (!lexer->ReadInt(&number)) return false;
  SetNumberAt(row, number, to);
  return true;
}

bool ReadInt32Value(const TextAttribute& row, Lexer* lexer,
                    AttributesRead* to) {
  int64_t number = 0;
  if (!ReadInt32(lexer, &number)) return false;
  SetNumberAt(row, number, to);
  return true;
}

bool ReadBoolValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to) {
  bool flag = false;
  if (!lexer->ReadBool(&flag)) return false;
  SetNumberAt(row, flag ? 1 : 0, to);
  return true;
}

bool ReadTriStateValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to) {
  bool flag = false;
  if (!lexer->ReadBool(&flag)) return false;
  SetNumberAt(row, flag ? 1 : 2, to);
  return true;
}

bool ReadFloatValue(const TextAttribute& row, Lexer* lexer,
                    AttributesRead* to) {
  const size_t offset = lexer->offset();
  const size_t end = lexer->end();
  double number = 0;
  if (!ReadDouble(lexer, &number)) return false;
  if (std::abs(number) > std::numeric_limits<float>::max()) {
    return lexer->ErrorAt(offset, end - offset,
                          "this number is too large for f32");
  }
  EditField(&to->fields, row, [&](FieldList* list, uint32_t field) {
    list->SetFloat(field, static_cast<float>(number));
  });
  return true;
}

bool ReadWordValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to) {
  if (row.kind == ValueSpelling::kWord) {
    int64_t number = 0;
    if (!ReadWordNumber(row, lexer, &number)) return false;
    SetNumberAt(row, number, to);
    return true;
  }
  const AttributeWord* word = nullptr;
  if (!ReadWord(row, lexer, &word)) return false;
  EditField(&to->fields, row, [&](FieldList* list, uint32_t field) {
    list->SetText(field, word->word);
  });
  return true;
}

bool ReadVariantValue(const TextAttribute& row, Lexer* lexer,
                      AttributesRead* to) {
  const AttributeWord* word = nullptr;
  if (!ReadWord(row, lexer, &word)) return false;
  EditField(&to->fields, VariantOf(row, *word),
            [](FieldList* list, uint32_t field) {
              if (!list->has(field)) list->SetText(field, "");
            });
  return true;
}

// The weak order, which came with `order`, is no type.
bool ReadComparisonValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to) {
  if (lexer->token() == Token::kWord && lexer->text() == "WEAKORDER") {
    return lexer->Error("XLA spells this order=WEAK");
  }
  return ReadWordValue(row, lexer, to);
}

// Integers have one order alone, so that nobody spells it.
bool ReadComparisonOrderValue(const TextAttribute& row, Lexer* lexer,
                              AttributesRead* to) {
  if (lexer->token() != Token::kWord) {
    return lexer->Expected(absl::StrCat("a ", row.name));
  }
  const std::string order(lexer->text());
  if (order != "TOTAL" && order != "PARTIAL" && order != "WEAK") {
    return UnknownName(lexer, lexer->offset(), order, row.name,
                       {"TOTAL", "PARTIAL", "WEAK"});
  }
  lexer->Next();
  if (order == "WEAK") {
    to->fields.SetText(field::HloInstructionProto::kComparisonOrder, order);
    return true;
  }
  EditField(&to->fields, row, [&](FieldList* list, uint32_t field) {
    list->SetText(field, order == "TOTAL" ? "TOTALORDER" : "FLOAT");
  });
  return true;
}

bool ReadTextValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to) {
  std::string text;
  // A config may have any bytes.
  const bool utf8 = row.kind == ValueSpelling::kText;
  if (!(utf8 ? ReadUtf8(lexer, &text) : lexer->ReadString(&text))) return false;
  EditField(&to->fields, row, [&](FieldList* list, uint32_t field) {
    list->SetText(field, text);
  });
  return true;
}

bool ReadIntsValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to) {
  DimIndices numbers;
  if (!lexer->ReadInts(&numbers)) return false;
  SetNumbersAt(row, numbers, to);
  return true;
}

// Writes both fields of the list, one of which marks an empty list as given.
bool ReadBroadcastDimsValue(const TextAttribute& row, Lexer* lexer,
                            AttributesRead* to) {
  using field::HloInstructionProto::kImplicitBroadcast;
  using field::ImplicitBroadcast::kHasBroadcastDimensions;
  DimIndices numbers;
  if (!lexer->ReadInts(&numbers)) return false;
  SetNumbersAt(row, numbers, to);
  if (!numbers.empty()) return true;
  FieldList broadcast(WireMessage::kImplicitBroadcast,
                      to->fields.Text(kImplicitBroadcast));
  broadcast.SetNumber(kHasBroadcastDimensions, 1);
  to->fields.SetText(kImplicitBroadcast, broadcast.Serialize());
  return true;
}

bool ReadOneIntValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to) {
  const size_t offset = lexer->offset();
  DimIndices numbers;
  if (!lexer->ReadInts(&numbers)) return false;
  if (numbers.size() != 1) {
    return lexer->ErrorAt(
        offset, 1, absl::StrCat("expected one number, found ", numbers.size()));
  }
  SetNumbersAt(row, numbers, to);
  return true;
}

// XLA uses -1 for "none".
bool ReadIntOfListValue(const TextAttribute& row, Lexer* lexer,
                        AttributesRead* to) {
  int64_t number = 0;
  if (!lexer->ReadInt(&number)) return false;
  if (number == -1 && !row.required) return true;
  SetNumbersAt(row, {number}, to);
  return true;
}

// Reads the list and drops it: FillImpliedFields sets the right one. XLA's
// reader ignores a map's dimensions.
bool ReadMapDimensionsValue(const TextAttribute& row, Lexer* lexer,
                            AttributesRead* to) {
  if (to->recorded) return ReadIntsValue(row, lexer, to);
  DimIndices numbers;
  return lexer->ReadInts(&numbers);
}

bool ReadPairsValue(const TextAttribute& row, Lexer* lexer,
                    AttributesRead* to) {
  std::vector<std::string> pairs;
  const auto read = [&] {
    const size_t offset = lexer->offset();
    DimIndices pair;
    if (!lexer->ReadInts(&pair)) return false;
    if (pair.size() != 2) {
      return lexer->ErrorAt(
          offset, 1, absl::StrCat("expected two numbers, found ", pair.size()));
    }
    FieldList message(WireMessage::kSourceTarget);
    message.SetNumber(field::SourceTarget::kSource, pair[0]);
    message.SetNumber(field::SourceTarget::kTarget, pair[1]);
    pairs.push_back(message.Serialize());
    return true;
  };
  if (!ReadList(lexer, read)) return false;
  to->fields.SetTexts(row.path[0], pairs);
  return true;
}

bool ReadPrecisionsValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to) {
  DimIndices numbers;
  const auto read = [&] {
    int64_t number = 0;
    if (!ReadWordNumber(row, lexer, &number)) return false;
    numbers.push_back(number);
    return true;
  };
  if (!ReadList(lexer, read)) return false;
  SetNumbersAt(row, numbers, to);
  return true;
}

bool PrintIntValue(const PrintedValue& value, std::string* out) {
  absl::StrAppend(out, NumberAt(value));
  return true;
}

bool PrintBoolValue(const PrintedValue& value, std::string* out) {
  out->append(NumberAt(value) != 0 ? "true" : "false");
  return true;
}

bool PrintTriStateValue(const PrintedValue& value, std::string* out) {
  out->append(NumberAt(value) == 1 ? "true" : "false");
  return true;
}

// With six digits, as XLA prints it: the only value that text rounds.
std::string RealText(double value, bool is_float, bool exact) {
  const auto is_told = [&](const std::string& text) {
    double read;
    return absl::SimpleAtod(text, &read) &&
           (read == value || (is_float && static_cast<float>(read) ==
                                              static_cast<float>(value)));
  };
  std::string text = absl::StrFormat("%g", value);
  for (int digits = 7; exact && digits <= 17 && !is_told(text); ++digits) {
    text = absl::StrFormat("%.*g", digits, value);
  }
  return text;
}

bool PrintFloatValue(const PrintedValue& value, std::string* out) {
  out->append(RealText(value.fields.Float(value.row.path[0]), /*is_float=*/true,
                       value.recorded));
  return true;
}

bool PrintWordValue(const PrintedValue& value, std::string* out) {
  out->append(WordOf(value.row, NumberAt(value)));
  return true;
}

bool PrintVariantValue(const PrintedValue& value, std::string* out) {
  for (const AttributeWord& word : value.row.words->words) {
    bool found = false;
    WithField(value.fields, VariantOf(value.row, word),
              [&](const FieldList& list, uint32_t field) {
                found = list.has(field);
              });
    if (!found) continue;
    out->append(word.word.data(), word.word.size());
    return true;
  }
  return false;
}

bool PrintWordTextValue(const PrintedValue& value, std::string* out) {
  const std::string word = TextAt(value);
  out->append(word);
  return !word.empty();
}

bool PrintComparisonValue(const PrintedValue& value, std::string* out) {
  const Instruction& compare = value.instruction;
  const ElementType of = compare.operand_count() > 0
                             ? compare.operand(0).shape().element_type()
                             : ElementType::kInvalid;
  std::string type = TextAt(value);
  const ComparisonType known = As<CompareAttributes>(compare.attributes()).type;
  if (known == ComparisonType::kFloatWeakOrder) return false;
  // Newer XLA's spelling, an order, stands for the type.
  if (value.fields.has(field::HloInstructionProto::kComparisonOrder) &&
      known != ComparisonType::kDefault) {
    const bool partial = known == ComparisonType::kFloat;
    type =
        WordOf(value.row,
               static_cast<int64_t>(partial ? known : ComparisonOf(known, of)));
  }
  if (type.empty()) return false;
  if (!value.recorded && compare.operand_count() > 0 &&
      type == DefaultComparison(of).word) {
    return false;
  }
  out->append(type);
  return true;
}

bool PrintComparisonOrderValue(const PrintedValue& value, std::string* out) {
  if (As<CompareAttributes>(value.instruction.attributes()).type !=
      ComparisonType::kFloatWeakOrder) {
    return false;
  }
  out->append("WEAK");
  return true;
}

bool PrintTextValue(const PrintedValue& value, std::string* out) {
  absl::StrAppend(out, "\"", EscapeText(TextAt(value)), "\"");
  return true;
}

bool PrintFeedConfigValue(const PrintedValue& value, std::string* out) {
  if (!value.options.infeed_outfeed_config) return false;
  if (TextAt(value).empty()) return false;
  return PrintTextValue(value, out);
}

bool PrintIntsValue(const PrintedValue& value, std::string* out) {
  AppendInts(NumbersAt(value), out);
  return true;
}

bool PrintBroadcastDimsValue(const PrintedValue& value, std::string* out) {
  BroadcastSpec spec;
  std::string error;
  if (!binding::ReadValue(value.fields, value.row.path[0], &spec, &error) ||
      !spec.dimensions) {
    return false;
  }
  AppendInts(*spec.dimensions, out);
  return true;
}

bool PrintIntOfListValue(const PrintedValue& value, std::string* out) {
  const DimIndices numbers = NumbersAt(value);
  if (numbers.empty() && !value.row.required) return false;
  absl::StrAppend(out, numbers.empty() ? 0 : numbers[0]);
  return true;
}

bool PrintMapDimensionsValue(const PrintedValue& value, std::string* out) {
  if (value.recorded) {
    return value.fields.has(value.row.path[0]) && PrintIntsValue(value, out);
  }
  DimIndices all;
  for (int i = 0; i < value.instruction.shape().rank(); ++i) all.push_back(i);
  AppendInts(all, out);
  return true;
}

bool PrintPairsValue(const PrintedValue& value, std::string* out) {
  const auto append = [out](absl::string_view bytes) {
    FieldList pair(WireMessage::kSourceTarget, bytes);
    absl::StrAppend(out, "{", pair.Number(field::SourceTarget::kSource), ",",
                    pair.Number(field::SourceTarget::kTarget), "}");
  };
  AppendList(value.fields.Texts(value.row.path[0]), ",", out, append);
  return true;
}

// One for each operand, as XLA makes it for a file; scaled-dot and ragged-dot
// have two.
bool PrintPrecisionsValue(const PrintedValue& value, std::string* out) {
  DimIndices numbers = NumbersAt(value);
  const Opcode opcode = value.instruction.opcode();
  const bool two = opcode == Opcode::kScaledDot || opcode == Opcode::kRaggedDot;
  if (!value.recorded) {
    numbers.resize(
        two ? 2 : static_cast<size_t>(value.instruction.operand_count()), 0);
  }
  if (numbers.empty()) return false;
  if (!value.recorded &&
      std::all_of(numbers.begin(), numbers.end(),
                  [](int64_t number) { return number == 0; })) {
    return false;
  }
  AppendList(numbers, ",", out,
             [&](int64_t number) { out->append(WordOf(value.row, number)); });
  return true;
}

bool PrintChannelValue(const PrintedValue& value, std::string* out) {
  const int64_t channel = binding::ReadChannel(value.fields);
  if (value.recorded ? channel == 0 : channel <= 0) return false;
  if (value.options.channel_ids) {
    absl::StrAppend(out, channel);
  } else {
    out->append("_");
  }
  return true;
}

bool PrintPrefetchValue(const PrintedValue& value, std::string* out) {
  std::optional<int64_t> index;
  std::string error;
  binding::ReadValue(value.fields, value.row.path[0], &index, &error);
  if (index) absl::StrAppend(out, *index);
  return index.has_value();
}

}  // namespace indim
