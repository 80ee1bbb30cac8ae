// SPDX-License-Identifier: Apache-2.0
// Interned: the texts, types and attributes of a program of MLIR, each kept
// once: equal things have one id.

#ifndef INDIM_STABLEHLO_MLIR_INTERNED_H_
#define INDIM_STABLEHLO_MLIR_INTERNED_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/storage/intern_index.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/mlir/attribute.h"
#include "indim/stablehlo/mlir/ids.h"
#include "indim/stablehlo/mlir/type.h"

namespace indim::mlir {

// References to things stay valid as others are added.
//
// Things share their parts, so that a short file can describe a chain that is
// deeper than any stack, or a thing whose text has 2^40 parts. Readers refuse
// what is TooLarge(); so whoever prints or walks what was read may recurse.
class Interned {
 public:
  // How deep types and attributes nest, and locations; these are printed with
  // small frames, and a traceback is a chain of them.
  static constexpr uint32_t kMostNested = 200;
  static constexpr uint32_t kMostNestedLocations = 1000;
  // How many parts a type or attribute has, each as often as it is used.
  static constexpr uint32_t kMostParts = uint32_t{1} << 20;

  StringId Intern(absl::string_view text);
  absl::string_view text(StringId id) const;  // "" for none
  TypeId Intern(Type type);
  const Type& type(TypeId id) const;  // kNone for none
  AttrId Intern(Attribute attribute);
  const Attribute& attr(AttrId id) const;  // kUnit for none

  // Why a reader refuses it: "it nests more than 200 levels deep"; "" if it
  // doesn't. Locations may have any number of parts: they are walked once each,
  // and printed as aliases.
  std::string TooLarge(TypeId id) const;
  std::string TooLarge(AttrId id) const;
  // The same of an attribute that stands where no alias is printed: there
  // locations have as few parts as others.
  std::string TooLargeAsValue(AttrId id) const;

  // --- Shorthands for the usual types and attributes -----------------------
  TypeId ElementTypeId(ElementType type);
  TypeId TensorType(ElementType type, absl::Span<const int64_t> dims);
  TypeId FunctionType(absl::Span<const TypeId> inputs,
                      absl::Span<const TypeId> results);
  AttrId UnitAttr();
  AttrId BoolAttr(bool value);
  AttrId IntegerAttr(int64_t value, ElementType type = ElementType::kS64);
  AttrId FloatAttr(TypeId type, uint64_t bits);
  AttrId StringAttr(absl::string_view text);
  AttrId SymbolAttr(absl::string_view name);
  AttrId TypeAttr(TypeId type);
  AttrId ArrayAttr(absl::Span<const AttrId> elements);
  // Sorts by name.
  AttrId DictionaryAttr(std::vector<NamedAttr> fields);
  AttrId I64ArrayAttr(absl::Span<const int64_t> values);  // array<i64: ...>
  AttrId I32ArrayAttr(absl::Span<const int32_t> values);  // array<i32: ...>
  AttrId BoolArrayAttr(absl::Span<const bool> values);    // array<i1: ...>
  // dense<...> : tensor<dims x element>, of integers of `bytes` bytes; a splat
  // where all are equal.
  AttrId DenseAttr(absl::Span<const int64_t> values, TypeId element, int bytes,
                   absl::Span<const int64_t> dims);
  AttrId DenseI64Attr(absl::Span<const int64_t> values,
                      absl::Span<const int64_t> dims);
  // #stablehlo<precision HIGH>: WordAttr("stablehlo.precision", "HIGH").
  AttrId WordAttr(absl::string_view mnemonic, absl::string_view word);
  AttrId DialectAttr(absl::string_view mnemonic, std::vector<NamedAttr> fields);

  // The entry of a kDictionary or kDialect; none: it has none.
  AttrId Find(const Attribute& attribute, absl::string_view name) const;
  // The int64s of a kDenseArray of i64 or a kDense of integers (splats
  // repeated up to `limit` elements), or of a kArray of kIntegers. False: it
  // holds something else, or more than `limit`.
  bool Integers(AttrId id, std::vector<int64_t>* values,
                int64_t limit = int64_t{1} << 20) const;

 protected:
  void Sort(std::vector<NamedAttr>* attrs) const;

 private:
  // How far a thing reaches with all that it is made of.
  struct Extent {
    // 1 + that of the deepest part; 0 of a type without parts, which readers
    // read in one step with what has it.
    uint32_t depth = 1;
    uint32_t parts = 1;  // itself and those of its parts; at most 2^32 - 1

    void Add(const Extent& part);
  };
  static std::string WhyTooLarge(const Extent& extent, uint32_t most_nested);
  Extent ExtentOf(const Type& type) const;
  Extent ExtentOf(const Attribute& attribute) const;
  // Adds the extents of the parts that there are.
  void AddParts(absl::Span<const TypeId> parts, Extent* extent) const;
  void AddParts(absl::Span<const AttrId> parts, Extent* extent) const;

  // Keeps each of equal things once, by index.
  template <typename T>
  struct Pool {
    uint32_t Intern(T&& thing);

    std::deque<T> things;
    std::vector<Extent> extents;  // of each
    InternIndex index;
  };

  std::deque<std::string> strings_;
  absl::flat_hash_map<absl::string_view, StringId> string_ids_;
  Pool<Type> types_;
  Pool<Attribute> attrs_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_MLIR_INTERNED_H_
