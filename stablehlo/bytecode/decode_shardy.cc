// Shardy's attributes in bytecode, as their text: an Ir keeps them so.
//
// Source: Shardy, bytecode.td, attrs.td and printers.cc.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/stablehlo/bytecode/entries.h"
#include "indim/stablehlo/bytecode/mlir_string.h"

namespace indim::mlir {
namespace {

std::string TextOf(AttrId id, EntryDecoder* in) {
  const Attribute& a = in->ir().attr(id);
  if (a.kind == AttrKind::kSymbol) return absl::StrCat("@", a.text);
  if (a.kind == AttrKind::kString) return QuotedString(a.text);
  if (a.kind == AttrKind::kDialect && a.fields.size() == 1) {
    absl::string_view text = in->ir().attr(a.fields[0].value).text;
    if (!in->TakeText(text.size())) return "";
    // The mnemonic isn't repeated.
    const size_t begin = a.text == "sdy" ? text.find_first_of("{[") : 0;
    if (begin != text.npos) text.remove_prefix(begin);
    return std::string(text);
  }
  if (in->ready())
    in->Fail("an attribute of Shardy refers to an attribute of the wrong kind");
  return "";
}

// Attributes with commas between, each in `open` and `close`.
std::string Texts(EntryDecoder* in, absl::string_view open = "",
                  absl::string_view close = "") {
  std::string text;
  for (const AttrId id : in->Attrs()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", open, TextOf(id, in),
                    close);
  }
  return text;
}

// Factors are i to z, then z_1.
std::string Factor(int64_t factor) {
  constexpr int64_t kZ = 'z' - 'i';
  if (factor >= 0 && factor <= kZ) {
    return std::string(1, static_cast<char>('i' + factor));
  }
  return absl::StrCat("z_", factor < 0 ? factor : factor - kZ);
}

std::string Factors(absl::string_view name, EntryDecoder* in) {
  const std::vector<int64_t> factors = in->SignedVarints();
  if (factors.empty()) return "";
  return absl::StrCat(
      " ", name, "={",
      absl::StrJoin(factors, ", ",
                    [](std::string* out, int64_t f) { *out += Factor(f); }),
      "}");
}

std::string DimensionSharding(EntryDecoder* in) {
  std::string text = absl::StrCat("{", Texts(in));
  const bool closed = in->cursor().Byte() != 0;
  const uint64_t priority = in->cursor().Varint();
  if (!closed) absl::StrAppend(&text, text.size() > 1 ? ", ?" : "?");
  text += "}";
  if ((priority & 1) != 0) absl::StrAppend(&text, "p", priority >> 1);
  return text;
}

// version: 6 without unreduced axes, 15 with them, 17 with a reduction.
std::string Sharding(uint64_t code, EntryDecoder* in) {
  const AttrId mesh = in->Attr();
  const bool inlined = in->ir().attr(mesh).kind == AttrKind::kDialect;
  std::string text =
      inlined ? absl::StrCat("mesh<", TextOf(mesh, in), ">") : TextOf(mesh, in);
  absl::StrAppend(&text, ", [", Texts(in), "]");
  const std::string replicated = Texts(in);
  if (!replicated.empty()) {
    absl::StrAppend(&text, ", replicated={", replicated, "}");
  }
  if (code == 6) return text;
  const std::string unreduced = Texts(in);
  static constexpr absl::string_view kReductions[] = {"", "max", "min"};
  size_t reduction = 0;
  if (code == 17) {
    const int64_t number = in->cursor().SignedVarint();
    if (number < 0 || number > 2) {
      in->Fail("Indim doesn't know the reduction of a sharding");
    } else {
      reduction = static_cast<size_t>(number);
    }
  }
  if (!unreduced.empty()) {
    absl::StrAppend(&text, ", unreduced=", kReductions[reduction], "{",
                    unreduced, "}");
  }
  return text;
}

std::string ShardingRule(EntryDecoder* in) {
  const std::vector<int64_t> sizes = in->SignedVarints();
  std::string text = absl::StrCat("(", Texts(in), ")->(");
  absl::StrAppend(&text, Texts(in), ")");
  for (size_t i = 0; i < sizes.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " {" : ", ",
                    Factor(static_cast<int64_t>(i)), "=", sizes[i]);
  }
  if (!sizes.empty()) text += "}";
  for (const absl::string_view name : {"reduction", "need_replication",
                                       "permutation", "blocked_propagation"}) {
    text += Factors(name, in);
  }
  if (in->cursor().Byte() != 0) text += ", custom";
  return text;
}

