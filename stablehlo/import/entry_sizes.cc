// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/entry_sizes.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/stablehlo/import/attribute_reader.h"
#include "indim/stablehlo/import/size_values.h"

namespace indim::stablehlo_import {
namespace {

// Names of sizes that have no other yet. They sort after all names that a
// program is likely to have, so that DimExpr::Solve solves for them.
constexpr absl::string_view kProvisional = "zzzzz_";

bool IsProvisional(absl::string_view name) {
  return absl::ConsumePrefix(&name, kProvisional);
}

class Namer {
 public:
  Namer(const Ir& ir, const mlir::Op& function,
        absl::FunctionRef<OpId(absl::string_view)> find_function)
      : ir_(ir), block_(ir.body(function)), find_function_(find_function) {}

  std::vector<Shape> Run(std::vector<Shape> shapes,
                         const DimExpr::Values& values) {
    if (!Begin(&shapes)) return shapes;
    Forms(shapes);
    FindDivisors();
    Apply(&shapes);
    Forms(shapes);
    FindNames();
    NameTheRest();
    // Of a value that contradicts an equation an assertion is left, which
    // fails.
    for (const auto& [name, value] : values) {
      scope_.Bind(name, value).IgnoreError();
    }
    Apply(&shapes);
    Forms(shapes);
    FindFacts();
    Apply(&shapes);
    return shapes;
  }

 private:
  // Gives each unknown size a provisional name; false: there is none.
  bool Begin(std::vector<Shape>* shapes) {
    for (Shape& shape : *shapes) {
      for (int i = 0; i < shape.rank(); ++i) {
        if (!shape.dim(i).is_unknown()) continue;
        const std::string name = absl::StrCat(kProvisional, count_);
        const std::optional<Dim> symbol = SymbolDim(name);
        if (!symbol.has_value()) continue;
        ++count_;
        shape.set_dim(i, *symbol);
      }
    }
    return count_ > 0;
  }
  // Prepares evaluation with these shapes of arguments.
  void Forms(const std::vector<Shape>& shapes) {
    values_.emplace(ir_, find_function_);
    arguments_.clear();
    for (size_t i = 0; i < block_.arguments.size() && i < shapes.size(); ++i) {
      arguments_[block_.arguments[i].index] = shapes[i];
    }
  }
  // The first element of `value`.
  DimExpr Of(ValueId value) {
    const SizeValues::Exprs& exprs =
        values_->Of(value, [this](ValueId array) -> const Shape* {
          const auto found = arguments_.find(array.index);
          return found == arguments_.end() ? nullptr : &found->second;
        });
    return exprs.size() == 1 ? exprs[0] : DimExpr::Invalid();
  }

  // --- Names -----------------------------------------------------------------
  void FindNames() {
    for (const OpId id : block_.ops) {
      const mlir::Op& op = ir_.op(id);
      if (ir_.name(op) == "func.call") NamesOfCall(op);
      if (!IsAssertion(op)) continue;
      NameInMessage(op);
      // Sizes that must be equal have one name.
      const mlir::Op* compare = Comparison(op);
      if (compare == nullptr || Direction(*compare) != "EQ") continue;
      Solve(Of(ir_.operands(*compare)[0]) - Of(ir_.operands(*compare)[1]));
    }
  }
  // Arguments that are called by a name.
  void NamesOfCall(const mlir::Op& call) {
    const AttrId callee = ir_.Find(call, "callee");
    if (!callee.valid()) return;
    const OpId function = find_function_(ir_.attr(callee).text);
    if (!function.valid()) return;
    const AttrId attrs = ir_.Find(ir_.op(function), note::kArgAttrs);
    if (!attrs.valid()) return;
    const std::vector<AttrId>& list = ir_.attr(attrs).elements;
    for (size_t i = 0; i < list.size() && i < call.operand_count; ++i) {
      const AttrId name = ir_.Find(ir_.attr(list[i]), "jax.global_constant");
      if (!name.valid()) continue;
      SetName(Of(ir_.operands(call)[i]), ir_.attr(name).text);
    }
  }
  void SetName(const DimExpr& size, const std::string& name) {
    if (!size.valid() || !IsSymbolName(name) || IsProvisional(name)) return;
    const std::optional<Dim> symbol = SymbolDim(name);
    if (!symbol.has_value()) return;
    const DimExpr difference = size - DimExpr(*symbol);
    bool solved = Solve(difference);
    // Of `a` that is a fifth of a size, the size is 5*a.
    for (const auto& [part, facts] : size.Symbols()) {
      solved = solved || (IsProvisional(part) && facts.divisor > 1 &&
                          Solve(difference * facts.divisor));
    }
    if (solved) named_.insert(name);
  }
  // Gives the provisional name in `difference`, which is 0, a value.
  bool Solve(const DimExpr& difference) {
    if (!difference.valid()) return false;
    const DimExpr now = difference.Substitute(scope_.values());
    const auto solved = now.Solve();
    return solved.has_value() && IsProvisional(solved->first) &&
           scope_.Bind(solved->first, solved->second).ok();
  }
  void NameTheRest() {
    int next = 0;
    for (int i = 0; i < count_; ++i) {
      const std::string provisional = absl::StrCat(kProvisional, i);
      if (scope_.values().find(provisional) != scope_.values().end()) continue;
      std::string name;
      do {
        name = absl::StrCat("d", next++);
      } while (named_.contains(name));
      const std::optional<Dim> symbol = SymbolDim(name);
      if (symbol.has_value()) {
        // A new name contradicts nothing.
        scope_.Bind(provisional, DimExpr(*symbol)).IgnoreError();
      }
    }
  }

