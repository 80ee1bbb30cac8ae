// SPDX-License-Identifier: Apache-2.0
// Diagnostics as the C interface gives them: the texts of each, made at once,
// so that nothing else must live on.

#ifndef INDIM_BINDINGS_C_DIAGNOSTICS_H_
#define INDIM_BINDINGS_C_DIAGNOSTICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/edit/edit_result.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/shape/infer/infer.h"

namespace indim::capi {

// InvalidArgument, IND1300: a misuse of the interface itself.
absl::Status MisuseStatus(absl::string_view what);

using DiagnosticList = std::vector<RenderedDiagnostic>;

bool HasError(const DiagnosticList& diagnostics);
// The texts of all errors, or, if there is none, of all diagnostics, without a
// newline at the end.
std::string TextOf(const DiagnosticList& diagnostics);

// Of a builder's calls.
DiagnosticList FromCalls(absl::Span<const CallDiagnostic> diagnostics);
// Of a module.
DiagnosticList FromReport(const Module& module, const Report& report);
// Of edits.
DiagnosticList FromEdits(absl::Span<const EditDiagnostic> diagnostics);
// Of one operation without a graph; `op` is its name in messages.
DiagnosticList FromInference(absl::string_view op, const OpInputs& inputs,
                             absl::Span<const Diagnostic> diagnostics);
// A diagnostic of one code, found by a binding: its arguments are texts.
RenderedDiagnostic OfBinding(Code code, absl::string_view op,
                             absl::Span<const absl::string_view> arguments,
                             absl::string_view file, int64_t line,
                             std::string fix);
// Of a rule of broadcasting.
DiagnosticList FromBroadcast(absl::string_view rule,
                             absl::Span<const Shape* const> operands,
                             absl::Span<const Diagnostic> diagnostics);
// Those of a Status: of a text, one for each mistake, with its place; else one,
// with the code that it carries, or IND1301.
DiagnosticList FromStatus(const absl::Status& status);

}  // namespace indim::capi

#endif  // INDIM_BINDINGS_C_DIAGNOSTICS_H_
