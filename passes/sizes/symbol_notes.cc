// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/sizes/symbol_notes.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {
namespace {

constexpr char kKey[] = "indim.shape";

// `shape` with `?` for every symbolic dim; facts about the symbols go to
// *facts.
Shape Erased(const Shape& shape, std::map<std::string, SymbolFacts>* facts) {
  if (shape.is_array()) {
    Shape erased = shape;
    for (int i = 0; i < shape.rank(); ++i) {
      if (!shape.dim(i).is_symbolic()) continue;
      for (const auto& symbol : DimExpr(shape.dim(i)).Symbols()) {
        facts->insert(symbol);
      }
      erased.set_dim(i, Dim::Unknown());
    }
    return erased;
  }
  if (!shape.is_tuple() && !shape.is_buffer()) return shape;
  std::vector<Shape> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(Erased(element, facts));
  }
  return shape.is_tuple() ? Shape::Tuple(std::move(elements))
                          : Shape::Buffer(std::move(elements[0]));
}

void SetAttributes(Pools* pools, InstructionRecord* r,
                   const std::string& attributes) {
  const AttributeBytesView attribute_bytes =
      pools->attribute_bytes(r->attribute_bytes);
  const OwnedAttributeBytes changed =
      attributes.empty()
          ? WithoutField(attribute_bytes,
                         field::HloInstructionProto::kFrontendAttributes)
          : WithField(attribute_bytes,
                      field::HloInstructionProto::kFrontendAttributes,
                      attributes);
  r->attribute_bytes = pools->AddAttributeBytes(changed.view());
}

}  // namespace

Module SymbolsToFrontendAttributes(Module module) {
  std::shared_ptr<ModuleData> data = internal::TakeData(std::move(module));
  Pools& pools = data->MutablePools();
  for (InstructionRecord& r : data->instructions) {
    const Shape shape = pools.shapes().shape(r.shape);
    if (!shape.is_symbolic()) continue;
    std::map<std::string, SymbolFacts> symbols;
    const Shape erased = Erased(shape, &symbols);
    std::vector<std::string> facts;
    for (const auto& [name, known] : symbols) {
      for (std::string& fact : FactTexts(name, known)) {
        facts.push_back(std::move(fact));
      }
    }
    std::string note = shape.WithoutLayout().ToString();
    if (!facts.empty()) {
      absl::StrAppend(&note, "; ", absl::StrJoin(facts, ", "));
    }
    SetAttributes(&pools, &r,
                  WithFrontendAttribute(
                      AttributeBytesField(
                          pools.attribute_bytes(r.attribute_bytes),
                          field::HloInstructionProto::kFrontendAttributes),
                      kKey, note));
    r.shape = pools.shapes().Intern(erased);
  }
  data->ForgetProgramShapes();
  return internal::ModuleOf(std::move(data));
}

absl::StatusOr<Module> SymbolsFromFrontendAttributes(Module module) {
  std::shared_ptr<ModuleData> data = internal::TakeData(std::move(module));
  Pools& pools = data->MutablePools();
  for (InstructionRecord& r : data->instructions) {
    const absl::string_view attributes =
        AttributeBytesField(pools.attribute_bytes(r.attribute_bytes),
                            field::HloInstructionProto::kFrontendAttributes);
    const std::optional<std::string> note = FrontendAttribute(attributes, kKey);
    if (!note) continue;
    const size_t end = note->find(';');
    SymbolScope scope;
    if (end != std::string::npos) {
      const absl::Status stated = scope.State(note->substr(end + 1));
      if (!stated.ok()) return stated;
    }
    ShapeTextOptions options;
    options.scope = &scope;
    absl::StatusOr<Shape> shape = ParseShape(note->substr(0, end), options);
    if (!shape.ok()) return shape.status();
    const Shape& recorded = pools.shapes().shape(r.shape);
    if (!Compatible(*shape, recorded)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the note ", *note, " is on an instruction of ",
                       recorded.ToString()));
    }
    if (recorded.has_layout_anywhere()) *shape = shape->WithDefaultLayout();
    SetAttributes(&pools, &r, WithoutFrontendAttribute(attributes, kKey));
    r.shape = pools.shapes().Intern(*shape);
  }
  data->ForgetProgramShapes();
  return internal::ModuleOf(std::move(data));
}

}  // namespace indim
