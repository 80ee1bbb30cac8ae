// SPDX-License-Identifier: Apache-2.0
// Shape: the type of a value. An array (element type and dims, or unranked), a
// tuple, a token, an opaque handle, or a buffer around an array.
//
//   f32[2,<=8,?]     an array of rank 3: static 2, bounded 8, unknown
//   f32[n,2*n+1]     with named sizes (dim_expr.h)
//   f32[]            a scalar: an array of rank 0
//   f32[*]           an array of unknown rank
//   f32[2,3]{0,1}    with a layout (layout.h)
//   (f32[2], s32[])  a tuple; () is the empty one
//   token[]  opaque[]  b(f32[2])
//
// A value type: copy, compare and hash it like int or std::string. Copies of a
// tuple share its elements, so copying a tuple of 100,000 leaves only
// increments a reference count. Tuples nest at most kMaxTupleDepth deep
// (protobuf's readers accept no more), so recursion over a shape can't exhaust
// the stack. They have at most kMaxTupleParts parts, counting shared ones each
// time, so walking or writing a shape takes bounded time.
//
//   Shape s = *ParseShape("f32[2,3]");
//   s.rank() == 2;  s.dim(1) == Dim::Static(3);  s == Shape::Of(kF32, {2, 3});

#ifndef INDIM_SHAPE_TYPES_SHAPE_H_
#define INDIM_SHAPE_TYPES_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/layout.h"

namespace indim {

class Shape {
 public:
  enum class Kind : uint8_t {
    kNone,  // no shape: a node whose result is still to be inferred
    kArray,
    kTuple,
    kToken,
    kOpaque,
    kBuffer
  };
  static constexpr int kMaxTupleDepth = 90;
  static constexpr uint32_t kMaxTupleParts = uint32_t{1} << 22;

  // Kind::kNone. Not inline: when g++ 12 sees a new shape being moved, it warns
  // that Abseil copies the unused part of dims_.
  Shape();

  static Shape Array(ElementType type, absl::Span<const Dim> dims);
  // Static sizes: Shape::Of(ElementType::kF32, {2, 3}); sizes must be >= 0.
  static Shape Of(ElementType type, std::initializer_list<int64_t> sizes);
  static Shape Of(ElementType type, absl::Span<const int64_t> sizes);
  static Shape Scalar(ElementType type) { return Array(type, {}); }
  static Shape Unranked(ElementType type);
  // Kind::kNone where elements nest too deep (more than kMaxTupleDepth levels
  // in all), have too many parts, or are of Kind::kNone.
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();
  static Shape Opaque();
  // Kind::kNone where `array` is not an array.
  static Shape Buffer(Shape array);

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::kNone; }
  // An array, ranked or not.
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_tuple() const { return kind_ == Kind::kTuple; }
  bool is_token() const { return kind_ == Kind::kToken; }
  bool is_opaque() const { return kind_ == Kind::kOpaque; }
  bool is_buffer() const { return kind_ == Kind::kBuffer; }
  // An array whose rank is known.
  bool has_rank() const { return is_array() && !unranked_; }
  bool is_unranked() const { return is_array() && unranked_; }
  bool is_scalar() const { return has_rank() && dims_.empty(); }

  // For arrays; kInvalid for every other kind.
  ElementType element_type() const { return type_; }
  void set_element_type(ElementType type) { type_ = type; }

  // For ranked arrays; 0 and empty for everything else.
  int rank() const { return static_cast<int>(dims_.size()); }
  absl::Span<const Dim> dims() const { return dims_; }
  // 0 <= i < rank().
  Dim dim(int i) const { return dims_[i]; }
  void set_dim(int i, Dim dim) { dims_[i] = dim; }
  void add_dim(Dim dim) { dims_.push_back(dim); }

  // A tuple's elements, or a buffer's one array; else empty.
  absl::Span<const Shape> elements() const {
    const auto* const elements = ElementVector();
    return elements != nullptr ? absl::MakeConstSpan(*elements)
                               : absl::Span<const Shape>();
  }
  int tuple_size() const { return static_cast<int>(elements().size()); }
  // Levels of nesting: 0 for arrays, 1 for a buffer or a tuple of arrays.
  int depth() const { return depth_; }

