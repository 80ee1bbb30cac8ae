#include "indim/stablehlo/import/by_builder.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/passes/export/expand_broadcasts.h"

namespace indim::mlir {
namespace {

constexpr absl::string_view kError = " error: ";

}  // namespace

std::optional<Node> EmitByBuilder(
    OpImport* op, absl::Span<const Node> operands,
    absl::FunctionRef<indim::Op(ComputationBuilder*,
                                absl::Span<const indim::Op>)>
        make) {
  ComputationBuilder builder("expansion");
  builder.set_record_locations(false);
  std::vector<indim::Op> parameters;
  for (const Node operand : operands) {
    parameters.push_back(builder.Parameter(
        static_cast<int64_t>(parameters.size()), op->writer().shape(operand)));
  }
  const indim::Op root = make(&builder, parameters);
  BuildResult built = builder.Build(root);
  if (!built.ok()) {
    // "FILE:LINE: error: MESSAGE", then lines that show the call.
    absl::string_view text = built.status().message();
    text = text.substr(0, text.find('\n'));
    const size_t error = text.find(kError);
    if (error != absl::string_view::npos) {
      text.remove_prefix(error + kError.size());
    }
    op->Error(text);
    return std::nullopt;
  }
  const ExpandResult expanded = ExpandBroadcasts(*std::move(built));
  if (!expanded.ok()) {
    op->Error("can't be expanded for these shapes", Code::kNoHloForm);
    return std::nullopt;
  }
  return op->writer().Inline(expanded.module, operands);
}

}  // namespace indim::mlir
