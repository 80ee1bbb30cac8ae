// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/needs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/ops/attribute_kind.h"

namespace indim::mlir {
namespace {

class Needs {
 public:
  void Add(Version since, std::string what) {
    if (!(kOldestRelease < since) || since == kNotPortable ||
        !seen_.insert(what).second) {
      return;
    }
    const auto at =
        std::find_if(needs_.begin(), needs_.end(),
                     [&](const ReleaseNeed& n) { return n.since == since; });
    ReleaseNeed& need = at != needs_.end() ? *at : needs_.emplace_back();
    need.since = since;
    need.what.push_back(std::move(what));
  }
  std::vector<ReleaseNeed> Sorted() {
    std::sort(needs_.begin(), needs_.end(),
              [](const ReleaseNeed& a, const ReleaseNeed& b) {
                return b.since < a.since;
              });
    return std::move(needs_);
  }

 private:
  std::vector<ReleaseNeed> needs_;
  absl::flat_hash_set<std::string> seen_;
};

// A type and its parts, those that weren't seen before.
void AddType(const Ir& ir, TypeId id, absl::flat_hash_set<TypeId>* seen,
             Needs* needs) {
  std::vector<TypeId> stack = {id};
  while (!stack.empty()) {
    const TypeId top = stack.back();
    stack.pop_back();
    if (!seen->insert(top).second) continue;
    const Type* type = &ir.type(top);
    if (type->element.valid()) type = &ir.type(type->element);
    stack.insert(stack.end(), type->parts.rbegin(), type->parts.rend());
    if (type->kind != TypeKind::kElement) continue;
    const TypeCode* const row = CodeOf(Dialect::kVhlo, *type);
    if (row != nullptr) {
      needs->Add(row->since, std::string(NameOf(type->element_type)));
    }
  }
}

}  // namespace

std::vector<ReleaseNeed> NeedsOf(const Ir& ir) {
  Needs needs;
  for (uint32_t i = 0; i < ir.op_count(); ++i) {
    const Op& op = ir.op({i});
    const OpRow* const row = FindOp(ir.name(op));
    if (row == nullptr) continue;
    needs.Add(row->since, std::string(row->name));
    for (const NamedAttr& attribute : ir.properties(op)) {
      const AttributeRow* const of =
          FindAttribute(*row, ir.text(attribute.name));
      if (of == nullptr || IsLeftOut(ir, of->otherwise, attribute.value)) {
        continue;
      }
      needs.Add(of->since, absl::StrCat(of->name, " of ", row->name));
      needs.Add(ValueSince(ir, ir.attr(attribute.value)),
                absl::StrCat("this ", of->name, " of ", row->name));
    }
  }
  absl::flat_hash_set<TypeId> seen;
  for (uint32_t i = 0; i < ir.value_count(); ++i) {
    AddType(ir, ir.value({i}).type, &seen, &needs);
  }
  return needs.Sorted();
}

}  // namespace indim::mlir
