// SPDX-License-Identifier: Apache-2.0
#include "indim/text/attributes/attribute_text.h"

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/tests/text/attributes/attribute_case.h"
#include "indim/text/attributes/attribute_table.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

const std::vector<AttributeCase>& Cases() {
  static const auto* const kCases = [] {
    std::ifstream file("tests/text/attributes/attribute_cases.txt");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    absl::StatusOr<std::vector<AttributeCase>> cases =
        ParseAttributeCases(text);
    EXPECT_TRUE(cases.ok()) << cases.status();
    return new std::vector<AttributeCase>(*std::move(cases));
  }();
  return *kCases;
}

bool IsOf(const TextAttribute& row, Opcode opcode) {
  for (const TextAttribute* of : TextAttributesOf(opcode)) {
    if (of == &row) return true;
  }
  return false;
}

// The rows of an op that are found under a name; null without.
const TextAttribute* RowOf(Opcode opcode, absl::string_view name) {
  for (const TextAttribute* row : TextAttributesOf(opcode)) {
    if (row->name == name) return row;
  }
  return nullptr;
}

// "a=1, b={2, 3}" as {"a=1", "b={2, 3}"}.
std::vector<std::string> Split(absl::string_view text) {
  std::vector<std::string> parts(text.empty() ? 0 : 1);
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') parts.back().push_back(text[i++]);
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '{' || c == '(' || c == '[')) ++depth;
    if (!quoted && (c == '}' || c == ')' || c == ']')) --depth;
    if (!quoted && depth == 0 && absl::StartsWith(text.substr(i), ", ")) {
      parts.emplace_back();
      ++i;
    } else {
      parts.back().push_back(text[i]);
    }
  }
  return parts;
}

// Without what the printer of whole instructions adds: computations.
std::string WithoutCalls(Opcode opcode, absl::string_view text) {
  std::vector<std::string> kept;
  for (const std::string& part : Split(text)) {
    const TextAttribute* row =
        RowOf(opcode, absl::string_view(part).substr(0, part.find('=')));
    if (row == nullptr || row->part != PrintedPart::kCalls)
      kept.push_back(part);
  }
  return absl::StrJoin(kept, ", ");
}

TEST(AttributeTextTest, PrintsWhatItReads) {
  ASSERT_GT(Cases().size(), 150u);
  for (const AttributeCase& c : Cases()) {
    ASSERT_NE(c.opcode, Opcode::kInvalid) << c.text;
    const absl::StatusOr<AttributesRead> read = ReadCase(c, c.text);
    ASSERT_TRUE(read.ok()) << Name(c.opcode) << " " << read.status();
    EXPECT_EQ(PrintCase(c, read->fields), WithoutCalls(c.opcode, c.printed))
        << Name(c.opcode) << ", " << c.text;
  }
}

TEST(AttributeTextTest, WhatIsPrintedReadsAsTheSame) {
  for (const AttributeCase& c : Cases()) {
    const absl::StatusOr<AttributesRead> first = ReadCase(c, c.text);
    const absl::StatusOr<AttributesRead> again = ReadCase(c, c.printed);
    ASSERT_TRUE(first.ok() && again.ok()) << c.printed << again.status();
    // Six digits of an epsilon are what text keeps.
    if (absl::StrContains(c.text, "0.123456789") ||
        absl::StrContains(c.text, "123456789")) {
      continue;
    }
    EXPECT_TRUE(first->fields == again->fields)
        << Name(c.opcode) << ", " << c.text << "\n"
        << PrintCase(c, first->fields) << "\n"
        << PrintCase(c, again->fields);
  }
}