std::string Mesh(EntryDecoder* in) {
  std::string text = absl::StrCat("[", Texts(in), "]");
  const std::vector<int64_t> devices = in->SignedVarints();
  if (!devices.empty()) {
    absl::StrAppend(&text, ", device_ids=[", absl::StrJoin(devices, ", "), "]");
  }
  return text;
}

std::string Decode(uint64_t code, absl::string_view* name, EntryDecoder* in) {
  std::string text;
  switch (code) {
    case 0:
      *name = "sdy.manual_axes";
      return absl::StrCat("{", Texts(in), "}");
    case 1:
      *name = "sdy.mesh_axis";
      text = absl::StrCat(QuotedString(in->String()), "=");
      return absl::StrCat(text, in->cursor().SignedVarint());
    case 2:
      *name = "sdy.mesh";
      return Mesh(in);
    case 3:
      *name = "sdy.sub_axis_info";
      text = absl::StrCat("(", in->cursor().SignedVarint(), ")");
      return absl::StrCat(text, in->cursor().SignedVarint());
    case 4: {
      *name = "sdy.axis_ref";
      text = QuotedString(in->String());
      const AttrId sub_axis = in->OptionalAttr();
      return sub_axis.valid() ? absl::StrCat(text, ":", TextOf(sub_axis, in))
                              : text;
    }
    case 5:
      *name = "sdy.dimension_sharding";
      return DimensionSharding(in);
    case 6:
    case 15:
    case 17:
      *name = "sdy.sharding";
      return Sharding(code, in);
    case 7:
    case 16:
      *name = "sdy.sharding_per_value";
      return absl::StrCat("[", Texts(in, "<", ">"), "]");
    case 8:
      *name = "sdy.dim_mapping";
      return absl::StrJoin(
          in->SignedVarints(), "",
          [](std::string* out, int64_t f) { *out += Factor(f); });
    case 9:
      *name = "sdy.tensor_mapping";
      return absl::StrCat("[", Texts(in), "]");
    case 10:
      *name = "sdy.op_sharding_rule";
      return ShardingRule(in);
    case 11:
      *name = "sdy";
      return absl::StrCat("axis_ref_list{", Texts(in), "}");
    case 12:
      *name = "sdy";
      return absl::StrCat("list_of_axis_ref_lists[", Texts(in), "]");
    case 13: {
      *name = "sdy.all_to_all_param";
      text = absl::StrCat("{", Texts(in), "}:");
      absl::StrAppend(&text, in->cursor().SignedVarint(), "->");
      return absl::StrCat(text, in->cursor().SignedVarint());
    }
    case 14:
      *name = "sdy";
      return absl::StrCat("all_to_all_param_list[", Texts(in), "]");
    default:
      in->Fail(absl::StrCat("there is no attribute ", code, " of Shardy in ",
                            "this release of Indim"),
               Code::kArtifactUnknown);
      return text;
  }
}

}  // namespace

Attribute DecodeShardyAttribute(uint64_t code, EntryDecoder* in) {
  absl::string_view name;
  const std::string text = Decode(code, &name, in);
  if (!in->ready() || !in->TakeText(text.size())) return {};
  Attribute a;
  a.kind = AttrKind::kDialect;
  a.text = std::string(name);
  a.fields.push_back({in->ir().Intern(""), in->ir().StringAttr(text)});
  return a;
}

}  // namespace indim::mlir
