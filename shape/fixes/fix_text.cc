// SPDX-License-Identifier: Apache-2.0
// Fixes in words.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/fixes/change.h"
#include "indim/shape/fixes/contraction_fixes.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/fixes/stablehlo_fix.h"
#include "indim/shape/infer/infer_sizes.h"

namespace indim {
namespace {

std::string Sizes(absl::Span<const Dim> dims) {
  return absl::StrJoin(dims, ",", [](std::string* out, Dim dim) {
    absl::StrAppend(out, dim.ToString());
  });
}

// "kF32"
absl::string_view Enumerator(ElementType type) {
  switch (type) {
#define INDIM_ELEMENT_TYPE(name, ...) \
  case ElementType::k##name:          \
    return "k" #name;
#include "indim/shape/types/element_types.def"
#undef INDIM_ELEMENT_TYPE
    case ElementType::kInvalid:
      break;
  }
  return "kInvalid";
}

// Whether one of `from`'s dims, which become `dims` of `to`, has another size
// there.
bool Stretches(const Shape& from, const DimIndices& dims, const Shape& to) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (from.dim(static_cast<int>(i)) != to.dim(static_cast<int>(dims[i]))) {
      return true;
    }
  }
  return false;
}

// What does without a type that has a sign, before the change to one: "leave
// abs out, u32 has no sign; or ". "": the operation isn't about signs.
std::string WithoutSignText(const OpInputs& inputs, absl::string_view name) {
  const bool is_abs = inputs.opcode == Opcode::kAbs;
  if (!is_abs && inputs.opcode != Opcode::kSign) return "";
  const ElementType type = inputs.operands[0]->element_type();
  if (!IsUnsigned(type) && type != ElementType::kPred) return "";
  return absl::StrCat(
      is_abs ? "leave abs out" : absl::StrCat("compare ", name, " with 0"),
      ", ", Name(type), " has no sign; or ");
}

// The name of the function for `inputs`.
std::string FunctionName(const OpInputs& inputs) {
  static const Attributes* const kNone = new Attributes();
  return CallName(GetCallLanguage(), inputs.opcode,
                  inputs.attributes != nullptr ? *inputs.attributes : *kNone);
}

// "LT" of a comparison, else "".
absl::string_view DirectionOf(const OpInputs& inputs) {
  static constexpr absl::string_view kDirections[] = {"EQ", "NE", "GE",
                                                      "GT", "LE", "LT"};
  if (inputs.opcode != Opcode::kCompare) return "";
  return kDirections[static_cast<size_t>(
      inputs.attributes_as<CompareAttributes>().direction)];
}

// The call of an operation of two operands, named `both`, by `dims`.
std::string CallWithDims(FixCall call, const OpInputs& inputs,
                         absl::string_view both, absl::string_view dims) {
  const absl::string_view direction = DirectionOf(inputs);
  std::string python, c;
  if (!direction.empty()) {
    python = absl::StrCat(", direction=\"", direction, "\"");
    c = absl::StrCat("direction=", direction, ", ");
  }
  return CallText(call, {FunctionName(inputs), both, dims, python, c});
}

// "10 = 10", "1 stretches to 10"
std::string MatchText(Dim small, Dim large) {
  if (small == large)
    return absl::StrCat(small.ToString(), " = ", large.ToString());
  if (small.is(1)) return absl::StrCat("1 stretches to ", large.ToString());
  if (large.is(1)) return absl::StrCat("1 stretches to ", small.ToString());
  return absl::StrCat(small.ToString(), " with ", large.ToString());
}

