// SPDX-License-Identifier: Apache-2.0
// A diagnostic of a report with its place and its texts.

#ifndef INDIM_IR_RENDER_DIAGNOSTIC_H_
#define INDIM_IR_RENDER_DIAGNOSTIC_H_

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/shape/diagnostics/rendered.h"

namespace indim {

// `within` as in RenderDiagnostic.
RenderedDiagnostic Rendered(const Module& module, const ModuleDiagnostic& d,
                            absl::string_view within = "");

}  // namespace indim

#endif  // INDIM_IR_RENDER_DIAGNOSTIC_H_
