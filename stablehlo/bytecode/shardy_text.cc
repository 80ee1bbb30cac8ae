// SPDX-License-Identifier: Apache-2.0
// Shardy's attributes in bytecode, as their text: an Ir keeps them so.
// codes.def has the form of each; behind % it says what is read and put in its
// place:
//   a  attributes, with commas between; b: each in < >
//   s  a string, in quotes
//   i  an integer
//   f  factors, side by side
//   x  an optional attribute behind a colon
//   d  the ids of a mesh's devices
//   m  the mesh of a sharding, r its replicated axes
//   u  its unreduced axes; U: and how they are reduced
//   D  the sharding of a dimension
//   R  the sharding rule of an operation
//
// Source: Shardy, bytecode.td, attrs.td and printers.cc.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/stablehlo/bytecode/entry_reader.h"
#include "indim/stablehlo/mlir/spelling.h"

namespace indim::mlir {
namespace {

struct ShardyCode {
  uint64_t code;
  absl::string_view mnemonic;
  absl::string_view form;
};

constexpr ShardyCode kCodes[] = {
#define INDIM_ATTRIBUTE_CODE(...)
#define INDIM_NAMED_CODE(...)
#define INDIM_TYPE_CODE(...)
#define INDIM_ELEMENT_CODE(...)
#define INDIM_READ_ELEMENT_CODE(...)
#define INDIM_SHARDY_CODE(code, mnemonic, form) {code, mnemonic, form},
#include "indim/stablehlo/bytecode/codes.def"
#undef INDIM_ATTRIBUTE_CODE
#undef INDIM_NAMED_CODE
#undef INDIM_TYPE_CODE
#undef INDIM_ELEMENT_CODE
#undef INDIM_READ_ELEMENT_CODE
#undef INDIM_SHARDY_CODE
};

std::string Quoted(absl::string_view text) {
  std::string quoted;
  AppendQuoted(text, &quoted);
  return quoted;
}

std::string TextOf(AttrId id, EntryReader* in) {
  const Attribute& a = in->ir().attr(id);
  if (a.kind == AttrKind::kSymbol) return absl::StrCat("@", a.text);
  if (a.kind == AttrKind::kString) return Quoted(a.text);
  if (a.kind == AttrKind::kDialect && a.fields.size() == 1) {
    absl::string_view text = in->ir().attr(a.fields[0].value).text;
    if (!in->TakeText(text.size())) return "";
    // The mnemonic isn't repeated.
    const size_t begin = a.text == "sdy" ? text.find_first_of("{[") : 0;
    if (begin != text.npos) text.remove_prefix(begin);
    return std::string(text);
  }
  if (in->ready()) {
    in->Fail("an attribute of Shardy refers to an attribute of the wrong kind");
  }
  return "";
}

// Attributes with commas between, each in `open` and `close`.
std::string Texts(EntryReader* in, absl::string_view open = "",
                  absl::string_view close = "") {
  std::string text;
  std::vector<AttrId> ids;
  in->Attrs(&ids);
  for (const AttrId id : ids) {
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

std::string Factors(absl::string_view separator, EntryReader* in) {
  std::vector<int64_t> factors;
  in->SignedVarints(&factors);
  return absl::StrJoin(factors, separator,
                       [](std::string* out, int64_t f) { *out += Factor(f); });
}

// A part with `before` and `after` it; an empty one isn't there.
std::string Optional(absl::string_view before, absl::string_view part,
                     absl::string_view after) {
  return part.empty() ? "" : absl::StrCat(before, part, after);
}

std::string Devices(EntryReader* in) {
  std::vector<int64_t> devices;
  in->SignedVarints(&devices);
  return Optional(", device_ids=[", absl::StrJoin(devices, ", "), "]");
}

std::string SubAxis(EntryReader* in) {
  AttrId sub_axis;
  in->OptionalAttr(&sub_axis);
  return sub_axis.valid() ? absl::StrCat(":", TextOf(sub_axis, in)) : "";
}

std::string DimensionSharding(EntryReader* in) {
  std::string text = absl::StrCat("{", Texts(in));
  const bool closed = in->cursor().Byte() != 0;
  const uint64_t priority = in->cursor().Varint();
  if (!closed) absl::StrAppend(&text, text.size() > 1 ? ", ?" : "?");
  text += "}";
  if ((priority & 1) != 0) absl::StrAppend(&text, "p", priority >> 1);
  return text;
}

std::string MeshOfSharding(EntryReader* in) {
  AttrId mesh;
  in->Attr(&mesh);
  const std::string text = TextOf(mesh, in);
  const bool inlined = in->ir().attr(mesh).kind == AttrKind::kDialect;
  return inlined ? absl::StrCat("mesh<", text, ">") : text;
}

std::string Unreduced(bool has_reduction, EntryReader* in) {
  const std::string axes = Texts(in);
  static constexpr absl::string_view kReductions[] = {"", "max", "min"};
  int64_t reduction = 0;
  if (has_reduction) in->SignedVarint(&reduction);
  if (reduction < 0 || reduction > 2) {
    in->Fail("Indim doesn't know the reduction of a sharding");
    return "";
  }
  return Optional(absl::StrCat(", unreduced=", kReductions[reduction], "{"),
                  axes, "}");
}

std::string ShardingRule(EntryReader* in) {
  std::vector<int64_t> sizes;
  in->SignedVarints(&sizes);
  std::string text = absl::StrCat("(", Texts(in), ")->(");
  absl::StrAppend(&text, Texts(in), ")");
  for (size_t i = 0; i < sizes.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " {" : ", ",
                    Factor(static_cast<int64_t>(i)), "=", sizes[i]);
  }
  if (!sizes.empty()) text += "}";
  for (const absl::string_view name : {"reduction", "need_replication",
                                       "permutation", "blocked_propagation"}) {
    text += Optional(absl::StrCat(" ", name, "={"), Factors(", ", in), "}");
  }
  if (in->cursor().Byte() != 0) text += ", custom";
  return text;
}

// What stands for % and `letter` in a form.
std::string Read(char letter, EntryReader* in) {
  switch (letter) {
    case 'a':
      return Texts(in);
    case 'b':
      return Texts(in, "<", ">");
    case 's': {
      std::string text;
      in->String(&text);
      return Quoted(text);
    }
    case 'i':
      return absl::StrCat(in->cursor().SignedVarint());
    case 'f':
      return Factors("", in);
    case 'x':
      return SubAxis(in);
    case 'd':
      return Devices(in);
    case 'm':
      return MeshOfSharding(in);
    case 'r':
      return Optional(", replicated={", Texts(in), "}");
    case 'u':
    case 'U':
      return Unreduced(letter == 'U', in);
    case 'D':
      return DimensionSharding(in);
    default:
      return ShardingRule(in);
  }
}

}  // namespace

Attribute ReadShardyAttribute(EntryReader* in) {
  const uint64_t code = in->cursor().Varint();
  const ShardyCode* const row = FindRow(kCodes, &ShardyCode::code, code);
  if (row == nullptr) {
    in->Fail(absl::StrCat("there is no attribute ", code,
                          " of Shardy in this release of Indim"),
             Code::kArtifactUnknown);
    return {};
  }
  std::string text;
  for (size_t i = 0; i < row->form.size(); ++i) {
    text += row->form[i] == '%' ? Read(row->form[++i], in)
                                : std::string(1, row->form[i]);
  }
  if (!in->ready() || !in->TakeText(text.size())) return {};
  return in->ir().attr(in->ir().WordAttr(row->mnemonic, text));
}

}  // namespace indim::mlir
