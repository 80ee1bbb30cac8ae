// SPDX-License-Identifier: Apache-2.0
// Every pair of shapes up to rank 3 under every rule, axis and
// broadcast_dimensions, against the documents (documents.h).
//
// Of known sizes, and of ? in MLIR's document, a document says the answer. Of
// other dims it is what the document says for each run-time size in them:
//   the rules of documents  a plan is right where some sizes fit; then its
//                           conditions hold for exactly those, and each dim is
//                           from the least to the greatest size that comes out
//   xla                     sound: sizes that meet the conditions fit, and give
//                           a size in the result's dim. Where it isn't exact
//                           too, a row of Exclusion says so

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "indim/tests/proof/plan_conditions.h"
#include "indim/tests/proof/questions.h"
#include "indim/tests/proof/small_shapes.h"
#include "indim/tests/proof/tally.h"
#include "indim/tests/sample.h"

namespace indim {
namespace proof {
namespace {

using documents::Outcome;
using documents::Sizes;

// Least and greatest size of a result's dim that comes out.
struct Range {
  int64_t lower = kCap + 1;
  int64_t upper = -1;
  void Add(int64_t size) {
    lower = std::min(lower, size);
    upper = std::max(upper, size);
  }
  bool Is(Dim dim) const {
    return dim.lower() == lower && std::min(dim.upper(), kCap) == upper;
  }
};

bool SameDims(const DimVector& dims, const Sizes& sizes) {
  if (dims.size() != sizes.size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool same = sizes[i] == documents::kDynamic ? dims[i].is_unknown()
                                                      : dims[i].is(sizes[i]);
    if (!same) return false;
  }
  return true;
}

// One question about two shapes, and Indim's plan.
class Case {
 public:
  Case(const ConcreteShapes& concrete, Question* question, const SmallShape& a,
       const SmallShape& b, Tally* tally)
      : concrete_(concrete),
        question_(*question),
        a_(a),
        b_(b),
        tally_(*tally) {
    const Shape* const operands[] = {&a.shape, &b.shape};
    std::vector<Diagnostic> diagnostics;
    ok_ = PlanBroadcast(question->spec(), operands, &plan_, &diagnostics);
  }

  void Check();

 private:
  bool is_xla() const { return question_.spec().rule == BroadcastRule::kXla; }
  std::string Text() const {
    return absl::StrCat(question_.text(), ": ", a_.shape.ToString(), " ",
                        b_.shape.ToString());
  }
  // The dims of the operands at a dim of the result; where only one has it,
  // twice that.
  std::pair<SmallDim, SmallDim> PairAt(int dim) const;

  void CheckUnranked();
  void CheckMlir();
  void CheckStatic();
  void CheckRunTimeSizes();
  void CheckExact();
  void CheckXla();

  // What Indim's XLA does that the document's meaning doesn't: each names the
  // rows that explain it, or fails.
  void Explain(const std::optional<Exclusion>& exclusion);
  std::optional<Exclusion> WhyRefused() const;
  std::optional<Exclusion> WhyAt(int dim) const;
  bool UsedAsTheyAre() const;

  const ConcreteShapes& concrete_;
  Question& question_;
  const SmallShape& a_;
  const SmallShape& b_;
  Tally& tally_;
  bool ok_ = false;
  BroadcastPlan plan_;
  std::pair<Places, Places> places_;

