// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/text_errors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace indim {
namespace {

// Longer lines are cut, to about half of this before the caret.
constexpr size_t kLineBytes = 100;
constexpr size_t kBytesBefore = 50;
constexpr size_t kMaxMessageBytes = 1000;

bool Printable(char c) { return c >= ' ' && c <= '~'; }

// Bytes [from, to) of `text` as printable characters: a tab as a space,
// unprintable bytes as \xNN.
std::string Shown(absl::string_view text, size_t from, size_t to) {
  std::string out;
  for (const char c : text.substr(from, to - from)) {
    if (Printable(c)) {
      out.push_back(c);
    } else if (c == '\t') {
      out.push_back(' ');
    } else {
      absl::StrAppend(&out, "\\x", absl::BytesToHexString(std::string(1, c)));
    }
  }
  return out;
}

// Appends the line around the error, and the caret.
void AppendExcerpt(const TextError& error, absl::string_view text,
                   std::string* out) {
  const size_t at = std::min(error.offset, text.size());
  // Reads no more than it shows: a line may be the whole file.
  const size_t first = at > kBytesBefore ? at - kBytesBefore : 0;
  size_t begin = at;
  while (begin > first && text[begin - 1] != '\n') --begin;
  const size_t last = std::min(text.size(), begin + kLineBytes);
  size_t end = at;
  while (end < last && text[end] != '\n' && text[end] != '\r') ++end;
  const bool cut_before = begin > 0 && text[begin - 1] != '\n';
  const bool cut_after =
      end < text.size() && text[end] != '\n' && text[end] != '\r';

  const std::string before =
      absl::StrCat("  ", cut_before ? "..." : "", Shown(text, begin, at));
  const size_t marked = std::min(end, at + error.length);
  const std::string wrong = Shown(text, at, std::max(at, marked));
  absl::StrAppend(out, "\n", before, wrong,
                  Shown(text, std::max(at, marked), end),
                  cut_after ? "..." : "");
  absl::StrAppend(out, "\n", std::string(before.size(), ' '), "^");
  if (wrong.size() > 1) out->append(wrong.size() - 1, '~');
}

}  // namespace

TextPosition PositionOf(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, offset);
  TextPosition position;
  position.line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  position.column = static_cast<int64_t>(
      before.size() - (newline == absl::string_view::npos ? 0 : newline + 1) +
      1);
  return position;
}

void TextErrors::Add(size_t offset, size_t length, std::string message,
                     Code code) {
  Add({offset, length, std::move(message), code});
}

void TextErrors::Add(TextError added) {
  ++calls_;
  for (const TextError& error : errors_) {
    if (error.offset == added.offset) return;
  }
  ++count_;
  if (errors_.size() == kMaxErrors) return;
  // It may quote a name of any length. Cuts between characters of UTF-8.
  std::string& message = added.message;
  if (message.size() > kMaxMessageBytes) {
    size_t end = kMaxMessageBytes;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80)
      --end;
    message.replace(end, std::string::npos, "...");
  }
  errors_.push_back(std::move(added));
}

absl::Status TextErrors::ToStatus(absl::string_view file,
                                  absl::string_view text) const {
  if (empty()) return absl::OkStatus();
  std::string out;
  std::vector<ReportedError> reported;
  const auto note = [&](const TextPosition& position, size_t begin, Code code) {
    reported.push_back({code, position, begin, out.size() - begin});
  };
  for (const TextError& error : errors_) {
    const TextPosition position = PositionOf(text, error.offset);
    absl::StrAppend(&out, out.empty() ? "" : "\n",
                    file.empty() ? kNamelessText : file, ":", position.line,
                    ":", position.column, ": error: ");
    const size_t begin = out.size();
    out += error.message;
    AppendExcerpt(error, text, &out);
    if (!error.fix.empty()) absl::StrAppend(&out, "\n  to fix: ", error.fix);
    note(position, begin, error.code);
    ReportedError& last = reported.back();
    last.fix_size = error.fix.size();
    last.fix_begin = last.size - last.fix_size;
    last.operand = error.operand;
    last.dim = error.dim;
  }
  const int64_t more = count_ - static_cast<int64_t>(errors_.size());
  if (more > 0) {
    out += '\n';
    const size_t begin = out.size();
    absl::StrAppend(&out, "and ", more, " more error", more == 1 ? "" : "s");
    note({}, begin, Code::kFileUnreadable);
  }
  return ReportError(out, reported, !file.empty() && file != "-");
}

}  // namespace indim
