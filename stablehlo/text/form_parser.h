// SPDX-License-Identifier: Apache-2.0
// FormParser: reads one step of an operation's form (op_forms.h) after the
// other into an OpFrame.

#ifndef INDIM_STABLEHLO_TEXT_FORM_PARSER_H_
#define INDIM_STABLEHLO_TEXT_FORM_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/text/mlir_syntax.h"
#include "indim/stablehlo/text/op_forms.h"
#include "indim/stablehlo/text/value_scopes.h"

namespace indim::mlir {

// An operation that is being read. Frames are reused.
struct OpFrame {
  // Results named at the left of "=": %a:2.
  struct ResultName {
    ValueName name;
    uint32_t count = 1;
  };
  // Of a block.
  struct Argument {
    ValueName name;
    TypeId type;
    AttrId location;
  };

  // Makes it that of a new operation.
  void Clear(size_t begin);

  const OpRow* row = nullptr;  // none: an operation without a row
  const Form* form = nullptr;
  size_t step = 0;  // the next
  StringId name;
  size_t offset = 0;
  size_t name_length = 0;
  size_t name_offset = 0;
  std::vector<ResultName> result_names;
  uint64_t result_name_count = 0;  // of results; a name may have many
  std::vector<OperandRef> operands;
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

class FormParser {
 public:
  // Both must outlive it.
  FormParser(MlirSyntax* syntax, ValueScopes* scopes)
      : syntax_(*syntax),
        lexer_(syntax->lexer),
        ir_(syntax->ir),
        scopes_(*scopes) {}

  // Reads a step, which begins no region, into the frame, and goes to the next.
  bool RunStep(const Step& step, OpFrame* frame);
  // Sets the numbers of a scan's inputs and inits, which its types tell.
  bool FinishScan(OpFrame* frame);
  // %a: type loc(...)
  bool ParseArgument(OpFrame::Argument* argument);
  StringId AttributeName(const AttributeRow& row);

 private:
  using Argument = OpFrame::Argument;

  OpFrame& frame() { return *frame_; }

  // --- form_parser.cc: what most forms consist of ----------------------------
  bool ParsePart(const Step& step);
  bool IsPresent(const Step& step) const;
  bool ParseText(const Step& step);
  bool ParseOperandsComma();
  bool ParseTypes(const Step& step);
  bool ParseOperandType(size_t index);
  bool ParseShortTypes(Part form);
  bool ParseShownAttribute(const Step& step);
  const AttributeRow* AttributeOf(StringId name);
  bool AddAttribute(StringId name, AttrId value, size_t offset,
                    bool own = false);
  bool AddShown(const AttributeRow& row, AttrId value, size_t offset);
  void AddProperty(absl::string_view name, AttrId value);
  bool ParseOptionalDictionary(bool own = false);
  bool ParseProperties();

  // --- special_forms.cc: parts of single operations --------------------------
  bool ParseSpecial(Part part);
  bool ParseExtents();
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
  bool ParseKeywordDictionary();

  // --- function_forms.cc: functions, modules, and what stands like one -------
  bool ParseFunc();
  bool ParseFuncArguments(std::vector<TypeId>* types);
  bool ParseFuncResults(std::vector<TypeId>* types);
  void AddPartAttrs(absl::string_view name, absl::Span<const AttrId> attrs);
  bool ParseModule();
  bool ParseManualComputation();
  bool ParseDirection();

  MlirSyntax& syntax_;
  MlirLexer& lexer_;
  Ir& ir_;
  ValueScopes& scopes_;
  OpFrame* frame_ = nullptr;
  std::vector<StringId> attribute_names_;  // by the index of an AttributeRow
  // Room for parts, so that none is allocated for each.
  std::vector<int64_t> integers_;
  std::string text_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_FORM_PARSER_H_
