// MlirParser: the reader behind ParseMlirText.
//
// It follows the steps of an operation's form (op_forms.h). Where a form
// contains a region, the operation waits on a stack until the region ends, so
// that no depth of nesting uses up the call stack. Attributes and types nest by
// recursion, up to kMostNested levels.

#ifndef INDIM_STABLEHLO_TEXT_MLIR_PARSER_H_
#define INDIM_STABLEHLO_TEXT_MLIR_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/text/mlir_lexer.h"
#include "indim/stablehlo/text/op_forms.h"
#include "indim/text/base/text_errors.h"

namespace indim::mlir {

class MlirParser {
 public:
  // All must outlive the parser. `several`: the text holds more than one
  // module, or operations beside one, which all stand in the Ir's module.
  MlirParser(absl::string_view text, TextErrors* errors, Ir* ir, bool several);

  // Reads the whole text into the Ir; without errors it is complete.
  void Parse();
  // Parse() stopped, because the text must be read with `several`.
  bool found_several() const { return found_several_; }

 private:
  static constexpr int kMostNested = 200;

  // The name of a value: %12 or %name.
  struct ValueName {
    bool is_number = false;
    uint32_t key = 0;  // the number, or the index of the name's StringId
    size_t offset = 0;
    size_t length = 0;
  };
  // Results named at the left of "=": %a:2.
  struct ResultName {
    ValueName name;
    uint32_t count = 1;
  };
  // The values that a name stands for.
  struct Slot {
    ValueId first;
    uint32_t count = 0;      // 0: nothing
    uint32_t isolation = 0;  // the isolated region that sees it
    bool poisoned = false;   // its operation has an error
  };
  struct Argument {
    ValueName name;
    TypeId type;
    AttrId location;
  };
  struct Operand {
    ValueId value;  // none: its operation has an error
    size_t offset = 0;
    size_t length = 0;
  };

  // An operation that is being read. Frames are reused.
  struct Frame {
    const OpRow* row = nullptr;  // none: an operation without a row
    const Form* form = nullptr;
    size_t step = 0;  // the next
    StringId name;
    size_t offset = 0;
    size_t name_length = 0;
    size_t name_offset = 0;
    std::vector<ResultName> result_names;
    uint32_t result_name_count = 0;  // of results
    std::vector<Operand> operands;
    std::vector<TypeId> operand_types;
    bool has_operand_types = false;
    std::vector<TypeId> result_types;
    std::vector<NamedAttr> properties;
    std::vector<NamedAttr> discardable;
    std::vector<RegionId> regions;
    std::vector<Argument> arguments;  // of the regions that follow
    int32_t scan_inputs = -1;         // of a chlo.scan in its own form
    bool is_function = false;         // a func.func in its own form
    bool is_module = false;           // the Ir's own module
  };
  // A region that is being read, of the topmost frame.
  struct OpenRegion {
    RegionId region;
    BlockId block;
    size_t undo = 0;         // the size of undo_ at its beginning
    uint32_t isolation = 0;  // of the region around it
    bool in_list = false;    // of kRegions
    bool labelled = false;   // its block has a label
    size_t begin = 0;
  };
  struct Undo {
    bool is_number;
    uint32_t key;
    Slot slot;
  };

  // --- mlir_parser.cc: operations and regions
  // ---------------------------------
  void ParseRegionItem();
  bool ParseBlockLabel();
  void StartOp();
  bool ParseResultNames(Frame* frame);
  bool ParseOpName(Frame* frame);
  // Follows the steps until a region begins or the operation ends.
  void Run();
  void FinishOp();
  bool CheckCounts(const Frame& frame);
  bool CheckOperandTypes(const Frame& frame);
  bool CheckAttributes(const Frame& frame);
  void DefineResults(const Frame& frame, OpId op);
  void FillIn(Frame* frame);
  // mlir_parser_unknown.cc.
  static absl::string_view WhyUnread(absl::string_view dialect);
  bool NoForm(const Frame& frame);
  bool UnknownOp(const Frame& frame);
  // Gives up on the operation that is being read, and goes to the beginning of
  // the next one behind `begin`.
  void Recover(size_t begin);
  bool BeginRegion(bool in_list, absl::Span<const Argument> arguments);
  void EndRegion();
  Frame& frame() { return *frames_[depth_ - 1]; }
  BlockId CurrentBlock();
  const OpRow* RowOf(StringId name);

