// SPDX-License-Identifier: Apache-2.0
// The reduction of sizes: 784 becomes 1 wherever a dim has it.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "indim/edit/passes/reducer.h"
#include "indim/eval/evaluator.h"

namespace indim::internal {
namespace {

// Replaces sizes in a whole module. Sizes that aren't an instruction's own
// follow by inference. What then doesn't fit together any more, Finish()
// refuses.
class SizeChange {
 public:
  SizeChange(const Module& module, int64_t from, int64_t to) : module_(module) {
    sizes_[from] = to;
  }

  // Adds what a reshape makes of a changed size: with 8 as 1, f32[80] of
  // f32[8,10] is f32[10].
  void AddProducts();
  void Apply(Editor* editor) const;

 private:
  int64_t Map(int64_t size) const {
    const auto found = sizes_.find(size);
    return found == sizes_.end() ? size : found->second;
  }
  Shape Map(const Shape& shape) const;
  bool AddProduct(const Shape& known, const Shape& wanted);
  void Apply(Editor* editor, const Instruction& i) const;
  void ApplyToConstant(Editor* editor, const Instruction& i) const;

  // Changes the attributes that are sizes. False: none are.
  template <typename T>
  bool Adjust(const Instruction&, T*) const {
    return false;
  }
  bool Adjust(const Instruction& i, SliceAttributes* slice) const;
  bool Adjust(const Instruction&, DynamicSliceAttributes* slice) const {
    return AdjustAll(&slice->slice_sizes);
  }
  bool Adjust(const Instruction&, GatherAttributes* gather) const {
    return AdjustAll(&gather->slice_sizes);
  }
  bool Adjust(const Instruction&, WindowAttributes* window) const {
    return AdjustAll(&window->window);
  }
  bool Adjust(const Instruction&, ConvolutionAttributes* convolution) const {
    return AdjustAll(&convolution->window);
  }
  bool AdjustAll(DimIndices* sizes) const {
    for (int64_t& size : *sizes) size = Map(size);
    return true;
  }
  bool AdjustAll(std::vector<WindowDim>* window) const {
    for (WindowDim& dim : *window) dim.size = Map(dim.size);
    return true;
  }

  const Module& module_;
  absl::flat_hash_map<int64_t, int64_t> sizes_;
};

Shape SizeChange::Map(const Shape& shape) const {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements()) {
      elements.push_back(Map(element));
    }
    return Shape::Tuple(std::move(elements));
  }
  Shape mapped = shape;
  for (int k = 0; k < shape.rank(); ++k) {
    if (shape.dim(k).is_static()) {
      mapped.set_dim(k, Dim::Static(Map(shape.dim(k).size())));
    }
  }
  return mapped;
}

// Finds a size for a dim of `wanted` with which it has as many elements as
// `known`.
bool SizeChange::AddProduct(const Shape& known, const Shape& wanted) {
  const std::optional<int64_t> count = Map(known).ElementCount();
  for (const Dim dim : wanted.dims()) {
    if (!count || *count == 0 || !dim.is_static() || dim.size() <= 1 ||
        sizes_.contains(dim.size())) {
      continue;
    }
    // The other dims may have the size too, so sizes are tried.
    const int64_t most = std::min({dim.size() - 1, *count, int64_t{4096}});
    for (int64_t size = 1; size <= most; ++size) {
      if (*count % size != 0) continue;
      sizes_[dim.size()] = size;
      if (Map(wanted).ElementCount() == count) return true;
    }
    sizes_.erase(dim.size());
  }
  return false;
}

void SizeChange::AddProducts() {
  bool changes = true;
  for (int round = 0; changes && round < 8; ++round) {
    changes = false;
    for (const Computation c : module_.computations()) {
      for (const Instruction i : c.instructions()) {
        if (i.opcode() != Opcode::kReshape || !i.shape().is_static() ||
            !i.operand(0).shape().is_static()) {
          continue;
        }
        const Shape& from = i.operand(0).shape();
        if (Map(from).ElementCount() == Map(i.shape()).ElementCount()) continue;
        changes |= AddProduct(from, i.shape()) || AddProduct(i.shape(), from);
      }
    }
  }
}

