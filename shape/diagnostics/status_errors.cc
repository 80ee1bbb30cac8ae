// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/diagnostics/status_errors.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/shape/diagnostics/rendered.h"

namespace indim {
namespace {

// What the payload says. Its text is a word for each thing that it has to say,
// as ToString of a Status shows it: "report names_file name=6+4
// IND0854:3:21:0+74", with line, column, first byte and size of the error; then
// perhaps its fix, an operand and a dim: "IND1240:3:21:0+74:60+14:1:0".
struct Payload {
  bool is_report = false;
  bool names_file = false;
  // Where the message has the name of a file.
  size_t name_begin = 0;
  size_t name_size = 0;
  std::vector<ReportedError> errors;
};
constexpr absl::string_view kReport = "report";
constexpr absl::string_view kNamesFile = "names_file";
constexpr absl::string_view kName = "name=";

std::string Encode(const Payload& payload) {
  std::vector<std::string> words;
  if (payload.is_report) words.emplace_back(kReport);
  if (payload.names_file) words.emplace_back(kNamesFile);
  if (payload.name_size > 0) {
    words.push_back(
        absl::StrCat(kName, payload.name_begin, "+", payload.name_size));
  }
  for (const ReportedError& e : payload.errors) {
    words.push_back(absl::StrCat(CodeText(e.code), ":", e.position.line, ":",
                                 e.position.column, ":", e.begin, "+", e.size));
    if (e.fix_size == 0 && e.operand < 0 && e.dim < 0) continue;
    absl::StrAppend(&words.back(), ":", e.fix_begin, "+", e.fix_size, ":",
                    e.operand, ":", e.dim);
  }
  return absl::StrJoin(words, " ");
}

// "6+4": a first byte and a size.
bool DecodeSpan(absl::string_view text, size_t* begin, size_t* size) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('+', 1));
  return absl::SimpleAtoi(parts.first, begin) &&
         absl::SimpleAtoi(parts.second, size);
}

bool DecodeError(absl::string_view word, ReportedError* error) {
  const std::vector<absl::string_view> parts = absl::StrSplit(word, ':');
  constexpr size_t kFew = 4, kAll = 7;
  if (parts.size() != kFew && parts.size() != kAll) return false;
  const std::optional<Code> code = FindCode(parts[0]);
  error->code = code.value_or(Code::kNone);
  return absl::SimpleAtoi(parts[1], &error->position.line) &&
         absl::SimpleAtoi(parts[2], &error->position.column) &&
         error->position.line >= 0 && error->position.column >= 0 &&
         DecodeSpan(parts[3], &error->begin, &error->size) &&
         (parts.size() == kFew ||
          (DecodeSpan(parts[4], &error->fix_begin, &error->fix_size) &&
           absl::SimpleAtoi(parts[5], &error->operand) &&
           absl::SimpleAtoi(parts[6], &error->dim)));
}

// Reads `text`, which another process may have written. False: it isn't
// Encode's.
bool Decode(absl::string_view text, size_t message_size, Payload* payload) {
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    if (word == kReport) {
      payload->is_report = true;
    } else if (word == kNamesFile) {
      payload->names_file = true;
    } else if (absl::ConsumePrefix(&word, kName)) {
      if (!DecodeSpan(word, &payload->name_begin, &payload->name_size)) {
        return false;
      }
    } else {
      ReportedError error;
      if (!DecodeError(word, &error)) return false;
      error.begin = std::min(error.begin, message_size);
      error.size = std::min(error.size, message_size - error.begin);
      payload->errors.push_back(error);
    }
  }
  return !payload->errors.empty();
}

// One error of which nothing but its words is known.
Payload WordsAlone(absl::string_view message) {
  Payload payload;
  payload.errors = {{Code::kNone, {}, 0, message.size()}};
  return payload;
}

Payload PayloadOf(const absl::Status& status) {
  const auto text = status.GetPayload(kErrorsPayload);
  Payload payload;
  if (text.has_value() &&
      Decode(std::string(*text), status.message().size(), &payload)) {
    return payload;
  }
  return WordsAlone(status.message());
}

absl::Status Make(absl::StatusCode kind, absl::string_view message,
                  const Payload& payload) {
  absl::Status status(kind, message);
  const std::string text = Encode(payload);
  if (!status.ok() && text != Encode(WordsAlone(message))) {
    status.SetPayload(kErrorsPayload, absl::Cord(text));
  }
  return status;
}