  // --- mlir_parser_values.cc: names of values
  // ---------------------------------
  bool ParseValueName(ValueName* name);
  Slot* SlotOf(const ValueName& name);
  bool Define(const ValueName& name, ValueId first, uint32_t count,
              bool poisoned = false);
  bool ParseOperand(Operand* operand);
  bool UndefinedValue(const ValueName& name);
  bool ParseOperands(std::vector<Operand>* operands);
  std::string NameText(const ValueName& name) const;

  // --- mlir_parser_forms.cc: the building blocks
  // ------------------------------
  enum class Outcome : uint8_t { kDone, kRegion, kError };
  Outcome RunStep(const Step& step);
  bool IsPresent(const Step& step) const;
  bool ParseText(const Step& step);
  bool ParseOperandsComma();
  bool ParseTypesBlock(const Step& step);
  bool ParseTypeList(std::vector<TypeId>* types);
  bool ParseFunctionTypes(std::vector<TypeId>* inputs,
                          std::vector<TypeId>* results);
  bool ParseShownAttribute(const Step& step);
  bool ParseShortValue(ValueKind kind, absl::string_view of, AttrId* value);
  bool ParseWord(absl::string_view of, AttrId* value);
  const AttributeRow* AttributeOf(StringId name);
  StringId AttributeName(const AttributeRow& row);
  bool AddAttribute(StringId name, AttrId value, size_t offset,
                    bool own = false);
  bool AddShown(const AttributeRow& row, AttrId value, size_t offset);
  void AddProperty(absl::string_view name, AttrId value);
  template <typename F>
  bool ReadRemembered(char end, AttrId* value, F read);
  bool ParseOptionalDictionary(bool own = false);
  bool ParseProperties();
  bool ParseIntegerList(std::vector<int64_t>* values);

  // --- mlir_parser_blocks.cc: the blocks of single operations
  // -----------------
  bool ParseSpecialBlock(Part part);
  bool ParseConstant();
  bool ParseRanges();
  bool ParseExponentMantissa();
  bool ParseDotDims();
  bool ParsePrecision(bool algorithm);
  bool ParseWindow();
  bool ParsePads(std::vector<int64_t>* values);
  bool ParseBools(AttrId* value);
  bool ParseWhile();
  bool ParseReduce();
  bool MakeCompactReduce(StringId inner);
  bool ParseReducer();
  bool ParseScan();
  bool FinishScan();
  bool ParseFunc();
  bool ParseFuncArguments(std::vector<TypeId>* types);
  bool ParseFuncResults(std::vector<TypeId>* types);
  void AddPartAttrs(absl::string_view name, absl::Span<const AttrId> attrs);
  bool ParseModule();
  bool ParseManualComputation();
  bool ParseDirection();
  bool ParseArgument(Argument* argument);
  bool ParseKeywordDictionary();

  // --- mlir_parser_types.cc
  // ---------------------------------------------------
  bool ParseType(TypeId* type);
  bool ParseTypeOfKind(TypeId* type);
  bool ParseTensorType(TypeId* type);
  bool ParseShapedType(Type* type);
  bool ParseDims(Type* type);
  bool ParseEncoding(Type* type);
  bool ParseBangType(TypeId* type);
  bool ParseOtherType(TypeId* type);
  bool UnknownType();
  TypeId KindId(TypeKind kind);

