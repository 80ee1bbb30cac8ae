// SPDX-License-Identifier: Apache-2.0
// The custom call ApproxTopK, as which jax.lax.approx_max_k and approx_min_k
// export: the first elements along a dimension in the order of a comparator,
// or most of them. No compiler of XLA knows the call: XLA's reader of StableHLO
// writes it out, for TPUs by the custom call PartialReduce, and so is it here.
//
// Source: XLA, mlir_hlo_to_hlo.cc, approx_topk.cc and approx_topk_shape.cc.

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/ops/attribute_kind.h"

namespace indim::stablehlo_import {
namespace {

constexpr absl::string_view kShapeOperands = "indices_of_shape_operands";

// The tiles of a TPU: PartialReduce makes one element of several tiles.
constexpr int64_t kTile = 128;
constexpr int64_t kTileOfVector = 1024;

// The dictionary backend_config.
struct Config {
  int64_t top_k = 0;
  int64_t dim = 0;
  double recall = 0;  // in (0, 1]
  bool aggregate = false;
  int64_t whole_size = -1;  // of which the inputs are a part; -1: they are it
  bool is_fallback = false;
};

bool ReadMember(OpImport* op, const Attribute& config, absl::string_view name,
                ElementType type, int64_t* to) {
  const Ir& ir = op->ir();
  const AttrId id = ir.Find(config, name);
  const Attribute& a = ir.attr(id);
  const bool good = type == ElementType::kPred
                        ? a.kind == AttrKind::kBool
                        : a.kind == AttrKind::kInteger &&
                              ir.type(a.type).element_type == type;
  if (id.valid() && good) {
    *to = a.integer;
    return true;
  }
  return op->Fail(absl::StrCat("ApproxTopK needs a backend_config with ", name,
                               " of type ",
                               type == ElementType::kPred ? "i1" : "i64"));
}

bool ReadConfig(OpImport* op, Config* to) {
  const Ir& ir = op->ir();
  // JAX's is from the time when backend_config had to be a text.
  constexpr absl::string_view kOlder = "mhlo.backend_config";
  const AttrId newer = op->Find("backend_config");
  const bool is_older =
      op->Has(kOlder) &&
      (!newer.valid() ||
       IsLeftOut(ir, mlir::DefaultValue::kEmptyConfig, newer));
  const AttrId id = is_older ? op->Find(kOlder) : newer;
  const Attribute& config = ir.attr(id);
  if (!id.valid() || config.kind != AttrKind::kDictionary) {
    return op->Fail("ApproxTopK needs a dictionary as backend_config");
  }
  if (is_older) op->Keep(kOlder);
  constexpr absl::string_view kKnown[] = {"top_k",
                                          "reduction_dim",
                                          "recall_target",
                                          "aggregate_to_topk",
                                          "reduction_input_size_override",
                                          "is_fallback"};
  for (const NamedAttr& member : config.fields) {
    if (absl::c_linear_search(kKnown, ir.text(member.name))) continue;
    return op->Fail(absl::StrCat("ApproxTopK's backend_config has no ",
                                 ir.text(member.name)));
  }
  int64_t aggregate = 0, is_fallback = 0;
  if (!ReadMember(op, config, "top_k", ElementType::kS64, &to->top_k) ||
      !ReadMember(op, config, "reduction_dim", ElementType::kS64, &to->dim) ||
      !ReadMember(op, config, "aggregate_to_topk", ElementType::kPred,
                  &aggregate) ||
      !ReadMember(op, config, "reduction_input_size_override",
                  ElementType::kS64, &to->whole_size)) {
    return false;
  }
  if (ir.Find(config, "is_fallback").valid() &&
      !ReadMember(op, config, "is_fallback", ElementType::kPred,
                  &is_fallback)) {
    return false;
  }
  to->aggregate = aggregate != 0;
  to->is_fallback = is_fallback != 0;
  const AttrId recall = ir.Find(config, "recall_target");
  to->recall = ReadFloat(ir, recall).value_or(0);
  if (!HasKind(ir, mlir::ValueKind::kF32, "", recall) ||
      !(to->recall > 0 && to->recall <= 1)) {
    return op->Fail(
        "ApproxTopK needs a backend_config with a recall_target of type f32 in "
        "(0, 1]");
  }
  return true;
}

int64_t FloorLog2(int64_t n) {
  return absl::bit_width(static_cast<uint64_t>(n)) - 1;
}

int64_t CeilLog2(int64_t n) { return n <= 1 ? 0 : FloorLog2(n - 1) + 1; }

// What PartialReduce leaves of `n` elements, and the logarithm of how many
// become one; 0: none do.
struct Partial {
  int64_t size;
  int64_t log2 = 0;
};

Partial PartialOf(const Config& config, int64_t n, int64_t tile) {
  if (n <= tile) return {n};
  const int64_t whole = config.whole_size >= 0 ? config.whole_size : n;
  if (config.top_k == 1)
    return {tile, CeilLog2(*CheckedCeilDivide(whole, tile))};
  if (config.recall == 1) return {n};
  // Of k elements in m windows (1 - 1/m)^(k - 1) are alone in theirs.
  const double windows =
      (1.0 - static_cast<double>(config.top_k)) / std::log(config.recall);
  const int64_t m = std::clamp(windows < static_cast<double>(whole)
                                   ? static_cast<int64_t>(windows)
                                   : whole,
                               std::min(tile, whole), whole);
  const int64_t log2 = std::min(FloorLog2(whole / m), CeilLog2(n / tile));
  if (log2 == 0) return {n};
  const int64_t tiles = *CheckedCeilDivide(n, tile);
  return {*CheckedCeilDivide(tiles, int64_t{1} << log2) * tile, log2};
}

// The parts of one call.
class ApproxTopK {
 public:
  ApproxTopK(OpImport* op, const Config& config) : op_(*op), config_(config) {}

