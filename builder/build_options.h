// The options of ComputationBuilder::Build(), and its result.

#ifndef INDIM_BUILDER_BUILD_OPTIONS_H_
#define INDIM_BUILDER_BUILD_OPTIONS_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/ir/module.h"

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
};

// The module or an error, as any StatusOr, and the warnings about the calls.
//
//   BuildResult built = b.Build(y);
//   for (const CallDiagnostic& w : built.warnings()) std::cerr << w.text;
//   if (!built.ok()) return built.status();
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