// "Add(x, y, {1}) matches dim 0 of y with dim 1 of x (10 = 10)". Empty for
// other than two operands.
std::string BroadcastText(const DimIndices& dims, const OpInputs& inputs,
                          absl::Span<const std::string> names) {
  if (inputs.operands.size() != 2 || names.size() < 2) return "";
  const Shape& lhs = *inputs.operands[0];
  const Shape& rhs = *inputs.operands[1];
  const std::string both = absl::StrCat(names[0], ", ", names[1]);
  const size_t small_index = lhs.rank() < rhs.rank() ? 0 : 1;
  const Shape& small = small_index == 0 ? lhs : rhs;
  const Shape& large = small_index == 0 ? rhs : lhs;
  if (lhs.rank() == rhs.rank() || dims.empty()) {
    return CallWithDims(FixCall::kWithoutDims, inputs, both, "");
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
  return absl::StrCat(
      CallWithDims(FixCall::kWithDims, inputs, both, ListText(dims)),
      " matches ", what, absl::StrJoin(from, ","), " of ", names[small_index],
      " with ", what, ListText(dims), " of ", names[1 - small_index], " (",
      absl::StrJoin(matches, ", "), ")");
}

// The call after a change of one of two lists that pair dims.
std::string PairsCall(const Fix& fix, const OwnedInputs& mended,
                      const OpInputs& inputs,
                      absl::Span<const std::string> names) {
  const std::string changed = CallText(
      FixCall::kAttribute, {fix.attribute->name, ListText(fix.numbers)});
  if (inputs.opcode != Opcode::kDot) {
    return CallText(
        FixCall::kWithAttribute,
        {FunctionName(inputs),
         absl::StrJoin(names.subspan(0, inputs.operands.size()), ", "),
         changed});
  }
  const auto& d = As<DotAttributes>(mended.attributes);
  if (mended.operands[0].rank() == 2 && mended.operands[1].rank() == 2 &&
      d.lhs_batch_dims.empty() && d.lhs_contracting_dims.size() == 1) {
    const bool left = d.lhs_contracting_dims[0] == 0;
    const bool right = d.rhs_contracting_dims[0] == 1;
    const FixCall call =
        left ? (right ? FixCall::kMatricesTransposed
                      : FixCall::kMatrixTransposedLeft)
             : (right ? FixCall::kMatrixTransposedRight : FixCall::kMatrices);
    return DotText(call, d, names[0], names[1], changed);
  }
  return DotText(FixCall::kContractOneList, d, names[0], names[1], changed);
}

// For a change of one of two lists that pair dims of operands 0 and 1:
// "DotGeneral(x, w) with rhs_contracting_dims={1} matches dim 1 of w with dim 1
// of x (784 = 784)". Empty: it is another list, or pairs nothing.
std::string PairsText(const Fix& fix, const OpInputs& inputs,
                      absl::Span<const std::string> names) {
  const auto& constraints = DeclarationOf(inputs.opcode).constraints;
  const auto pairs = std::find_if(
      constraints.begin(), constraints.end(), [&](const Constraint& c) {
        return c.kind == ConstraintKind::kPairs &&
               (c.attribute == fix.attribute || c.second == fix.attribute);
      });
  if (pairs == constraints.end() || names.size() < 2) return "";
  OwnedInputs mended(inputs);
  mended.Apply(fix);
  const NumberList lhs = pairs->attribute->numbers(mended.attributes);
  const NumberList rhs = pairs->second->numbers(mended.attributes);
  if (lhs.size() == 0 || lhs.size() != rhs.size()) return "";
  std::vector<std::string> matches;
  const std::vector<int64_t> left(lhs.begin(), lhs.end());
  const std::vector<int64_t> right(rhs.begin(), rhs.end());
  for (size_t i = 0; i < left.size(); ++i) {
    const int a = static_cast<int>(left[i]), b = static_cast<int>(right[i]);
    if (a < 0 || a >= mended.operands[0].rank() || b < 0 ||
        b >= mended.operands[1].rank()) {
      return "";
    }
    matches.push_back(
        MatchText(mended.operands[0].dim(a), mended.operands[1].dim(b)));
  }
  const absl::string_view what = left.size() == 1 ? "dim " : "dims ";
  return absl::StrCat(PairsCall(fix, mended, inputs, names), " matches ", what,
                      ListText(left), " of ", names[0], " with ", what,
                      ListText(right), " of ", names[1], " (",
                      absl::StrJoin(matches, ", "), ")");
}

// "padding={{1,1,0},{0,0,0}}"
std::string PaddingText(const PadAttributes& pad) {
  const auto append = [](std::string* out, const PaddingDim& dim) {
    absl::StrAppend(out,
                    CallText(FixCall::kPaddingDim,
                             {absl::StrCat(dim.low), absl::StrCat(dim.high),
                              absl::StrCat(dim.interior)}));
  };
  const std::string between = CallText(FixCall::kPaddingBetween, {});
  return CallText(FixCall::kPadding,
                  {absl::StrJoin(pad.padding, between, append)});
}

// "slice={[0:8], [0:6:2]}", which HLO text has in the place of three lists.
std::string SliceText(const SliceAttributes& slice) {
  std::vector<std::string> dims;
  for (size_t i = 0; i < slice.limits.size(); ++i) {
    const int64_t start = i < slice.starts.size() ? slice.starts[i] : 0;
    const int64_t stride = i < slice.strides.size() ? slice.strides[i] : 1;
    dims.push_back(absl::StrCat("[", start, ":", slice.limits[i],
                                stride == 1 ? "" : absl::StrCat(":", stride),
                                "]"));
  }
  return absl::StrCat("slice={", absl::StrJoin(dims, ", "), "}");
}

std::string ChangedAttribute(const Fix& fix, const OpInputs& inputs,
                             absl::Span<const std::string> names) {
  OwnedInputs mended(inputs);
  mended.Apply(fix);
  if (!HasNumbers(fix, inputs)) {
    return PaddingText(As<PadAttributes>(mended.attributes));
  }
  if (inputs.opcode == Opcode::kSlice && HasHloNames(GetCallLanguage())) {
    return SliceText(As<SliceAttributes>(mended.attributes));
  }
  std::string text = PairsText(fix, inputs, names);
  if (!text.empty()) return text;
  const std::string numbers = ListText(fix.numbers);
  if (fix.attribute->is_number) {
    return absl::StrCat(fix.attribute->name, "=", numbers);
  }
  return CallText(FixCall::kAttribute, {fix.attribute->name, numbers});
}

}  // namespace