  // Whether the operands and results are those that `config` asks for.
  bool Check();
  void Emit();

 private:
  bool CheckComparator();
  const Shape& input() { return op_.operand_shape(0); }
  int64_t length() { return input().dim(static_cast<int>(config_.dim)).size(); }
  // `shape` with `size` elements along the dimension.
  Shape Cut(Shape shape, int64_t size) const {
    shape.set_dim(static_cast<int>(config_.dim), Dim::Static(size));
    return shape;
  }
  Shape CutInputs(int64_t size);
  uint32_t comparator() { return op_.importer().callees()[0]; }
  // The first `size` of the values along the dimension.
  std::vector<Node> First(const std::vector<Node>& values, int64_t size,
                          bool is_stable);
  std::vector<Node> Best(const std::vector<Node>& values);
  // (a, b, ..., x, y, ...) -> a or x, b or y, ...: by the comparator.
  uint32_t Choice();
  std::vector<Node> PartialReduce(const Partial& partial);

  OpImport& op_;
  const Config config_;
  size_t count_ = 0;  // of inputs, initial values, results
  std::vector<Node> inputs_, inits_;
};

bool ApproxTopK::CheckComparator() {
  const Signature signature = op_.writer().SignatureOf(comparator());
  bool good = signature.parameters.size() == 2 * count_ &&
              Compatible(signature.result, Shape::Scalar(ElementType::kPred));
  for (size_t i = 0; good && i < 2 * count_; ++i) {
    good = Compatible(signature.parameters[i],
                      Shape::Scalar(op_.operand_shape(i / 2).element_type()));
  }
  return good || op_.Fail(
                     "ApproxTopK's comparator must take two scalars of each "
                     "input's element type, and give a scalar of type i1");
}

bool ApproxTopK::Check() {
  count_ = op_.result_count();
  // Behind them are the shapes of results whose sizes have names.
  const size_t shapes = op_.Numbers(kShapeOperands).size();
  if (count_ == 0 || op_.operand_count() != 2 * count_ + shapes ||
      op_.importer().callees().size() != 1) {
    return op_.Fail(
        "ApproxTopK takes a comparator, inputs, and as many initial values, "
        "and gives as many results");
  }
  for (size_t i = 0; i < count_; ++i) {
    const Shape& operand = op_.operand_shape(i);
    Shape wanted = input();
    wanted.set_element_type(operand.element_type());
    if (!operand.has_rank() || !Compatible(operand, wanted)) {
      return op_.Fail("ApproxTopK's inputs must have the same sizes");
    }
    if (!Compatible(op_.operand_shape(count_ + i),
                    Shape::Scalar(operand.element_type()))) {
      return op_.Fail(absl::StrCat("ApproxTopK's initial value ", i,
                                   " must be a scalar of the element type of "
                                   "input ",
                                   i));
    }
  }
  if (!CheckComparator()) return false;
  if (config_.dim < 0 || config_.dim >= input().rank()) {
    return op_.Fail("ApproxTopK's reduction_dim is no dimension of its inputs");
  }
  if (config_.top_k < 1 || (config_.aggregate && config_.top_k > length())) {
    return op_.Fail(absl::StrCat("ApproxTopK can't give ", config_.top_k,
                                 " of ", length(), " elements"));
  }
  if (config_.whole_size >= 0 && config_.whole_size < length()) {
    return op_.Fail(absl::StrCat(
        "ApproxTopK's reduction_input_size_override is ", config_.whole_size,
        ", less than the ", length(), " elements of its inputs"));
  }
  const std::vector<Node> operands = op_.operands();
  const auto middle = operands.begin() + static_cast<std::ptrdiff_t>(count_);
  inputs_.assign(operands.begin(), middle);
  inits_.assign(middle, middle + static_cast<std::ptrdiff_t>(count_));
  return true;
}

Shape ApproxTopK::CutInputs(int64_t size) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count_; ++i) {
    shapes.push_back(Cut(op_.operand_shape(i), size));
  }
  return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

uint32_t ApproxTopK::Choice() {
  HloWriter& writer = op_.writer();
  writer.Begin("choice");
  std::vector<Node> sides[2];
  int64_t number = 0;
  for (std::vector<Node>& side : sides) {
    for (size_t i = 0; i < count_; ++i, ++number) {
      side.push_back(writer.Parameter(
          number, Shape::Scalar(writer.OuterShape(inputs_[i]).element_type()),
          absl::StrCat(&side == sides ? "lhs." : "rhs.", i)));
    }
  }
  std::vector<Node> compared;
  for (size_t i = 0; i < count_; ++i) {
    compared.push_back(sides[0][i]);
    compared.push_back(sides[1][i]);
  }
  const Node is_first =
      writer.Add(Opcode::kCall, Shape::Scalar(ElementType::kPred),
                 NoAttributes(), compared, {comparator()});
  std::vector<Node> chosen;
  for (size_t i = 0; i < count_; ++i) {
    const Shape shape = writer.shape(sides[0][i]);
    chosen.push_back(writer.Add(Opcode::kSelect, shape, NoAttributes(),
                                {is_first, sides[0][i], sides[1][i]}));
  }
  return writer.End(writer.Tuple(chosen, true));
}

std::vector<Node> ApproxTopK::Best(const std::vector<Node>& values) {
  std::vector<Node> operands = values;
  operands.insert(operands.end(), inits_.begin(), inits_.end());
  std::vector<Shape> shapes;
  for (const Node value : values) {
    Shape shape = Shape::Scalar(op_.writer().shape(value).element_type());
    for (int d = 0; d < input().rank(); ++d) {
      if (d != config_.dim) shape.add_dim(input().dim(d));
    }
    shapes.push_back(std::move(shape));
  }
  const Node best =
      op_.Emit(Opcode::kReduce,
               shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes)),
               DimensionsAttributes{{config_.dim}}, operands, {Choice()});
  std::vector<Node> results;
  for (size_t i = 0; i < count_; ++i) {
    const Node element =
        count_ == 1 ? best
                    : op_.writer().Element(best, static_cast<int64_t>(i));
    results.push_back(op_.Emit(Opcode::kReshape, Cut(op_.operand_shape(i), 1),
                               DimensionsAttributes(), {element}));
  }
  return results;
}

