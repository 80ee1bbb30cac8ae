// SPDX-License-Identifier: Apache-2.0
#ifndef INDIM_TESTS_RUN_COMPILE_ENTRY_MODULE_H_
#define INDIM_TESTS_RUN_COMPILE_ENTRY_MODULE_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/ir/module.h"

namespace indim {
namespace pjrt {

// A module of an entry alone, of the lines `body`; `header` follows its name.
inline Module EntryModule(const std::string& body,
                          const std::string& header = "") {
  return ReadModuleText(absl::StrCat("HloModule m", header, "\n\nENTRY e {\n",
                                     body, "}\n"))
      .value();
}

}  // namespace pjrt
}  // namespace indim

#endif  // INDIM_TESTS_RUN_COMPILE_ENTRY_MODULE_H_
