// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/xla/random_operands.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim {

std::string PythonList(absl::Span<const int64_t> values) {
  return absl::StrCat("[", absl::StrJoin(values, ","), "]");
}

Shape MakeShape(ElementType type, absl::Span<const int64_t> sizes) {
  DimVector dims;
  for (int64_t size : sizes) dims.push_back(Dim::Static(size));
  return Shape::Array(type, dims);
}

Types DeclaredTypes(Opcode opcode) {
  static constexpr ElementType kJudged[] = {
      ElementType::kS8,     ElementType::kS16,      ElementType::kS32,
      ElementType::kS64,    ElementType::kU8,       ElementType::kU16,
      ElementType::kU32,    ElementType::kU64,      ElementType::kF16,
      ElementType::kBF16,   ElementType::kF32,      ElementType::kF64,
      ElementType::kF8E5M2, ElementType::kF8E4M3FN, ElementType::kC64,
      ElementType::kC128,   ElementType::kPred};
  Types types;
  for (const ElementType type : kJudged) {
    if (Accepts(Info(opcode).operand, type)) types.push_back(type);
  }
  return types;
}

std::string BroadcastForm::Grown(const std::string& a,
                                 const std::string& b) const {
  return absl::StrCat("*", function, "(", a, ", ", b, more, ")");
}

std::optional<OwnedInputs> RandomOperands::Declared(Opcode opcode) {
  // A size for each dim: what it is, its bound, or a small number.
  const auto fix = [this](Shape* shape) {
    if (!shape->is_array()) return;
    if (shape->is_unranked()) *shape = MakeShape(shape->element_type(), Dims());
    for (int i = 0; i < shape->rank(); ++i) {
      if (shape->dim(i).is_static()) continue;
      shape->set_dim(i, Dim::Static(Between(1, 4)));
    }
  };
  constexpr int kDraws = 8;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::optional<OwnedInputs> drawn = declared_.Keeping(opcode);
    if (!drawn) continue;
    for (Shape& operand : drawn->operands) fix(&operand);
    fix(&drawn->declared);
    InferContext context;
    if (InferShape(&context, drawn->View())) return drawn;
  }
  return std::nullopt;
}

int64_t RandomOperands::Between(int64_t low, int64_t high) {
  // Not std::uniform_int_distribution: it may differ between libraries.
  return low + static_cast<int64_t>(random_() % (high - low + 1));
}

Sizes RandomOperands::FullDims(int64_t rank) {
  Sizes sizes;
  for (int64_t i = 0; i < rank; ++i) sizes.push_back(Between(1, 4));
  return sizes;
}

Sizes RandomOperands::Dims(int64_t rank) {
  Sizes sizes = FullDims(rank);
  if (rank > 0 && OneIn(12)) sizes[Between(0, rank - 1)] = 0;
  return sizes;
}

std::vector<int64_t> RandomOperands::Permutation(int64_t n) {
  std::vector<int64_t> result(n);
  std::iota(result.begin(), result.end(), 0);
  for (int64_t i = n - 1; i > 0; --i) {
    std::swap(result[i], result[Between(0, i)]);
  }
  return result;
}

std::vector<int64_t> RandomOperands::Subset(int64_t n) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < n; ++i) {
    if (OneIn(2)) result.push_back(i);
  }
  return result;
}

Sizes RandomOperands::Thinned(Sizes sizes) {
  for (int64_t& size : sizes) {
    if (OneIn(3)) size = 1;
  }
  return sizes;
}

BroadcastForm RandomOperands::XlaForm() {
  BroadcastForm form;
  form.function = "xla";
  const Sizes result = Dims(Between(1, 4));
  form.lhs = result;
  form.rhs = result;
  const int64_t kind = Between(0, 5);
  if (kind == 0) return form;
  if (kind == 1) {  // a scalar
    form.rhs.clear();
  } else if (kind == 2) {  // degenerate; both may grow
    form.lhs = Thinned(result);
    form.rhs = Thinned(result);
  } else {  // InDim; kinds 4 and 5 also grow
    const std::vector<int64_t> dims = Subset(result.size());
    Sizes low;
    for (int64_t d : dims) low.push_back(result[d]);
    form.lhs = kind == 3 ? result : Thinned(result);
    form.rhs = kind == 3 ? low : Thinned(low);
    if (!dims.empty()) {
      form.arg = BroadcastArg(dims);
      form.more = absl::StrCat(", ", PythonList(dims));
    }
  }
  if (OneIn(2)) std::swap(form.lhs, form.rhs);
  return form;
}

BroadcastForm RandomOperands::NumpyForm(BroadcastRule rule) {
  BroadcastForm form;
  form.function = "numpy";
  form.arg = rule;
  const Sizes result = Dims();
  form.lhs = Thinned(result);
  const int64_t dropped = Between(0, static_cast<int64_t>(result.size()));
  form.rhs = Thinned(Sizes(result.begin() + dropped, result.end()));
  if (OneIn(2)) std::swap(form.lhs, form.rhs);
  return form;
}

BroadcastForm RandomOperands::PdpdForm() {
  BroadcastForm form;
  form.function = "pdpd";
  form.lhs = Dims();
  const int64_t rank = form.lhs.size();
  const int64_t start = Between(0, rank);
  const int64_t count = Between(0, rank - start);
  form.rhs = Thinned(
      Sizes(form.lhs.begin() + start, form.lhs.begin() + start + count));
  BroadcastSpec spec;
  spec.rule = BroadcastRule::kPdpd;
  // -1 puts it at the end.
  spec.axis = start + count == rank && OneIn(2) ? -1 : start;
  // Trailing 1s are ignored, also those that reach past the end.
  if (spec.axis != -1 && OneIn(2)) {
    const int64_t room = rank - static_cast<int64_t>(form.rhs.size());
    for (int64_t i = std::min(room, Between(0, 2)); i > 0; --i) {
      form.rhs.push_back(1);
    }
  }
  form.arg = spec;
  form.more = absl::StrCat(", ", spec.axis);
  return form;
}

BroadcastForm RandomOperands::Form() {
  switch (Between(0, 7)) {
    case 0:
      return NumpyForm(BroadcastRule::kNumpy);
    case 1:
      return NumpyForm(BroadcastRule::kBidirectional);
    case 2:
      return PdpdForm();
    case 3: {
      BroadcastForm form;
      form.function = "none";
      form.arg = BroadcastRule::kNone;
      form.lhs = form.rhs = Dims();
      return form;
    }
    default:
      return XlaForm();
  }
}

}  // namespace indim