  // --- Assertions ------------------------------------------------------------
  bool IsAssertion(const mlir::Op& op) const {
    if (ir_.name(op) != "stablehlo.custom_call" || op.operand_count == 0) {
      return false;
    }
    const AttrId target = ir_.Find(op, "call_target_name");
    return target.valid() && ir_.attr(target).text == "shape_assertion";
  }
  // JAX's messages name a variable, and say which operand behind the first is
  // its value: "... for dimension variable 'b'. ... 'a' = {0} ..., 'b' = {1}".
  // Without that it is the first of them.
  void NameInMessage(const mlir::Op& op) {
    constexpr absl::string_view kBefore = "for dimension variable '";
    const AttrId message = ir_.Find(op, note::kErrorMessage);
    if (!message.valid()) return;
    const absl::string_view text = ir_.attr(message).text;
    const size_t at = text.find(kBefore);
    if (at == absl::string_view::npos) return;
    absl::string_view name = text.substr(at + kBefore.size());
    name = name.substr(0, name.find('\''));
    const std::string value = absl::StrCat("'", name, "' = {");
    const size_t place = text.find(value);
    uint32_t k = 0;
    if (place != absl::string_view::npos) {
      const absl::string_view digits = text.substr(place + value.size());
      if (!absl::SimpleAtoi(digits.substr(0, digits.find('}')), &k)) return;
    }
    if (k >= op.operand_count || k + 1 >= op.operand_count) return;
    SetName(Of(ir_.operands(op)[k + 1]), std::string(name));
  }
  // The comparison that is asserted; null: something else is.
  const mlir::Op* Comparison(const mlir::Op& assertion) const {
    const Value& asserted = ir_.value(ir_.operands(assertion)[0]);
    if (!asserted.op.valid()) return nullptr;
    const mlir::Op& op = ir_.op(asserted.op);
    return ir_.name(op) == "stablehlo.compare" && op.operand_count == 2
               ? &op
               : nullptr;
  }
  absl::string_view Direction(const mlir::Op& compare) const {
    return ReadWord(ir_, ir_.Find(compare, "comparison_direction"))
        .value_or("");
  }
  void FindFacts() {
    for (const OpId id : block_.ops) {
      if (!IsAssertion(ir_.op(id))) continue;
      const mlir::Op* compare = Comparison(ir_.op(id));
      if (compare != nullptr) StateFact(*compare);
    }
  }
  void StateFact(const mlir::Op& compare) {
    const DimExpr a = Of(ir_.operands(compare)[0]);
    const DimExpr b = Of(ir_.operands(compare)[1]);
    const absl::string_view direction = Direction(compare);
    if (!a.valid() || !b.valid()) return;
    const auto state = [&](absl::string_view sign) {
      // An assertion that no size meets stays one, and fails at run time.
      scope_.State(absl::StrCat(a.ToString(), sign, b.ToString()))
          .IgnoreError();
    };
    if (direction == "GE") state(" >= ");
    if (direction == "GT") state(" > ");
    if (direction == "LE") state(" <= ");
    if (direction == "LT") state(" < ");
    if (direction == "EQ") state(" == ");
  }
  // Facts as remainder(n, 5) == 0, which decide what names a program computes
  // from sizes.
  void FindDivisors() {
    for (const OpId id : block_.ops) {
      if (!IsAssertion(ir_.op(id))) continue;
      const mlir::Op* compare = Comparison(ir_.op(id));
      if (compare == nullptr || Direction(*compare) != "EQ") continue;
      const DimExpr a = Of(ir_.operands(*compare)[0]);
      const DimExpr b = Of(ir_.operands(*compare)[1]);
      if ((a - b).Solve().has_value()) continue;
      StateFact(*compare);
    }
  }

  void Apply(std::vector<Shape>* shapes) {
    for (Shape& shape : *shapes) {
      std::optional<Shape> known = Substitute(shape, scope_);
      if (known.has_value()) shape = *std::move(known);
    }
  }

  const Ir& ir_;
  const Block& block_;
  const absl::FunctionRef<OpId(absl::string_view)> find_function_;
  int count_ = 0;
  SymbolScope scope_;
  absl::flat_hash_set<std::string> named_;
  std::optional<SizeValues> values_;
  absl::flat_hash_map<uint32_t, Shape> arguments_;
};

}  // namespace

std::vector<Shape> NameSizes(
    const Ir& ir, const mlir::Op& function, Shapes* shapes,
    absl::FunctionRef<OpId(absl::string_view)> find_function,
    const DimExpr::Values& values) {
  std::vector<Shape> arguments;
  for (const ValueId argument : ir.body(function).arguments) {
    arguments.push_back(shapes->Of(ir.type_of(argument)));
  }
  return Namer(ir, function, find_function).Run(std::move(arguments), values);
}

}  // namespace indim::stablehlo_import
