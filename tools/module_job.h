// SPDX-License-Identifier: Apache-2.0
// A module in, a module out: what `indim infer`, `convert`, `extract` and
// `reduce` have in common.

#ifndef INDIM_TOOLS_MODULE_JOB_H_
#define INDIM_TOOLS_MODULE_JOB_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/io/write.h"
#include "indim/ir/module.h"

namespace indim {

struct Job {
  std::string in;
  std::string out;  // empty: nothing is written
  Module module;
  WriteOptions write{ModuleForm::kRecorded};
  // What of a program of StableHLO the module has no place for.
  std::vector<std::string> left_out;
};

// Formats of both files, and the module read. `writes`: there must be an
// output (-o).
absl::StatusOr<Job> BeginJob(const std::string& in, bool writes);

// Writes the module; the exit status.
int FinishJob(const Job& job);

}  // namespace indim

#endif  // INDIM_TOOLS_MODULE_JOB_H_
