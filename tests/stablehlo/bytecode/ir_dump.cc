// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/stablehlo/bytecode/ir_dump.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim::mlir {
namespace {

class Dumper {
 public:
  Dumper(const Ir& ir, bool locations) : ir_(ir), locations_(locations) {}

  std::string Run() {
    DumpOp(ir_.module_op(), "");
    return out_;
  }

 private:
  std::string TypeText(TypeId id) {
    if (!id.valid()) return "-";
    const Type& t = ir_.type(id);
    std::string text = absl::StrCat(
        "(", static_cast<int>(t.kind), " ", Name(t.element_type), " ",
        TypeText(t.element), " [", absl::StrJoin(t.dims, ","), "] [",
        absl::StrJoin(t.bounds, ","), "] ", AttrText(t.encoding));
    for (const TypeId part : t.parts) {
      absl::StrAppend(&text, " ", TypeText(part));
    }
    return absl::StrCat(text, " ", t.input_count, t.text, ")");
  }

  // Arguments or results of a function without attributes, one by one.
  bool SaysNothing(const NamedAttr& field) {
    const absl::string_view name = ir_.text(field.name);
    const Attribute& a = ir_.attr(field.value);
    return (name == "arg_attrs" || name == "res_attrs") &&
           std::all_of(a.elements.begin(), a.elements.end(), [&](AttrId id) {
             return ir_.attr(id).kind == AttrKind::kDictionary &&
                    ir_.attr(id).fields.empty();
           });
  }

  std::string FieldsText(absl::Span<const NamedAttr> fields) {
    std::string text = "{";
    for (const NamedAttr& field : fields) {
      if (SaysNothing(field)) continue;
      absl::StrAppend(&text, ir_.text(field.name), "=", AttrText(field.value),
                      " ");
    }
    return text + "}";
  }

  std::string AttrText(AttrId id) {
    if (!id.valid()) return "-";
    const Attribute& a = ir_.attr(id);
    std::string text = absl::StrCat(
        "<", static_cast<int>(a.kind), " ", a.integer, " ", a.column, " ",
        TypeText(a.type), " '", absl::CHexEscape(a.text), "'");
    if (a.splat) text += " splat";
    for (const AttrId element : a.elements) {
      absl::StrAppend(&text, " ", AttrText(element));
    }
    if (!a.fields.empty()) absl::StrAppend(&text, " ", FieldsText(a.fields));
    if (a.metadata.valid()) absl::StrAppend(&text, " ", AttrText(a.metadata));
    return text + ">";
  }

  std::string Location(AttrId id) {
    if (!locations_ || !id.valid()) return "";
    if (ir_.attr(id).kind == AttrKind::kUnknownLoc) return "";
    return absl::StrCat(" @", AttrText(id));
  }

  std::string Define(ValueId id) {
    const size_t number = numbers_.size();
    numbers_[id.index] = number;
    return absl::StrCat("%", number, ":", TypeText(ir_.type_of(id)));
  }

  void DumpOp(OpId id, const std::string& indent) {
    const Op& op = ir_.op(id);
    absl::StrAppend(&out_, indent, ir_.name(op), " <",
                    FieldsText(ir_.properties(op)), "> ",
                    FieldsText(ir_.discardable(op)), " (");
    for (const ValueId operand : ir_.operands(op)) {
      const auto found = numbers_.find(operand.index);
      absl::StrAppend(&out_, found == numbers_.end() ? "?" : "", "%",
                      found == numbers_.end() ? 0 : found->second, " ");
    }
    out_ += ") ->";
    for (uint32_t i = 0; i < op.result_count; ++i) {
      absl::StrAppend(&out_, " ", Define(ir_.result(op, i)));
    }
    absl::StrAppend(&out_, Location(op.location), "\n");
    for (const RegionId region : ir_.regions(op)) {
      absl::StrAppend(&out_, indent, "{\n");
      for (const BlockId block : ir_.region(region).blocks) {
        DumpBlock(ir_.block(block), indent);
      }
      absl::StrAppend(&out_, indent, "}\n");
    }
  }

  void DumpBlock(const Block& block, const std::string& indent) {
    absl::StrAppend(&out_, indent, "^");
    for (const ValueId argument : block.arguments) {
      absl::StrAppend(&out_, " ", Define(argument),
                      Location(ir_.value(argument).location));
    }
    out_ += "\n";
    for (const OpId op : block.ops) DumpOp(op, indent + "  ");
  }

  const Ir& ir_;
  bool locations_;
  absl::flat_hash_map<uint32_t, size_t> numbers_;
  std::string out_;
};

}  // namespace

std::string DumpIr(const Ir& ir, bool locations) {
  return Dumper(ir, locations).Run();
}

}  // namespace indim::mlir
