// SPDX-License-Identifier: Apache-2.0
// MlirWriter: writes the computations of a module as functions and regions.
//
// The entry becomes func.func @main. A computation that a call, a fusion or a
// custom call names becomes a private function. A computation that a reduction,
// a loop or another operation with regions calls becomes a region of that
// operation, each time that it is called; unless several operations call a
// computation that is long or calls others: then it is a function, and the
// regions call it. So the text can't grow exponentially.
//
// Nothing recurses: computations that wait for their regions lie on a stack.

#ifndef INDIM_STABLEHLO_EXPORT_MLIR_WRITER_H_
#define INDIM_STABLEHLO_EXPORT_MLIR_WRITER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/stablehlo/export/export.h"
#include "indim/stablehlo/export/function_symbols.h"
#include "indim/stablehlo/export/location_writer.h"
#include "indim/stablehlo/export/manual_computation.h"
#include "indim/stablehlo/export/mlir_names.h"
#include "indim/stablehlo/export/shardy.h"
#include "indim/stablehlo/export/size_writer.h"
#include "indim/stablehlo/export/type_writer.h"

namespace indim::stablehlo_export {

class NodeExport;

class MlirWriter {
 public:
  // All must outlive this.
  MlirWriter(const Module& module, const StablehloOptions& options,
             Shardy* shardy, Ir* ir, Report* report);
  ~MlirWriter();

  // Writes the entry and all that it calls into the Ir's module, which must
  // exist.
  void Write();

  Ir& ir() { return ir_; }
  TypeWriter& types() { return types_; }
  LocationWriter& locations() { return locations_; }
  const Module& module() const { return module_; }
  // The names of sizes that the arguments of the current function give.
  const NamedSizes& named_sizes() const { return named_sizes_; }

  // The values of an instruction of the computation that is being written.
  absl::Span<const ValueId> ValuesOf(const Instruction& instruction);
  const StablehloOptions& options() const { return options_; }
  Shardy& shardy() { return shardy_; }
  ManualComputations& manual_computations() { return manual_computations_; }
  // Of the functions, which are written later.
  FunctionSymbols& symbols() { return symbols_; }
  // The discardable attributes that the attribute bytes of an instruction ask
  // for: sharding, frontend attributes.
  const std::vector<NamedAttr>& DiscardableOf(const Instruction& instruction);
  // Whether something other than its updates and its done uses the start of an
  // asynchronous operation.
  bool Escapes(const Instruction& start);
  void Refuse(const Instruction& instruction, absl::string_view reason,
              absl::string_view fix);
  // A value for a leaf that nothing can use, such as the context of a send.
  static ValueId Nothing() { return {}; }

 private:
  struct Frame;

  void CountRegionCalls();
  bool IsFunction(const Computation& callee) const;
  void WriteFunction(const Computation& computation, bool is_entry);
  // A value for each leaf of a computation's parameters; none: it is an
  // argument of the block.
  using Captured = std::vector<std::optional<ValueId>>;
  void Push(const Computation& computation, RegionId region, bool is_function,
            const Captured& captured);
  // What a region of `caller` that calls its callee `k` captures.
  Captured CapturedBy(const Instruction& caller, int k);
  // Notes the names of sizes in the arguments of the function on the stack.
  void FindNamedSizes();
  void Run();
  // How many regions its operation has.
  int RegionCount(const Instruction& instruction);
  // Writes region `k` of an instruction; it is done, or on the stack.
  void StartRegion(const Instruction& caller, int k);
  void EndFrame();
  void WriteNode(const Instruction& instruction);

  const Module& module_;
  const ModuleData& data_;
  const StablehloOptions options_;
  Shardy& shardy_;
  ManualComputations manual_computations_;
  Ir& ir_;
  Report& report_;
  TypeWriter types_;
  LocationWriter locations_;
  std::vector<Frame> stack_;
  FunctionSymbols symbols_;
  std::vector<uint32_t> region_calls_;  // by computation
  absl::flat_hash_map<uint32_t, std::vector<NamedAttr>> discardable_;
  NamedSizes named_sizes_;
  absl::flat_hash_set<uint32_t> escaping_;  // positions of starts
};

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_MLIR_WRITER_H_
