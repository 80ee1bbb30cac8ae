#include "indim/text/base/printed_names.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/text/base/name_uniquer.h"

namespace indim {

PrintedNames::PrintedNames(const ModuleData& data)
    : names_(data),
      source_(data.pools->source()),
      module_(SanitizedName(data.name)) {
  const uint32_t count = static_cast<uint32_t>(data.instructions.size());
  instructions_.resize(count);
  bool all_spelled = true;  // nearly always true
  for (uint32_t i = 0; i < count; ++i) {
    const absl::string_view name = names_.instruction(i);
    instructions_[i] = name;
    longest_ = std::max(longest_, name.size());
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

void PrintedNames::Number(std::vector<absl::string_view>* names) {
  for (size_t i = 0; i < names->size(); ++i) {
    absl::string_view& name = (*names)[i];
    if (!name.empty()) continue;
    respelled_.push_back(absl::StrCat(i + 1));
    name = respelled_.back();
    longest_ = std::max(longest_, name.size());
  }
}

void PrintedNames::Respell(std::vector<absl::string_view>* names) {
  std::vector<absl::string_view*> wrong;
  for (absl::string_view& name : *names) {
    if (!IsSanitizedName(name)) wrong.push_back(&name);
  }
  if (wrong.empty()) return;
  absl::flat_hash_set<absl::string_view> taken(names->begin(), names->end());
  // The number to try next after a name, so that many equal ones take linear
  // time.
  absl::flat_hash_map<std::string, int64_t> next;
  for (absl::string_view* const name : wrong) {
    const std::string spelled = SanitizedName(*name);
    std::string unique = spelled;
    while (taken.contains(unique)) {
      unique = absl::StrCat(spelled, ".", ++next[spelled]);
    }
    respelled_.push_back(std::move(unique));
    *name = respelled_.back();
    longest_ = std::max(longest_, name->size());
    taken.insert(*name);
  }
}

}  // namespace indim
