// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/printed_names.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/unique_names.h"
#include "indim/text/base/name_uniquer.h"

namespace indim {

PrintedNames::PrintedNames(const ModuleData& data)
    : names_(data), module_(SanitizedName(data.name)) {
  const uint32_t count = static_cast<uint32_t>(data.instructions.size());
  instructions_.resize(count);
  bool all_spelled = true;  // nearly always true
  for (uint32_t i = 0; i < count; ++i) {
    const absl::string_view name = names_.instruction(i);
    instructions_[i] = name;
    all_spelled = all_spelled && IsSanitizedName(name);
  }
  if (!all_spelled) Respell(&instructions_);
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    computations_.push_back(names_.computation(c));
  }
  Respell(&computations_);
  if (data.recorded) {
    Number(&instructions_);
    Number(&computations_);
  }
}

bool PrintedNames::HasReservedWord() const {
  return absl::c_any_of(instructions_, IsReservedWord) ||
         absl::c_any_of(computations_, IsReservedWord);
}

void PrintedNames::Number(std::vector<absl::string_view>* names) {
  for (size_t i = 0; i < names->size(); ++i) {
    absl::string_view& name = (*names)[i];
    if (!name.empty()) continue;
    name = respelled_.Copy(absl::StrCat(i + 1));
  }
}

void PrintedNames::Respell(std::vector<absl::string_view>* names) {
  std::vector<absl::string_view*> wrong;
  for (absl::string_view& name : *names) {
    if (!IsSanitizedName(name)) wrong.push_back(&name);
  }
  if (wrong.empty()) return;
  UniqueNames taken(&respelled_);
  for (const absl::string_view name : *names) taken.Take(name);
  for (absl::string_view* const name : wrong) {
    *name = taken.Claim(respelled_.Copy(SanitizedName(*name)));
  }
}

}  // namespace indim
