// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/means_nothing.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/wire/printable.h"
#include "indim/stablehlo/import/shardings.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {
namespace {

class Finder {
 public:
  Finder(const Ir& ir, const Functions& functions, const Places& places)
      : ir_(ir), functions_(functions), places_(places) {}

  std::vector<std::string> Find() {
    const mlir::Op& module = ir_.op(ir_.module_op());
    const AttrId result = ir_.Find(module, note::kSpmdOutputSharding);
    if (result.valid()) CheckSharding(result, module.offset);
    for (const AttrId parameter :
         ir_.attr(ir_.Find(module, note::kSpmdParametersShardings)).elements) {
      CheckSharding(parameter, module.offset);
    }
    for (const OpId id : ir_.block(ir_.module_block()).ops) {
      const mlir::Op& function = ir_.op(id);
      if (ir_.name(function) == "func.func") CheckFunction(function);
    }
    std::vector<std::string> texts;
    for (const Kind& kind : kinds_) {
      std::string text =
          kind.line == 0 ? "" : absl::StrCat("line ", kind.line, ": ");
      absl::StrAppend(&text, kind.text);
      if (kind.count > 1) absl::StrAppend(&text, " (", kind.count, " times)");
      texts.push_back(std::move(text));
    }
    return texts;
  }

 private:
  struct Kind {
    std::string text;
    uint32_t line;
    int64_t count;
  };

  void Add(std::string text, Offset offset) {
    const auto [at, is_new] = by_text_.try_emplace(text, kinds_.size());
    if (is_new) {
      kinds_.push_back({std::move(text), places_.At(offset).line, 0});
    }
    ++kinds_[at->second].count;
  }

  std::string TextOf(AttrId id) const {
    constexpr size_t kLongest = 60;
    return Printable(AttributeText(ir_, id), kLongest);
  }

  void CheckSharding(AttrId id, Offset offset) {
    const Attribute& value = ir_.attr(id);
    if (value.kind == AttrKind::kString) {
      const auto [at, is_new] = is_sharding_.try_emplace(value.text, false);
      if (is_new) at->second = ShardingOfText(value.text).has_value();
      if (at->second) return;
    }
    Add(absl::StrCat("mhlo.sharding ", TextOf(id), " isn't a sharding"),
        offset);
  }

  void CheckAttributes(absl::Span<const NamedAttr> attributes, Offset offset) {
    for (const NamedAttr& attribute : attributes) {
      const absl::string_view name = ir_.text(attribute.name);
      if (name == note::kHloSharding) CheckSharding(attribute.value, offset);
      if (name == note::kMemoryKind &&
          ir_.attr(attribute.value).kind != AttrKind::kString) {
        Add(absl::StrCat("mhlo.memory_kind ", TextOf(attribute.value),
                         " isn't a string"),
            offset);
      }
    }
  }

  void CheckCallees(const mlir::Op& call) {
    for (const AttrId symbol :
         ir_.attr(ir_.Find(call, "called_computations")).elements) {
      const absl::string_view name = ir_.attr(symbol).text;
      const OpId function = functions_.Find(name);
      if (function.valid() && functions_.HasBody(function)) continue;
      Add(absl::StrCat("called_computations of a custom call name @",
                       Printable(name), ", which is no function with a body"),
          call.offset);
    }
  }

  void CheckFunction(const mlir::Op& function) {
    for (const absl::string_view list : {note::kArgAttrs, note::kResAttrs}) {
      for (const AttrId attributes :
           ir_.attr(ir_.Find(function, list)).elements) {
        CheckAttributes(ir_.attr(attributes).fields, function.offset);
      }
    }
    std::vector<RegionId> waiting(ir_.regions(function).begin(),
                                  ir_.regions(function).end());
    while (!waiting.empty()) {
      const RegionId region = waiting.back();
      waiting.pop_back();
      for (const BlockId block : ir_.region(region).blocks) {
        for (const OpId id : ir_.block(block).ops) {
          const mlir::Op& op = ir_.op(id);
          CheckAttributes(ir_.discardable(op), op.offset);
          if (ir_.name(op) == "stablehlo.custom_call") CheckCallees(op);
          const absl::Span<const RegionId> inner = ir_.regions(op);
          waiting.insert(waiting.end(), inner.begin(), inner.end());
        }
      }
    }
  }

  const Ir& ir_;
  const Functions& functions_;
  const Places& places_;
  absl::flat_hash_map<absl::string_view, bool> is_sharding_;
  absl::flat_hash_map<std::string, size_t> by_text_;  // in kinds_
  std::vector<Kind> kinds_;
};

}  // namespace

std::vector<std::string> WhatMeansNothing(const Ir& ir,
                                          const Functions& functions,
                                          const Places& places) {
  return Finder(ir, functions, places).Find();
}

}  // namespace indim::stablehlo_import