std::vector<Node> ApproxTopK::First(const std::vector<Node>& values,
                                    int64_t size, bool is_stable) {
  if (size == 1) return Best(values);
  HloWriter& writer = op_.writer();
  const int64_t length =
      writer.shape(values[0]).dim(static_cast<int>(config_.dim)).size();
  SortAttributes sort;
  sort.dimensions = {config_.dim};
  sort.is_stable = is_stable;
  const Node sorted =
      op_.Emit(Opcode::kSort, CutInputs(length), sort, values, {comparator()});
  std::vector<Node> results;
  for (size_t i = 0; i < count_; ++i) {
    const Node element =
        count_ == 1 ? sorted : writer.Element(sorted, static_cast<int64_t>(i));
    SliceAttributes slice;
    for (int d = 0; d < input().rank(); ++d) {
      slice.starts.push_back(0);
      const Dim& dim = input().dim(d);
      slice.limits.push_back(d == config_.dim  ? size
                             : dim.is_static() ? dim.size()
                                               : 0);
      if (!dim.is_static()) slice.whole.push_back(d);
      slice.strides.push_back(1);
    }
    results.push_back(op_.Emit(Opcode::kSlice, Cut(op_.operand_shape(i), size),
                               slice, {element}));
  }
  return results;
}

std::vector<Node> ApproxTopK::PartialReduce(const Partial& partial) {
  CustomCallAttributes call;
  call.target = "PartialReduce";
  call.api_version = kApiOriginal;
  call.opaque = absl::StrFormat(
      "{\"log2_reduction\": %d, \"reduction_dim\": %d, "
      "\"to_apply_type\": \"comparator\", \"top_k\": %d, "
      "\"recall_target\": %f}",
      partial.log2, config_.dim, config_.top_k, config_.recall);
  std::vector<Node> operands = inputs_;
  operands.insert(operands.end(), inits_.begin(), inits_.end());
  const Node reduced = op_.Emit(Opcode::kCustomCall, CutInputs(partial.size),
                                call, operands, {comparator()});
  if (count_ == 1) return {reduced};
  std::vector<Node> results;
  for (size_t i = 0; i < count_; ++i) {
    results.push_back(op_.writer().Element(reduced, static_cast<int64_t>(i)));
  }
  return results;
}

