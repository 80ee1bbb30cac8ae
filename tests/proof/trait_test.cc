// SPDX-License-Identifier: Apache-2.0
// The Broadcastable trait: inference and verification in every mode, against
// the readings of MLIR's document (documents.h).
//
// Of sizes and ? the document's Verify says the answer: by its table (lenient),
// by its pseudo-code and its examples (strict). Of other dims it is what it
// says of the sizes that can come out: lenient, some of them is in the recorded
// dim; strict, all are. What the mode of living MLIR answers otherwise is a row
// of Exclusion.

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/tests/proof/small_shapes.h"
#include "indim/tests/proof/tally.h"
#include "indim/tests/sample.h"

namespace indim {
namespace proof {
namespace {

using documents::Outcome;
using documents::Reading;
using documents::Sizes;
using Mode = BroadcastableMode;
using Operands = std::vector<const SmallShape*>;

constexpr Mode kModes[] = {Mode::kLenient, Mode::kStrict, Mode::kMlir};

// The document says nothing of size 0 in any of them, nor of dims that are
// neither sizes nor ?.
bool IsOfDocument(const SmallShape& shape) {
  if (!shape.is_mlir()) return false;
  for (const SmallDim& dim : shape.dims) {
    if (dim.upper == 0) return false;
  }
  return true;
}

class Trait {
 public:
  Trait(const ConcreteShapes& concrete, Operands operands, Tally* tally);

  void CheckInference();
  void CheckResult(const SmallShape& result);

 private:
  std::string Text() const {
    return absl::StrJoin(operands_, " ",
                         [](std::string* out, const SmallShape* shape) {
                           out->append(shape->shape.ToString());
                         });
  }
  void Enumerate(const ConcreteShapes& concrete, size_t operand,
                 const Sizes& so_far);
  bool ByMeaning(Mode mode, const SmallShape& result) const;
  bool ZeroMeetsUnknown() const;

