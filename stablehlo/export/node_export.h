// SPDX-License-Identifier: Apache-2.0
// NodeExport: an instruction while it is written. The function of its operation
// (exporters.def) reads the instruction through it, emits operations of MLIR
// and says which of their values are the instruction's.

#ifndef INDIM_STABLEHLO_EXPORT_NODE_EXPORT_H_
#define INDIM_STABLEHLO_EXPORT_NODE_EXPORT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/proto/wire/field_list.h"
#include "indim/stablehlo/export/mlir_names.h"
#include "indim/stablehlo/export/mlir_writer.h"

namespace indim::stablehlo_export {

class NodeExport {
 public:
  // `regions`: if its operation has regions, the region of each of the
  // instruction's callees, in their order.
  NodeExport(MlirWriter* writer, const Instruction& instruction, BlockId block,
             std::vector<RegionId> regions);

  // --- The instruction -------------------------------------------------------
  const Instruction& instruction() const { return instruction_; }
  Opcode opcode() const { return opcode_; }
  const Shape& shape() const { return instruction_.shape(); }
  template <typename T>
  const T& As() const {
    return indim::As<T>(instruction_.attributes());
  }
  // All fields of its attribute bytes.
  const FieldList& fields();
  // The values of an operand: one for each leaf of its shape.
  absl::Span<const ValueId> Operand(int i);
  // The values of the operands from `first` to before `last` (-1: all).
  std::vector<ValueId> Operands(int first = 0, int last = -1);
  // The types of the leaves of its shape.
  absl::Span<const TypeId> ResultTypes();
  std::vector<RegionId>& regions() { return regions_; }

  // --- The operations for it -------------------------------------------------
  Ir& ir() { return writer_.ir(); }
  MlirWriter& writer() { return writer_; }
  BlockId block() const { return block_; }

  // Adds a property to the operation that Emit emits next.
  void Set(absl::string_view name, AttrId value);
  // Adds an attribute that isn't the operation's own.
  void SetDiscardable(absl::string_view name, AttrId value);
  // The properties set so far, which it then has no more.
  std::vector<NamedAttr> TakeProperties();
  // Sets the properties of `op` that equal members of attributes
  // (op_attributes.def), the instruction's or others.
  void SetMembers(absl::string_view op) {
    SetMembers(op, instruction_.attributes());
  }
  void SetMembers(absl::string_view op, const Attributes& attributes);
  // The operation that Emit emits next has no results for these leaves of the
  // instruction (those of loop_captures.h, say), and no shardings of them.
  void LeaveOut(std::vector<bool> captures) { captures_ = std::move(captures); }
  // Emits an operation for the instruction itself: with the properties set so
  // far, the regions, its sharding, its frontend attributes and its location.
  // Returns its results.
  std::vector<ValueId> Emit(absl::string_view name,
                            absl::Span<const ValueId> operands,
                            absl::Span<const TypeId> results);
  // The same with the instruction's types; the results are the instruction's.
  void EmitResult(absl::string_view name, absl::Span<const ValueId> operands);
  void EmitResult(absl::string_view name) { EmitResult(name, Operands()); }
  // Emits a further operation that the instruction needs.
  ValueId EmitHelper(absl::string_view name, absl::Span<const ValueId> operands,
                     TypeId result, std::vector<NamedAttr> properties = {});
  ValueId EmitHelper(absl::string_view name, absl::Span<const ValueId> operands,
                     const Shape& result,
                     std::vector<NamedAttr> properties = {}) {
    return EmitHelper(name, operands, writer_.types().Whole(result),
                      std::move(properties));
  }
  // A stablehlo.constant.
  ValueId Constant(AttrId dense);
  NamedAttr Named(absl::string_view name, AttrId value);
  // The symbol of the function that callee `k` becomes.
  AttrId CalleeSymbol(int k = 0);

  // Says which values are the instruction's, one for each leaf.
  void SetResult(std::vector<ValueId> values);
  // --- What has no form ------------------------------------------------------
  // Reports that the instruction can't be written: why, as the predicate of a
  // sentence about it, and what to do.
  void Refuse(absl::string_view reason, absl::string_view fix);
  bool refused() const { return refused_; }
  bool has_result() const { return has_result_; }
  std::vector<ValueId>& result() { return result_; }

 private:
  // The types that StableHLO gives a fold's results: those of its region, where
  // HLO lets the instruction give other floats. Empty: it folds nothing.
  std::vector<TypeId> FoldedTypes();
  // Adds a sharding of the instruction to the attributes of operation `op`.
  void AddSharding(const NamedAttr& note, absl::string_view op,
                   absl::Span<const TypeId> results,
                   std::vector<NamedAttr>* attrs);
  // Adds the instruction's rule to those of an operation of such values; a
  // rule that isn't one for them stays a frontend attribute.
  void AddRule(const NamedAttr& note, absl::Span<const ValueId> operands,
               absl::Span<const TypeId> results, std::vector<NamedAttr>* attrs);

  MlirWriter& writer_;
  Instruction instruction_;
  Opcode opcode_;
  BlockId block_;
  std::vector<RegionId> regions_;
  std::optional<FieldList> fields_;
  std::vector<NamedAttr> properties_;
  std::vector<NamedAttr> discardable_;
  std::vector<ValueId> result_;
  bool has_result_ = false;
  bool refused_ = false;
  std::vector<bool> captures_;
};

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_NODE_EXPORT_H_
