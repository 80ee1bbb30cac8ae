// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/einsum.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/composites/subscripts.h"

namespace indim {
namespace {

using internal::Composite;
using internal::kEllipsis;
using internal::Label;
using internal::Subscripts;

using Labels = std::vector<Label>;

bool Has(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int64_t PlaceOf(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

// An array with a label for each dim.
struct Named {
  Op op;
  Labels labels;
};

class Contraction {
 public:
  Contraction(Composite& c, Subscripts subscripts,
              std::optional<ElementType> preferred)
      : c_(c), subscripts_(std::move(subscripts)), preferred_(preferred) {}

  // A default Op after an error.
  Op Record() {
    if (!SizesAgree()) return Op();
    std::vector<Named> arrays;
    for (size_t i = 0; i < subscripts_.operands.size(); ++i) {
      Named array{c_.operand(i), subscripts_.operands[i]};
      if (!DropStretched(i, &array) || !TakeDiagonals(i, &array)) return Op();
      arrays.push_back(std::move(array));
    }
    for (size_t i = 0; i < arrays.size(); ++i) SumAlone(arrays, i);
    Named product = arrays[0];
    for (size_t i = 1; i < arrays.size(); ++i) {
      product =
          Dot(product, arrays[i], absl::MakeConstSpan(arrays).subspan(i + 1));
    }
    if (preferred_ && arrays.size() == 1) {
      product.op = c_.Narrow(product.op, *preferred_);
    }
    return Ordered(product);
  }

 private:
  Dim DimOf(size_t operand, size_t dim) const {
    return c_.shape(operand).dim(static_cast<int>(dim));
  }

  // The first position of each label that gives its size; a 1 of "..." doesn't.
  struct Place {
    size_t operand = 0;
    size_t dim = 0;
  };
  const Place* Find(Label label) const {
    for (const auto& [known, place] : places_) {
      if (known == label) return &place;
    }
    return nullptr;
  }

  bool SizesAgree() {
    for (size_t i = 0; i < subscripts_.operands.size(); ++i) {
      const Labels& labels = subscripts_.operands[i];
      for (size_t d = 0; d < labels.size(); ++d) {
        const Dim dim = DimOf(i, d);
        if (labels[d] >= kEllipsis && dim.is(1)) continue;
        const Place* first = Find(labels[d]);
        if (first == nullptr) {
          places_.push_back({labels[d], {i, d}});
          continue;
        }
        const Dim other = DimOf(first->operand, first->dim);
        if (!dim.is_static() || !other.is_static() || dim == other) continue;
        return SizesDiffer(labels[d], {i, d}, *first);
      }
    }
    return true;
  }

  bool SizesDiffer(Label label, Place place, Place first) {
    Diagnostic diagnostic;
    diagnostic.code = Code::kEinsumSizes;
    diagnostic.operand = static_cast<int>(first.operand);
    diagnostic.dim = static_cast<int>(first.dim);
    diagnostic.other_operand = static_cast<int>(place.operand);
    diagnostic.other_dim = static_cast<int>(place.dim);
    diagnostic.args.push_back(internal::LabelText(label));
    return c_.Fail(std::move(diagnostic));
  }

  // Sums over `dims` of `array`, which then lacks them.
  void SumOver(const std::vector<int64_t>& dims, Named* array) {
    if (dims.empty()) return;
    const ElementType type = c_.ShapeOf(array->op).element_type();
    const Op wide = c_.Widen(array->op);
    const ElementType wide_type = c_.ShapeOf(wide).element_type();
    const Callee sum = c_.Reducer("sum", wide_type, internal::Add);
    array->op = c_.Narrow(
        c_.b().Reduce(wide, c_.Scalar(wide_type, 0), sum, dims), type);
    for (size_t i = dims.size(); i > 0; --i) {
      array->labels.erase(array->labels.begin() + dims[i - 1]);
    }
  }

  // Removes the 1s of "..." that other operands' sizes stretch.
  bool DropStretched(size_t operand, Named* array) {
    std::vector<int64_t> dims;
    for (size_t d = 0; d < array->labels.size(); ++d) {
      const Label label = array->labels[d];
      if (label >= kEllipsis && DimOf(operand, d).is(1) &&
          Find(label) != nullptr) {
        dims.push_back(static_cast<int64_t>(d));
      }
    }
    if (dims.empty()) return true;
    Shape shape = Shape::Scalar(c_.type(operand));
    Labels labels;
    for (size_t d = 0; d < array->labels.size(); ++d) {
      if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) !=
          dims.end()) {
        continue;
      }
      shape.add_dim(DimOf(operand, d));
      labels.push_back(array->labels[d]);
    }
    array->op = c_.ReshapeTo(array->op, shape);
    array->labels = std::move(labels);
    return true;
  }

  // Leaves one dim for each label: the elements with equal indices.
  bool TakeDiagonals(size_t operand, Named* array) {
    for (size_t d = 0; d < array->labels.size(); ++d) {
      const size_t first =
          static_cast<size_t>(PlaceOf(array->labels, array->labels[d]));
      if (first == d) continue;
      const Op op = array->op;
      const Shape shape = c_.ShapeOf(op);
      for (int i = 0; i < shape.rank(); ++i) {
        if (!shape.dim(i).has_upper() && !shape.dim(i).is_symbolic()) {
          return c_.Fail(Code::kUpperNeeded, {}, static_cast<int>(operand), i);
        }
      }
      ComputationBuilder& b = c_.b();
      const Op equal =
          b.Eq(c_.IotaLike(op, ElementType::kS64, static_cast<int64_t>(first)),
               c_.IotaLike(op, ElementType::kS64, static_cast<int64_t>(d)));
      array->op = b.Select(equal, op, c_.Scalar(shape.element_type(), 0));
      SumOver({static_cast<int64_t>(d)}, array);
      --d;
    }
    return true;
  }

  // Sums over the dims that no other array and not the result needs.
  void SumAlone(std::vector<Named>& arrays, size_t i) {
    std::vector<int64_t> dims;
    for (size_t d = 0; d < arrays[i].labels.size(); ++d) {
      const Label label = arrays[i].labels[d];
      bool needed = Has(subscripts_.result, label);
      for (size_t k = 0; k < arrays.size(); ++k) {
        needed |= k != i && Has(arrays[k].labels, label);
      }
      if (!needed) dims.push_back(static_cast<int64_t>(d));
    }
    SumOver(dims, &arrays[i]);
  }

  // One dot. It sums over a label of both unless the result or `rest` needs it.
  Named Dot(const Named& lhs, const Named& rhs, absl::Span<const Named> rest) {
    DotAttributes dims;
    Labels batch, free;
    for (size_t d = 0; d < lhs.labels.size(); ++d) {
      const Label label = lhs.labels[d];
      if (!Has(rhs.labels, label)) {
        free.push_back(label);
        continue;
      }
      bool needed = Has(subscripts_.result, label);
      for (const Named& later : rest) needed |= Has(later.labels, label);
      (needed ? dims.lhs_batch_dims : dims.lhs_contracting_dims)
          .push_back(static_cast<int64_t>(d));
      (needed ? dims.rhs_batch_dims : dims.rhs_contracting_dims)
          .push_back(PlaceOf(rhs.labels, label));
      if (needed) batch.push_back(label);
    }
    for (Label label : rhs.labels) {
      if (!Has(lhs.labels, label)) free.push_back(label);
    }
    Named result;
    result.op = c_.b().DotGeneral(lhs.op, rhs.op, dims, preferred_);
    result.labels = std::move(batch);
    result.labels.insert(result.labels.end(), free.begin(), free.end());
    return result;
  }

  Op Ordered(const Named& array) {
    std::vector<int64_t> permutation;
    for (Label label : subscripts_.result) {
      permutation.push_back(PlaceOf(array.labels, label));
    }
    if (std::is_sorted(permutation.begin(), permutation.end())) return array.op;
    return c_.b().Transpose(array.op, permutation);
  }

  Composite& c_;
  const Subscripts subscripts_;
  const std::optional<ElementType> preferred_;
  std::vector<std::pair<Label, Place>> places_;
};

}  // namespace

namespace internal {

Op EinsumOf(Composite& c, absl::string_view subscripts,
            std::optional<ElementType> preferred_element_type) {
  std::vector<int> ranks;
  for (size_t i = 0; i < c.operand_count(); ++i) {
    if (!c.Ranked(i, TypeMask::kNumber)) return Op();
    ranks.push_back(c.shape(i).rank());
  }
  absl::StatusOr<Subscripts> read = ParseSubscripts(subscripts, ranks);
  if (!read.ok()) {
    c.Fail(Code::kEinsumSubscripts, {std::string(read.status().message())});
    return Op();
  }
  return Contraction(c, *std::move(read), preferred_element_type).Record();
}

}  // namespace internal

Op Einsum(absl::string_view subscripts, absl::Span<const Op> operands,
          std::optional<ElementType> preferred_element_type, Caller caller) {
  Composite c("Einsum", operands, caller);
  if (!c.ok()) return c.failed();
  const Op result = internal::EinsumOf(c, subscripts, preferred_element_type);
  return c.ok() ? c.Done(result) : c.failed();
}

}  // namespace indim
