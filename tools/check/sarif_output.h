// SPDX-License-Identifier: Apache-2.0
// `indim check --format=sarif`: one SARIF 2.1.0 log for all files, as OASIS
// specifies it (sarif-schema-2.1.0.json, errata 01).
//
// The location of a result is the file that was checked, of HLO text with line
// and column; the program's line that made the instruction is a related
// location. SARIF calls a code a rule; its help says which command explains
// it.

#ifndef INDIM_TOOLS_CHECK_SARIF_OUTPUT_H_
#define INDIM_TOOLS_CHECK_SARIF_OUTPUT_H_

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/tools/check/check_output.h"

namespace indim {

// The URI reference of a path: "a b.pb" is "a%20b.pb", "/a.pb" is
// "file:///a.pb".
std::string UriOfPath(absl::string_view path);

class SarifOutput : public CheckOutput {
 public:
  explicit SarifOutput(std::ostream& out) : out_(out) {}

  void Begin() override;
  // Results are written at once, so that memory holds those of one file.
  void Add(const CheckedFile& file) override;
  void End(int exit) override;

 private:
  // The code's place in codes_, where it enters when first used.
  int64_t IndexOf(Code code);

  std::ostream& out_;
  bool any_result_ = false;
  std::map<Code, int64_t> index_;
  std::vector<Code> codes_;
};

}  // namespace indim

#endif  // INDIM_TOOLS_CHECK_SARIF_OUTPUT_H_