std::string ChangeText(const Shape& from, const Shape& to,
                       absl::string_view name) {
  for (int i = 0; from.is_tuple() && i < from.tuple_size(); ++i) {
    if (SameStructure(from.elements()[i], to)) {
      return CallText(FixCall::kElement,
                      {name, absl::StrCat(i), to.WithoutLayout().ToString()});
    }
  }
  if (!from.is_array() || !to.is_array()) return "";
  const absl::string_view type = Name(to.element_type());
  const std::string sizes = to.has_rank() ? Sizes(to.dims()) : "*";
  Shape retyped = from.WithoutLayout();
  retyped.set_element_type(to.element_type());
  if (retyped == to) {
    if (to.element_type() == ElementType::kPred) {
      return CallText(FixCall::kNotZero,
                      {name, Name(from.element_type()), sizes});
    }
    return CallText(FixCall::kConvert,
                    {name, Enumerator(to.element_type()), type, sizes});
  }
  if (from.element_type() != to.element_type() || !to.has_rank()) return "";
  if (from.is_scalar() && to.is_static()) {
    return CallText(FixCall::kBroadcastScalar, {name, sizes, type});
  }
  if (SameElementCount(from, to)) {
    return CallText(FixCall::kReshape, {name, sizes, type});
  }
  // HLO's broadcast stretches nothing.
  const auto dims = DimsForBroadcast(from, to);
  if (dims && !(HasHloNames(GetCallLanguage()) && Stretches(from, *dims, to))) {
    return CallText(FixCall::kBroadcastInDim,
                    {name, sizes, type, ListText(*dims)});
  }
  return "";
}

bool HasNumbers(const Fix& fix, const OpInputs& inputs) {
  if (fix.what != Fix::What::kAttribute || fix.numbers.empty()) {
    return true;
  }
  Attributes changed =
      inputs.attributes != nullptr ? *inputs.attributes : Attributes();
  fix.attribute->set(&changed, fix.numbers);
  return fix.attribute->numbers(changed).size() == fix.numbers.size();
}

std::string FixText(const Fix& fix, const OpInputs& inputs,
                    absl::Span<const std::string> names) {
  const auto index = static_cast<size_t>(fix.index);
  const bool has_no_spelling =
      fix.what == Fix::What::kSwapped || fix.what == Fix::What::kUnwrapped ||
      fix.what == Fix::What::kCallee || fix.what == Fix::What::kOperandCount;
  if (GetCallLanguage() == CallLanguage::kStablehlo && !has_no_spelling) {
    return StablehloFixText(fix, inputs, names);
  }
  switch (fix.what) {
    case Fix::What::kOperand: {
      const std::string wanted = fix.shape.ToString();
      if (index < inputs.operands.size() && index < names.size()) {
        const std::string call =
            ChangeText(*inputs.operands[index], fix.shape, names[index]);
        if (!call.empty()) {
          return absl::StrCat(WithoutSignText(inputs, names[index]), call,
                              " as operand ", index, ": ", wanted);
        }
      }
      return absl::StrCat("operand ", index, " of shape ", wanted);
    }
    case Fix::What::kAttribute:
      return ChangedAttribute(fix, inputs, names);
    case Fix::What::kRecorded:
      // A call that takes sizes records no result before they are right.
      if (inputs.opcode == Opcode::kReshape && inputs.declared == nullptr &&
          !names.empty()) {
        return CallText(FixCall::kReshape, {names[0], Sizes(fix.shape.dims()),
                                            Name(fix.shape.element_type())});
      }
      return absl::StrCat("a result of ", fix.shape.ToString());
    case Fix::What::kCallee:
      return absl::StrCat("a computation ", fix.callee.ToString());
    case Fix::What::kOperandCount:
      return absl::StrCat(fix.index, " operands");
    case Fix::What::kBroadcast:
      return BroadcastText(fix.numbers, inputs, names);
    case Fix::What::kSwapped:
      if (names.size() < 2) return "operands 0 and 1 the other way round";
      return absl::StrCat(names[1], " as operand 0, ", names[0],
                          " as operand 1");
    case Fix::What::kUnwrapped:
      return absl::StrCat(
          index < names.size() ? names[index] : absl::StrCat("operand ", index),
          " itself instead of this op: it is the value, not a tuple of it");
    case Fix::What::kContraction:
      return ContractionText(fix, names);
  }
  return "";
}

}  // namespace indim
