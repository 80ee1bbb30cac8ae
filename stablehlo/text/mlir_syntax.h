// SPDX-License-Identifier: Apache-2.0
// MlirSyntax: the readers of types, attributes and locations of one text. They
// read from the same lexer into the same Ir, and call each other; none nests
// deeper than Interned::kMostNested levels, and what they read through aliases
// isn't Interned::TooLarge().
//
//   MlirSyntax syntax(text, &errors, &ir);
//   TypeId type;
//   if (!syntax.types.Parse(&type)) return false;  // the error is added
//
// Functions that return bool take what they read from the lexer. False: there
// was an error, which is added, and the lexer stands anywhere.

#ifndef INDIM_STABLEHLO_TEXT_MLIR_SYNTAX_H_
#define INDIM_STABLEHLO_TEXT_MLIR_SYNTAX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/text/mlir_lexer.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/text/base/text_errors.h"

namespace indim::mlir {

struct MlirSyntax;

// What each reader reads from and into.
struct SyntaxPart {
  explicit SyntaxPart(MlirSyntax* syntax);

  MlirSyntax& syntax_;
  MlirLexer& lexer_;
  Ir& ir_;
};

// tensor<2x?xf32>, (f32) -> f32, !quant.uniform<...>, !alias.
class TypeParser : SyntaxPart {
 public:
  using SyntaxPart::SyntaxPart;

  bool Parse(TypeId* type);
  // Appends one or more.
  bool ParseList(std::vector<TypeId>* types);
  // (inputs) -> results
  bool ParseFunction(std::vector<TypeId>* inputs, std::vector<TypeId>* results);

 private:
  bool ParseOfKind(TypeId* type);
  bool ParseTensor(TypeId* type);
  bool ParseShaped(Type* type);
  bool ParseDims(Type* type);
  bool ParseEncoding(Type* type);
  bool ParseBang(TypeId* type);
  bool ParseOther(TypeId* type);
  bool Unknown();

  // Types of tensors by their text.
  absl::flat_hash_map<absl::string_view, TypeId> tensor_types_;
};

// 1 : i32, "text", [...], {...}, #alias, and what begins with a word.
class AttrParser : SyntaxPart {
 public:
  using SyntaxPart::SyntaxPart;

  bool Parse(AttrId* attribute);
  // -1, 2 : i32, 1.5 : f32, 0x7FC00000 : f32
  bool ParseNumber(AttrId* attribute);
  bool ParseDictionary(std::vector<NamedAttr>* entries);
  // name = value; a name alone is `unit`.
  bool ParseDictionaryEntry(NamedAttr* entry);

 private:
  bool ParseOfKind(AttrId* attribute);
  bool ParseTypeAttribute(AttrId* attribute);
  bool ParseKeyword(AttrId* attribute);
  bool ParseString(AttrId* attribute);
  bool ParseSymbol(AttrId* attribute);
  bool ParseArray(AttrId* attribute);
  bool ParseHash(AttrId* attribute);
};

// Attributes of dialects, #stablehlo.gather<...>, by the rows of
// struct_fields.def, and the short forms that operations show.
class StructParser : SyntaxPart {
 public:
  using SyntaxPart::SyntaxPart;

  // <...> behind the name of an attribute.
  bool Parse(std::string mnemonic, AttrId* attribute);
  // The value of an attribute as forms show it: 3 for 3 : i64, [1] for
  // array<i64: 1>, HIGH for #stablehlo<precision HIGH>.
  bool ParseShort(ValueKind kind, absl::string_view of, AttrId* value);
  // A word of the list `of`, or the attribute with it.
  bool ParseWord(absl::string_view of, AttrId* value);
  // [1, 2]; replaces what was there.
  bool ParseIntegers(std::vector<int64_t>* values);
  // [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
  bool ParseConvDims(AttrId* attribute);
  // An attribute that no row describes: the text [begin, end), white space as
  // one blank, or as Shardy prints it.
  AttrId OpaqueAttr(absl::string_view mnemonic, size_t begin, size_t end);

 private:
  bool ParseStruct(const StructRow& row, AttrId* attribute);
  bool ParseFields(const StructRow& row, std::vector<AttrId>* values);
  bool ParseFieldValue(const FieldRow& row, AttrId* value);
  bool ParseConvSide(absl::string_view letters, int64_t* first, int64_t* second,
                     std::vector<int64_t>* spatial);
  bool ParseIntegerArray(AttrId* value);

