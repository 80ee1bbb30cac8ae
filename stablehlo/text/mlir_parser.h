// SPDX-License-Identifier: Apache-2.0
// MlirParser: the reader behind ParseMlirText.
//
// It follows the steps of an operation's form (op_forms.h). Where a form
// contains a region, the operation waits on a stack until the region ends, so
// that no depth of nesting uses up the call stack. What stands in a form is
// read by FormParser, types and attributes by MlirSyntax, names by ValueScopes.

#ifndef INDIM_STABLEHLO_TEXT_MLIR_PARSER_H_
#define INDIM_STABLEHLO_TEXT_MLIR_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/text/form_parser.h"
#include "indim/stablehlo/text/mlir_syntax.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/stablehlo/text/value_scopes.h"
#include "indim/text/base/text_errors.h"

namespace indim::mlir {

class MlirParser {
 public:
  // All must outlive the parser. `several`: the text holds more than one
  // module, or operations beside one, which all stand in the Ir's module.
  // `mismatches` as for ParseMlirText.
  MlirParser(absl::string_view text, TextErrors* errors, Ir* ir, bool several,
             std::vector<OperandMismatch>* mismatches = nullptr);

  // Reads the whole text into the Ir; without errors it is complete.
  void Parse();
  // The same of what ParseMlirStatement reads.
  void ParseStatement();
  // Parse() stopped, because the text must be read with `several`.
  bool found_several() const { return found_several_; }

 private:
  void ParseItems(RegionId region, BlockId block);
  // The function around a statement.
  void Enclose(RegionId region, BlockId block);

  // A region that is being read, of the topmost frame.
  struct OpenRegion {
    RegionId region;
    BlockId block;
    bool in_list = false;   // of kRegions
    bool labelled = false;  // its block has a label
  };

  // --- Regions ---------------------------------------------------------------
  void ParseRegionItem();
  bool ParseBlockLabel();
  bool BeginRegion(bool in_list, absl::Span<const OpFrame::Argument> arguments);
  void EndRegion();
  bool AddArgument(const OpFrame::Argument& argument);
  BlockId CurrentBlock();

  // --- Operations ------------------------------------------------------------
  void StartOp();
  bool ParseResultNames(OpFrame* frame);
  bool ParseOpName(OpFrame* frame);
  // Follows the steps until a region begins or the operation ends.
  void Run();
  void FinishOp();
  bool CheckCounts(const OpFrame& frame);
  bool CheckOperandTypes(const OpFrame& frame);
  bool CheckAttributes(const OpFrame& frame);
  void DefineResults(const OpFrame& frame, OpId op);
  void FillIn(OpFrame* frame);
  // unknown_op.cc.
  static absl::string_view WhyUnread(absl::string_view dialect);
  bool NoForm(const OpFrame& frame);
  bool UnknownOp(const OpFrame& frame);
  // Gives up on the operation that is being read, and goes to the beginning of
  // the next one behind `begin`.
  void Recover(size_t begin);
  OpFrame& frame() { return *frames_[depth_ - 1]; }
  const OpRow* RowOf(StringId name);

  MlirSyntax syntax_;
  MlirLexer& lexer_;
  Ir& ir_;
  ValueScopes scopes_;
  FormParser forms_;
  bool has_module_ = false;  // the text begins with a module
  const bool several_;
  bool found_several_ = false;
  std::vector<std::unique_ptr<OpFrame>> frames_;  // [0, depth_) are in use
  size_t depth_ = 0;
  std::vector<OpenRegion> regions_;
  std::vector<int32_t> rows_;  // by StringId: 1 + the op's row; 0: unknown yet
  // Room for parts, so that none is allocated for each.
  std::vector<ValueId> values_;
  std::string text_;
  Ir::OpParts parts_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_MLIR_PARSER_H_
