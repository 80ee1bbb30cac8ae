// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/diagnostics/status_errors.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "indim/shape/diagnostics/rendered.h"

namespace indim {
namespace {

constexpr absl::StatusCode kKind = absl::StatusCode::kInvalidArgument;

TEST(StatusErrorsTest, ACodeIsCarriedAndNotSpelled) {
  const absl::Status status =
      ErrorWithCode(absl::StatusCode::kNotFound, Code::kPjrtNoPlugin,
                    "no plugin [IND0001]\nof that name");
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "no plugin [IND0001]\nof that name");
  EXPECT_EQ(CodeOf(status), Code::kPjrtNoPlugin);
  EXPECT_EQ(ErrorText(status), "no plugin [IND0001]  [IND1100]\nof that name");
  const std::vector<PlacedError> errors = ErrorsOf(status);
  ASSERT_EQ(errors.size(), 1);
  EXPECT_EQ(errors[0].code, Code::kPjrtNoPlugin);
  EXPECT_EQ(errors[0].position.line, 0);
  EXPECT_EQ(errors[0].message, "no plugin [IND0001]");
  EXPECT_EQ(errors[0].below, "\nof that name");
  EXPECT_EQ(errors[0].text, ErrorText(status));
}

TEST(StatusErrorsTest, WithoutACode) {
  EXPECT_TRUE(ErrorsOf(absl::OkStatus()).empty());
  EXPECT_EQ(ErrorText(absl::OkStatus()), "");
  const absl::Status status = absl::InternalError("odd  [IND0007]");
  EXPECT_EQ(CodeOf(status), Code::kNone);
  EXPECT_EQ(ErrorText(status), "odd  [IND0007]");
  EXPECT_EQ(ErrorsOf(status)[0].code, Code::kFileUnreadable);
  EXPECT_EQ(ErrorsOf(status, Code::kInterfaceRefused)[0].code,
            Code::kInterfaceRefused);
}

// `check` tells these codes.
TEST(StatusErrorsTest, OfAFileTheCodeIsNotInTheText) {
  for (const Code code :
       {Code::kFileUnreadable, Code::kMlirSyntax, Code::kStablehloConstraint}) {
    const absl::Status status = ErrorWithCode(kKind, code, "odd");
    EXPECT_EQ(ErrorText(status), "odd");
    EXPECT_EQ(CodeOf(status), code);
  }
  EXPECT_EQ(ErrorText(ErrorWithCode(kKind, Code::kNoStablehloForm, "odd")),
            "odd  [IND1280]");
}

TEST(StatusErrorsTest, TheFileIsNamedOnce) {
  const struct {
    absl::Status status;
    const char* path;
    const char* text;
    const char* message;  // without the name
  } kCases[] = {{absl::InternalError("odd"), "a.pb", "a.pb: odd", "odd"},
                {absl::InternalError("odd"), "-", "standard input: odd", "odd"},
                // Nobody looks for the name in the message.
                {absl::InternalError("a.pb: odd"), "a.pb", "a.pb: a.pb: odd",
                 "a.pb: odd"},
                {ErrorWithCode(kKind, Code::kEvalArgument, "odd"), "a.pb",
                 "a.pb: odd  [IND0854]", "odd"},
                {FileError(kKind, "open", "a.pb", "a.pb: No such file"), "a.pb",
                 "can't open a.pb: a.pb: No such file",
                 "can't open it: a.pb: No such file"},
                {FileError(kKind, "read", "-", "Is a directory"), "-",
                 "standard input: can't read -: Is a directory",
                 "can't read -: Is a directory"},
                {NamesFile(absl::InternalError("the name a.pb is odd")), "a.pb",
                 "the name a.pb is odd", "the name a.pb is odd"}};
  for (const auto& c : kCases) {
    const absl::Status named = WithFileName(c.path, c.status);
    EXPECT_EQ(named.code(), c.status.code());
    EXPECT_EQ(ErrorText(named), c.text);
    EXPECT_EQ(ErrorText(WithFileName("b.pb", named)), c.text);
    EXPECT_EQ(CodeOf(named), CodeOf(c.status));
    EXPECT_EQ(ErrorsOf(named)[0].message, c.message);
  }
}

TEST(StatusErrorsTest, AReportIsWhole) {
  const absl::Status status = ReportError(
      "a.hlo:1:2: error: odd\n  x\na.hlo:3:4: error: odder",
      {{Code::kMlirSyntax, {1, 2}, 18, 7}, {Code::kMlirType, {3, 4}, 44, 5}},
      /*names_file=*/true);
  EXPECT_TRUE(IsReport(status));
  EXPECT_FALSE(IsReport(absl::InternalError("a: error: no report")));
  EXPECT_EQ(ErrorText(status), status.message());
  EXPECT_EQ(WithFileName("a.hlo", status), status);
  const absl::Status noted = WithNote(status, "\nit looks like b");
  EXPECT_EQ(noted.message(),
            std::string(status.message()) + "\nit looks like b");
  const std::vector<PlacedError> errors = ErrorsOf(noted);
  ASSERT_EQ(errors.size(), 2);
  EXPECT_EQ(errors[0].position.column, 2);
  EXPECT_EQ(errors[0].message, "odd");
  EXPECT_EQ(errors[0].below, "\n  x");
  EXPECT_EQ(errors[1].code, Code::kMlirType);
  EXPECT_EQ(errors[1].position.line, 3);
  EXPECT_EQ(errors[1].message, "odder");
  EXPECT_EQ(errors[1].below, "\nit looks like b");

  const absl::Status of_call =
      ReportError(kKind, Code::kRanksDiffer, "f.cc:3: error: odd  [IND0007]");
  EXPECT_EQ(ErrorText(of_call), of_call.message());
  EXPECT_EQ(CodeOf(of_call), Code::kRanksDiffer);
}

// Of a report that begins with a place, whether it is in the file counts.
TEST(StatusErrorsTest, AReportBeginsWithItsPlace) {
  RenderedDiagnostic d;
  d.diagnostic.code = Code::kRanksDiffer;
  d.text_file = "a.hlo";
  const absl::Status status = ErrorOf(kKind, d, "a.hlo:3:1: error: odd");
  EXPECT_EQ(CodeOf(status), Code::kRanksDiffer);
  EXPECT_EQ(ErrorsOf(status)[0].message, "a.hlo:3:1: error: odd");
  EXPECT_EQ(ErrorText(WithFileName("a.hlo", status)), "a.hlo:3:1: error: odd");
  EXPECT_EQ(ErrorText(WithFileName("b.hlo", status)),
            "b.hlo: a.hlo:3:1: error: odd");
  d.file = "f.cc";
  EXPECT_EQ(ErrorText(WithFileName("f", ErrorOf(kKind, d, "f.cc:3: odd"))),
            "f: f.cc:3: odd");
  d.file = d.text_file = "-";
  EXPECT_EQ(ErrorText(WithFileName("-", ErrorOf(kKind, d, "-:3:1: odd"))),
            "standard input: -:3:1: odd");
}

// Whoever prints a Status sees the code; one without a code has no payload.
TEST(StatusErrorsTest, ToStringShowsTheCode) {
  EXPECT_EQ(ErrorWithCode(kKind, Code::kEvalArgument, "odd").ToString(),
            "INVALID_ARGUMENT: odd [indim.errors='IND0854:0:0:0+3']");
  EXPECT_EQ(WithNote(absl::Status(kKind, "odd"), "!"),
            absl::Status(kKind, "odd!"));
}

// Of another process the payload may be anything.
TEST(StatusErrorsTest, AnyPayloadIsRead) {
  for (const char* payload :
       {"", "x", "report", "IND0854", "IND0854:1:1:0", "IND0854:1:1:0+-4",
        "IND0854:-1:1:0+3", "name=2 IND0854:0:0:0+3", "IND0854:0:0:0+3  ",
        "IND70000:1:1:99999999999+99999999999",
        "names_file name=99999999999+9223372036854775807 "
        "IND0854:1:1:2+9223372036854775807",
        "name=1+18446744073709551615 IND0854:0:0:2+18446744073709551615"}) {
    absl::Status status(kKind, "odd");
    status.SetPayload(kErrorsPayload, absl::Cord(payload));
    EXPECT_EQ(ErrorsOf(status).size(), 1) << payload;
    EXPECT_NE(ErrorText(WithNote(WithFileName("a", status), "!")), "");
  }
}

}  // namespace
}  // namespace indim