TEST(AttributeTextTest, EveryRowHasACase) {
  // A case of an attribute that is read elsewhere too (recorded_text_test has
  // those of recorded modules).
  const std::set<std::string> elsewhere = {"metadata", "control-predecessors",
                                           "async_execution_thread"};
  for (const TextAttribute& row : AllTextAttributes()) {
    bool read = false;
    bool printed = row.show == Show::kNever;
    for (const AttributeCase& c : Cases()) {
      if (!IsOf(row, c.opcode)) continue;
      const std::string start = absl::StrCat(row.name, "=");
      for (const std::string& part : Split(c.text)) {
        read |= absl::StartsWith(part, start);
      }
      for (const std::string& part : Split(c.printed)) {
        printed |= absl::StartsWith(part, start);
      }
    }
    if (row.part == PrintedPart::kRecorded ||
        absl::StrContains(row.set, "Async") ||
        elsewhere.count(std::string(row.name)) != 0) {
      continue;
    }
    EXPECT_TRUE(read) << row.set << " " << row.name;
    EXPECT_TRUE(printed) << row.set << " " << row.name;
  }
}

TEST(AttributeTextTest, EveryRowsFieldIsThere) {
  for (const TextAttribute& row : AllTextAttributes()) {
    const WireMessageInfo* info =
        &GetWireMessageInfo(WireMessage::kHloInstructionProto);
    for (size_t i = 0; row.path[i] != 0; ++i) {
      ASSERT_NE(info, nullptr) << row.name;
      const WireField* field = info->Find(row.path[i]);
      ASSERT_NE(field, nullptr) << row.set << " " << row.name;
      info = field->submessage;
    }
  }
}

// An op that has the row.
Opcode OpOf(const TextAttribute& row) {
  for (const OpInfo& op : AllOps()) {
    if (IsOf(row, op.opcode)) return op.opcode;
  }
  ADD_FAILURE() << row.set << " is no op's";
  return Opcode::kInvalid;
}

std::string ErrorOf(Opcode opcode, absl::string_view text,
                    bool recorded = false) {
  AttributeCase c;
  c.opcode = opcode;
  c.recorded = recorded;
  const absl::StatusOr<AttributesRead> read = ReadCase(c, text);
  return read.ok() ? "" : std::string(read.status().message());
}

TEST(AttributeTextTest, EveryRowRefusesWhatIsNoValue) {
  for (const TextAttribute& row : AllTextAttributes()) {
    const Opcode opcode = OpOf(row);
    const bool recorded = row.part == PrintedPart::kRecorded;
    // Nothing begins with an arrow, and nothing ends there.
    EXPECT_THAT(ErrorOf(opcode, absl::StrCat(row.name, "=->"), recorded),
                testing::AnyOf(HasSubstr("expected "),
                               HasSubstr("unknown element type '-'")))
        << row.set;
    EXPECT_NE(ErrorOf(opcode, absl::StrCat(row.name, "="), recorded), "")
        << row.name;
    EXPECT_NE(ErrorOf(opcode, absl::StrCat(row.name, "={"), recorded), "")
        << row.name;
    const std::string unknown =
        ErrorOf(opcode, absl::StrCat(row.name, "x={0}"), recorded);
    EXPECT_THAT(unknown,
                HasSubstr(absl::StrCat("unknown attribute of ", Name(opcode),
                                       " \"", row.name, "x\"")));
    // Of "k" nothing is left.
    if (row.name.size() > 2) {
      EXPECT_THAT(unknown,
                  HasSubstr(absl::StrCat("did you mean \"", row.name, "\"?")));
    }
  }
}

// Whatever of a case's text is cut off, reading it ends.
TEST(AttributeTextTest, CutTextsAreErrorsOrOther) {
  for (const AttributeCase& c : Cases()) {
    for (size_t size = 0; size < c.text.size(); ++size) {
      (void)ReadCase(c, absl::string_view(c.text).substr(0, size));
    }
  }
}

TEST(AttributeTextTest, RequiredOnesAreMissed) {
  for (const TextAttribute& row : AllTextAttributes()) {
    if (!row.required) continue;
    const Opcode opcode = OpOf(row);
    for (const AttributeCase& c : Cases()) {
      if (c.opcode != opcode) continue;
      std::vector<std::string> kept;
      for (const std::string& part : Split(c.text)) {
        if (!absl::StartsWith(part, absl::StrCat(row.name, "="))) {
          kept.push_back(part);
        }
      }
      EXPECT_THAT(ErrorOf(opcode, absl::StrJoin(kept, ", ")),
                  HasSubstr(absl::StrCat(Name(opcode), " lacks ", row.name)));
      break;
    }
  }
}