  const Operands operands_;
  Tally& tally_;
  std::vector<const Shape*> shapes_;
  std::vector<documents::Type> types_;
  bool of_document_ = true;
  bool any_ranked_ = false;
  bool any_fit_ = false;
  size_t rank_ = 0;
  std::vector<std::set<int64_t>> sizes_;  // that come out, for each dim
};

Trait::Trait(const ConcreteShapes& concrete, Operands operands, Tally* tally)
    : operands_(std::move(operands)), tally_(*tally) {
  for (const SmallShape* operand : operands_) {
    shapes_.push_back(&operand->shape);
    types_.push_back(operand->mlir());
    of_document_ = of_document_ && IsOfDocument(*operand);
    any_ranked_ |= !operand->unranked;
    rank_ = std::max(rank_, operand->dims.size());
  }
  sizes_.resize(rank_);
  Enumerate(concrete, 0, {});
}

void Trait::Enumerate(const ConcreteShapes& concrete, size_t operand,
                      const Sizes& so_far) {
  if (operand == operands_.size()) {
    any_fit_ = true;
    for (size_t d = 0; d < so_far.size(); ++d) sizes_[d].insert(so_far[d]);
    return;
  }
  if (operands_[operand]->unranked) {
    return Enumerate(concrete, operand + 1, so_far);
  }
  for (const int id : operands_[operand]->concrete) {
    const auto next = documents::Numpy(so_far, concrete.sizes(id));
    if (next) Enumerate(concrete, operand + 1, *next);
  }
}

// A size 0 and a ? at one dim of the result: MLIR infers ? there.
bool Trait::ZeroMeetsUnknown() const {
  for (size_t d = 0; d < rank_; ++d) {
    bool zero = false, unknown = false;
    for (const SmallShape* operand : operands_) {
      const size_t missing = rank_ - operand->dims.size();
      if (d < missing) continue;
      const SmallDim& dim = operand->dims[d - missing];
      zero |= dim.upper == 0;
      unknown |= dim.is_unknown();
    }
    if (zero && unknown) return true;
  }
  return false;
}

void Trait::CheckInference() {
  for (const Mode mode : kModes) {
    tally_.Add("the trait, inferred");
    std::vector<Diagnostic> diagnostics;
    const auto inferred = InferBroadcastable(mode, shapes_, &diagnostics);
    if (mode == Mode::kMlir && ZeroMeetsUnknown()) {
      tally_.Add(Exclusion::kMlirZeroWithUnknown);
      continue;
    }
    ASSERT_EQ(inferred.has_value(), any_fit_) << Text();
    const documents::InferredType document =
        documents::InferResultShape(types_);
    if (of_document_) {
      ASSERT_EQ(document.outcome == Outcome::kOk, any_fit_) << Text();
    }
    if (!inferred) continue;
    ASSERT_EQ(inferred->is_unranked(), !any_ranked_) << Text();
    ASSERT_EQ(inferred->dims().size(), sizes_.size()) << Text();
    for (size_t d = 0; d < sizes_.size(); ++d) {
      const Dim dim = inferred->dims()[d];
      EXPECT_EQ(dim.lower(), *sizes_[d].begin()) << Text();
      EXPECT_EQ(std::min(dim.upper(), kCap), *sizes_[d].rbegin()) << Text();
    }
    if (!of_document_) continue;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      const int64_t size = (*document.shape)[d];
      EXPECT_EQ(inferred->dims()[d], size == documents::kDynamic
                                         ? Dim::Unknown()
                                         : Dim::Static(size))
          << Text();
    }
  }
}

// The mode's answer by the sizes that come out; where living MLIR has its own,
// the table's.
bool Trait::ByMeaning(Mode mode, const SmallShape& result) const {
  if (!any_fit_) return false;
  if (result.unranked || !any_ranked_) return true;
  if (result.dims.size() != rank_) return false;
  for (size_t d = 0; d < rank_; ++d) {
    size_t inside = 0;
    for (const int64_t size : sizes_[d]) {
      inside += result.dims[d].lower <= size && size <= result.dims[d].upper;
    }
    if (mode == Mode::kStrict ? inside < sizes_[d].size() : inside == 0) {
      return false;
    }
  }
  return true;
}

void Trait::CheckResult(const SmallShape& result) {
  bool answers[3];
  for (const Mode mode : kModes) {
    tally_.Add("the trait, verified");
    std::vector<Diagnostic> diagnostics;
    answers[static_cast<int>(mode)] =
        VerifyBroadcastable(mode, shapes_, result.shape, &diagnostics);
  }
  const auto [lenient, strict, mlir] = answers;
  const std::string text =
      absl::StrCat(Text(), " -> ", result.shape.ToString());
  EXPECT_EQ(lenient, ByMeaning(Mode::kLenient, result)) << text;
  EXPECT_EQ(strict, ByMeaning(Mode::kStrict, result)) << text;
  if (of_document_ && IsOfDocument(result)) {
    tally_.Add("of these, by the document's Verify", 3);
    const auto verify = [&](Reading reading) {
      return documents::Verify(reading, types_, result.mlir()) == Outcome::kOk;
    };
    EXPECT_EQ(lenient, verify(Reading::kTable)) << text;
    EXPECT_EQ(strict, verify(Reading::kPseudoCode)) << text;
    EXPECT_EQ(strict, verify(Reading::kExamples)) << text;
    if (lenient != strict) tally_.Add(Exclusion::kTableOfVerify);
  }
  if (mlir == lenient) return;
  // Living MLIR takes more than the table, in two places.
  EXPECT_TRUE(mlir) << text;
  if (result.dims.size() > rank_) {
    SmallShape trailing = result;
    trailing.dims.erase(trailing.dims.begin(), trailing.dims.end() - rank_);
    EXPECT_TRUE(ZeroMeetsUnknown() || ByMeaning(Mode::kLenient, trailing))
        << text;
    tally_.Add(Exclusion::kMlirHigherRank);
  } else {
    EXPECT_TRUE(ZeroMeetsUnknown()) << text;
    tally_.Add(Exclusion::kMlirZeroWithUnknown);
  }
}

class TraitTest : public testing::Test {
 protected:
  const ConcreteShapes concrete_;
  Tally tally_;
  int64_t index_ = 0;

