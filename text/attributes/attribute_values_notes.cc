// SPDX-License-Identifier: Apache-2.0
// Values of attributes that any instruction may have: accuracy, statistics,
// frontend attributes, the backend's configuration, metadata.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/base/escaped_text.h"
#include "indim/text/base/json_text.h"
#include "indim/text/base/metadata_text.h"

namespace indim {
namespace {

// The modes of ResultAccuracy, by number.
constexpr absl::string_view kModes[] = {"default", "highest"};
constexpr absl::string_view kTolerances[] = {"atol", "rtol", "ulps"};
constexpr uint32_t kToleranceFields[] = {
    field::ResultAccuracy_Tolerance::kAtol,
    field::ResultAccuracy_Tolerance::kRtol,
    field::ResultAccuracy_Tolerance::kUlps};

bool ReadMode(Lexer* lexer, FieldList* accuracy) {
  for (size_t i = 0; i < std::size(kModes); ++i) {
    if (lexer->token() == Token::kWord &&
        absl::EqualsIgnoreCase(lexer->text(), kModes[i])) {
      lexer->Next();
      accuracy->SetNumber(field::ResultAccuracy::kMode,
                          static_cast<int64_t>(i));
      return true;
    }
  }
  return lexer->Expected("default or highest");
}

bool ReadTolerance(Lexer* lexer, FieldList* accuracy) {
  FieldList tolerance(WireMessage::kResultAccuracy_Tolerance);
  const auto read = [&](size_t i) {
    const uint32_t field = kToleranceFields[i];
    if (field == field::ResultAccuracy_Tolerance::kUlps &&
        lexer->token() == Token::kInt) {
      int64_t ulps = 0;
      if (!lexer->ReadInt(&ulps)) return false;
      tolerance.SetNumber(field, ulps);
      return true;
    }
    double number = 0;
    if (!ReadDouble(lexer, &number)) return false;
    if (i < 2) {
      tolerance.SetDouble(field, number);
    } else if (number >= -1e18 && number <= 1e18) {
      // XLA reads a fraction here, and drops it.
      tolerance.SetNumber(field, static_cast<int64_t>(number));
    } else {
      return lexer->Error("so many ulps don't fit");
    }
    return true;
  };
  if (!ReadMembers(lexer, "tolerance", kTolerances, read)) return false;
  accuracy->SetText(field::ResultAccuracy::kTolerance, tolerance.Serialize());
  return true;
}

}  // namespace

void AppendJsonOrText(absl::string_view value, std::string* out) {
  if (LexesAsJson(value)) {
    out->append(value.data(), value.size());
  } else {
    absl::StrAppend(out, "\"", EscapeText(value), "\"");
  }
}

bool ReadJsonOrText(Lexer* lexer, std::string* value) {
  if (lexer->token() == Token::kString) return lexer->ReadString(value);
  if (lexer->token() != Token::kLeftBrace) {
    return lexer->Expected("a string or JSON in braces");
  }
  absl::string_view json;
  if (!lexer->ReadBalancedBraces(&json)) return false;
  value->assign(json.data(), json.size());
  return true;
}

bool ReadAccuracyValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to) {
  constexpr absl::string_view kNames[] = {"mode", "tolerance"};
  const size_t offset = lexer->offset();
  FieldList accuracy(WireMessage::kResultAccuracy);
  uint64_t given = 0;
  if (!ReadMembers(
          lexer, "result_accuracy", kNames,
          [&](size_t i) {
            return i == 0 ? ReadMode(lexer, &accuracy)
                          : ReadTolerance(lexer, &accuracy);
          },
          &given)) {
    return false;
  }
  if (given != 1 && given != 2) {
    return lexer->ErrorAt(offset, 1,
                          "result_accuracy has either mode= or tolerance=");
  }
  // XLA omits the default.
  if (to->recorded || accuracy.Number(field::ResultAccuracy::kMode) != 0 ||
      accuracy.has(field::ResultAccuracy::kTolerance)) {
    to->fields.SetText(row.path[0], accuracy.Serialize());
  }
  return true;
}

bool PrintAccuracyValue(const PrintedValue& value, std::string* out) {
  FieldList accuracy(WireMessage::kResultAccuracy,
                     value.fields.Text(value.row.path[0]));
  const int64_t mode = accuracy.Number(field::ResultAccuracy::kMode);
  if (mode != 0 ||
      (value.recorded && accuracy.has(field::ResultAccuracy::kMode))) {
    const bool known =
        mode >= 0 && mode < static_cast<int64_t>(std::size(kModes));
    absl::StrAppend(
        out, "{mode=", known ? std::string(kModes[mode]) : absl::StrCat(mode),
        "}");
    return true;
  }
  if (!accuracy.has(field::ResultAccuracy::kTolerance)) return false;
  FieldList tolerance(WireMessage::kResultAccuracy_Tolerance,
                      accuracy.Text(field::ResultAccuracy::kTolerance));
  const auto number = [&](uint32_t member) {
    return RealText(tolerance.Double(member), /*is_float=*/false,
                    value.recorded);
  };
  absl::StrAppend(
      out, "{tolerance={atol=", number(kToleranceFields[0]),
      ",rtol=", number(kToleranceFields[1]),
      ",ulps=", tolerance.Number(field::ResultAccuracy_Tolerance::kUlps), "}}");
  return true;
}

