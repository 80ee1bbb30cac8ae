// SPDX-License-Identifier: Apache-2.0
#ifndef INDIM_TESTS_IR_REPORT_CODES_H_
#define INDIM_TESTS_IR_REPORT_CODES_H_

#include <vector>

#include "indim/ir/report.h"

namespace indim {

// The codes of its diagnostics, in their order.
inline std::vector<Code> CodesOf(const Report& report) {
  std::vector<Code> codes;
  for (const ModuleDiagnostic& d : report.diagnostics()) {
    codes.push_back(d.diagnostic.code);
  }
  return codes;
}

}  // namespace indim

#endif  // INDIM_TESTS_IR_REPORT_CODES_H_