// The words of an error; "it" stands for the file in them.
std::string WordsOf(absl::string_view message, const Payload& payload,
                    const ReportedError& error) {
  const absl::string_view words = message.substr(error.begin, error.size);
  if (payload.is_report || payload.name_size == 0) return std::string(words);
  const size_t name =
      std::min(payload.name_begin - std::min(error.begin, payload.name_begin),
               words.size());
  const size_t end = std::min(name + payload.name_size, words.size());
  return absl::StrCat(words.substr(0, name), "it", words.substr(end));
}

}  // namespace

std::vector<PlacedError> ErrorsOf(const absl::Status& status, Code otherwise) {
  std::vector<PlacedError> errors;
  if (status.ok()) return errors;
  const Payload payload = PayloadOf(status);
  for (const ReportedError& error : payload.errors) {
    const std::string words = WordsOf(status.message(), payload, error);
    const size_t line = std::min(words.find('\n'), words.size());
    errors.push_back({error.code == Code::kNone ? otherwise : error.code,
                      error.position, words.substr(0, line), words.substr(line),
                      words});
    const size_t fix = std::min(error.fix_begin, words.size());
    errors.back().fix = words.substr(fix, error.fix_size);
    errors.back().operand = error.operand;
    errors.back().dim = error.dim;
  }
  if (errors.front().position.line == 0)
    errors.front().text = ErrorText(status);
  return errors;
}

Code CodeOf(const absl::Status& status) {
  return PayloadOf(status).errors.front().code;
}

bool IsReport(const absl::Status& status) {
  return PayloadOf(status).is_report;
}

std::string ErrorText(const absl::Status& status) {
  const Payload payload = PayloadOf(status);
  const Code code = payload.errors.front().code;
  if (payload.is_report || code == Code::kNone || Info(code).is_of_file()) {
    return std::string(status.message());
  }
  return WithCode(status.message(), code);
}

std::string WithCode(absl::string_view message, Code code) {
  const size_t line = std::min(message.find('\n'), message.size());
  return absl::StrCat(message.substr(0, line), "  [", CodeText(code), "]",
                      message.substr(line));
}

absl::Status ErrorWithCode(absl::StatusCode kind, Code code,
                           absl::string_view message) {
  Payload payload;
  payload.errors = {{code, {}, 0, message.size()}};
  return Make(kind, message, payload);
}

absl::Status FileError(absl::StatusCode kind, absl::string_view what,
                       absl::string_view file, absl::string_view why) {
  const std::string before = absl::StrCat("can't ", what, " ");
  const std::string message = absl::StrCat(before, file, ": ", why);
  Payload payload;
  payload.names_file = file != "-";
  payload.name_begin = before.size();
  payload.name_size = payload.names_file ? file.size() : 0;
  payload.errors = {{Code::kNone, {}, 0, message.size()}};
  return Make(kind, message, payload);
}

absl::Status ReportError(absl::string_view report,
                         absl::Span<const ReportedError> errors,
                         bool names_file) {
  Payload payload;
  payload.is_report = true;
  payload.names_file = names_file;
  payload.errors.assign(errors.begin(), errors.end());
  return Make(absl::StatusCode::kInvalidArgument, report, payload);
}

absl::Status ReportError(absl::StatusCode kind, Code code,
                         absl::string_view report) {
  Payload payload;
  payload.is_report = true;
  payload.errors = {{code, {}, 0, report.size()}};
  return Make(kind, report, payload);
}

absl::Status ErrorOf(absl::StatusCode kind, const RenderedDiagnostic& d,
                     absl::string_view report) {
  Payload payload;
  payload.is_report = true;
  payload.name_size = (d.file.empty() ? d.text_file : d.file).size();
  payload.errors = {{d.diagnostic.code, {}, 0, report.size()}};
  return Make(kind, report, payload);
}

absl::Status WithFileName(absl::string_view path, const absl::Status& status) {
  Payload payload = PayloadOf(status);
  if (payload.names_file) return status;
  // A report may be placed in this file, or in the program that made it.
  const bool at_path = payload.is_report && payload.name_size > 0 &&
                       status.message().substr(0, payload.name_size) == path;
  if (at_path && path != "-") return status;
  const std::string prefix =
      absl::StrCat(path == "-" ? "standard input" : path, ": ");
  payload.names_file = true;
  for (ReportedError& error : payload.errors) error.begin += prefix.size();
  return Make(status.code(), absl::StrCat(prefix, status.message()), payload);
}

absl::Status NamesFile(const absl::Status& status) {
  Payload payload = PayloadOf(status);
  payload.names_file = true;
  return Make(status.code(), status.message(), payload);
}

absl::Status WithNote(const absl::Status& status, absl::string_view note) {
  Payload payload = PayloadOf(status);
  payload.errors.back().size += note.size();
  return Make(status.code(), absl::StrCat(status.message(), note), payload);
}

}  // namespace indim
