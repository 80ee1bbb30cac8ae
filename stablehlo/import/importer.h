// SPDX-License-Identifier: Apache-2.0
// Importer: the walk behind ImportModule (import.h).
//
// It visits the operations of one function after the other. Regions and called
// functions are finished before the operation that has them is converted
// (lowering.h), so callees precede callers; a stack of frames takes the place
// of recursion.
//
// For stablehlo/import only. importer.cc: functions and the walk;
// importer_regions.cc: regions and what they capture.

#ifndef INDIM_STABLEHLO_IMPORT_IMPORTER_H_
#define INDIM_STABLEHLO_IMPORT_IMPORTER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/stablehlo/import/captures.h"
#include "indim/stablehlo/import/functions.h"
#include "indim/stablehlo/import/hlo_writer.h"
#include "indim/stablehlo/import/import.h"
#include "indim/stablehlo/import/left_out.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/import/places.h"
#include "indim/stablehlo/import/shapes.h"
#include "indim/stablehlo/import/shardings.h"
#include "indim/stablehlo/import/size_values.h"
#include "indim/text/base/text_errors.h"

namespace indim::stablehlo_import {

class OpImport;

class Importer {
 public:
  // A value, or computation, that an error prevents: its users are silent.
  static constexpr uint32_t kBroken = Functions::kBroken;

  Importer(const Ir& ir, const ImportOptions& options);
  absl::StatusOr<Module> Run();

  // --- For the conversion of one operation (op_import.h) ---------------------
  const Ir& ir() const { return ir_; }
  HloWriter& writer() { return writer_; }
  ShardyMeanings& shardy() { return shardy_; }
  Shapes& shapes() { return shapes_; }
  const Functions& functions() const { return functions_; }
  Node node(ValueId value) const { return nodes_[value.index]; }
  void SetNode(ValueId value, Node node) { nodes_[value.index] = node; }
  bool IsUsed(ValueId value) const { return used_[value.index]; }
  void Error(Offset offset, std::string message,
             Code code = Code::kStablehloConstraint);
  // The same, with what is known of it but the place.
  void Error(Offset offset, TextError error);
  bool allows_elided() const { return options_.allow_elided_constants; }
  // Whether sizes have bounds.
  bool has_bounds() const { return shapes_.any_bounds(); }
  bool has_static_sizes() const {
    return !shapes_.any_unknown() && !shapes_.any_bounds();
  }
  // The elements of an integer or a vector of integers (size_values.h).
  const SizeValues::Exprs& SizesOf(ValueId value);
  // The computations of the current operation's regions, then of the functions
  // that it calls.
  const std::vector<uint32_t>& callees() const {
    return frames_.back().callees;
  }
  // The values that region `region` of the current operation captures, as
  // further elements of its parameter.
  const std::vector<ValueId>& passed(size_t region) const {
    return frames_.back().passed[region];
  }

 private:
  // How a region gets the values that it captures.
  enum class RegionForm : uint8_t {
    kFunction,
    kApplied,  // it has parameters, and captures only constants
    kLoop,     // one parameter for all, the same for all regions of the op
    kBranch,   // one parameter for all
  };
  // A block that is being imported.
  struct Frame {
    RegionForm form = RegionForm::kFunction;
    std::string key;  // of a function
    OpId owner;
    BlockId block;
    size_t next = 0;
    bool broken = false;
    // The nodes that captured values have outside.
    std::vector<std::pair<ValueId, Node>> outside;
    // Captured values that the block returns after its own.
    std::vector<ValueId> returned;
    // Of the operation at `next`.
    size_t regions_done = 0;
    std::vector<uint32_t> callees;
    std::vector<std::vector<ValueId>> passed;
  };

  // --- importer.cc -----------------------------------------------------------
  absl::Status Errors() const;
  // Imports the function and the functions that it calls.
  void ImportFunction(OpId function, bool is_entry);
  // The shapes and sizes that a call passes to a function; calls with equal
  // ones share a computation. Empty in programs without unknown sizes.
  struct Arguments {
    std::vector<Shape> shapes;
    std::vector<SizeValues::Exprs> sizes;
  };
  Arguments ArgumentsOf(const mlir::Op& call, OpId function);
  std::string KeyOf(const Arguments& arguments);
  bool OpenFunction(OpId function, const Arguments& arguments);
  void AddFunctionArguments(const mlir::Op& op,
                            absl::Span<const ValueId> values,
                            const Arguments& arguments);
  void Step();
  // Begins a function that the operation calls and that isn't imported yet;
  // false: there is none.
  bool OpenCallee(const mlir::Op& op);
  void Convert(OpId id);
  void ConvertRight(OpImport* import);
  // Whether the reader of the text found some of the operation.
  bool TellMismatches(const mlir::Op& op);
  // Custom calls of the declared types for results that an error prevents, so
  // that what uses them can be checked; where nobody asks for that, nothing.
  void StandIn(const mlir::Op& op);
  void Close(const mlir::Op& terminator);
  void FinishFutures(const mlir::Op& terminator, std::vector<Node>* results);

  // --- importer_regions.cc ---------------------------------------------------
  void CheckReturn(const Frame& frame, const mlir::Op& terminator);
  RegionForm FormOf(const mlir::Op& op) const;
  void OpenRegion(OpId id);
  void AddArguments(const Frame& frame, absl::Span<const ValueId> passed);
  // The captured values of the op's region `i` (of all its regions, for
  // kLoop) that aren't constants.
  std::vector<ValueId> Passed(const mlir::Op& op, RegionForm form, size_t i);
  // Whether a value of the innermost computation can be copied into a region.
  bool IsSinkable(Node node) const;
  // Copies `node` of the next outer computation into the innermost one.
  Node Sink(Node node);

  const Ir& ir_;
  const ImportOptions& options_;
  Places places_;
  TextErrors errors_;
  HloWriter writer_;
  ShardyMeanings shardy_;
  Shapes shapes_;
  Captures captures_;
  SizeValues sizes_;
  LeftOut left_out_;
  Functions functions_;
  std::vector<Node> nodes_;
  std::vector<bool> used_;
  bool unreadable_ = false;  // an error isn't about a constraint
  std::vector<Frame> frames_;
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_IMPORTER_H_