  // An array's layout; null when it has none.
  const Layout* layout() const {
    return is_array() ? static_cast<const Layout*>(rest_.get()) : nullptr;
  }
  // Ignored unless the shape is a ranked array.
  void set_layout(Layout layout);
  void clear_layout() {
    if (is_array()) rest_.reset();
  }
  // This shape with no layout at any depth.
  Shape WithoutLayout() const;
  // This shape, where every ranked array without a layout gets the row-major
  // one.
  Shape WithDefaultLayout() const;
  // The same of scalars alone, whose usual layout no text says.
  Shape WithScalarLayouts() const;
  bool has_layout_anywhere() const;

  // Some dim, at any depth, is symbolic.
  bool is_symbolic() const;
  // All dims, at every depth, are static, and nothing is unranked.
  bool is_static() const;
  // Some dim, at any depth, is unknown or an interval without an upper end.
  bool is_unbounded() const;

  // For ranked arrays the product of the dims' upper() (XLA counts bounds).
  // nullopt: not a ranked array, a dim has no upper end, or the product passes
  // 2^63-1.
  std::optional<int64_t> ElementCount() const;

  // Compares layouts too; SameStructure ignores them.
  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& s) {
    h = H::combine(std::move(h), s.kind_, s.type_, s.unranked_, s.dims_);
    if (s.layout() != nullptr) h = H::combine(std::move(h), *s.layout());
    if (const auto* const elements = s.ElementVector()) {
      h = H::combine(std::move(h), *elements);
    }
    return H::combine(std::move(h), s.rest_ != nullptr);
  }

  // The text that ParseShape reads; "none" for Kind::kNone. As in XLA, a
  // scalar's layout without any setting is not printed.
  std::string ToString() const;

 private:
  // Null where it has no elements.
  const std::vector<Shape>* ElementVector() const {
    return is_array() ? nullptr
                      : static_cast<const std::vector<Shape>*>(rest_.get());
  }

  Shape(Kind kind, ElementType type, absl::Span<const Dim> dims);
  // Copies neither layout nor elements.
  Shape WithoutLayoutOrElements() const;

  Kind kind_ = Kind::kNone;
  ElementType type_ = ElementType::kInvalid;
  bool unranked_ = false;
  uint8_t depth_ = 0;
  uint32_t parts_ = 1;  // this shape and all shapes in it
  DimVector dims_;
  // An array's Layout, or the elements of another kind. One pointer, because a
  // graph keeps millions of shapes.
  std::shared_ptr<const void> rest_;
};

// Equal kinds, element types, dims and tuple elements; layouts are ignored.
bool SameStructure(const Shape& a, const Shape& b);

// Compatible as in XLA's HLO verifier: like SameStructure, but `?`, or any dim
// without a single size, matches any size that it contains, and `<=n` matches
// n. `<=n` and `<=m` differ. An interval matches a dim that shares a size with
// it. An unranked array matches any rank. Layouts are ignored.
bool Compatible(const Shape& a, const Shape& b);
// As Compatible, but any two floating element types match.
bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b);
// Whether two dims match as in Compatible.
bool CompatibleDims(Dim a, Dim b);

// Whether `concrete`, whose dims are all static, is an instance of `shape`:
// equal kinds and element types, and every size lies in its dim.
bool Contains(const Shape& shape, const Shape& concrete);

class SymbolScope;

// `shape` with the facts and values of `scope` for its symbols, at every depth.
// nullopt: they contradict a dim, or a dim becomes too large.
std::optional<Shape> Substitute(const Shape& shape, const SymbolScope& scope);

struct ShapeTextOptions {
  // Allow expressions over symbols as sizes. XLA's text has none.
  bool symbols = true;
  // Facts and values of the symbols; null: none. Must outlive the call.
  const SymbolScope* scope = nullptr;
};

// Reads the text form above. It must be the whole text; blanks and comments may
// stand between tokens. InvalidArgument names the column (bytes, from 1) and
// the expected token: for an unknown element type, a size out of range, a
// layout that is not a permutation or doesn't fit in Layout, too deep nesting,
// an expression that is too large.
// Source: XLA's HLO text; `2..5`, `n` and `f32[*]` are Indim's.
absl::StatusOr<Shape> ParseShape(absl::string_view text,
                                 const ShapeTextOptions& options = {});
// Reads a shape at the start of *text and removes it up to its last token;
// blanks and comments after it stay. After an error *text is unchanged. A `{`
// belongs to the shape when a number or ':' follows it.
absl::StatusOr<Shape> ConsumeShape(absl::string_view* text,
                                   const ShapeTextOptions& options = {});

std::ostream& operator<<(std::ostream& os, const Shape& shape);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SHAPE_H_
