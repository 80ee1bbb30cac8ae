// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/stablehlo/import/lower_arrays.h"

namespace indim::stablehlo_import {

std::optional<Node> EmitByBuilder(
    OpImport* op, absl::Span<const Node> operands,
    absl::FunctionRef<Op(ComputationBuilder*, absl::Span<const Op>)> make) {
  ComputationBuilder builder("expansion");
  builder.set_record_locations(false);
  std::vector<Op> parameters;
  for (const Node operand : operands) {
    parameters.push_back(builder.Parameter(
        static_cast<int64_t>(parameters.size()), op->writer().shape(operand)));
  }
  const Op root = make(&builder, parameters);
  BuildResult built = builder.Build(root);
  if (!built.ok()) {
    for (const CallDiagnostic& d : builder.diagnostics()) {
      if (d.diagnostic.severity() != Severity::kError) continue;
      const absl::string_view message = d.message;
      op->Error(
          WithCode(message.substr(0, message.find('\n')), d.diagnostic.code));
      break;
    }
    return std::nullopt;
  }
  const ExpandResult expanded = ExpandBroadcasts(*std::move(built));
  if (!expanded.ok()) {
    return op->Fail("can't be expanded for these shapes", Code::kNoHloForm);
  }
  return op->writer().Inline(expanded.module, operands);
}

}  // namespace indim::stablehlo_import
