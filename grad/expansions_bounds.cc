// SPDX-License-Identifier: Apache-2.0
// Operations on bounded dims, on arrays of the bounds' sizes.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "indim/builder/instruction_copier.h"
#include "indim/grad/bounded_sizes.h"
#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/linearizer.h"

namespace indim::internal {
namespace {

// The operation on operands whose rest behind the elements doesn't change the
// result's elements; those begin at 0 in each dim, as the operands' do.
class AtBoundsExpansion {
 public:
  AtBoundsExpansion(const Module& module, const Instruction& node)
      : node_(node),
        b_("at_bounds"),
        copies_(module, RecorderOf(b_)->family()),
        operands_(Parameters(b_, node)) {
    for (const Op operand : operands_) sizes_.push_back(SizesOf(b_, operand));
  }

  absl::StatusOr<Module> Run() {
    if (absl::Status s = Check(); !s.ok()) return s;
    // It tells the sizes of the result, and nothing else.
    const Op told = CopyInstruction(&b_, node_, operands_, &copies_);
    for (size_t i = 0; i < operands_.size(); ++i) {
      whole_.push_back(AtBounds(b_, operands_[i], sizes_[i], FillBehind(i)));
    }
    const Op whole = Whole();
    if (!node_.shape().is_tuple()) return Finished(b_, Cut(whole, told));
    std::vector<Op> results;
    for (size_t i = 0; i < node_.shape().elements().size(); ++i) {
      const auto k = static_cast<int64_t>(i);
      results.push_back(
          Cut(b_.GetTupleElement(whole, k), b_.GetTupleElement(told, k)));
    }
    return Finished(b_, b_.Tuple(results));
  }

 private:
  bool IsBounded(size_t operand, int64_t dim) const {
    return sizes_[operand][static_cast<size_t>(dim)].has_value();
  }

  // The operand that a scatter's indices are.
  size_t Indices() const { return (operands_.size() - 1) / 2; }

  absl::Status Check() const {
    bool is_fit = true;
    switch (node_.opcode()) {
      case Opcode::kConvolution:
        is_fit = absl::c_none_of(
            sizes_[1], [](const auto& size) { return size.has_value(); });
        break;
      case Opcode::kScatter:
        // -1 is no place.
        is_fit = IsSigned(ShapeIn(b_, operands_[Indices()]).element_type());
        for (size_t i = Indices() + 1; i < operands_.size(); ++i) {
          for (const int64_t dim :
               As<ScatterAttributes>(node_.attributes()).update_window_dims) {
            is_fit = is_fit && !IsBounded(i, dim);
          }
        }
        break;
      case Opcode::kTopK:
        is_fit = !sizes_[0].back().has_value();
        break;
      default:
        break;
    }
    return is_fit ? absl::OkStatus()
                  : absl::UnimplementedError(
                        "its windows, or what it chooses from, have sizes that "
                        "aren't numbers");
  }

  // A scalar; a default Op: 0.
  Op FillBehind(size_t i) {
    const ElementType type = ShapeIn(b_, operands_[i]).element_type();
    const size_t half = operands_.size() / 2;
    switch (node_.opcode()) {
      case Opcode::kPad:
        return i == 0 ? ConvertTo(b_, operands_[1], type) : Op();
      case Opcode::kReduceWindow:
        return i < half ? ConvertTo(b_, operands_[i + half], type) : Op();
      case Opcode::kScatter:
        return i == Indices() ? b_.ConstantR0(type, -1) : Op();
      default:
        return {};
    }
  }

  Op Whole() {
    if (node_.opcode() == Opcode::kConcatenate) {
      const int64_t dim =
          As<DimensionsAttributes>(node_.attributes()).dimensions[0];
      for (size_t i = 0; i < operands_.size(); ++i) {
        if (IsBounded(i, dim)) return Concatenated(static_cast<int>(dim));
      }
    }
    if (node_.opcode() == Opcode::kSort) {
      const auto& sort = As<SortAttributes>(node_.attributes());
      const int rank = node_.operand(0).shape().rank();
      if (IsBounded(0, SortedDim(sort, rank))) return Sorted(sort);
    }
    return b_.AddInstruction(node_.opcode(), whole_, node_.attributes(), {},
                             copies_.CalleesOf(node_));
  }

  // Each operand begins where the elements of those before end, over their
  // rest.
  Op Concatenated(int dim) {
    const Op zero = b_.ConstantR0(ElementType::kS32, 0);
    Op start = zero;
    Op whole = b_.Splat(0, ShapeOfBounds(node_.shape()));
    for (size_t i = 0; i < whole_.size(); ++i) {
      std::vector<Op> starts(static_cast<size_t>(node_.shape().rank()), zero);
      starts[static_cast<size_t>(dim)] = start;
      const ElementType type = node_.shape().element_type();
      whole =
          b_.DynamicUpdateSlice(whole, ConvertTo(b_, whole_[i], type), starts);
      start = b_.Add(start, b_.GetDimensionSize(operands_[i], dim));
    }
    return whole;
  }

  // What is behind the elements comes last.
  Op Sorted(const SortAttributes& sort) {
    Shape places = ShapeOfBounds(node_.operand(0).shape());
    places.set_element_type(ElementType::kS32);
    const int64_t dim = SortedDim(sort, places.rank());
    const Op is_there =
        b_.Lt(b_.Iota(places, dim), *sizes_[0][static_cast<size_t>(dim)]);
    const Op sorted = SortBeside(
        b_, whole_, is_there, copies_.CalleeOf(node_.callee(0)), sort,
        [](ComputationBuilder& less, Op before, Op left, Op right) {
          return less.And(left, less.Or(less.Not(right), before));
        });
    std::vector<Op> results;
    for (size_t i = 0; i < whole_.size(); ++i) {
      results.push_back(b_.GetTupleElement(sorted, static_cast<int64_t>(i)));
    }
    return node_.shape().is_tuple() ? b_.Tuple(results) : results[0];
  }

  // A result at the bounds, with the sizes of the one that tells them.
  Op Cut(Op whole, Op told) { return WithSizes(b_, whole, SizesOf(b_, told)); }

  const Instruction& node_;
  ComputationBuilder b_;
  InstructionCopier copies_;
  const std::vector<Op> operands_;
  std::vector<DimSizes> sizes_;  // of the operands
  std::vector<Op> whole_;        // the operands at the bounds
};

}  // namespace

absl::StatusOr<Module> ExpandAtBounds(const Module& module,
                                      const Instruction& node) {
  return AtBoundsExpansion(module, node).Run();
}

}  // namespace indim::internal