  // Lists of integers by their text.
  absl::flat_hash_map<absl::string_view, AttrId> lists_;
  std::vector<int64_t> integers_;  // room, so that none is allocated for each
};

// Elements of tensors: dense<...>, array<...>, and resources.
class ElementsParser : SyntaxPart {
 public:
  using SyntaxPart::SyntaxPart;

  // dense<[1, 2]> : tensor<2xi32>
  bool ParseDense(AttrId* attribute);
  // array<i64: 1, 2>
  bool ParseArray(AttrId* attribute);
  // dense_resource<name> : type
  bool ParseResourceName(AttrId* attribute);
  // {-# dialect_resources: {builtin: {name: "0x..."}} #-}; a second time, it
  // is skipped.
  bool ParseResources();

 private:
  bool ParseElements(Attribute* dense, int64_t count, size_t end);
  bool ParseHex(Attribute* dense, int64_t count);
  bool ParseElement(ElementType type, std::string* bytes);
  bool ParseScalar(ElementType type, std::string* bytes);
  bool ParseResourceSection();
  bool ParseResource(bool keep);

  absl::flat_hash_map<std::string, AttrId> resources_;  // the bytes, by name
  size_t resources_end_ = 0;
};

// loc("file":3:8), loc(fused<...>[...]), loc(callsite(... at ...)).
class LocationParser : SyntaxPart {
 public:
  using SyntaxPart::SyntaxPart;

  // The lexer is at "loc".
  bool Parse(AttrId* location);
  bool ParseOptional(AttrId* location);

 private:
  bool ParseInner(AttrId* location);
  bool ParseOfKind(AttrId* location);
  bool ParseFile(AttrId* location);
  bool ParseFused(AttrId* location);
};

// #name = attribute, !name = type.
class AliasParser : SyntaxPart {
 public:
  using SyntaxPart::SyntaxPart;

  // Finds the definitions, which may stand behind their uses, and reads the
  // resources at the end.
  void Index();
  // A definition where it stands.
  bool ParseDefinition();
  // What a name at `offset` stands for; the lexer stays where it is.
  bool ResolveAttr(absl::string_view name, size_t offset, AttrId* attribute);
  bool ResolveType(absl::string_view name, size_t offset, TypeId* type);

 private:
  struct Alias {
    size_t definition = 0;  // where its value begins
    size_t end = 0;         // behind it, when it is read
    bool being_read = false;
    AttrId attr;
    TypeId type;
  };

  // A definition to read: of #name or of !name.
  struct Work {
    bool attribute;
    Alias* alias;
  };

  // Reads a definition, those that it needs first; the lexer ends anywhere.
  bool Read(Work work);
  bool ReadOne(Work work);
  // Adds the definitions that a definition needs and that aren't read.
  void AddNeeded(const Alias& alias, std::vector<Work>* work);
  const Alias* Resolve(bool attribute, absl::string_view name, size_t offset);

  absl::node_hash_map<absl::string_view, Alias> attrs_;
  absl::node_hash_map<absl::string_view, Alias> types_;
};

struct MlirSyntax {
  // All must outlive it.
  MlirSyntax(absl::string_view text, TextErrors* errors, Ir* into);
  MlirSyntax(const MlirSyntax&) = delete;
  MlirSyntax& operator=(const MlirSyntax&) = delete;

  // read(), one level deeper; an error if that is too deep for `what`.
  template <typename F>
  bool Nested(absl::string_view what, F read);
  // An error at the text from `offset` on, unless `why` is empty.
  bool NotTooLarge(absl::string_view what, size_t offset, std::string why);

  MlirLexer lexer;
  Ir& ir;
  uint32_t nested = 0;
  TypeParser types;
  AttrParser attributes;
  StructParser structs;
  ElementsParser elements;
  LocationParser locations;
  AliasParser aliases;
  // As ParseMlirText's; null: they are errors.
  std::vector<OperandMismatch>* mismatches = nullptr;
};

template <typename F>
bool MlirSyntax::Nested(absl::string_view what, F read) {
  if (nested == Interned::kMostNested) {
    return lexer.Error(std::string(what) + " nest too deeply here",
                       Code::kMlirNesting);
  }
  ++nested;
  const bool good = read();
  --nested;
  return good;
}

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_MLIR_SYNTAX_H_
