// Shape: the type of a value. An array (element type and dims, or unranked), a
// tuple, a token, an opaque handle, or a buffer around an array.
//
//   f32[2,<=8,?]     an array of rank 3: static 2, bounded 8, unknown
//   f32[n,2*n+1]     with sizes that have names (dim_expr.h)
//   f32[]            a scalar: an array of rank 0
//   f32[*]           an array of unknown rank
//   f32[2,3]{0,1}    with a layout (layout.h)
//   (f32[2], s32[])  a tuple; () is the empty one
//   token[]  opaque[]  b(f32[2])
//
// A value like int or std::string: copy it, compare it, hash it. Elements of
// tuples are shared between copies, so copying a tuple of 100,000 leaves costs
// one reference count. Tuples nest at most kMaxTupleDepth deep (protobuf reads
// no more), so nothing that walks a shape can exhaust the stack; they have at
// most kMaxTupleParts parts, shared ones counted each time, so that a few
// tuples inside each other are never too many to walk or to write.
//
//   Shape s = *ParseShape("f32[2,3]");
//   s.rank() == 2;  s.dim(1) == Dim::Static(3);  s == Shape::Of(kF32, {2, 3});

#ifndef INDIM_SHAPE_TYPES_SHAPE_H_
#define INDIM_SHAPE_TYPES_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
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

  // Kind::kNone. Not inline: g++ 12, when it sees a fresh shape moved, warns
  // that Abseil copies the unused part of dims_.
  Shape();

  static Shape Array(ElementType type, absl::Span<const Dim> dims);
  // All static: Shape::Of(ElementType::kF32, {2, 3}); sizes >= 0.
  static Shape Of(ElementType type, std::initializer_list<int64_t> sizes);
  static Shape Of(ElementType type, absl::Span<const int64_t> sizes);
  static Shape Scalar(ElementType type) { return Array(type, {}); }
  static Shape Unranked(ElementType type);
  // Elements that nest too deep (more than kMaxTupleDepth levels in all) or
  // have too many parts give Kind::kNone; so do elements of Kind::kNone.
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();
  static Shape Opaque();
  // `array` must be an array, else the result is Kind::kNone.
  static Shape Buffer(Shape array);

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::kNone; }
  // Ranked or not.
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_tuple() const { return kind_ == Kind::kTuple; }
  bool is_token() const { return kind_ == Kind::kToken; }
  bool is_opaque() const { return kind_ == Kind::kOpaque; }
  bool is_buffer() const { return kind_ == Kind::kBuffer; }
  // An array whose rank is known.
  bool has_rank() const { return is_array() && !unranked_; }
  bool is_unranked() const { return is_array() && unranked_; }
  bool is_scalar() const { return has_rank() && dims_.empty(); }

  // Arrays; kInvalid for every other kind.
  ElementType element_type() const { return type_; }
  void set_element_type(ElementType type) { type_ = type; }

  // Ranked arrays; 0 and empty for everything else.
  int rank() const { return static_cast<int>(dims_.size()); }
  absl::Span<const Dim> dims() const { return dims_; }
  // 0 <= i < rank().
  Dim dim(int i) const { return dims_[i]; }
  void set_dim(int i, Dim dim) { dims_[i] = dim; }
  void add_dim(Dim dim) { dims_.push_back(dim); }

  // Tuples: their elements. Buffers: the one array. Empty for the rest.
  absl::Span<const Shape> elements() const {
    const auto* const elements = ElementVector();
    return elements != nullptr ? absl::MakeConstSpan(*elements)
                               : absl::Span<const Shape>();
  }
  int tuple_size() const { return static_cast<int>(elements().size()); }
  // Levels of nesting: 0 for arrays, 1 for a buffer or a tuple of arrays.
  int depth() const { return depth_; }

  // Arrays only; null when there is none.
  const Layout* layout() const {
    return is_array() ? static_cast<const Layout*>(rest_.get()) : nullptr;
  }
  // Ignored on anything but ranked arrays.
  void set_layout(Layout layout);
  void clear_layout() {
    if (is_array()) rest_.reset();
  }
  // This shape with no layout at any depth.
  Shape WithoutLayout() const;
  // This shape where every ranked array without a layout has the row-major one.
  Shape WithDefaultLayout() const;
  bool has_layout_anywhere() const;

  // Some dim (of some element) is symbolic.
  bool is_symbolic() const;
  // All dims (of all elements) static, nothing unranked.
  bool is_static() const;
  // Some dim (of some element) is unknown or an interval without an end.
  bool is_unbounded() const;

  // Ranked arrays: the product of the dims' upper() (XLA counts bounds).
  // nullopt: not a ranked array, some dim has no upper end, or the product
  // passes 2^63-1.
  std::optional<int64_t> ElementCount() const;

  // Layouts count. For structure alone: SameStructure.
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

  // As ParseShape reads it; "none" for Kind::kNone. As in XLA, a scalar's
  // layout with nothing set doesn't show.
  std::string ToString() const;

 private:
  // Null: it has none.
  const std::vector<Shape>* ElementVector() const {
    return is_array() ? nullptr
                      : static_cast<const std::vector<Shape>*>(rest_.get());
  }

  // Its layout or elements are not even copied.
  Shape WithoutRest() const;

  Kind kind_ = Kind::kNone;
  ElementType type_ = ElementType::kInvalid;
  bool unranked_ = false;
  uint8_t depth_ = 0;
  uint32_t parts_ = 1;  // itself and all that is in it
  DimVector dims_;
  // The Layout of an array, the elements of anything else. One pointer: a graph
  // keeps millions of shapes.
  std::shared_ptr<const void> rest_;
};

