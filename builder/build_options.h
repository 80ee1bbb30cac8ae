// SPDX-License-Identifier: Apache-2.0
// The options of ComputationBuilder::Build(), what they say of the module as a
// whole, and the result of Build().

#ifndef INDIM_BUILDER_BUILD_OPTIONS_H_
#define INDIM_BUILDER_BUILD_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/device_counts.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

struct BuildOptions {
  enum class Order {
    // The order of the calls.
    kAsRecorded,
    // Operands before their users, depth first from the root; then, in recorded
    // order, the instructions that the root doesn't need. Called computations
    // likewise, in the order in which their callers come. Ids, and the names
    // made of them, follow this order, so the bytes of the instructions that
    // the root needs don't depend on the compiler of the program. Messages
    // still name ops as they were recorded.
    kPostOrder,
  };
  Order order = Order::kAsRecorded;
  // Warns of each op whose result nothing uses (IND0662): often a call whose
  // result was forgotten. Without effects of their own only; parameters,
  // constants, tuples, their elements and what calls computations of any effect
  // (While, Conditional, Call, CustomCall) may go unused.
  bool warn_unused = false;

  // --- What the module says of itself --------------------------------------
  // Build() refuses what the verifier (passes/check/verify_module.h) would
  // refuse because of it, with the verifier's errors.

  // Part `output_index` of the result lies in the memory of part
  // `parameter_index` of parameter `parameter`, if the program that runs the
  // module donates it; `must`: it is donated, and the shapes are equal. An
  // index leads through tuples to an array; {} is an array that is no tuple's.
  // Each part has one alias at most. Errors: IND0780..IND0783. Source: XLA,
  // XlaBuilder::SetUpAlias, HloInputOutputAliasConfig.
  //
  //   options.aliases = {{{0}, 1}};  // result 0 in the place of parameter 1
  struct Alias {
    DimIndices output_index;
    int64_t parameter = 0;
    DimIndices parameter_index = {};
    bool must = false;
  };
  std::vector<Alias> aliases = {};
  // Part `parameter_index` of parameter `parameter` may be overwritten by any
  // result; it has no alias. Errors as of Alias. Source: XLA,
  // XlaBuilder::AddBufferDonor, HloBufferDonorConfig.
  struct Donor {
    int64_t parameter = 0;
    DimIndices parameter_index = {};
  };
  std::vector<Donor> donors = {};
  // How many devices run it, at least 1 each (IND0120). `partitioned` has no
  // effect: more than one partition implies it. HLO text and files of recorded
  // graphs keep the counts, the bytes that XLA compiles don't: pass them to XLA
  // with the options of its compiler.
  DeviceCounts devices = {};
  // The shapes and layouts that a program passes to and gets from the module.
  // The shapes are those of its parameters and root (IND0726..IND0728); without
  // an entry layout, so are the layouts.
  struct EntryLayout {
    std::vector<Shape> parameters;
    Shape result;
  };
  std::optional<EntryLayout> entry_layout = {};
  // Notes of a front end about the module: keys and values, UTF-8 (IND0609).
  // The last value of a key counts.
  std::vector<std::pair<std::string, std::string>> frontend_attributes = {};
};

// The module or an error, as any StatusOr, and the warnings about the calls.
//
//   BuildResult built = b.Build(y);
//   for (const CallDiagnostic& w : built.warnings()) std::cerr << w.text;
//   if (!built.ok()) return built.status();
//
// A function that returns it as an absl::StatusOr<Module>, or keeps it in one,
// drops the warnings: return a BuildResult, or print b.DiagnosticsText() first.
class [[nodiscard]] BuildResult : public absl::StatusOr<Module> {
 public:
  BuildResult(absl::StatusOr<Module> module,  // NOLINT: an error is a result
              std::vector<CallDiagnostic> warnings = {})
      : absl::StatusOr<Module>(std::move(module)),
        warnings_(std::move(warnings)) {}

  // Warnings about this builder's calls, in their order; also set with an
  // error. The builders of called computations have the warnings about those
  // (ComputationBuilder::diagnostics()).
  const std::vector<CallDiagnostic>& warnings() const { return warnings_; }

 private:
  std::vector<CallDiagnostic> warnings_;
};

}  // namespace indim

#endif  // INDIM_BUILDER_BUILD_OPTIONS_H_