TEST(AttributeTextTest, Errors) {
  struct Case {
    Opcode opcode;
    const char* text;
    const char* want;
  };
  for (const Case& c : {
           Case{Opcode::kAdd, "sharding={replicated}, sharding={replicated}",
                "\"sharding\" is given twice"},
           Case{Opcode::kAdd, "5", "expected an attribute, as name=value"},
           Case{Opcode::kAdd, "dimensions={0}",
                "unknown attribute of add \"dimensions\""},
           Case{Opcode::kAdd, "broadcast_dimensions={1}",
                "broadcast(...), dimensions={...}"},
           Case{Opcode::kCompare, "direction=LS",
                "unknown direction \"LS\", known are EQ, NE, GE, GT, LE, LT"},
           Case{Opcode::kIota, "iota_dimension=18446744073709551616",
                "doesn't fit into 64 bits"},
           Case{Opcode::kReducePrecision, "exponent_bits=3000000000",
                "doesn't fit into 32 bits"},
           Case{Opcode::kSort, "dimensions={0,1}",
                "expected one number, found 2"},
           Case{Opcode::kCollectivePermute, "source_target_pairs={{0,1,2}}",
                "expected two numbers, found 3"},
           Case{Opcode::kBatchNormTraining, "epsilon=1e39",
                "too large for f32"},
           Case{Opcode::kBatchNormTraining, "epsilon=1e999",
                "this number is too large"},
           Case{Opcode::kCustomCall, "custom_call_target=\"\\377\"",
                "this text isn't UTF-8"},
           Case{Opcode::kReduceWindow, "window={size=2x2 stride=2}",
                "the window has 2 sizes, but stride says 1"},
           Case{Opcode::kReduceWindow, "window={size=2 size=2}",
                "\"size\" is given twice"},
           Case{Opcode::kReduceWindow, "window={sizes=2}",
                "unknown member of window \"sizes\", did you mean \"size\"?"},
           Case{Opcode::kReduceWindow, "window={size=2y2}",
                "expected the size of each dim, as 3x3"},
           Case{Opcode::kReduceWindow, "window={size=2 pad=1_1_1}",
                "expected the padding of each dim"},
           Case{Opcode::kPad, "padding=1", "expected the padding of each dim"},
           Case{Opcode::kConvolution, "dim_labels=b0f_0io",
                "expected dim labels, as b01f_01io->b01f"},
           Case{Opcode::kConvolution, "dim_labels=b0f_0io->bf",
                "as many spatial dims, not 1, 1 and 0"},
           Case{Opcode::kConvolution, "dim_labels=bbf_0io->b0f",
                "expected [0-9bf?] in the lhs labels"},
           Case{Opcode::kConvolution, "dim_labels=b1f_0io->b0f",
                "expected [0-9bf?] in the lhs labels"},
           Case{Opcode::kSlice, "slice={0:2}",
                "expected a range, as [0:4] or [0:4:2]"},
           Case{Opcode::kDomain, "domain={kind=\"other\", entry={replicated}}",
                "the kind of a domain is \"sharding\""},
           Case{Opcode::kDomain,
                "domain={kind=\"sharding\", entry={replicated}}",
                "the domain lacks exit="},
           Case{Opcode::kExp, "result_accuracy={mode=default mode=default}",
                "\"mode\" is given twice"},
           Case{Opcode::kExp, "result_accuracy={mode=default tolerance={}}",
                "either mode= or tolerance="},
           Case{Opcode::kAdd, "origin={)}", "expected \"{\" or \"(\""},
           Case{Opcode::kAdd, "origin={,}", "expected \"[\", found \"}\""},
           Case{Opcode::kCompare, "direction=EQ, type=WEAKORDER",
                "XLA spells this order=WEAK"},
           Case{Opcode::kDot, "block_scaling_config={lhs={scale=2}}",
                "unknown member of block scaling \"scale\""},
           Case{Opcode::kAdd, "origin={({}}", "expected \")\""},
           Case{Opcode::kConditional, "sharding={replicated}",
                "conditional lacks true_computation= and false_computation="},
           Case{Opcode::kConditional, "true_computation=%a",
                "conditional lacks false_computation="},
           Case{Opcode::kCustomCall, "to_apply=%a, called_computations={%b}",
                "called_computations stands beside another computation"},
           Case{Opcode::kAdd, "backend_config={\"a\":1",
                "this brace is never closed"},
       }) {
    EXPECT_THAT(ErrorOf(c.opcode, c.text), HasSubstr(c.want)) << c.text;
  }
}

