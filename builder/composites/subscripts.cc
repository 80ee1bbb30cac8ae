// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/subscripts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace indim::internal {
namespace {

// The labels between two commas.
struct SubscriptsTerm {
  size_t begin = 0;  // position in the text
  size_t end = 0;
  struct Place {
    char label;  // '.': an ellipsis
    size_t at;
  };
  std::vector<Place> places;
  bool has_ellipsis = false;
  int labels = 0;
};

class SubscriptsParser {
 public:
  SubscriptsParser(absl::string_view text, absl::Span<const int> ranks)
      : text_(text), ranks_(ranks) {}

  absl::StatusOr<Subscripts> Parse() {
    if (absl::Status status = ReadTerms(); !status.ok()) return status;
    if (absl::Status status = NameOperands(); !status.ok()) return status;
    if (absl::Status status = NameResult(); !status.ok()) return status;
    return std::move(read_);
  }

 private:
  absl::Status Error(size_t at, absl::string_view what) const {
    std::string shown(text_);
    for (char& c : shown) {
      if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
    }
    return absl::InvalidArgumentError(absl::StrCat(
        what, "\n    ", shown, "\n    ", std::string(at, ' '), "^"));
  }

  absl::Status ReadTerms() {
    terms_.emplace_back();
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (absl::ascii_isspace(static_cast<unsigned char>(c))) continue;
      if (absl::ascii_isalpha(static_cast<unsigned char>(c))) {
        terms_.back().places.push_back({c, i});
        ++terms_.back().labels;
      } else if (text_.substr(i, 3) == "...") {
        if (terms_.back().has_ellipsis) {
          return Error(i, "'...' stands twice for dims of one array");
        }
        terms_.back().has_ellipsis = true;
        terms_.back().places.push_back({'.', i});
        i += 2;
      } else if (text_.substr(i, 2) == "->") {
        if (explicit_) return Error(i, "'->' stands twice");
        explicit_ = true;
        EndTerm(i, i + 2);
        ++i;
      } else if (c == ',') {
        if (explicit_) return Error(i, "there is one result, so no ','");
        EndTerm(i, i + 1);
      } else {
        return Error(i, c == '.'   ? "'.' stands in threes"
                        : c == '-' ? "'-' goes with '>'"
                                   : "expected a letter, '...', ',' or '->'");
      }
    }
    terms_.back().end = text_.size();
    const size_t operands = terms_.size() - (explicit_ ? 1 : 0);
    if (operands == ranks_.size()) return absl::OkStatus();
    const size_t at = operands > ranks_.size() ? terms_[ranks_.size()].begin
                                               : terms_[operands - 1].end;
    return Error(at, absl::StrCat("the text is of ", operands,
                                  " operands, but there are ", ranks_.size()));
  }

  void EndTerm(size_t end, size_t next) {
    terms_.back().end = end;
    terms_.emplace_back();
    terms_.back().begin = next;
  }

  absl::Status NameOperands() {
    for (size_t i = 0; i < ranks_.size(); ++i) {
      const SubscriptsTerm& term = terms_[i];
      const int rest = ranks_[i] - term.labels;
      if (rest < 0 || (rest > 0 && !term.has_ellipsis)) {
        return Error(term.places.empty() ? term.begin : term.places[0].at,
                     absl::StrCat("operand ", i, " has rank ", ranks_[i],
                                  ", but ", term.labels, " labels"));
      }
      read_.operands.emplace_back();
      Append(term, rest, &read_.operands.back());
      if (term.has_ellipsis) hidden_ = std::max(hidden_, rest);
      for (const SubscriptsTerm::Place& place : term.places) {
        if (place.label != '.') ++uses_[static_cast<size_t>(place.label)];
      }
    }
    return absl::OkStatus();
  }

  static void Append(const SubscriptsTerm& term, int hidden,
                     std::vector<Label>* labels) {
    for (const SubscriptsTerm::Place& place : term.places) {
      if (place.label != '.') {
        labels->push_back(place.label);
        continue;
      }
      for (int i = hidden; i > 0; --i) labels->push_back(kEllipsis + i - 1);
    }
  }

  absl::Status NameResult() {
    if (!explicit_) {
      for (int i = hidden_; i > 0; --i) {
        read_.result.push_back(kEllipsis + i - 1);
      }
      for (size_t c = 0; c < uses_.size(); ++c) {
        if (uses_[c] == 1) read_.result.push_back(static_cast<Label>(c));
      }
      return absl::OkStatus();
    }
    const SubscriptsTerm& term = terms_.back();
    std::array<bool, 128> seen = {};
    for (const SubscriptsTerm::Place& place : term.places) {
      if (place.label == '.') continue;
      const size_t c = static_cast<size_t>(place.label);
      if (uses_[c] == 0) {
        return Error(place.at, absl::StrCat("no operand has the label '",
                                            std::string(1, place.label), "'"));
      }
      if (seen[c]) {
        return Error(place.at,
                     absl::StrCat("the result has the label '",
                                  std::string(1, place.label), "' twice"));
      }
      seen[c] = true;
    }
    if (hidden_ > 0 && !term.has_ellipsis) {
      return Error(term.end, "'...' of the operands must be in the result too");
    }
    Append(term, hidden_, &read_.result);
    return absl::OkStatus();
  }

  const absl::string_view text_;
  const absl::Span<const int> ranks_;
  std::vector<SubscriptsTerm> terms_;
  bool explicit_ = false;
  int hidden_ = 0;  // the most dims that "..." stands for
  std::array<int, 128> uses_ = {};
  Subscripts read_;
};

}  // namespace

absl::StatusOr<Subscripts> ParseSubscripts(absl::string_view text,
                                           absl::Span<const int> ranks) {
  return SubscriptsParser(text, ranks).Parse();
}

std::string LabelText(Label label) {
  return label < kEllipsis
             ? absl::StrCat("'", std::string(1, static_cast<char>(label)), "'")
             : "...";
}

}  // namespace indim::internal
