// SPDX-License-Identifier: Apache-2.0
// Checks the numbers in layouts of shapes (XLA: Layout::FromProto,
// LayoutUtil::ValidateLayoutForShape). Readers check that minor_to_major is a
// permutation.

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/passes/structure/checks.h"
#include "indim/shape/types/layout.h"

namespace indim::structure {
namespace {

std::string TileFault(const Layout::Tile& tile) {
  if (tile.empty()) return "has an empty tile";
  for (const int64_t size : tile) {
    if (size <= 0 && size != Layout::kCombine) {
      return absl::StrCat("has a tile of size ", size);
    }
  }
  return "";
}

// The fault of a layout's splits, whose dims are physical: the most major dim
// in memory is 0.
std::string SplitFault(const Layout& layout, const Shape& array) {
  const int64_t rank = array.rank();
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (const Layout::Split& split : layout.splits) {
    if (split.dimension < 0 || split.dimension >= rank) {
      return absl::StrCat("splits dim ", split.dimension,
                          ", which isn't there");
    }
    const size_t physical = static_cast<size_t>(split.dimension);
    if (seen[physical]) {
      return absl::StrCat("splits dim ", split.dimension, " twice");
    }
    seen[physical] = true;
    if (static_cast<int64_t>(layout.minor_to_major.size()) != rank) continue;
    const Dim dim = array.dim(static_cast<int>(
        layout.minor_to_major[layout.minor_to_major.size() - 1 - physical]));
    int64_t last = 0;
    for (const int64_t index : split.indices) {
      const bool is_inside =
          !(dim.is_static() || dim.is_bounded()) || index < dim.size();
      if (index <= last || !is_inside) {
        return absl::StrCat("splits dim ", split.dimension, " at ", index);
      }
      last = index;
    }
  }
  return "";
}

// The first array in `shape` with a faulty layout; null: none.
const Shape* FindFault(const Shape& shape, std::string* fault) {
  const auto is_faulty = [&](const Shape& part) {
    if (part.layout() == nullptr || !part.has_rank()) return false;
    *fault = LayoutFault(*part.layout(), part);
    return !fault->empty();
  };
  if (is_faulty(shape)) return &shape;
  if (shape.elements().empty()) return nullptr;
  std::vector<const Shape*> tuples = {&shape};
  absl::flat_hash_set<const Shape*> seen;  // tuples may share their elements
  while (!tuples.empty()) {
    const Shape& tuple = *tuples.back();
    tuples.pop_back();
    for (const Shape& element : tuple.elements()) {
      if (is_faulty(element)) return &element;
      if (!element.elements().empty() && seen.insert(&element).second) {
        tuples.push_back(&element);
      }
    }
  }
  return nullptr;
}

void CheckLayoutsOf(Context* context, uint32_t c, uint32_t i,
                    const Shape& shape) {
  std::string fault;
  const Shape* array = FindFault(shape, &fault);
  if (array == nullptr) return;
  context->Add(Code::kLayoutNumbers, c, i, *array, fault);
}

}  // namespace

std::string LayoutFault(const Layout& layout, const Shape& array) {
  if (layout.tail_padding_alignment_in_elements <= 0) {
    return absl::StrCat("pads to a multiple of ",
                        layout.tail_padding_alignment_in_elements);
  }
  if (layout.element_size_in_bits < 0) {
    return absl::StrCat("has elements of ", layout.element_size_in_bits,
                        " bits");
  }
  for (const Layout::Tile& tile : layout.tiles) {
    std::string fault = TileFault(tile);
    if (!fault.empty()) return fault;
  }
  return layout.splits.empty() ? "" : SplitFault(layout, array);
}

std::string ValueLayoutFault(const Shape& value) {
  const Layout* const layout = value.layout();
  if (layout == nullptr || !value.is_array()) return "";
  if (layout->element_size_in_bits != 0) {
    return absl::StrCat("has elements of ", layout->element_size_in_bits,
                        " bits");
  }
  if (value.is_scalar() && layout->tail_padding_alignment_in_elements != 1) {
    return absl::StrCat("pads to a multiple of ",
                        layout->tail_padding_alignment_in_elements);
  }
  return LayoutFault(*layout, value);
}

// It checks the module's few distinct shapes first, nearly always without a
// fault.
void CheckLayouts(Context* context) {
  const ShapeTable& shapes = context->data.pools->shapes();
  std::vector<bool> faulty(shapes.size());
  bool any = false;
  std::string fault;
  for (uint32_t id = 0; id < shapes.size(); ++id) {
    faulty[id] = FindFault(shapes.shape(ShapeId{id}), &fault) != nullptr;
    any = any || faulty[id];
  }
  const bool feeds = context->occurs.Any(Opcode::kOutfeed);
  if (!any && !feeds) return;
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (faulty[r.shape.value]) {
      CheckLayoutsOf(context, c, i, context->ShapeOf(r));
    }
    if (r.opcode == Opcode::kOutfeed) {
      CheckLayoutsOf(
          context, c, i,
          As<OutfeedAttributes>(context->At(c, i).attributes()).outfeed_shape);
    }
  });
}

}  // namespace indim::structure