bool ReadStatisticsValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to) {
  FieldList statistics(WireMessage::kStatisticsViz);
  std::vector<std::string> entries;
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  for (bool first = true; lexer->token() != Token::kRightBrace; first = false) {
    if (!first && !lexer->Expect(Token::kComma)) return false;
    if (lexer->token() != Token::kAttributeName) {
      return lexer->Expected("the name of a statistic and \"=\"");
    }
    const absl::string_view name = lexer->text();
    lexer->Next();
    if (first) {
      // XLA reads visualizing_index under any name.
      int64_t shown = 0;
      if (!lexer->ReadInt(&shown)) return false;
      statistics.SetNumber(field::StatisticsViz::kStatIndexToVisualize, shown);
      continue;
    }
    double number = 0;
    if (!ReadDouble(lexer, &number)) return false;
    FieldList entry(WireMessage::kStatistic);
    entry.SetText(field::Statistic::kStatName, name);
    entry.SetDouble(field::Statistic::kStatVal, number);
    entries.push_back(entry.Serialize());
  }
  statistics.SetTexts(field::StatisticsViz::kStatistics, entries);
  to->fields.SetText(row.path[0], statistics.Serialize());
  return lexer->Expect(Token::kRightBrace);
}

bool PrintStatisticsValue(const PrintedValue& value, std::string* out) {
  FieldList statistics(WireMessage::kStatisticsViz,
                       value.fields.Text(value.row.path[0]));
  if (!statistics.has(field::StatisticsViz::kStatistics)) return false;
  absl::StrAppend(
      out, "{visualizing_index=",
      statistics.Number(field::StatisticsViz::kStatIndexToVisualize));
  for (const absl::string_view wire :
       statistics.Texts(field::StatisticsViz::kStatistics)) {
    FieldList entry(WireMessage::kStatistic, wire);
    absl::StrAppend(out, ",", entry.Text(field::Statistic::kStatName), "=",
                    entry.Double(field::Statistic::kStatVal));
  }
  out->append("}");
  return true;
}

bool ReadFrontendAttributes(Lexer* lexer, std::string* wire) {
  std::map<std::string, std::string, std::less<>> entries;
  const auto read = [&] {
    if (lexer->token() != Token::kAttributeName) {
      return lexer->Expected("a key and \"=\"");
    }
    const std::string key(lexer->text());
    lexer->Next();
    const size_t offset = lexer->offset();
    std::string value;
    if (!ReadJsonOrText(lexer, &value)) return false;
    if (!IsValidUtf8(value)) {
      return lexer->ErrorAt(offset, 1, "this text isn't UTF-8");
    }
    entries[key] = std::move(value);
    return true;
  };
  if (!ReadList(lexer, read)) return false;
  *wire = FrontendAttributesBytes(entries);
  return true;
}

std::string FrontendAttributesText(absl::string_view wire) {
  std::string out = "{";
  absl::string_view comma = "";
  // Canonical bytes are sorted by key.
  wire_fields::AllRecords(wire, [&](const wire_fields::Record& record) {
    namespace of = field::FrontendAttributes_MapEntry;
    if (record.tag != wire_fields::Bytes(field::FrontendAttributes::kMap)) {
      return true;  // an unknown field
    }
    const FieldList entry(WireMessage::kFrontendAttributes_MapEntry,
                          record.value);
    absl::StrAppend(&out, comma, entry.Text(of::kKey), "=");
    AppendJsonOrText(entry.Text(of::kValue), &out);
    comma = ",";
    return true;
  });
  out.append("}");
  return out;
}

bool ReadFrontendValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to) {
  std::string wire;
  if (!ReadFrontendAttributes(lexer, &wire)) return false;
  to->fields.SetText(row.path[0], wire);
  return true;
}

bool PrintFrontendValue(const PrintedValue& value, std::string* out) {
  if (!value.options.frontend_attributes) return false;
  const absl::string_view wire = value.fields.Text(value.row.path[0]);
  if (wire.empty()) return false;
  out->append(FrontendAttributesText(wire));
  return true;
}

bool ReadConfigValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to) {
  std::string value;
  if (!ReadJsonOrText(lexer, &value)) return false;
  to->fields.SetText(row.path[0], value);
  return true;
}

bool PrintConfigValue(const PrintedValue& value, std::string* out) {
  const absl::string_view config = value.fields.Text(value.row.path[0]);
  if (value.options.sort_backend_config) {
    AppendJsonOrText(SortedJson(config), out);
  } else {
    AppendJsonOrText(config, out);
  }
  return true;
}

bool ReadMetadataValue(const TextAttribute&, Lexer* lexer, AttributesRead* to) {
  const absl::string_view known = to->known_metadata;
  if (!known.empty() &&
      lexer->whole_text().data() + lexer->offset() == known.data()) {
    to->has_known_metadata = true;
    lexer->Seek(lexer->offset() + known.size());
    return true;
  }
  std::string wire;
  if (!ReadMetadata(lexer, &wire)) return false;
  to->metadata = std::move(wire);
  return true;
}

}  // namespace indim
