// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/symbol_facts.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/shape/types/shape.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/text/base/printed_names.h"

namespace indim {
namespace {

constexpr absl::string_view kSymbolFacts = "indim.facts";
constexpr absl::string_view kFactsOf = "indim.facts.";

// Collects the facts of each computation about its symbols.
class Collector {
 public:
  explicit Collector(const Module& module) : data_(internal::DataOf(module)) {}

  // False: no shape has symbols.
  bool Run();
  // Adds the facts to the attributes.
  std::string AddTo(std::string attributes) const;

 private:
  void Add(uint32_t computation, const Shape& shape);

  struct Known {
    uint32_t computation;
    SymbolFacts facts;
  };
  const ModuleData& data_;
  std::map<std::string, std::vector<Known>> symbols_;  // by computation
};

void Collector::Add(uint32_t computation, const Shape& shape) {
  ForEachDim(shape, [&](Dim dim) {
    if (!dim.is_symbolic()) return;
    for (auto& [name, facts] : DimExpr(dim).Symbols()) {
      std::vector<Known>& known = symbols_[name];
      if (known.empty() || known.back().computation != computation) {
        known.push_back({computation, facts});
      } else if (!(known.back().facts == facts)) {
        known.back().facts = {};
      }
    }
  });
}

bool Collector::Run() {
  const ShapeTable& shapes = data_.pools->shapes();
  // Few modules have symbols, and a table has few shapes.
  constexpr uint32_t kNever = ~uint32_t{0};
  std::vector<bool> symbolic(shapes.size(), false);
  bool any = false;
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    symbolic[i] = shapes.shape(ShapeId{i}).is_symbolic();
    any = any || symbolic[i];
  }
  if (!any) return false;
  std::vector<uint32_t> seen_in(shapes.size(), kNever);
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    for (const InstructionRecord& r : data_.Instructions(c)) {
      if (!symbolic[r.shape.value] || seen_in[r.shape.value] == c) continue;
      seen_in[r.shape.value] = c;
      Add(c, shapes.shape(r.shape));
    }
  }
  return true;
}

std::string Collector::AddTo(std::string attributes) const {
  std::vector<std::string> common;
  std::map<uint32_t, std::vector<std::string>> own;
  const auto append = [](const std::string& name, const SymbolFacts& facts,
                         std::vector<std::string>* texts) {
    for (std::string& text : FactTexts(name, facts)) {
      texts->push_back(std::move(text));
    }
  };
  for (const auto& [name, known] : symbols_) {
    bool agree = true;
    for (const Known& one : known) agree &= one.facts == known[0].facts;
    if (agree) {
      append(name, known[0].facts, &common);
      continue;
    }
    for (const Known& one : known) {
      append(name, one.facts, &own[one.computation]);
    }
  }
  // A recorded module says by its mark that sizes have names.
  if (!common.empty() || !data_.recorded) {
    attributes = WithFrontendAttribute(attributes, kSymbolFacts,
                                       absl::StrJoin(common, "; "));
  }
  if (own.empty()) return attributes;
  const PrintedNames names(data_);
  for (const auto& [computation, texts] : own) {
    if (texts.empty()) continue;
    attributes = WithFrontendAttribute(
        attributes, absl::StrCat(kFactsOf, names.computation(computation)),
        absl::StrJoin(texts, "; "));
  }
  return attributes;
}

absl::Status State(absl::string_view key, absl::string_view facts,
                   SymbolScope* scope) {
  const absl::Status stated = scope->State(facts);
  return stated.ok() ? stated
                     : absl::Status(stated.code(),
                                    absl::StrCat(key, ": ", stated.message()));
}

}  // namespace

std::string WithSymbolFacts(const Module& module,
                            absl::string_view frontend_attributes) {
  Collector collector(module);
  std::string attributes(frontend_attributes);
  return collector.Run() ? collector.AddTo(std::move(attributes)) : attributes;
}

bool HasSymbolFacts(absl::string_view header) {
  return absl::StrContains(header, kSymbolFacts);
}

std::string WithoutSymbolFacts(absl::string_view frontend_attributes) {
  std::string attributes =
      WithoutFrontendAttribute(frontend_attributes, kSymbolFacts);
  for (const auto& [key, facts] :
       FrontendAttributesWithPrefix(attributes, kFactsOf)) {
    attributes = WithoutFrontendAttribute(attributes, key);
  }
  return attributes;
}

absl::Status AddSymbolFacts(absl::string_view frontend_attributes,
                            SymbolScopes* scopes) {
  const std::optional<std::string> common =
      FrontendAttribute(frontend_attributes, kSymbolFacts);
  if (common) {
    const absl::Status stated = State(kSymbolFacts, *common, &scopes->common);
    if (!stated.ok()) return stated;
  }
  for (const auto& [key, facts] :
       FrontendAttributesWithPrefix(frontend_attributes, kFactsOf)) {
    SymbolScope own = scopes->common;
    const absl::Status stated = State(key, facts, &own);
    if (!stated.ok()) return stated;
    scopes->own.emplace(key.substr(kFactsOf.size()), std::move(own));
  }
  return absl::OkStatus();
}

}  // namespace indim
