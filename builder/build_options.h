// How ComputationBuilder::Build() writes a module, and what it returns.

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
    // That of the calls.
    kAsRecorded,
    // Operands before their users, depth first from the root, and behind them,
    // as recorded, what the root doesn't need; called computations likewise, in
    // the order in which they are met. Ids, and the names that are made of
    // them, follow, so that the bytes of what the root needs are the same
    // whatever compiler the program was built with. Messages name ops as when
    // they were recorded.
    kPostOrder,
  };
  Order order = Order::kAsRecorded;
};

// The module or the error, as any StatusOr, and what was odd about the calls.
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

  // Of this builder's calls, in their order; with an error too. Those about
  // computations that others call are their own builders'
  // (ComputationBuilder::diagnostics()).
  const std::vector<CallDiagnostic>& warnings() const { return warnings_; }

 private:
  std::vector<CallDiagnostic> warnings_;
};

}  // namespace indim

#endif  // INDIM_BUILDER_BUILD_OPTIONS_H_
