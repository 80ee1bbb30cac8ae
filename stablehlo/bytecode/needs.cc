#include "indim/stablehlo/bytecode/needs.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/mlir/element_names.h"
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

void AddType(const Ir& ir, TypeId id, Needs* needs) {
  const Type* type = &ir.type(id);
  if (type->element.valid()) type = &ir.type(type->element);
  for (const TypeId part : type->parts) AddType(ir, part, needs);
  if (type->kind != TypeKind::kElement) return;
  const TypeCode* const row = CodeOf(Dialect::kVhlo, *type);
  if (row != nullptr) {
    needs->Add(row->since, std::string(NameOf(type->element_type)));
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
    }
  }
  for (uint32_t i = 0; i < ir.value_count(); ++i) {
    AddType(ir, ir.value({i}).type, &needs);
  }
  return needs.Sorted();
}

}  // namespace indim::mlir