  // What CheckRunTimeSizes found.
  bool any_fit_ = false;
  std::vector<Range> document_ranges_;   // of sizes that the document takes
  std::vector<Range> condition_ranges_;  // of those that meet the conditions
  std::set<int> dims_of_broken_conditions_;  // though the sizes fit
  int unsound_ = 0;
  std::set<Exclusion> excluded_;
};

void Case::Check() {
  tally_.Add(Name(question_.spec().rule));
  if (a_.unranked || b_.unranked) return CheckUnranked();
  if (!question_.Fits(a_.rank(), b_.rank())) {
    EXPECT_FALSE(ok_) << Text();
    return;
  }
  places_ = question_.PlacesOf(a_.rank(), b_.rank());
  if (ok_) {
    const auto same = [](const BroadcastPlan::DimMap& map,
                         const Places& places) {
      return std::equal(map.begin(), map.end(), places.begin(), places.end());
    };
    EXPECT_TRUE(same(plan_.operands[0], places_.first)) << Text();
    EXPECT_TRUE(same(plan_.operands[1], places_.second)) << Text();
  }
  if (question_.spec().rule == BroadcastRule::kNumpy) CheckMlir();
  if (a_.is_static() && b_.is_static()) CheckStatic();
  CheckRunTimeSizes();
  is_xla() ? CheckXla() : CheckExact();
  for (const Exclusion exclusion : excluded_) tally_.Add(exclusion);
}

void Case::CheckUnranked() {
  ASSERT_TRUE(ok_) << Text();
  if (question_.spec().rule != BroadcastRule::kNumpy ||
      (a_.unranked && b_.unranked)) {
    EXPECT_TRUE(plan_.unranked) << Text();
    return;
  }
  // MLIR's document leaves it out; OpenVINO's has none.
  const Shape& other = a_.unranked ? b_.shape : a_.shape;
  EXPECT_FALSE(plan_.unranked) << Text();
  EXPECT_EQ(absl::MakeConstSpan(plan_.dims), other.dims()) << Text();
}

void Case::CheckMlir() {
  if (!a_.is_mlir() || !b_.is_mlir()) return;
  const documents::InferredType inferred =
      documents::InferResultShape({a_.mlir(), b_.mlir()});
  if (inferred.outcome == Outcome::kNoCase) {
    excluded_.insert(Exclusion::kMlirSizeZero);
    return;
  }
  tally_.Add("of these, MLIR's pseudo-code asked of ?");
  ASSERT_EQ(ok_, inferred.outcome == Outcome::kOk) << Text();
  if (!ok_) return;
  EXPECT_TRUE(SameDims(plan_.dims, *inferred.shape)) << Text();
}

void Case::CheckStatic() {
  const Sizes& a = concrete_.sizes(a_.concrete[0]);
  const Sizes& b = concrete_.sizes(b_.concrete[0]);
  const std::optional<Sizes> document = question_.Document(a, b);
  const std::optional<Sizes> amended = question_.Amended(a, b);
  tally_.Add("of these, static");
  if (document != amended) excluded_.insert(Exclusion::kXlaZeroWithOne);
  if (question_.spec().rule == BroadcastRule::kPdpd &&
      document != documents::Pdpd(documents::PdpdReading::kRules, a, b,
                                  question_.spec().axis)) {
    excluded_.insert(Exclusion::kPdpdInnerOne);
  }
  ASSERT_EQ(ok_, amended.has_value()) << Text();
  if (!ok_) return;
  EXPECT_TRUE(SameDims(plan_.dims, *amended)) << Text();
  EXPECT_TRUE(plan_.conditions.empty()) << Text();
}

void Case::CheckRunTimeSizes() {
  const size_t rank = static_cast<size_t>(std::max(a_.rank(), b_.rank()));
  document_ranges_.resize(rank);
  condition_ranges_.resize(rank);
  int64_t count = 0;
  for (const int a : a_.concrete) {
    for (const int b : b_.concrete) {
      ++count;
      const int answer = question_.Answer(concrete_, a, b);
      const Sizes* const sizes[] = {&concrete_.sizes(a), &concrete_.sizes(b)};
      const Condition* const broken = ok_ ? FirstBroken(plan_, sizes) : nullptr;
      if (answer < 0) {
        if (ok_ && broken == nullptr) ++unsound_;
        continue;
      }
      any_fit_ = true;
      const Sizes& result = concrete_.sizes(answer);
      for (size_t d = 0; d < rank; ++d) {
        document_ranges_[d].Add(result[d]);
        if (ok_ && broken == nullptr) condition_ranges_[d].Add(result[d]);
      }
      if (broken != nullptr) {
        const DimRef place = broken->a.place();
        dims_of_broken_conditions_.insert(
            plan_.operands[place.operand][place.dim]);
      }
    }
  }
  tally_.Add("run-time sizes of two operands", count);
}

void Case::CheckExact() {
  ASSERT_EQ(ok_, any_fit_) << Text();
  EXPECT_EQ(unsound_, 0) << Text();
  EXPECT_TRUE(dims_of_broken_conditions_.empty()) << Text();
  if (!ok_) return;
  ASSERT_EQ(plan_.dims.size(), document_ranges_.size()) << Text();
  for (size_t d = 0; d < plan_.dims.size(); ++d) {
    EXPECT_TRUE(document_ranges_[d].Is(plan_.dims[d])) << Text();
  }
}

void Case::CheckXla() {
  if (!ok_) {
    if (any_fit_) Explain(WhyRefused());
    return;
  }
  EXPECT_EQ(unsound_, 0) << Text();
  ASSERT_EQ(plan_.dims.size(), condition_ranges_.size()) << Text();
  for (const int dim : dims_of_broken_conditions_) Explain(WhyAt(dim));
  for (size_t d = 0; d < plan_.dims.size(); ++d) {
    const Range& range = condition_ranges_[d];
    EXPECT_LE(plan_.dims[d].lower(), range.lower) << Text();
    EXPECT_GE(std::min(plan_.dims[d].upper(), kCap), range.upper) << Text();
    if (!range.Is(plan_.dims[d])) Explain(WhyAt(static_cast<int>(d)));
  }
}

void Case::Explain(const std::optional<Exclusion>& exclusion) {
  EXPECT_TRUE(exclusion) << "no row for " << Text();
  if (exclusion) excluded_.insert(*exclusion);
}

std::pair<SmallDim, SmallDim> Case::PairAt(int dim) const {
  const auto find = [&](const Places& places, const SmallShape& shape) {
    const auto at = std::find(places.begin(), places.end(), dim);
    return at == places.end()
               ? std::optional<SmallDim>()
               : shape.dims[static_cast<size_t>(at - places.begin())];
  };
  const auto a = find(places_.first, a_), b = find(places_.second, b_);
  return {a ? *a : *b, b ? *b : *a};
}

// The number that XLA compares: a bound counts as its size.
int64_t Number(const SmallDim& dim) {
  return dim.is_unknown() ? -1 : dim.upper;
}

std::optional<Exclusion> Case::WhyRefused() const {
  bool unknown = false;
  for (const SmallShape* shape : {&a_, &b_}) {
    for (const SmallDim& dim : shape->dims) unknown |= dim.is_unknown();
  }
  for (int d = 0; d < std::max(a_.rank(), b_.rank()); ++d) {
    const auto [a, b] = PairAt(d);
    if (a.is_interval() || b.is_interval() || Number(a) == Number(b)) continue;
    if (a_.rank() != b_.rank() && (a.is_unknown() || b.is_unknown()) &&
        Number(a) != 1 && Number(b) != 1) {
      return Exclusion::kXlaUnknownInDim;
    }
    if (a.is_unknown() || b.is_unknown()) continue;
    if ((a.is_bounded() && Number(a) == 1) ||
        (b.is_bounded() && Number(b) == 1)) {
      return Exclusion::kXlaBoundedOneStretch;
    }
    if ((a.is_bounded() || b.is_bounded()) && Number(a) != 1 &&
        Number(b) != 1) {
      return Exclusion::kXlaBoundBesideOther;
    }
  }
  if (a_.rank() != b_.rank() && unknown) return Exclusion::kXlaLastDims;
  return std::nullopt;
}

// Ranks are equal, and so are the numbers, where ? goes with any.
bool Case::UsedAsTheyAre() const {
  if (a_.rank() != b_.rank()) return false;
  for (int d = 0; d < a_.rank(); ++d) {
    const SmallDim &a = a_.dims[d], &b = b_.dims[d];
    if (a.is_interval() || b.is_interval()) return false;
    if (!a.is_unknown() && !b.is_unknown() && Number(a) != Number(b)) {
      return false;
    }
  }
  return true;
}

std::optional<Exclusion> Case::WhyAt(int dim) const {
  const auto [a, b] = PairAt(dim);
  if (a.is_interval() || b.is_interval()) return std::nullopt;
  if (a.is_unknown() || b.is_unknown()) {
    if (UsedAsTheyAre()) return Exclusion::kXlaUnknownAsItIs;
    if (!a.is_bounded() && !b.is_bounded()) return std::nullopt;
    return Exclusion::kXlaUnknownBesideBound;
  }
  if ((a.is_bounded() || b.is_bounded()) && Number(a) == Number(b)) {
    return Exclusion::kXlaBoundBesideItsSize;
  }
  return std::nullopt;
}

class BruteForceTest : public testing::Test {
 protected:
  const ConcreteShapes concrete_;
  const std::vector<SmallShape> shapes_ = AllShapes(SmallDims(), 3, concrete_);
  Tally tally_;