  // --- mlir_parser_attributes.cc
  // ----------------------------------------------
  bool ParseAttribute(AttrId* attribute);
  bool ParseAttributeOfKind(AttrId* attribute);
  bool ParseTypeAttribute(AttrId* attribute);
  bool ParseWordAttribute(AttrId* attribute);
  bool ParseNumber(AttrId* attribute);
  bool ParseStringAttribute(AttrId* attribute);
  bool ParseSymbol(AttrId* attribute);
  bool ParseArray(AttrId* attribute);
  bool ParseDictionary(std::vector<NamedAttr>* entries);
  bool ParseDictionaryEntry(NamedAttr* entry);
  bool ParseHash(AttrId* attribute);
  bool ParseDialectAttribute(std::string mnemonic, AttrId* attribute);
  bool ParseStruct(const StructRow& row, AttrId* attribute);
  bool ParseStructFields(const StructRow& row, std::vector<AttrId>* values);
  bool ParseFieldValue(const FieldRow& row, AttrId* value);
  bool ParseConvDims(AttrId* attribute);
  bool ParseConvSide(absl::string_view letters, int64_t* first, int64_t* second,
                     std::vector<int64_t>* spatial);
  AttrId MakeStruct(const StructRow& row, const std::vector<AttrId>& values);
  AttrId OpaqueAttr(absl::string_view mnemonic, size_t begin, size_t end);
  AttrId FloatAttr(TypeId type, uint64_t bits);

  // --- mlir_parser_dense.cc
  // ---------------------------------------------------
  bool ParseDense(AttrId* attribute);
  bool ParseDenseArray(AttrId* attribute);
  bool ParseDenseResource(AttrId* attribute);
  bool ParseElements(Attribute* dense, int64_t count, size_t end);
  bool ParseHexElements(Attribute* dense, int64_t count);
  bool ParseElement(ElementType type, std::string* bytes);
  bool ParseScalar(ElementType type, std::string* bytes);

  // --- mlir_parser_locations.cc: locations, aliases, resources
  // ----------------
  bool ParseOptionalLocation(AttrId* location);
  bool ParseLocation(AttrId* location);
  bool ParseLocationInner(AttrId* location);
  bool ParseLocationOfKind(AttrId* location);
  bool ParseFileLocation(AttrId* location);
  bool ParseFusedLocation(AttrId* location);
  // An alias of an attribute or a type.
  struct Alias {
    size_t definition = 0;  // where its value begins
    size_t end = 0;         // behind it, when it is read
    bool being_read = false;
    AttrId attr;
    TypeId type;
  };
  void IndexAliases();
  bool ParseAliasDefinition();
  bool ReadAlias(bool attribute, Alias* alias);
  const Alias* ResolveAlias(bool attribute, absl::string_view name,
                            size_t offset);
  bool ResolveAttrAlias(absl::string_view name, size_t offset,
                        AttrId* attribute);
  bool ResolveTypeAlias(absl::string_view name, size_t offset, TypeId* type);
  bool ParseResources();
  bool ParseResourceSection();
  bool ParseResource(bool keep);

  MlirLexer lexer_;
  Ir& ir_;
  int nested_ = 0;
  bool has_module_ = false;  // the text begins with a module
  const bool several_;
  bool found_several_ = false;

  std::vector<std::unique_ptr<Frame>> frames_;  // [0, depth_) are in use
  size_t depth_ = 0;
  std::vector<OpenRegion> regions_;
  uint32_t isolation_ = 0;       // of the current region
  uint32_t last_isolation_ = 0;  // the greatest that was given
  std::vector<Slot> named_;      // by the index of the name's StringId
  std::vector<Slot> numbered_;   // by the number
  absl::flat_hash_map<uint32_t, Slot> large_numbers_;
  std::vector<Undo> undo_;
  std::vector<StringId> attribute_names_;  // by the index of an AttributeRow
  std::vector<int32_t> rows_;  // by StringId: 1 + the op's row; 0: unknown yet

  // By their text: types of tensors, and lists of integers.
  absl::flat_hash_map<absl::string_view, TypeId> tensor_types_;
  absl::flat_hash_map<absl::string_view, AttrId> lists_;
  absl::node_hash_map<absl::string_view, Alias> attr_aliases_;
  absl::node_hash_map<absl::string_view, Alias> type_aliases_;
  absl::flat_hash_map<std::string, AttrId> resources_;  // the bytes, by name
  size_t resources_end_ = 0;

  // Room for parts, so that none is allocated for each.
  std::vector<TypeId> some_types_;
  std::vector<int64_t> some_integers_;
  std::vector<ValueId> some_values_;
  std::string some_text_;
  Ir::OpParts parts_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_MLIR_PARSER_H_
