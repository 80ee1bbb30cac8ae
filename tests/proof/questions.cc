// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proof/questions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim {
namespace proof {
namespace {

using documents::Sizes;

constexpr int16_t kUnasked = -2;

Places From(int first, int count, int end) {
  Places places;
  for (int i = 0; i < count; ++i) {
    places.push_back(first + i < end ? first + i : -1);
  }
  return places;
}

Question Asked(BroadcastRule rule, int64_t axis = -1) {
  BroadcastSpec spec;
  spec.rule = rule;
  spec.axis = axis;
  return Question(spec);
}

}  // namespace

Question::Question(BroadcastSpec spec) : spec_(std::move(spec)) {
  if (spec_.dimensions) {
    tuple_.emplace(spec_.dimensions->begin(), spec_.dimensions->end());
  }
}

std::string Question::text() const {
  std::string text(Name(spec_.rule));
  if (spec_.rule == BroadcastRule::kPdpd) {
    absl::StrAppend(&text, " axis ", spec_.axis);
  }
  if (tuple_) absl::StrAppend(&text, " {", absl::StrJoin(*tuple_, ","), "}");
  return text;
}

bool Question::Fits(int rank_a, int rank_b) const {
  switch (spec_.rule) {
    case BroadcastRule::kXla:
      return documents::TupleFits(std::min(rank_a, rank_b),
                                  std::max(rank_a, rank_b), tuple_);
    case BroadcastRule::kNone:
      return rank_a == rank_b;
    case BroadcastRule::kPdpd:
      // At its longest and shortest: what is left when all of B is 1.
      return rank_b <= rank_a && spec_.axis >= -1 && spec_.axis <= rank_a;
    case BroadcastRule::kNumpy:
    case BroadcastRule::kBidirectional:
      break;
  }
  return true;
}

std::pair<Places, Places> Question::PlacesOf(int rank_a, int rank_b) const {
  const int rank = std::max(rank_a, rank_b);
  Places a = From(rank - rank_a, rank_a, rank);
  Places b = From(rank - rank_b, rank_b, rank);
  if (spec_.rule == BroadcastRule::kPdpd && spec_.axis >= 0) {
    b = From(static_cast<int>(spec_.axis), rank_b, rank_a);
  }
  if (spec_.rule == BroadcastRule::kXla && rank_a != rank_b && tuple_) {
    (rank_a < rank_b ? a : b).assign(tuple_->begin(), tuple_->end());
  }
  return {a, b};
}

std::optional<Sizes> Question::Document(const Sizes& a, const Sizes& b) const {
  switch (spec_.rule) {
    case BroadcastRule::kXla:
      return documents::Xla(a, b, tuple_);
    case BroadcastRule::kNone:
      return documents::None(a, b);
    case BroadcastRule::kPdpd:
      return documents::Pdpd(documents::PdpdReading::kExamples, a, b,
                             spec_.axis);
    case BroadcastRule::kNumpy:
      return documents::Numpy(a, b);
    case BroadcastRule::kBidirectional:
      break;
  }
  return documents::Bidirectional(a, b);
}

std::optional<Sizes> Question::Amended(const Sizes& a, const Sizes& b) const {
  std::optional<Sizes> result = Document(a, b);
  if (!result || spec_.rule != BroadcastRule::kXla) return result;
  const auto [a_places, b_places] =
      PlacesOf(static_cast<int>(a.size()), static_cast<int>(b.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) (*result)[a_places[i]] = 0;
  }
  for (size_t i = 0; i < b.size(); ++i) {
    if (b[i] == 0) (*result)[b_places[i]] = 0;
  }
  return result;
}

int Question::Answer(const ConcreteShapes& concrete, int a, int b) {
  if (answers_.empty()) {
    answers_.assign(concrete.count() * concrete.count(), kUnasked);
  }
  int16_t& answer = answers_[a * concrete.count() + b];
  if (answer == kUnasked) {
    const auto result = Amended(concrete.sizes(a), concrete.sizes(b));
    answer = static_cast<int16_t>(result ? concrete.IdOf(*result) : -1);
  }
  return answer;
}

std::vector<Question> DocumentQuestions() {
  std::vector<Question> questions = {Asked(BroadcastRule::kNone),
                                     Asked(BroadcastRule::kNumpy),
                                     Asked(BroadcastRule::kBidirectional)};
  for (int64_t axis = -2; axis <= 4; ++axis) {
    questions.push_back(Asked(BroadcastRule::kPdpd, axis));
  }
  return questions;
}

std::vector<Question> XlaQuestions() {
  std::vector<Question> questions = {Asked(BroadcastRule::kXla)};
  std::vector<DimIndices> lists = {{}, {0, 1, 2, 3}};
  for (int64_t i = -1; i <= 3; ++i) {
    lists.push_back({i});
    for (int64_t j = -1; j <= 3; ++j) {
      lists.push_back({i, j});
      for (int64_t k = -1; k <= 3; ++k) lists.push_back({i, j, k});
    }
  }
  for (const DimIndices& list : lists) {
    BroadcastSpec spec;
    spec.dimensions = list;
    questions.emplace_back(spec);
  }
  return questions;
}

}  // namespace proof
}  // namespace indim
