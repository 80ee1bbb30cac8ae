// A repair in words.

#include <string>
#include <vector>

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

// What the builder calls a binary op.
absl::string_view BuilderName(const OpInputs& inputs) {
  static constexpr absl::string_view kDirections[] = {"Eq", "Ne", "Ge",
                                                      "Gt", "Le", "Lt"};
  switch (inputs.opcode) {
    case Opcode::kMaximum:
      return "Max";
    case Opcode::kMinimum:
      return "Min";
    case Opcode::kMultiply:
      return "Mul";
    case Opcode::kSubtract:
      return "Sub";
    case Opcode::kDivide:
      return "Div";
    case Opcode::kRemainder:
      return "Rem";
    case Opcode::kPower:
      return "Pow";
    case Opcode::kCompare:
      return kDirections[static_cast<size_t>(
          inputs.attributes_as<CompareAttributes>().direction)];
    default:
      return Info(inputs.opcode).name;
  }
}

// "10 = 10", "1 stretches to 10"
std::string MatchText(Dim small, Dim large) {
  if (small == large)
    return absl::StrCat(small.ToString(), " = ", large.ToString());
  if (small.is(1)) return absl::StrCat("1 stretches to ", large.ToString());
  if (large.is(1)) return absl::StrCat("1 stretches to ", small.ToString());
  return absl::StrCat(small.ToString(), " with ", large.ToString());
}

// "Add(x, y, {1}) matches dim 0 of y with dim 1 of x (10 = 10)". Empty: it is
// about no two operands.
std::string BroadcastText(const DimIndices& dims, const OpInputs& inputs,
                          absl::Span<const std::string> names) {
  if (inputs.operands.size() != 2 || names.size() < 2) return "";
  const Shape& lhs = *inputs.operands[0];
  const Shape& rhs = *inputs.operands[1];
  const std::string call =
      absl::StrCat(BuilderName(inputs), "(", names[0], ", ", names[1]);
  const size_t small_index = lhs.rank() < rhs.rank() ? 0 : 1;
  const Shape& small = small_index == 0 ? lhs : rhs;
  const Shape& large = small_index == 0 ? rhs : lhs;
  if (lhs.rank() == rhs.rank() || dims.empty()) {
    return call + ") without broadcast_dimensions";
  }
  std::vector<std::string> from;
  std::vector<std::string> matches;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int dim = static_cast<int>(i);
    if (dim >= small.rank() || dims[i] < 0 || dims[i] >= large.rank())
      return "";
    from.push_back(absl::StrCat(dim));
    matches.push_back(
        MatchText(small.dim(dim), large.dim(static_cast<int>(dims[i]))));
  }
  const absl::string_view what = dims.size() == 1 ? "dim " : "dims ";
  return absl::StrCat(call, ", {", ListText(dims), "}) matches ", what,
                      absl::StrJoin(from, ","), " of ", names[small_index],
                      " with ", what, ListText(dims), " of ",
                      names[1 - small_index], " (",
                      absl::StrJoin(matches, ", "), ")");
}

}  // namespace

bool HasNumbers(const Repair& repair, const OpInputs& inputs) {
  if (repair.what != Repair::What::kAttribute || repair.numbers.empty()) {
    return true;
  }
  Attributes changed =
      inputs.attributes != nullptr ? *inputs.attributes : Attributes();
  repair.attribute->set(&changed, repair.numbers);
  return repair.attribute->numbers(changed).size() == repair.numbers.size();
}

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
      if (!HasNumbers(repair, inputs)) {
        return absl::StrCat(repair.attribute->name, " of ",
                            repair.numbers.size(), " dims");
      }
      return absl::StrCat(repair.attribute->name, "={",
                          ListText(repair.numbers), "}");
    case Repair::What::kRecorded:
      return absl::StrCat("a result of ", repair.shape.ToString());
    case Repair::What::kCallee:
      return absl::StrCat("a computation ", SignatureText(repair.callee));
    case Repair::What::kOperandCount:
      return absl::StrCat(repair.index, " operands");
    case Repair::What::kBroadcast:
      return BroadcastText(repair.numbers, inputs, names);
  }
  return "";
}

}  // namespace indim
