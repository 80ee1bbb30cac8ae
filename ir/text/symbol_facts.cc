#include "indim/ir/text/symbol_facts.h"

#include <map>
#include <vector>

#include "absl/strings/str_join.h"
#include "indim/ir/module_data.h"
#include "indim/shape/dim_expr.h"
#include "indim/shape/shape.h"

namespace indim {
namespace {

class Collector {
 public:
  void Add(const Shape& shape) {
    for (const Shape& element : shape.elements()) Add(element);
    if (!shape.is_array()) return;
    for (const Dim dim : shape.dims()) {
      if (!dim.is_symbolic()) continue;
      for (auto& [name, facts] : DimExpr(dim).Symbols()) {
        const auto [known, is_new] = facts_.emplace(name, facts);
        if (!is_new && !(known->second == facts)) known->second = {};
      }
    }
  }

  std::string Text() const {
    std::vector<std::string> texts;
    for (const auto& [name, facts] : facts_) {
      for (std::string& text : FactTexts(name, facts)) {
        texts.push_back(std::move(text));
      }
    }
    return absl::StrJoin(texts, "; ");
  }

 private:
  std::map<std::string, SymbolFacts> facts_;
};

}  // namespace

std::string SymbolFactsText(const Module& module) {
  const ModuleData& data = module.data();
  const ShapeTable& shapes = data.pools->shapes();
  // Few modules have any; a table has few shapes.
  std::vector<bool> symbolic(shapes.size(), false);
  bool any = false;
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    symbolic[i] = shapes.shape(ShapeId{i}).is_symbolic();
    any = any || symbolic[i];
  }
  if (!any) return "";
  Collector collector;
  for (const InstructionRecord& r : data.instructions) {
    if (!symbolic[r.shape.value]) continue;
    symbolic[r.shape.value] = false;
    collector.Add(shapes.shape(r.shape));
  }
  return collector.Text();
}

}  // namespace indim
