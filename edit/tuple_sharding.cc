#include "indim/edit/tuple_sharding.h"

#include <algorithm>
#include <vector>

#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim::internal {
namespace {

namespace of_sharding = field::OpSharding;

constexpr int64_t kTuple = 2;  // OpSharding.type; 0 is REPLICATED

// The number of arrays in a shape; an empty tuple counts as one, as in XLA.
size_t Leaves(const Shape& shape) {
  if (!shape.is_tuple() || shape.tuple_size() == 0) return 1;
  size_t leaves = 0;
  for (const Shape& element : shape.elements()) leaves += Leaves(element);
  return leaves;
}

}  // namespace

std::optional<std::string> ShardingOfElements(absl::string_view sharding,
                                              const Shape& before,
                                              const Shape& after,
                                              absl::Span<const int64_t> from,
                                              bool wrapped) {
  FieldList fields(WireMessage::kOpSharding);
  fields.Append(sharding);
  std::vector<std::string> leaves;
  if (fields.Number(of_sharding::kType) == kTuple) {
    for (const absl::string_view leaf :
         fields.Texts(of_sharding::kTupleShardings)) {
      leaves.emplace_back(leaf);
    }
    if (leaves.size() != Leaves(before)) return std::nullopt;
  } else if (before.is_tuple()) {
    return std::string(sharding);
  } else {
    leaves.emplace_back(sharding);
  }
  std::vector<size_t> first = {0};  // leaf of each element
  if (!wrapped && before.is_tuple()) {
    for (const Shape& element : before.elements()) {
      first.push_back(first.back() + Leaves(element));
    }
  } else {
    first.push_back(leaves.size());
  }
  std::vector<std::string> result;
  const size_t count = static_cast<size_t>(after.tuple_size());
  for (size_t k = 0; k < std::min(from.size(), count); ++k) {
    const size_t old = static_cast<size_t>(from[k]);
    if (from[k] >= 0 && old + 1 < first.size()) {
      result.insert(result.end(), leaves.begin() + first[old],
                    leaves.begin() + first[old + 1]);
    } else {
      result.resize(result.size() + Leaves(after.elements()[k]));
    }
  }
  FieldList tuple(WireMessage::kOpSharding);
  tuple.SetNumber(of_sharding::kType, kTuple);
  tuple.SetTexts(of_sharding::kTupleShardings, result);
  return tuple.Serialize();
}

}  // namespace indim::internal
