// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/gather_fixes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "indim/shape/ops/declare_attributes.h"

namespace indim {
namespace {

using declare::kRef;

// Nobody edits longer lists by hand.
constexpr int64_t kMaxRank = 64;

// The attributes of a gather or a scatter by what they do.
struct Roles {
  const AttributeRef* window;   // dims of the result or of the updates
  const AttributeRef* dropped;  // dims of the operand that these lack
  const AttributeRef* map;      // the operand's dim of each number of an index
  const AttributeRef* batching;
  const AttributeRef* vector_dim;
};

constexpr Roles kGather = {&kRef<&GatherAttributes::offset_dims>,
                           &kRef<&GatherAttributes::collapsed_slice_dims>,
                           &kRef<&GatherAttributes::start_index_map>,
                           &kRef<&GatherAttributes::operand_batching_dims>,
                           &kRef<&GatherAttributes::index_vector_dim>};
constexpr Roles kScatter = {
    &kRef<&ScatterAttributes::update_window_dims>,
    &kRef<&ScatterAttributes::inserted_window_dims>,
    &kRef<&ScatterAttributes::scatter_dims_to_operand_dims>,
    &kRef<&ScatterAttributes::input_batching_dims>,
    &kRef<&ScatterAttributes::index_vector_dim>};

class Changes {
 public:
  Changes(const OpInputs& inputs, const Roles& roles, const Shape& indices)
      : inputs_(inputs),
        roles_(roles),
        rank_(inputs.operands[0]->rank()),
        indices_(indices) {}

  std::vector<Fix> All() {
    const DimIndices window = Now(roles_.window), dropped = Now(roles_.dropped),
                     map = Now(roles_.map);
    const DimIndices batching_dims = Now(roles_.batching);
    const int64_t batching = Length(batching_dims);
    const auto is_batching = [&](int64_t dim) {
      return absl::c_linear_search(batching_dims, dim);
    };
    const int64_t vector_dim = Now(roles_.vector_dim)[0];
    const int64_t index_rank =
        indices_.rank() - (vector_dim < indices_.rank() ? 1 : 0);
    InOrder(roles_.window, index_rank + Length(window));
    InOrder(roles_.dropped, rank_);
    InRange(roles_.map, rank_);
    for (int64_t dim = indices_.rank(); dim >= 0; --dim) {
      Change(roles_.vector_dim, {dim});
    }
    // The dims that an index chooses are the first that are dropped.
    DimIndices chosen = map;
    chosen.erase(std::remove_if(chosen.begin(), chosen.end(), is_batching),
                 chosen.end());
    std::sort(chosen.begin(), chosen.end());
    const int64_t lacking = rank_ - Length(window) - batching;
    if (lacking >= 0 && lacking <= Length(chosen)) {
      chosen.resize(static_cast<size_t>(lacking));
      Change(roles_.dropped, std::move(chosen));
    }
    const int64_t kept = rank_ - Length(dropped) - batching;
    if (kept >= 0) Change(roles_.window, Counted(index_rank, kept));
    const int64_t length =
        vector_dim >= 0 && vector_dim < indices_.rank()
            ? indices_.dim(static_cast<int>(vector_dim)).upper()
            : 1;
    DimIndices others;  // no dim of a batch is chosen by an index
    for (int64_t dim = 0; dim < rank_ && Length(others) < length; ++dim) {
      if (!is_batching(dim)) others.push_back(dim);
    }
    if (Length(others) == length) Change(roles_.map, std::move(others));
    if (inputs_.opcode == Opcode::kGather) Sizes(dropped);
    return std::move(fixes_);
  }

 private:
  static int64_t Length(const DimIndices& list) {
    return static_cast<int64_t>(list.size());
  }
  static DimIndices Counted(int64_t first, int64_t count) {
    DimIndices numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(first + i);
    return numbers;
  }
  DimIndices Now(const AttributeRef* list) const {
    const NumberList numbers = list->numbers(*inputs_.attributes);
    return DimIndices(numbers.begin(), numbers.end());
  }
  void Change(const AttributeRef* list, DimIndices numbers) {
    if (numbers == Now(list)) return;
    Fix fix;
    fix.what = Fix::What::kAttribute;
    fix.attribute = list;
    fix.numbers = std::move(numbers);
    fixes_.push_back(std::move(fix));
  }
  // Negative dims counted from the end, as in NumPy; the last dim for others.
  void InRange(const AttributeRef* list, int64_t rank) {
    DimIndices numbers = Now(list);
    for (int64_t& dim : numbers) {
      if (dim < 0) dim += rank;
      dim = std::min(dim, rank - 1);
    }
    Change(list, std::move(numbers));
  }
  // The same list, ascending; then with each number in range.
  void InOrder(const AttributeRef* list, int64_t rank) {
    DimIndices numbers = Now(list);
    std::sort(numbers.begin(), numbers.end());
    Change(list, std::move(numbers));
    InRange(list, rank);
  }
  // A size for each dim, at most the dim's, and 1 for those that are dropped.
  void Sizes(const DimIndices& dropped) {
    const AttributeRef* const list = &kRef<&GatherAttributes::slice_sizes>;
    DimIndices sizes = Now(list);
    const Shape& operand = *inputs_.operands[0];
    for (size_t i = sizes.size(); i < static_cast<size_t>(rank_); ++i) {
      const Dim size = operand.dim(static_cast<int>(i));
      sizes.push_back(size.has_upper() ? size.upper() : 1);
    }
    sizes.resize(static_cast<size_t>(rank_));
    for (const int64_t dim : dropped) {
      if (dim >= 0 && dim < rank_) sizes[static_cast<size_t>(dim)] = 1;
    }
    Change(list, std::move(sizes));
  }

  const OpInputs& inputs_;
  const Roles& roles_;
  const int64_t rank_;
  const Shape& indices_;
  std::vector<Fix> fixes_;
};

}  // namespace

std::vector<Fix> DimensionNumbers(const OpInputs& inputs) {
  const bool is_gather = inputs.opcode == Opcode::kGather;
  if ((!is_gather && inputs.opcode != Opcode::kScatter) ||
      inputs.attributes == nullptr || inputs.operands.size() < 2) {
    return {};
  }
  const Shape& operand = *inputs.operands[0];
  const Shape& indices =
      *inputs.operands[is_gather ? 1 : inputs.operands.size() / 2];
  if (!operand.has_rank() || !indices.has_rank() || operand.rank() > kMaxRank ||
      indices.rank() > kMaxRank) {
    return {};
  }
  const bool has_attributes =
      is_gather ? std::holds_alternative<GatherAttributes>(*inputs.attributes)
                : std::holds_alternative<ScatterAttributes>(*inputs.attributes);
  if (!has_attributes) return {};
  return Changes(inputs, is_gather ? kGather : kScatter, indices).All();
}

}  // namespace indim
