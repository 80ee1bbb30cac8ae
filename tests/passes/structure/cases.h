// SPDX-License-Identifier: Apache-2.0
// What codes_test.cc asks: one change to a module that fulfils every
// rule of its structure, and what it is told.
#ifndef INDIM_TESTS_PASSES_STRUCTURE_CASES_H_
#define INDIM_TESTS_PASSES_STRUCTURE_CASES_H_

#include <functional>
#include <set>
#include <vector>

#include "indim/passes/structure/structure.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/tests/passes/structure/victim.h"

namespace indim {

struct StructureCase {
  const char* what;
  std::set<Code> codes;     // all that are broken; none: nothing is wrong
  const char* instruction;  // that it is reported at; "": at none
  const char* message;      // a part of the first message
  std::function<void(Victim&)> change;
  DeviceCounts devices = {};
};

std::vector<StructureCase> NameAndShapeCases();
std::vector<StructureCase> CallCases();
std::vector<StructureCase> PairCases();
std::vector<StructureCase> DeviceCases();
std::vector<StructureCase> EntryCases();
std::vector<StructureCase> AttributeCases();
std::vector<StructureCase> BufferCases();
std::vector<StructureCase> DevicesAndLayoutCases();

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_STRUCTURE_CASES_H_
