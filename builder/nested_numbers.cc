// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/nested_numbers.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/shape/types/shape.h"

namespace indim {

absl::StatusOr<Literal> NestedNumbers::ToLiteral(ElementType type) const {
  constexpr size_t kMaxLevels = 32;
  Shape shape = Shape::Scalar(type);
  for (const NestedNumbers* first = this; !first->number_;
       first = &first->list_[0]) {
    if (shape.dims().size() == kMaxLevels) {
      return absl::InvalidArgumentError("lists nest more than 32 deep");
    }
    shape.add_dim(Dim::Static(static_cast<int64_t>(first->list_.size())));
    if (first->list_.empty()) break;
  }
  // The lists of one level after the other.
  std::vector<const NestedNumbers*> level = {this};
  for (const Dim dim : shape.dims()) {
    std::vector<const NestedNumbers*> next;
    for (const NestedNumbers* list : level) {
      if (list->number_ ||
          static_cast<int64_t>(list->list_.size()) != dim.size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the lists don't make an array: one has ", dim.size(),
            " elements, and another one of its level ",
            list->number_ ? "is a number"
                          : absl::StrCat("has ", list->list_.size())));
      }
      for (const NestedNumbers& element : list->list_) next.push_back(&element);
    }
    level = std::move(next);
  }
  std::string bytes;
  for (const NestedNumbers* element : level) {
    if (!element->number_) {
      return absl::InvalidArgumentError(
          "the lists don't make an array: one is where another one of its "
          "level is a number");
    }
    const absl::StatusOr<Literal> value =
        Literal::Scalar(type, *element->number_);
    if (!value.ok()) return value.status();
    absl::StrAppend(&bytes, value->bytes());
  }
  return Literal::FromBytes(shape, bytes);
}

}  // namespace indim
