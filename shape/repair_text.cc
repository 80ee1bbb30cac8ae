// A repair in words.

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/infer_sizes.h"
#include "indim/shape/repair.h"

namespace indim {
namespace {

std::string Sizes(absl::Span<const Dim> dims) {
  return absl::StrJoin(dims, ",", [](std::string* out, Dim dim) {
    absl::StrAppend(out, dim.ToString());
  });
}

bool SameElementCount(const Shape& a, const Shape& b) {
  return a.has_rank() && b.has_rank() && a.is_static() && b.is_static() &&
         a.ElementCount().has_value() && a.ElementCount() == b.ElementCount();
}

// The builder's call that makes `to` of `from`, which is called `name`; ""
// where it takes more than one.
std::string CallText(const Shape& from, const Shape& to,
                     absl::string_view name) {
  for (int i = 0; from.is_tuple() && i < from.element_count(); ++i) {
    if (SameStructure(from.elements()[i], to)) {
      return absl::StrCat("GetTupleElement(", name, ", ", i, ")");
    }
  }
  if (!from.is_array() || !to.is_array()) return "";
  Shape retyped = from.WithoutLayout();
  retyped.set_element_type(to.element_type());
  if (retyped == to) {
    return absl::StrCat("ConvertElementType(", name, ", ",
                        absl::AsciiStrToUpper(Name(to.element_type())), ")");
  }
  if (from.element_type() != to.element_type()) return "";
  if (from.is_scalar() && to.has_rank() && to.is_static()) {
    return absl::StrCat("Broadcast(", name, ", {", Sizes(to.dims()), "})");
  }
  if (SameElementCount(from, to)) {
    return absl::StrCat("Reshape(", name, ", {", Sizes(to.dims()), "})");
  }
  return "";
}

std::string SignatureText(const Signature& signature) {
  const std::string parameters = absl::StrJoin(
      signature.parameters, ", ", [](std::string* out, const Shape& shape) {
        absl::StrAppend(out, shape.ToString());
      });
  return absl::StrCat("(", parameters, ") -> ", signature.result.ToString());
}

}  // namespace

std::string RepairText(const Repair& repair, const OpInputs& inputs,
                       absl::Span<const std::string> names) {
  const auto index = static_cast<size_t>(repair.index);
  switch (repair.what) {
    case Repair::What::kOperand: {
      const std::string wanted = repair.shape.ToString();
      if (index < inputs.operands.size() && index < names.size()) {
        const std::string call =
            CallText(*inputs.operands[index], repair.shape, names[index]);
        if (!call.empty()) {
          return absl::StrCat(call, " as operand ", index, ": ", wanted);
        }
      }
      return absl::StrCat(wanted, " as operand ", index);
    }
    case Repair::What::kAttribute:
      return absl::StrCat(repair.attribute->name, "={",
                          ListText(repair.numbers), "}");
    case Repair::What::kRecorded:
      return absl::StrCat("a result of ", repair.shape.ToString());
    case Repair::What::kCallee:
      return absl::StrCat("a computation ", SignatureText(repair.callee));
    case Repair::What::kOperandCount:
      return absl::StrCat(repair.index, " operands");
  }
  return "";
}

}  // namespace indim