void ApproxTopK::Emit() {
  const Partial partial =
      PartialOf(config_, length(), input().rank() == 1 ? kTileOfVector : kTile);
  std::vector<Node> results = inputs_;
  if (config_.is_fallback) {
    results = First(results, config_.aggregate ? config_.top_k : partial.size,
                    /*is_stable=*/true);
  } else {
    if (partial.log2 > 0) results = PartialReduce(partial);
    if (config_.aggregate) results = First(results, config_.top_k, false);
  }
  const Node all = op_.writer().Tuple(results);
  AddCommonAttributes(&op_, all);
  op_.SetResults(all, /*tuple_of_one=*/true);
}

}  // namespace

bool LowerAsApproxTopK(OpImport* op) {
  if (op->Text("call_target_name") != "ApproxTopK") return false;
  Config config;
  if (!ReadConfig(op, &config)) return true;
  // Along a dimension whose size has a name it stays a call.
  if (op->operand_count() > 0 && op->operand_shape(0).has_rank() &&
      config.dim >= 0 && config.dim < op->operand_shape(0).rank() &&
      !op->operand_shape(0).dim(static_cast<int>(config.dim)).is_static()) {
    return false;
  }
  ApproxTopK top_k(op, config);
  if (top_k.Check()) top_k.Emit();
  op->Keep(kShapeOperands);
  return true;
}

}  // namespace indim::stablehlo_import