TEST(AttributeTextTest, NamesAreKeptForTheParser) {
  const absl::string_view text =
      ", body=b, condition={ ROOT x = pred[] constant(true) }, "
      "control-predecessors={%x, y}, metadata={op_name=\"n\"} z";
  TextErrors errors;
  Lexer lexer(text, &errors);
  AttributesRead read;
  ASSERT_TRUE(ReadAttributes(&lexer, Opcode::kWhile, false, 0, &read))
      << errors.ToStatus("", text);
  EXPECT_EQ(lexer.text(), "z");
  ASSERT_EQ(read.callees.size(), 2u);
  EXPECT_EQ(read.callees[0].name, "b");
  EXPECT_EQ(read.callees[1].name, "");
  EXPECT_EQ(read.callees[1].offset, text.find('{'));
  ASSERT_EQ(read.control_predecessors.size(), 2u);
  EXPECT_EQ(read.control_predecessors[0].first, "x");
  EXPECT_EQ(read.control_predecessors[1].first, "y");
  EXPECT_EQ(read.control_predecessors[1].second, text.find("y}"));
  EXPECT_TRUE(read.metadata.has_value());
  EXPECT_THAT(read.given,
              testing::ElementsAre("body", "condition", "control-predecessors",
                                   "metadata"));
}

TEST(AttributeTextTest, AsyncSugar) {
  const absl::string_view text =
      ", dimensions={0}, async_execution_thread=\"t\", "
      "output_to_operand_aliasing={{}: (0, {})}";
  TextErrors errors;
  Lexer lexer(text, &errors);
  AttributesRead read;
  ASSERT_TRUE(ReadAttributes(&lexer, Opcode::kReverse, true, 0, &read))
      << errors.ToStatus("", text);
  EXPECT_EQ(read.async_thread, "t");
  EXPECT_EQ(read.async_aliasing.size(), 1u);
  EXPECT_FALSE(read.fields.has(74));
  EXPECT_TRUE(read.fields.has(14));
  Lexer not_async(text, &errors);
  EXPECT_FALSE(ReadAttributes(&not_async, Opcode::kReverse, false, 0, &read));
}

TEST(AttributeTextTest, OptionsHideThings) {
  AttributeCase c;
  c.opcode = Opcode::kAllGather;
  c.operands = {*ParseShape("f32[2]{0}")};
  c.result = *ParseShape("f32[4]{0}");
  const absl::StatusOr<AttributesRead> read =
      ReadCase(c,
               "channel_id=1, replica_groups={{0,1}}, dimensions={0}, "
               "frontend_attributes={a=\"b\"}, origin={{\"x\"}}, "
               "backend_config={\"b\": 1, \"a\": {\"d\":[2, 1],\"c\":null}}");
  ASSERT_TRUE(read.ok()) << read.status();
  PrintOptions options;
  options.channel_ids = options.frontend_attributes = options.original_value =
      false;
  options.sort_backend_config = true;
  EXPECT_EQ(PrintCase(c, read->fields, options),
            "channel_id=_, replica_groups={{0,1}}, dimensions={0}, "
            "backend_config={\"a\":{\"c\":null,\"d\":[2,1]},\"b\":1}");
  options.extra_attributes = options.backend_config = false;
  EXPECT_EQ(PrintCase(c, read->fields, options), "");
}

}  // namespace
}  // namespace indim