// Kinds, element types, dims and tuple elements equal; layouts don't count.
bool SameStructure(const Shape& a, const Shape& b);

// What XLA's HLO verifier calls compatible, structurally: like SameStructure,
// but `?` (or any dim with no single size) matches any size it contains, and
// `<=n` matches n. `<=n` and `<=m` differ. An interval matches what it shares a
// size with. Layouts don't count. Unranked matches any rank.
bool Compatible(const Shape& a, const Shape& b);
// The same, where any two floating element types match too.
bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b);
// The same for one dim.
bool CompatibleDims(Dim a, Dim b);

// Whether `concrete`, all of whose dims are static, is one of the shapes that
// `shape` stands for: kinds and element types equal, every size in its dim.
bool Contains(const Shape& shape, const Shape& concrete);

class SymbolScope;

// `shape` with the facts and values of `scope` in the place of what its symbols
// had, at every depth. nullopt: some dim contradicts them, or can't be kept.
std::optional<Shape> Substitute(const Shape& shape, const SymbolScope& scope);

struct ShapeTextOptions {
  // Expressions over symbols are sizes. XLA's text has none.
  bool symbols = true;
  // What is known of the symbols; null: nothing. Must outlive the call.
  const SymbolScope* scope = nullptr;
};

// Reads the text form above, whole string, blanks and comments allowed between
// tokens. InvalidArgument names the column (bytes, from 1) and what was
// expected: an unknown element type, a size out of range, a layout that is no
// permutation or holds what Layout can't, too deep nesting, an expression that
// can't be kept.
// Source of the spelling: XLA's HLO text; `2..5`, `n` and `f32[*]` are Indim's.
absl::StatusOr<Shape> ParseShape(absl::string_view text,
                                 const ShapeTextOptions& options = {});
// Reads a shape at the start of *text and removes what it read from it: up to
// its last token, so blanks and comments after it stay. After an error *text is
// as it was. `{` belongs to the shape when a number or ':' follows it.
absl::StatusOr<Shape> ConsumeShape(absl::string_view* text,
                                   const ShapeTextOptions& options = {});

std::ostream& operator<<(std::ostream& os, const Shape& shape);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_SHAPE_H_