// The first elements that there still are, as many as the result has then.
bool SizeChange::Adjust(const Instruction& i, SliceAttributes* slice) const {
  const Shape operand = Map(i.operand(0).shape());
  const Shape result = Map(i.shape());
  const size_t rank = slice->starts.size();
  if (rank != static_cast<size_t>(operand.rank()) ||
      rank != static_cast<size_t>(result.rank()) ||
      rank != slice->limits.size() || !operand.is_static() ||
      !result.is_static()) {
    return false;
  }
  for (size_t k = 0; k < rank; ++k) {
    const int64_t size = operand.dim(static_cast<int>(k)).size();
    const int64_t count =
        std::min(result.dim(static_cast<int>(k)).size(), size);
    if (count == 0) continue;
    int64_t stride = k < slice->strides.size() ? slice->strides[k] : 1;
    if (count == 1) stride = 1;
    if (stride > (size - 1) / std::max<int64_t>(count - 1, 1)) stride = 1;
    const int64_t length = (count - 1) * stride + 1;
    slice->starts[k] = std::min(slice->starts[k], size - length);
    slice->limits[k] = slice->starts[k] + length;
    if (k < slice->strides.size()) slice->strides[k] = stride;
  }
  return true;
}

// The first elements stay.
void SizeChange::ApplyToConstant(Editor* editor, const Instruction& i) const {
  const Shape shape = Map(i.shape());
  const absl::StatusOr<Literal> value = i.literal();
  if (!value.ok() || !shape.is_array() || !shape.is_static()) return;
  SliceAttributes slice;
  for (const Dim dim : shape.dims()) {
    slice.starts.push_back(0);
    slice.limits.push_back(dim.size());
  }
  const Attributes attributes = slice;
  OpCall call;
  call.opcode = Opcode::kSlice;
  call.operands = absl::MakeConstSpan(&*value, 1);
  call.attributes = &attributes;
  const absl::StatusOr<Literal> first = EvaluateOp(call);
  if (!first.ok()) return;
  const InstructionRef old = editor->Of(i);
  Insertion at = editor->Before(old);
  editor->ReplaceAllUses(old, at.Insert(at->ConstantLiteral(*first)));
}

void SizeChange::Apply(Editor* editor, const Instruction& i) const {
  if (i.opcode() == Opcode::kInvalid) return;
  const bool changes = !SameStructure(Map(i.shape()), i.shape());
  if (i.opcode() == Opcode::kConstant) {
    if (changes) ApplyToConstant(editor, i);
    return;
  }
  Attributes attributes = i.attributes();
  const bool adjusted =
      std::visit([&](auto& own) { return Adjust(i, &own); }, attributes);
  if (adjusted) editor->SetAttributes(editor->Of(i), attributes);
  const ResultSource source = Info(i.opcode()).result;
  if (changes &&
      (source == ResultSource::kGiven || source == ResultSource::kSizesGiven)) {
    editor->SetShape(editor->Of(i), Map(i.shape()));
  }
}

void SizeChange::Apply(Editor* editor) const {
  for (const Computation c : module_.computations()) {
    for (const Instruction i : c.instructions()) Apply(editor, i);
  }
}

}  // namespace

void ForEachSize(const Shape& shape, absl::FunctionRef<void(int64_t)> f) {
  for (const Dim dim : shape.dims()) {
    if (dim.is_static()) f(dim.size());
  }
  for (const Shape& element : shape.elements()) ForEachSize(element, f);
}

// The largest sizes first.
bool Reducer::ShrinkDims() {
  std::set<int64_t, std::greater<>> sizes;
  for (const Computation c : module_.computations()) {
    for (const Instruction i : c.instructions()) {
      ForEachSize(i.shape(), [&](int64_t size) { sizes.insert(size); });
    }
  }
  const Module before = module_;
  for (const int64_t from : sizes) {
    for (const int64_t to : {int64_t{1}, from / 2}) {
      if (from <= 1 || to < 1) continue;
      SizeChange change(before, from, to);
      change.AddProducts();
      if (Try([&](Editor* editor) { change.Apply(editor); })) return true;
      if (spent()) return false;
    }
  }
  return false;
}

}  // namespace indim::internal