  // Each `step`th of the cases whose ranks the rule takes, or (`fits` false)
  // doesn't take. Shapes lie in the order of ranks, so that whole blocks of
  // cases are passed over.
  void Ask(std::vector<Question>* questions, int64_t step, bool fits) {
    const std::vector<size_t> ends = {1, 9, 73, 585, 586};
    int64_t next = 0;
    for (Question& question : *questions) {
      for (size_t a_end = 0; a_end < ends.size(); ++a_end) {
        for (size_t b_end = 0; b_end < ends.size(); ++b_end) {
          const SmallShape& a = shapes_[ends[a_end] - 1];
          const SmallShape& b = shapes_[ends[b_end] - 1];
          const bool takes =
              !a.unranked && !b.unranked && question.Fits(a.rank(), b.rank());
          if (takes != fits) continue;
          const size_t a_first = a_end == 0 ? 0 : ends[a_end - 1];
          const size_t b_first = b_end == 0 ? 0 : ends[b_end - 1];
          const int64_t a_count = static_cast<int64_t>(ends[a_end] - a_first);
          const int64_t b_count = static_cast<int64_t>(ends[b_end] - b_first);
          for (; next < a_count * b_count; next += step) {
            Case(concrete_, &question, shapes_[a_first + next / b_count],
                 shapes_[b_first + next % b_count], &tally_)
                .Check();
          }
          next -= a_count * b_count;
        }
      }
    }
  }
};

TEST_F(BruteForceTest, TwoOperands) {
  ASSERT_EQ(shapes_.size(), 586u);
  std::vector<Question> of_documents = DocumentQuestions();
  Ask(&of_documents, SampleStep(61), true);
  Ask(&of_documents, SampleStep(211), false);
  std::vector<Question> of_xla = XlaQuestions();
  Ask(&of_xla, SampleStep(61), true);
  Ask(&of_xla, SampleStep(4001), false);
  tally_.Check("docs/proof.md", "Two operands", Exclusion::kMlirSizeZero,
               Exclusion::kXlaBoundBesideItsSize);
}

// MLIR's fold of three operands; of known sizes, NumPy's.
TEST_F(BruteForceTest, ThreeOperands) {
  const std::vector<SmallShape> shapes = AllShapes(SmallDims(), 2, concrete_);
  Question numpy = DocumentQuestions()[1];
  ASSERT_EQ(numpy.spec().rule, BroadcastRule::kNumpy);
  int64_t index = 0, sizes = 0, cases = 0;
  const int64_t step = SampleStep(211);
  const auto check = [&](const SmallShape& a, const SmallShape& b,
                         const SmallShape& c) {
    const Shape* const operands[] = {&a.shape, &b.shape, &c.shape};
    BroadcastPlan plan;
    std::vector<Diagnostic> diagnostics;
    const bool ok = PlanBroadcast(numpy.spec(), operands, &plan, &diagnostics);
    const std::string text = absl::StrCat(
        a.shape.ToString(), " ", b.shape.ToString(), " ", c.shape.ToString());
    if (a.is_mlir() && b.is_mlir() && c.is_mlir()) {
      const documents::InferredType inferred =
          documents::InferResultShape({a.mlir(), b.mlir(), c.mlir()});
      if (inferred.outcome != Outcome::kNoCase) {
        ASSERT_EQ(ok, inferred.outcome == Outcome::kOk) << text;
        ASSERT_EQ(ok && plan.unranked, ok && !inferred.shape) << text;
        if (ok && inferred.shape) {
          EXPECT_TRUE(SameDims(plan.dims, *inferred.shape)) << text;
        }
      }
    }
    // A scalar changes nothing.
    static const std::vector<int>* const scalar = new std::vector<int>{0};
    const auto of = [&](const SmallShape& shape) -> const std::vector<int>& {
      return shape.unranked ? *scalar : shape.concrete;
    };
    bool any = false;
    std::vector<Range> ranges(plan.dims.size());
    for (const int x : of(a)) {
      for (const int y : of(b)) {
        const int two = numpy.Answer(concrete_, x, y);
        for (const int z : of(c)) {
          ++sizes;
          const int three = two < 0 ? -1 : numpy.Answer(concrete_, two, z);
          any |= three >= 0;
          if (!ok) continue;
          const Sizes* const known[] = {
              &concrete_.sizes(x), &concrete_.sizes(y), &concrete_.sizes(z)};
          const bool hold = FirstBroken(plan, known) == nullptr;
          ASSERT_EQ(hold, three >= 0) << text;
          for (size_t d = 0; hold && d < ranges.size(); ++d) {
            ranges[d].Add(concrete_.sizes(three)[d]);
          }
        }
      }
    }
    ASSERT_EQ(ok, any) << text;
    for (size_t d = 0; ok && d < ranges.size(); ++d) {
      EXPECT_TRUE(ranges[d].Is(plan.dims[d])) << text;
    }
  };
  for (const SmallShape& a : shapes) {
    for (const SmallShape& b : shapes) {
      for (const SmallShape& c : shapes) {
        if (index++ % step != 0) continue;
        ++cases;
        check(a, b, c);
      }
    }
  }
  Tally tally;
  tally.Add("numpy, three operands", cases);
  tally.Add("run-time sizes of three operands", sizes);
  tally.Check("docs/proof.md", "Three operands");
}

}  // namespace
}  // namespace proof
}  // namespace indim
