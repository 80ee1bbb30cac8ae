// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/composite.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "indim/builder/composites/composite_fixes.h"
#include "indim/builder/recorder.h"

namespace indim::internal {
namespace {

Recorder* RecorderOf(absl::Span<const Op> operands) {
  for (Op op : operands) {
    Recorder* const recorder = Recorder::Of(op);
    if (!recorder->is_none()) return recorder;
  }
  return &Recorder::None();
}

}  // namespace

Composite::Composite(const char* name, absl::Span<const Op> operands,
                     Caller caller)
    : Composite(name, RecorderOf(operands), operands, caller) {}

Composite::Composite(const char* name, ComputationBuilder& builder,
                     Caller caller)
    : Composite(name, RecorderOf(builder), {}, caller) {}

Composite::Composite(const char* name, Recorder* recorder,
                     absl::Span<const Op> operands, Caller caller)
    : recorder_(recorder),
      caller_(caller),
      operands_(operands.begin(), operands.end()),
      builder_(RecorderHandle(recorder)) {
  if (recorder_->is_none()) {
    // As operators do: a use of the result reports the first that had one.
    for (const Op op : operands_) {
      if (failed_ == Op()) failed_ = op;
    }
    return;
  }
  outermost_ = recorder_->EnterComposite(name, caller);
  for (Op op : operands_) {
    const Shape* shape = recorder_->ShapeOf(op);
    if (shape == nullptr) {
      // Reports what is wrong with the operands; nothing for poisoned ones.
      failed_ = recorder_->Reject(Opcode::kInvalid, operands_, {}, caller_);
      return;
    }
    shapes_.push_back(*shape);
  }
  ok_ = true;
}

Composite::~Composite() {
  if (outermost_) recorder_->LeaveComposite(result_);
  builder_.recorder_.release();  // it was borrowed
}

Op Composite::Done(Op result) {
  result_ = result;
  return result;
}

Shape Composite::ShapeOf(Op op) const {
  const Shape* shape = recorder_->ShapeOf(op);
  return shape != nullptr ? *shape : Shape::Scalar(ElementType::kPred);
}

bool Composite::IsGood(Op op) const {
  return recorder_->ShapeOf(op) != nullptr;
}

// --- Checks -----------------------------------------------------------------

bool Composite::Fail(Code code, std::vector<DiagnosticArg> args, int operand,
                     int64_t dim) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.operand = operand;
  diagnostic.dim = static_cast<int32_t>(dim);
  for (DiagnosticArg& arg : args) diagnostic.args.push_back(std::move(arg));
  return Fail(std::move(diagnostic));
}

bool Composite::Fail(Diagnostic diagnostic) {
  if (!ok_) return false;
  if (!diagnostic.fix_of_call) {
    diagnostic.fix_of_call = MendOf(diagnostic, shapes_);
  }
  std::vector<Diagnostic> all;
  all.push_back(std::move(diagnostic));
  failed_ =
      recorder_->Reject(Opcode::kInvalid, operands_, std::move(all), caller_);
  ok_ = false;
  return false;
}

bool Composite::Elements(size_t i, TypeMask allowed) {
  if (!ok_) return false;
  const bool is_array = shapes_[i].is_array();
  if (is_array && Accepts(allowed, type(i))) return true;
  Diagnostic diagnostic;
  diagnostic.code = is_array ? Code::kOperandTypeClass : Code::kOperandNotArray;
  diagnostic.operand = static_cast<int32_t>(i);
  if (is_array) diagnostic.args.push_back(Describe(allowed, "floats"));
  if (auto mended = WithAllowedType(shapes_[i], allowed)) {
    diagnostic.fix_of_call = *std::move(mended);
  }
  return Fail(std::move(diagnostic));
}

bool Composite::Ranked(size_t i, TypeMask allowed) {
  if (!Elements(i, allowed)) return false;
  if (shapes_[i].has_rank()) return true;
  return Fail(Code::kRankNeeded, {}, static_cast<int>(i));
}

bool Composite::RankedAtLeast(size_t i, size_t least, TypeMask allowed) {
  if (!Ranked(i, allowed)) return false;
  const int64_t dims = static_cast<int64_t>(least);
  return shapes_[i].rank() >= dims ||
         Fail(Code::kRankTooLow, {dims}, static_cast<int>(i));
}

