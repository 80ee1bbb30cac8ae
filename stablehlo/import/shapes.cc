// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/shapes.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace indim::stablehlo_import {
namespace {

void Explain(std::string* error, std::string text) {
  if (error != nullptr && error->empty()) *error = std::move(text);
}

bool HasUnknownSizes(const Type& type) {
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i] >= 0) continue;
    if (i >= type.bounds.size() || type.bounds[i] < 0) return true;
  }
  return type.kind == TypeKind::kUnrankedTensor;
}

}  // namespace

Shapes::Shapes(const Ir& ir) : ir_(ir) {
  for (uint32_t i = 0; i < ir.value_count() && !(any_unknown_ && any_bounds_);
       ++i) {
    const Type& type = ir.type(ir.value({i}).type);
    any_unknown_ |= HasUnknownSizes(type);
    any_bounds_ |= !type.bounds.empty();
  }
}

bool CompatibleTypes(const Shape& a, const Shape& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_tuple()) {
    if (a.tuple_size() != b.tuple_size()) return false;
    for (size_t i = 0; i < a.elements().size(); ++i) {
      if (!CompatibleTypes(a.elements()[i], b.elements()[i])) return false;
    }
    return true;
  }
  if (!a.is_array()) return Compatible(a, b);
  if (a.element_type() != b.element_type()) return false;
  if (a.is_unranked() || b.is_unranked()) return true;
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    const Dim x = a.dim(i), y = b.dim(i);
    // Two bounds agree, whatever they are.
    if (x.is_bounded() && y.is_bounded()) continue;
    if (x.is_bounded() && y.is_static()   ? y.size() <= x.size()
        : y.is_bounded() && x.is_static() ? x.size() <= y.size()
                                          : CompatibleDims(x, y)) {
      continue;
    }
    return false;
  }
  return true;
}

const Shape& Shapes::Of(TypeId type, std::string* error) {
  static const Shape* const kNone = new Shape();
  if (!type.valid()) return *kNone;
  if (by_type_.size() <= type.index) by_type_.resize(type.index + 1, 0);
  const uint32_t known = by_type_[type.index];
  // One that failed is made again, for its error.
  if (known != 0 && !shapes_[known - 1].is_none()) return shapes_[known - 1];
  Shape made = Make(ir_.type(type), 0, error);
  if (known != 0) return shapes_[known - 1];
  shapes_.push_back(std::move(made));
  by_type_[type.index] = static_cast<uint32_t>(shapes_.size());
  return shapes_.back();
}

Shape Shapes::Make(const Type& type, int depth, std::string* error) {
  switch (type.kind) {
    case TypeKind::kIndex:
      return Shape::Scalar(ElementType::kS64);
    case TypeKind::kElement:
      return Shape::Scalar(type.element_type);
    case TypeKind::kTensor:
    case TypeKind::kUnrankedTensor:
      return MakeArray(type, error);
    case TypeKind::kMemRef:
      return Shape::Buffer(MakeArray(type, error));
    case TypeKind::kToken:
      return Shape::Token();
    case TypeKind::kTuple:
    case TypeKind::kFuture: {
      if (depth > Shape::kMaxTupleDepth) {
        Explain(error, "tuples nest too deep");
        return Shape();
      }
      std::vector<Shape> parts;
      for (const TypeId part : type.parts) {
        parts.push_back(Make(ir_.type(part), depth + 1, error));
        if (parts.back().is_none()) return Shape();
      }
      Shape tuple = Shape::Tuple(std::move(parts));
      if (tuple.is_none()) Explain(error, "the tuple has too many parts");
      return tuple;
    }
    case TypeKind::kQuantized:
      Explain(error,
              absl::StrCat("HLO has no quantized types such as ", type.text));
      return Shape();
    case TypeKind::kNone:
    case TypeKind::kFunction:
    case TypeKind::kOther:
      break;
  }
  Explain(error, type.text.empty()
                     ? std::string("HLO has no such type")
                     : absl::StrCat("HLO has no type like ", type.text));
  return Shape();
}

Shape Shapes::MakeArray(const Type& type, std::string* error) {
  const Type& element = ir_.type(type.element);
  ElementType element_type = element.element_type;
  if (element.kind == TypeKind::kIndex) {
    element_type = ElementType::kS64;
  } else if (element.kind != TypeKind::kElement) {
    Make(element, 0, error);
    Explain(error, "HLO has no arrays of this type");
    return Shape();
  }
  if (type.kind == TypeKind::kUnrankedTensor) {
    return Shape::Unranked(element_type);
  }
  Shape shape = Shape::Scalar(element_type);
  for (size_t i = 0; i < type.dims.size(); ++i) {
    const int64_t size = type.dims[i];
    const int64_t bound = i < type.bounds.size() ? type.bounds[i] : kDynamic;
    if (size >= 0) {
      shape.add_dim(Dim::Static(size));
    } else if (bound >= 0) {
      if (bound > Dim::kMaxBound) Explain(error, "a bound is too large");
      shape.add_dim(Dim::Bounded(bound));
    } else {
      shape.add_dim(Dim::Unknown());
    }
  }
  return shape;
}

}  // namespace indim::stablehlo_import
