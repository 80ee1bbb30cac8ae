// SPDX-License-Identifier: Apache-2.0
// CallDiagnostic: an error or a warning of a builder about one call, in parts,
// for programs that word it themselves.

#ifndef INDIM_BUILDER_CALL_DIAGNOSTIC_H_
#define INDIM_BUILDER_CALL_DIAGNOSTIC_H_

#include "indim/shape/diagnostics/rendered.h"

namespace indim {

// Its file and line are the caller's; its text is as in
// ComputationBuilder::DiagnosticsText().
using CallDiagnostic = RenderedDiagnostic;

}  // namespace indim

#endif  // INDIM_BUILDER_CALL_DIAGNOSTIC_H_