bool Composite::ResolveDim(size_t i, const char* what, int64_t* dim) {
  return ok_ && ResolveDim(i, shapes_[i].rank(), what, dim);
}

bool Composite::ResolveDim(size_t i, int64_t rank, const char* what,
                           int64_t* dim) {
  if (!ok_) return false;
  if (*dim < -rank || *dim >= rank) {
    return Fail(Code::kDimIndexRange, {std::string(what), *dim, rank},
                static_cast<int>(i));
  }
  if (*dim < 0) *dim += rank;
  return true;
}

bool Composite::ResolveDims(size_t i, const char* what,
                            std::vector<int64_t>* dims) {
  return ok_ && ResolveDims(i, shapes_[i].rank(), what, dims);
}

bool Composite::ResolveDims(size_t i, int64_t rank, const char* what,
                            std::vector<int64_t>* dims) {
  if (!ok_) return false;
  Diagnostic wrong;
  wrong.operand = static_cast<int32_t>(i);
  if (const auto text = DimsText(what, *dims, rank)) wrong.fix_of_call = *text;
  for (int64_t& dim : *dims) {
    if (dim < -rank || dim >= rank) {
      wrong.code = Code::kDimIndexRange;
      wrong.args = {std::string(what), dim, rank};
      return Fail(std::move(wrong));
    }
    if (dim < 0) dim += rank;
  }
  std::sort(dims->begin(), dims->end());
  const auto twice = std::adjacent_find(dims->begin(), dims->end());
  if (twice == dims->end()) return true;
  wrong.code = Code::kDimIndexRepeated;
  wrong.args = {std::string(what), *twice};
  return Fail(std::move(wrong));
}

bool Composite::ResolveDims(size_t i, const DimsArg& dims,
                            std::vector<int64_t>* out) {
  if (!ok_) return false;
  if (const auto given = dims.dims()) {
    out->assign(given->begin(), given->end());
    return ResolveDims(i, "dims", out);
  }
  for (int64_t d = 0; d < shapes_[i].rank(); ++d) out->push_back(d);
  return true;
}

std::vector<int64_t> Composite::OtherDims(
    size_t i, absl::Span<const int64_t> dims) const {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < shapes_[i].rank(); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) {
      others.push_back(d);
    }
  }
  return others;
}

bool Composite::IsMakable(size_t i, int64_t dim) {
  if (!ok_) return false;
  const Dim size = shapes_[i].dim(static_cast<int>(dim));
  if (size.has_upper() || size.is_symbolic()) return true;
  return Fail(Code::kUpperNeeded, {}, static_cast<int>(i), dim);
}

bool Composite::AllMakable(size_t i) {
  for (int64_t d = 0; ok_ && d < shapes_[i].rank(); ++d) IsMakable(i, d);
  return ok_;
}

bool Composite::SizeOf(size_t i, int64_t dim, const char* what, int64_t* size) {
  if (!ok_) return false;
  const Dim own = shapes_[i].dim(static_cast<int>(dim));
  *size = own.size();
  if (own.is_static() || own.is_bounded()) return true;
  return Fail(Code::kSizeUnsayable, {std::string(what)}, static_cast<int>(i),
              dim);
}

bool Composite::HasTypeOf(size_t i, size_t of) {
  if (!ok_ || type(i) == type(of)) return ok_;
  Diagnostic wrong;
  wrong.code = Code::kOperandTypesDiffer;
  wrong.operand = static_cast<int32_t>(i);
  wrong.other_operand = static_cast<int32_t>(of);
  Shape same = shapes_[i].WithoutLayout();
  same.set_element_type(type(of));
  wrong.fix_of_call = std::move(same);
  return Fail(std::move(wrong));
}

bool Composite::HasDims(size_t i, size_t of, absl::Span<const int64_t> dims) {
  if (!ok_) return false;
  const Shape& shape = shapes_[i];
  Shape wanted = Shape::Scalar(shape.element_type());
  for (const int64_t d : dims) {
    wanted.add_dim(shapes_[of].dim(static_cast<int>(d)));
  }
  bool same = shape.has_rank() && shape.rank() == wanted.rank();
  for (int d = 0; same && d < wanted.rank(); ++d) {
    const Dim own = shape.dim(d), other = wanted.dim(d);
    same = own == other || !own.is_static() || !other.is_static();
  }
  if (same) return true;
  return Fail(Code::kPartDims, {wanted, shapes_[of].WithoutLayout()},
              static_cast<int>(i));
}

