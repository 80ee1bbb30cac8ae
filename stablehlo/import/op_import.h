// SPDX-License-Identifier: Apache-2.0
// OpImport: one operation of the program while it is converted. The functions
// of lowering.def take one.

#ifndef INDIM_STABLEHLO_IMPORT_OP_IMPORT_H_
#define INDIM_STABLEHLO_IMPORT_OP_IMPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/stablehlo/import/attribute_reader.h"
#include "indim/stablehlo/import/importer.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {

class OpImport {
 public:
  OpImport(Importer* importer, OpId id, const OpRow* row)
      : importer_(*importer), id_(id), row_(row) {}

  const Ir& ir() const { return importer_.ir(); }
  OpId id() const { return id_; }
  const mlir::Op& op() const { return ir().op(id_); }
  // Not null, but in functions that need no table.
  const OpRow& row() const { return *row_; }
  absl::string_view name() const { return ir().name(op()); }
  Importer& importer() { return importer_; }
  HloWriter& writer() { return importer_.writer(); }

  // --- Errors ----------------------------------------------------------------
  // "'stablehlo.add' op " and the message, at the operation. Its results are
  // broken.
  void Error(absl::string_view message, Code code = Code::kStablehloConstraint);
  // The same, with what is known of it but its place and message.
  void Error(absl::string_view message, TextError error);
  // Error, for functions that return a bool or an optional: false, or nothing.
  struct Failure {
    template <typename T, typename = std::enable_if_t<std::is_same_v<T, bool>>>
    operator T() const {
      return false;
    }
    template <typename T>
    operator std::optional<T>() const {
      return std::nullopt;
    }
  };
  Failure Fail(absl::string_view message,
               Code code = Code::kStablehloConstraint) {
    Error(message, code);
    return {};
  }
  // Whether there was one.
  bool failed() const { return failed_; }
  // AddCommonAttributes (lowering.h) was called.
  void KeepCommonAttributes() { keeps_common_attributes_ = true; }
  bool keeps_common_attributes() const { return keeps_common_attributes_; }
  // The conversion took a further attribute that module_attributes.def hasn't.
  void Keep(absl::string_view attribute) { kept_.push_back(attribute); }
  absl::Span<const absl::string_view> kept() const { return kept_; }

  // --- Operands and results --------------------------------------------------
  size_t operand_count() const { return op().operand_count; }
  size_t result_count() const { return op().result_count; }
  ValueId operand_value(size_t i) const { return ir().operands(op())[i]; }
  Node operand(size_t i) const { return importer_.node(operand_value(i)); }
  std::vector<Node> operands() const;
  // The shape of the node, in which sizes may have names.
  const Shape& operand_shape(size_t i) { return writer().shape(operand(i)); }
  // The declared shape.
  const Shape& result_shape(size_t i = 0);
  // The declared shapes; a tuple unless there is one.
  Shape ResultsShape(bool tuple_of_one = false);
  ValueId result(size_t i) const {
    return ir().result(op(), static_cast<uint32_t>(i));
  }
  // Makes `node` result `i`. Its shape and the declared one must be compatible
  // (CompatibleTypes), else it is an error; where the declared one knows more
  // sizes, the result is a reshape.
  void SetResult(size_t i, Node node);
  // The results are the elements of `node`, a tuple; or, of one result, `node`
  // itself. Unused ones are compared too.
  void SetResults(Node node, bool tuple_of_one = false);
  // Result 0 is a future, for which HLO has the start `node`.
  void SetFuture(Node node) { importer_.SetNode(result(0), node); }

  // The integers that operand `i` holds, a scalar or vector, where they follow
  // from sizes.
  const SizeValues::Exprs& Sizes(size_t i) {
    return importer_.SizesOf(operand_value(i));
  }

  // --- Attributes ------------------------------------------------------------
  // Of the operation; none: it has none.
  AttrId Find(absl::string_view attribute) const {
    return ir().Find(op(), attribute);
  }
  bool Has(absl::string_view attribute) const {
    return Find(attribute).valid();
  }
  // Values of attributes, with the value of an absent one. One of another kind
  // is an error.
  int64_t Number(absl::string_view attribute, int64_t otherwise = 0);
  bool Bool(absl::string_view attribute, bool otherwise = false);
  DimIndices Numbers(absl::string_view attribute);
  std::vector<std::vector<int64_t>> Rows(absl::string_view attribute);
  std::string Text(absl::string_view attribute);
  Failure WrongKind(absl::string_view attribute);
  // The program declares another type than follows from the operation.
  Failure Incompatible(const Shape& inferred, const Shape& declared);

  // --- Instructions ----------------------------------------------------------
  // Adds one. Where sizes are unknown, and only then, its shape is inferred,
  // and replaces unknown sizes of `shape`.
  Node Emit(Opcode opcode, const Shape& shape, const Attributes& attributes,
            absl::Span<const Node> operands,
            absl::Span<const uint32_t> callees = {});
  Node Emit(Opcode opcode, const Shape& shape,
            absl::Span<const Node> operands) {
    return Emit(opcode, shape, NoAttributes(), operands);
  }
  // The shape with sizes of `known` in the place of unknown ones.
  static Shape Refined(const Shape& shape, const Shape& known);
  // The shape with dims of `inferred` in the place of unknown ones, and of
  // those that HLO wouldn't take beside it, where StableHLO does: of bounds
  // only the inferred ones count. Source: XLA's exporter infers all shapes.
  static Shape AsInferred(const Shape& shape, const Shape& inferred);

 private:
  // One sharding of a tuple is written for each leaf, as XLA does.
  void SpreadShardingOf(Node node);

  // What HLO's rules find in the same operation: the operand, the dim, a fix.
  void AddHloFix(TextError* error);
  template <typename T, typename Read>
  T ValueOf(absl::string_view attribute, Read read, T otherwise);
  // Whether a result of that shape is what the program declares; else reports
  // it.
  bool IsAsDeclared(size_t i, const Shape& given);

  Importer& importer_;
  OpId id_;
  const OpRow* row_;
  bool failed_ = false;
  bool keeps_common_attributes_ = false;
  std::vector<absl::string_view> kept_;
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_OP_IMPORT_H_