  // All lists of `count` operands of `shapes`, with all results of `shapes`;
  // each `step`th list.
  void Ask(const std::vector<SmallShape>& shapes, size_t count, int64_t step,
           Operands operands = {}) {
    if (operands.size() < count) {
      for (const SmallShape& shape : shapes) {
        operands.push_back(&shape);
        Ask(shapes, count, step, operands);
        operands.pop_back();
      }
      return;
    }
    if (index_++ % step != 0) return;
    Trait trait(concrete_, operands, &tally_);
    trait.CheckInference();
    for (const SmallShape& result : shapes) trait.CheckResult(result);
  }
};

TEST_F(TraitTest, EveryMode) {
  const std::vector<SmallDim>& dims = SmallDims();
  const std::vector<SmallDim> few = {dims[0], dims[2], dims[3]};
  ASSERT_STREQ(few[2].text, "2");
  Ask(AllShapes(dims, 3, concrete_), 1, SampleStep(127));
  Ask(AllShapes(dims, 2, concrete_), 2, SampleStep(127));
  Ask(AllShapes(few, 3, concrete_), 2, SampleStep(61));
  Ask(AllShapes(dims, 1, concrete_), 3, SampleStep(31));
  Ask(AllShapes(few, 2, concrete_), 3, SampleStep(127));
  tally_.Check("docs/proof.md", "The trait", Exclusion::kTableOfVerify,
               Exclusion::kMlirZeroWithUnknown);
}

// The document's own examples, and what each reading and each mode makes of
// them. Two of "incorrect uses" tell the readings and modes apart.
TEST(DocumentTest, ExamplesOfTheTrait) {
  constexpr int64_t q = documents::kDynamic;
  const struct {
    std::vector<documents::Type> operands;
    documents::Type result;
    bool correct;
  } kExamples[] = {
      {{Sizes{1, 2}, Sizes{1, 2}}, Sizes{1, 2}, true},
      {{Sizes{q}, Sizes{q}}, Sizes{q}, true},
      {{Sizes{1}, Sizes{4}}, Sizes{4}, true},
      {{Sizes{4}}, Sizes{q}, true},
      {{Sizes{4}, Sizes{2, 3, 4}}, Sizes{2, 3, 4}, true},
      {{Sizes{2}, Sizes{2}}, Sizes{2}, true},
      {{Sizes{2}}, std::nullopt, true},
      {{std::nullopt, std::nullopt}, Sizes{2}, true},
      {{Sizes{3}, Sizes{2}}, Sizes{q}, false},
      {{Sizes{3}, Sizes{3}}, Sizes{1, 3}, false},
      {{Sizes{q}, Sizes{q}}, Sizes{4}, false},
      {{Sizes{2}, Sizes{2}}, Sizes{4}, false},
      {{Sizes{1}, Sizes{1}}, Sizes{4}, false},
  };
  const auto shape = [](const documents::Type& type) {
    if (!type) return Shape::Unranked(ElementType::kF32);
    DimVector dims;
    for (const int64_t size : *type) {
      dims.push_back(size == q ? Dim::Unknown() : Dim::Static(size));
    }
    return Shape::Array(ElementType::kF32, dims);
  };
  for (const auto& example : kExamples) {
    std::vector<Shape> operands;
    for (const auto& type : example.operands) operands.push_back(shape(type));
    std::vector<const Shape*> pointers;
    for (const Shape& operand : operands) pointers.push_back(&operand);
    const auto verify = [&](Mode mode) {
      std::vector<Diagnostic> diagnostics;
      return VerifyBroadcastable(mode, pointers, shape(example.result),
                                 &diagnostics);
    };
    const auto document = [&](Reading reading) {
      return documents::Verify(reading, example.operands, example.result) ==
             Outcome::kOk;
    };
    const bool cast =
        example.result == Sizes{4} && example.operands[0] == Sizes{q};
    const bool higher_rank = example.result == Sizes{1, 3};
    SCOPED_TRACE(shape(example.result).ToString());
    EXPECT_EQ(document(Reading::kExamples), example.correct);
    EXPECT_EQ(document(Reading::kPseudoCode), example.correct);
    EXPECT_EQ(document(Reading::kTable), example.correct || cast);
    EXPECT_EQ(verify(Mode::kStrict), example.correct);
    EXPECT_EQ(verify(Mode::kLenient), example.correct || cast);
    EXPECT_EQ(verify(Mode::kMlir), example.correct || cast || higher_rank);
  }
}

TEST(DocumentTest, TableAndPseudoCodeInferTheSame) {
  for (const int64_t a :
       {documents::kDynamic, int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}}) {
    for (const int64_t b : {documents::kDynamic, int64_t{0}, int64_t{1},
                            int64_t{2}, int64_t{3}}) {
      const auto code = documents::InferDim(a, b);
      const auto table = documents::InferDimByTable(a, b);
      EXPECT_EQ(code.outcome, table.outcome) << a << " " << b;
      EXPECT_EQ(code.dim, table.dim) << a << " " << b;
    }
  }
}

TEST(DocumentTest, ExamplesOfXla) {
  const struct {
    Sizes lhs, rhs;
    std::optional<Sizes> tuple, result;
  } kExamples[] = {
      {{2, 3}, {}, {}, Sizes{2, 3}},
      {{2, 3}, {3}, {}, {}},
      {{2, 3}, {3}, Sizes{1}, Sizes{2, 3}},
      {{2, 3}, {3}, Sizes{0}, {}},
      {{3, 3}, {3}, Sizes{1}, Sizes{3, 3}},
      {{3, 3}, {3}, Sizes{0}, Sizes{3, 3}},
      {{2, 3, 4}, {3, 4}, Sizes{1, 2}, Sizes{2, 3, 4}},
      {{2, 3, 4, 5}, {5, 4}, Sizes{3, 2}, {}},
      {{2, 3, 4, 4}, {4, 4}, Sizes{3, 3}, {}},
      {{2, 1}, {2, 3}, {}, Sizes{2, 3}},
      {{1, 2, 5}, {7, 2, 5}, {}, Sizes{7, 2, 5}},
      {{7, 2, 5}, {7, 1, 5}, {}, Sizes{7, 2, 5}},
      {{7, 2, 5}, {7, 2, 6}, {}, {}},
      {{2, 1}, {1, 3}, {}, Sizes{2, 3}},
      {{4}, {1, 2}, Sizes{0}, Sizes{4, 2}},
      {{1, 2}, {4, 3, 1}, Sizes{1, 2}, Sizes{4, 3, 2}},
  };
  for (const auto& example : kExamples) {
    EXPECT_EQ(documents::Xla(example.lhs, example.rhs, example.tuple),
              example.result);
  }
  // By the formal definition alone the composition's own example is refused.
  EXPECT_FALSE(documents::MatchesFormally({4}, {1, 2}, {0}));
  EXPECT_TRUE(documents::MatchesFormally({3}, {2, 3}, {1}));
}

TEST(DocumentTest, ExamplesOfOpenVino) {
  using documents::PdpdReading;
  const Sizes a = {2, 3, 4, 5};
  const struct {
    Sizes a, b;
    int64_t axis;
    bool fits, fits_by_rules;
  } kPdpd[] = {
      {a, {3, 4}, 1, true, true},
      {a, {3, 1}, 1, true, true},
      {a, {4, 5}, -1, true, true},
      {a, {4, 5}, 2, true, true},
      {a, {1, 3}, 0, true, false},
      {a, {}, -1, true, true},
      {a, {5}, -1, true, true},
      {a, {5}, 3, true, true},
      {{8, 1, 6, 1}, {7, 1, 5}, 1, false, false},
  };
  for (const auto& example : kPdpd) {
    EXPECT_EQ(documents::Pdpd(PdpdReading::kExamples, example.a, example.b,
                              example.axis),
              example.fits ? std::optional<Sizes>(example.a) : std::nullopt);
    EXPECT_EQ(
        documents::Pdpd(PdpdReading::kRules, example.a, example.b, example.axis)
            .has_value(),
        example.fits_by_rules);
  }
  const struct {
    Sizes a, b;
    std::optional<Sizes> result;
  } kNumpy[] = {
      {{}, {}, Sizes{}},
      {{2, 3}, {1}, Sizes{2, 3}},
      {{3}, {2, 3}, Sizes{2, 3}},
      {{2, 3, 5}, {}, Sizes{2, 3, 5}},
      {{2, 1, 5}, {1, 4, 5}, Sizes{2, 4, 5}},
      {{6, 5}, {2, 1, 5}, Sizes{2, 6, 5}},
      {{2, 1, 5}, {4, 1}, Sizes{2, 4, 5}},
      {{3, 2, 1, 4}, {5, 4}, Sizes{3, 2, 5, 4}},
      {{1, 5, 3}, {5, 2, 1, 3}, Sizes{5, 2, 5, 3}},
      {{3}, {2}, {}},
      {{3, 1, 5}, {4, 4, 5}, {}},
      {{5}, {1}, Sizes{5}},
      {{3, 1}, {3, 4}, Sizes{3, 4}},
      {{3, 4}, {}, Sizes{3, 4}},
      {{3, 1}, {2, 1, 6}, Sizes{2, 3, 6}},
  };
  for (const auto& example : kNumpy) {
    EXPECT_EQ(documents::Numpy(example.a, example.b), example.result);
    EXPECT_EQ(documents::Bidirectional(example.a, example.b), example.result);
  }
}

}  // namespace
}  // namespace proof
}  // namespace indim