bool Composite::IsSize(const char* what, SizeArg size) {
  if (!ok_) return false;
  const int64_t number = size.number().value_or(0);
  if (number >= 0) return true;
  return Fail(Code::kAttributeRange, {std::string(what), number, int64_t{0}});
}

// --- Steps that many composites share ---------------------------------------

Shape Composite::ShapeLike(const Shape& like, ElementType type) const {
  Shape made = Shape::Scalar(type);
  for (const Dim dim : like.dims()) {
    made.add_dim(dim.is_exact() ? dim : Dim::Static(dim.upper()));
  }
  return made;
}

Op Composite::SizedLike(Op made, Op like) {
  const Shape shape = ShapeOf(like);
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d).is_exact()) continue;
    made =
        builder_.SetDimensionSize(made, builder_.GetDimensionSize(like, d), d);
  }
  return made;
}

Op Composite::IotaLike(Op like, ElementType type, int64_t dim) {
  return SizedLike(builder_.Iota(ShapeLike(ShapeOf(like), type), dim), like);
}

Op Composite::BroadcastTo(Op op, const Shape& shape,
                          absl::Span<const int64_t> dims) {
  const Attributes attributes =
      DimensionsAttributes{DimIndices(dims.begin(), dims.end())};
  Shape result = shape;
  result.set_element_type(ShapeOf(op).element_type());
  return recorder_->Record({Opcode::kBroadcast, {op}, &attributes, &result},
                           caller_);
}

Op Composite::ReshapeTo(Op op, const Shape& shape) {
  Shape result = shape;
  result.set_element_type(ShapeOf(op).element_type());
  return recorder_->Record({Opcode::kReshape, {op}, nullptr, &result}, caller_);
}

Op Composite::Widen(Op op) {
  const ElementType type = ShapeOf(op).element_type();
  return IsFloat(type) && Info(type).bits < 32
             ? builder_.ConvertElementType(op, ElementType::kF32)
             : op;
}

Op Composite::Narrow(Op op, ElementType type) {
  return ShapeOf(op).element_type() == type
             ? op
             : builder_.ConvertElementType(op, type);
}

Callee Composite::Reducer(
    const char* name, ElementType type,
    absl::FunctionRef<Op(ComputationBuilder& b, Op x, Op y)> fold) {
  const Shape scalar = Shape::Scalar(type);
  return Computation(name, type, [&](ComputationBuilder& b) {
    const Op x = b.Parameter(0, scalar, "x", caller_);
    const Op y = b.Parameter(1, scalar, "y", caller_);
    return fold(b, x, y);
  });
}

Callee Composite::Computation(
    const std::string& name, ElementType type,
    absl::FunctionRef<Op(ComputationBuilder& b)> body) {
  return internal::SharedState::Shared(recorder_->family(), name, type, [&] {
    ComputationBuilder sub =
        builder_.SubBuilder(absl::StrCat(name, "_", Name(type)));
    // The user's line, also where this composite is a part of another one.
    const CompositeScope* const open = recorder_->settings().composite();
    const Caller caller = open != nullptr ? open->caller : caller_;
    sub.recorder_->EnterComposite("", caller);
    const Op root = body(sub);
    return sub.BuildCallee(root, caller);
  });
}

Op Add(ComputationBuilder& b, Op x, Op y) { return b.Add(x, y); }
Op Multiply(ComputationBuilder& b, Op x, Op y) { return b.Mul(x, y); }
Op Maximum(ComputationBuilder& b, Op x, Op y) { return b.Max(x, y); }
Op Minimum(ComputationBuilder& b, Op x, Op y) { return b.Min(x, y); }

Op LogOfSumOfExps(ComputationBuilder& b, Op x, Op y) {
  const Op difference = x - y, larger = b.Max(x, y);
  // The smaller one less the larger one is -abs(difference), and has the
  // derivative 0 where they are equal.
  const Op sum = larger + b.Log1p(b.Exp(b.Min(x, y) - larger));
  // Equal infinities have a NaN as difference; x + y is their result.
  return b.Select(b.Ne(difference, difference), x + y, sum);
}

}  // namespace indim::internal
