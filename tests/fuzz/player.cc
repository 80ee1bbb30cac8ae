#include "indim/tests/fuzz/player.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/opcode.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/fuzz/module_checks.h"

namespace indim {
namespace {

// What is called in earnest: of scalars, of arrays, and some that are wrong for
// every caller.
std::vector<Callee> SomeCallees() {
  std::vector<Callee> all;
  all.emplace_back(AddScalars());
  all.emplace_back(AddScalars("s32[]"));
  TestBuilder greater("greater");
  const Op x = greater.P("f32[]"), y = greater.P("f32[]");
  all.emplace_back(greater.Build(greater.Gt(x, y)));
  TestBuilder negated("negated");
  all.emplace_back(negated.Build(negated.Neg(negated.P("f32[2,3]"))));
  TestBuilder always("always");
  const Op z = always.P("f32[2,3]");
  all.emplace_back(always.Build(always.ConstantLiteral(*Literal::FromDoubles(
                                    ElementType::kPred, {1}, {})),
                                Caller::Here()));
  static_cast<void>(z);
  TestBuilder step("step");
  const Op in = step.P("f32[]"), carry = step.P("f32[]");
  all.emplace_back(step.Build(step.Tuple({in, step.Add(in, carry)})));
  all.emplace_back(Module());
  all.emplace_back(
      absl::StatusOr<Module>(absl::InternalError("no computation")));
  return all;
}

}  // namespace

Player::Player(absl::string_view program)
    : program_(program), callees_(SomeCallees()) {
  NewBuilder();
}

uint8_t Player::Byte() {
  if (program_.empty()) return 0;
  const uint8_t byte = static_cast<uint8_t>(program_.front());
  program_.remove_prefix(1);
  return byte;
}

void Player::Push(Op op) { ops_.push_back(op); }

void Player::Complain(std::string complaint) {
  if (complaint_.empty()) complaint_ = std::move(complaint);
}

// --- Builders ---------------------------------------------------------------

void Player::AddParameters() {
  next_parameter_ = 0;
  for (const char* shape : {"f32[2,3]", "f32[]", "s32[]"}) {
    Push(builder().Parameter(next_parameter_++, shape));
  }
}

void Player::NewBuilder() {
  builders_.push_back(std::make_unique<ComputationBuilder>(DrawText()));
  current_ = builders_.size() - 1;
  if (!OneIn(4)) AddParameters();
}

void Player::NewSubBuilder() {
  builders_.push_back(
      std::make_unique<ComputationBuilder>(builder().SubBuilder(DrawText())));
  current_ = builders_.size() - 1;
  if (!OneIn(4)) AddParameters();
}

void Player::SwitchBuilder() { current_ = Choose(builders_.size()); }

void Player::MoveBuilder() {
  builders_.push_back(
      std::make_unique<ComputationBuilder>(std::move(builder())));
  if (OneIn(2)) current_ = builders_.size() - 1;
}

void Player::AssignBuilder() {
  ComputationBuilder& from = *builders_[Choose(builders_.size())];
  if (&from != &builder()) builder() = std::move(from);
}

void Player::DestroyBuilder() {
  const size_t gone = Choose(builders_.size());
  builders_.erase(builders_.begin() + static_cast<std::ptrdiff_t>(gone));
  current_ = 0;
  if (builders_.empty()) NewBuilder();
}

void Player::Finish() {
  // Checking is what takes time.
  if (++finished_ > 3) return;
  absl::StatusOr<Module> module =
      OneIn(3) ? builder().Build() : builder().Build(DrawOp());
  builder().Errors();
  if (!module.ok()) {
    if (module.status().code() == absl::StatusCode::kInternal &&
        module.status().message() != "no computation") {
      Complain(module.status().ToString());
    }
    return;
  }
  Complain(CheckModule(*module, true));
  callees_.emplace_back(*std::move(module));
}

void Player::FinishCallee() {
  callees_.push_back(OneIn(3) ? builder().BuildCallee()
                              : builder().BuildCallee(DrawOp()));
}

void Player::Ask() {
  const absl::StatusOr<Shape> shape = builder().shape(DrawOp());
  if (shape.ok() && shape->is_none()) Complain("an op without a shape");
  builder().status().IgnoreError();
  builder().Errors();
  builder().name();
}

// --- Arguments --------------------------------------------------------------

Op Player::DrawOp() {
  const uint8_t which = Byte();
  if (which == 255 || ops_.empty()) return Op();
  // Mostly one of the last few.
  if (which < 160)
    return ops_[ops_.size() - 1 - which % std::min<size_t>(ops_.size(), 8)];
  return ops_[which % ops_.size()];
}

int64_t Player::DrawInt() {
  static constexpr int64_t kNumbers[] = {
      -1,
      -2,
      16,
      127,
      1000,
      int64_t{1} << 31,
      (int64_t{1} << 31) - 1,
      int64_t{1} << 32,
      int64_t{1} << 40,
      (int64_t{1} << 62) - 1,
      int64_t{1} << 62,
      std::numeric_limits<int64_t>::max(),
      std::numeric_limits<int64_t>::min(),
      std::numeric_limits<int64_t>::max() - 1};
  const uint8_t which = Byte();
  if (which < 200) return which % 6;
  return kNumbers[which % std::size(kNumbers)];
}

DimIndices Player::DrawDims() {
  DimIndices dims;
  for (size_t n = Byte() % 5; n > 0; --n) dims.push_back(DrawInt());
  return dims;
}

ElementType Player::DrawType() {
  const uint8_t which = Byte();
  if (which < 100) return ElementType::kF32;
  if (which < 130) return ElementType::kS32;
  if (which < 150) return ElementType::kPred;
  return static_cast<ElementType>(which % 40);
}

Shape Player::DrawShape() {
  static constexpr const char* kShapes[] = {"f32[2,3]",
                                            "f32[]",
                                            "s32[]",
                                            "pred[2,3]",
                                            "f32[3]",
                                            "token[]",
                                            "(f32[2])",
                                            "u32[4]",
                                            "f32[<=5,3]",
                                            "f32[?]",
                                            "f32[*]",
                                            "f32[2..5,3]",
                                            "f32[2,3]{0,1}",
                                            "opaque[]",
                                            "()",
                                            "c64[2]",
                                            "s4[0]",
                                            "b(f32[2])",
                                            "f32[9223372036854775807]",
                                            "f32[1,1,4,4]",
                                            "bf16[8]",
                                            "((s32[],f32[2]),token[])"};
  const uint8_t which = Byte();
  if (which < 200) return *ParseShape(kShapes[which % std::size(kShapes)]);
  if (which < 210) return Shape();
  Shape shape = Shape::Array(DrawType(), {});
  for (size_t n = Byte() % 5; n > 0; --n) {
    shape.add_dim(OneIn(4) ? Dim::Bounded(DrawInt()) : Dim::Static(DrawInt()));
  }
  if (OneIn(4)) shape.set_layout(Draw(*this, Tag<Layout>()));
  return shape;
}

std::string Player::DrawText() {
  static constexpr const char* kTexts[] = {
      "",        "a",         "kLoop", "ij,jk->ik", "...i->i",   "i,i",
      "main.1",  "\xff\xfe",  "{}",    "target",    "x y\"\\\n", "$x",
      "kCustom", "backend=1", "1",     "add.3"};
  const uint8_t which = Byte();
  if (which < 220) return kTexts[which % std::size(kTexts)];
  std::string text;
  for (size_t n = Byte() % 12; n > 0; --n) {
    text.push_back(static_cast<char>(Byte()));
  }
  return text;
}

double Player::DrawDouble() {
  static constexpr double kNumbers[] = {
      0,
      1,
      -1,
      0.5,
      -0.0,
      1e300,
      1e-320,
      2147483648.0,
      std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::quiet_NaN(),
      3,
      255};
  return kNumbers[Choose(std::size(kNumbers))];
}

Callee Player::DrawCallee() {
  const uint8_t which = Byte();
  // Those of this program come last.
  if (which >= 128)
    return callees_[callees_.size() - 1 - which % callees_.size()];
  return callees_[which % callees_.size()];
}

Literal Player::DrawLiteral() {
  std::vector<double> values;
  for (size_t n = Byte() % 7; n > 0; --n) values.push_back(DrawDouble());
  std::vector<int64_t> sizes;
  if (OneIn(4)) {
    sizes = {DrawInt(), DrawInt()};
  } else if (values.size() != 1) {
    sizes = {static_cast<int64_t>(values.size())};
  }
  absl::StatusOr<Literal> literal =
      Literal::FromDoubles(DrawType(), values, sizes);
  if (!literal.ok()) return Literal();
  if (OneIn(6)) return Literal::Tuple({*literal, Literal()});
  return *std::move(literal);
}

// --- By type ----------------------------------------------------------------

namespace {

// Any byte as an enum, numbers that it hasn't among them.
template <typename E>
E DrawEnum(Player& p, int count) {
  const uint8_t which = p.Byte();
  return static_cast<E>(which < 250 ? which % count : which);
}

template <typename... A>
void DrawDimsInto(Player& p, A*... dims) {
  const bool empty = p.OneIn(3);
  ((*dims = empty ? DimIndices() : p.DrawDims()), ...);
}

template <typename T>
std::vector<T> DrawVector(Player& p) {
  return Draw(p, Tag<std::vector<T>>());
}

}  // namespace

Op Draw(Player& p, Tag<Op>) { return p.DrawOp(); }
OpAtCaller Draw(Player& p, Tag<OpAtCaller>) { return OpAtCaller(p.DrawOp()); }
int64_t Draw(Player& p, Tag<int64_t>) { return p.DrawInt(); }
int Draw(Player& p, Tag<int>) { return static_cast<int>(p.DrawInt()); }
bool Draw(Player& p, Tag<bool>) { return p.OneIn(2); }
double Draw(Player& p, Tag<double>) { return p.DrawDouble(); }
float Draw(Player& p, Tag<float>) { return p.OneIn(4) ? -1.0f : 0.001f; }
ElementType Draw(Player& p, Tag<ElementType>) { return p.DrawType(); }
Shape Draw(Player& p, Tag<Shape>) { return p.DrawShape(); }
ShapeArg Draw(Player& p, Tag<ShapeArg>) {
  if (p.OneIn(16)) return ShapeArg(p.DrawText());
  return ShapeArg(p.DrawShape());
}
DimsArg Draw(Player& p, Tag<DimsArg>) {
  if (p.OneIn(3)) return DimsArg();
  return DimsArg(DrawVector<int64_t>(p));
}
Callee Draw(Player& p, Tag<Callee>) { return p.DrawCallee(); }
Literal Draw(Player& p, Tag<Literal>) { return p.DrawLiteral(); }
Caller Draw(Player& p, Tag<Caller>) {
  return p.OneIn(8) ? Caller{} : Caller{"program", 7};
}
Padding Draw(Player& p, Tag<Padding>) { return DrawEnum<Padding>(p, 2); }
ComparisonDirection Draw(Player& p, Tag<ComparisonDirection>) {
  return DrawEnum<ComparisonDirection>(p, 6);
}
ComparisonType Draw(Player& p, Tag<ComparisonType>) {
  return DrawEnum<ComparisonType>(p, 5);
}
FftType Draw(Player& p, Tag<FftType>) { return DrawEnum<FftType>(p, 4); }
TriangularSolveTranspose Draw(Player& p, Tag<TriangularSolveTranspose>) {
  return DrawEnum<TriangularSolveTranspose>(p, 4);
}
RandomAlgorithm Draw(Player& p, Tag<RandomAlgorithm>) {
  return DrawEnum<RandomAlgorithm>(p, 3);
}
Opcode Draw(Player& p, Tag<Opcode>) { return static_cast<Opcode>(p.Byte()); }
std::pair<int64_t, int64_t> Draw(Player& p, Tag<std::pair<int64_t, int64_t>>) {
  const int64_t first = p.DrawInt();
  return {first, p.DrawInt()};
}

BroadcastArg Draw(Player& p, Tag<BroadcastArg>) {
  BroadcastSpec spec;
  switch (p.Choose(4)) {
    case 0:
      return spec;
    case 1:
      spec.dimensions = p.DrawDims();
      return spec;
    default:
      spec.rule = DrawEnum<BroadcastRule>(p, 5);
      spec.axis = p.DrawInt();
      return spec;
  }
}

Layout Draw(Player& p, Tag<Layout>) {
  Layout layout = Layout::RowMajor(static_cast<int>(p.Choose(5)));
  if (p.OneIn(2)) {
    std::reverse(layout.minor_to_major.begin(), layout.minor_to_major.end());
  }
  if (p.OneIn(4)) {
    const DimIndices dims = p.DrawDims();
    layout.minor_to_major.assign(dims.begin(), dims.end());
  }
  if (p.OneIn(4)) layout.memory_space = p.DrawInt();
  if (p.OneIn(4)) layout.element_size_in_bits = p.DrawInt();
  if (p.OneIn(8)) layout.tiles.push_back({p.DrawInt(), p.DrawInt()});
  return layout;
}

PaddingDim Draw(Player& p, Tag<PaddingDim>) {
  PaddingDim dim;
  dim.low = p.DrawInt();
  dim.high = p.DrawInt();
  dim.interior = p.DrawInt();
  return dim;
}

WindowDim Draw(Player& p, Tag<WindowDim>) {
  WindowDim dim;
  dim.size = p.DrawInt();
  dim.stride = p.OneIn(3) ? p.DrawInt() : 1;
  dim.padding_low = p.OneIn(3) ? p.DrawInt() : 0;
  dim.padding_high = p.OneIn(3) ? p.DrawInt() : 0;
  dim.window_dilation = p.OneIn(3) ? p.DrawInt() : 1;
  dim.base_dilation = p.OneIn(3) ? p.DrawInt() : 1;
  dim.window_reversal = p.OneIn(4);
  return dim;
}

PrecisionConfig Draw(Player& p, Tag<PrecisionConfig>) {
  PrecisionConfig config;
  for (size_t n = p.Choose(4); n > 0; --n) {
    config.operand_precision.push_back(DrawEnum<Precision>(p, 3));
  }
  if (p.OneIn(4)) config.algorithm = DrawEnum<DotAlgorithm>(p, 14);
  return config;
}

DotAttributes Draw(Player& p, Tag<DotAttributes>) {
  DotAttributes dot;
  DrawDimsInto(p, &dot.lhs_contracting_dims, &dot.rhs_contracting_dims);
  DrawDimsInto(p, &dot.lhs_batch_dims, &dot.rhs_batch_dims);
  DrawDimsInto(p, &dot.lhs_ragged_dims, &dot.rhs_group_dims);
  if (p.OneIn(4)) dot.precision = Draw(p, Tag<PrecisionConfig>());
  return dot;
}

ConvolutionDims Draw(Player& p, Tag<ConvolutionDims>) {
  ConvolutionDims dims;
  dims.input_feature = dims.kernel_input_feature = dims.output_feature = 1;
  dims.input_spatial = dims.kernel_spatial = dims.output_spatial = {2, 3};
  if (p.OneIn(2)) {
    dims.input_batch = p.DrawInt();
    dims.input_feature = p.DrawInt();
    dims.kernel_output_feature = p.DrawInt();
    dims.output_batch = p.DrawInt();
  }
  if (p.OneIn(3)) {
    DrawDimsInto(p, &dims.input_spatial, &dims.kernel_spatial,
                 &dims.output_spatial);
  }
  return dims;
}

ConvolutionAttributes Draw(Player& p, Tag<ConvolutionAttributes>) {
  ConvolutionAttributes a;
  a.window = DrawVector<WindowDim>(p);
  a.dims = Draw(p, Tag<ConvolutionDims>());
  if (p.OneIn(3)) a.feature_group_count = p.DrawInt();
  if (p.OneIn(3)) a.batch_group_count = p.DrawInt();
  if (p.OneIn(4)) {
    a.lhs_sparsity = {p.DrawInt(), p.DrawInt(), p.DrawInt(), p.DrawInt(),
                      p.DrawInt()};
  }
  if (p.OneIn(4)) a.precision = Draw(p, Tag<PrecisionConfig>());
  return a;
}

GatherAttributes Draw(Player& p, Tag<GatherAttributes>) {
  GatherAttributes a;
  DrawDimsInto(p, &a.offset_dims, &a.collapsed_slice_dims, &a.start_index_map);
  DrawDimsInto(p, &a.operand_batching_dims, &a.start_indices_batching_dims);
  a.index_vector_dim = p.DrawInt();
  a.slice_sizes = p.DrawDims();
  return a;
}

ScatterAttributes Draw(Player& p, Tag<ScatterAttributes>) {
  ScatterAttributes a;
  DrawDimsInto(p, &a.update_window_dims, &a.inserted_window_dims,
               &a.scatter_dims_to_operand_dims);
  DrawDimsInto(p, &a.input_batching_dims, &a.scatter_indices_batching_dims);
  a.index_vector_dim = p.DrawInt();
  return a;
}

ReplicaGroups Draw(Player& p, Tag<ReplicaGroups>) {
  ReplicaGroups groups;
  switch (p.Choose(5)) {
    case 0:
      return groups;
    case 1:
      groups.groups = p.DrawList<std::vector<int64_t>>(
          [&] { return DrawVector<int64_t>(p); });
      return groups;
    case 2:
      groups.groups = {{0, 1}};
      return groups;
    case 3: {
      MeshAxes mesh;
      mesh.mesh = {{p.DrawText(), p.DrawInt()}, {"y", p.DrawInt()}};
      mesh.device_ids = p.OneIn(2) ? DimIndices() : p.DrawDims();
      if (p.OneIn(3)) mesh.order = IotaTransform{p.DrawDims(), p.DrawDims()};
      mesh.axes = {{p.DrawInt(), p.DrawInt(), p.DrawInt()}};
      groups.mesh = std::move(mesh);
      break;
    }
    default:
      groups.iota = {p.DrawDims(), p.DrawDims()};
      break;
  }
  groups.iota_groups = p.DrawInt();
  groups.iota_group_size = p.DrawInt();
  return groups;
}

CollectiveAttributes Draw(Player& p, Tag<CollectiveAttributes>) {
  CollectiveAttributes a;
  a.replica_groups = Draw(p, Tag<ReplicaGroups>());
  if (p.OneIn(2)) a.channel_id = p.DrawInt();
  a.use_global_device_ids = p.OneIn(3);
  a.constrain_layout = p.OneIn(3);
  if (p.OneIn(3)) a.dimensions = p.DrawDims();
  a.has_dynamic_root = p.OneIn(4);
  return a;
}

CollectivePermuteAttributes Draw(Player& p, Tag<CollectivePermuteAttributes>) {
  CollectivePermuteAttributes a;
  a.source_target_pairs = DrawVector<std::pair<int64_t, int64_t>>(p);
  if (p.OneIn(3)) a.slice_sizes = p.DrawDims();
  if (p.OneIn(3)) a.channel_id = p.DrawInt();
  return a;
}

OutputOperandAliasing Draw(Player& p, Tag<OutputOperandAliasing>) {
  OutputOperandAliasing aliasing;
  aliasing.output_index = p.DrawDims();
  aliasing.operand = p.DrawInt();
  aliasing.operand_index = p.DrawDims();
  return aliasing;
}

CustomCallAttributes Draw(Player& p, Tag<CustomCallAttributes>) {
  CustomCallAttributes a;
  a.target = p.DrawText();
  a.has_side_effect = p.OneIn(2);
  if (p.OneIn(4)) a.operand_shapes_with_layout = DrawVector<Shape>(p);
  a.constrain_layout = p.OneIn(4);
  a.api_version = p.DrawInt();
  a.opaque = p.DrawText();
  if (p.OneIn(3)) {
    a.output_operand_aliasing = DrawVector<OutputOperandAliasing>(p);
  }
  a.schedule = DrawEnum<CustomCallSchedule>(p, 3);
  if (p.OneIn(4)) a.window = DrawVector<WindowDim>(p);
  if (p.OneIn(4)) a.convolution_dims = Draw(p, Tag<ConvolutionDims>());
  a.padding_type = DrawEnum<PaddingType>(p, 3);
  return a;
}

ResultAccuracy Draw(Player& p, Tag<ResultAccuracy>) {
  ResultAccuracy accuracy;
  accuracy.highest = p.OneIn(2);
  if (p.OneIn(2)) {
    accuracy.tolerance =
        ResultAccuracy::Tolerance{p.DrawDouble(), p.DrawDouble(), p.DrawInt()};
  }
  return accuracy;
}

namespace {

// A struct of each kind that has one here, default ones of the others.
Attributes DrawAttributes(Player& p, AttributesKind kind) {
  switch (kind) {
    case AttributesKind::kElementwise:
      return ElementwiseAttributes{Draw(p, Tag<BroadcastArg>()).spec()};
    case AttributesKind::kCompare:
      return CompareAttributes{Draw(p, Tag<ComparisonDirection>()),
                               Draw(p, Tag<ComparisonType>()),
                               Draw(p, Tag<BroadcastArg>()).spec()};
    case AttributesKind::kDimensions:
      return DimensionsAttributes{p.DrawDims()};
    case AttributesKind::kSort:
      return SortAttributes{p.DrawDims(), p.OneIn(2)};
    case AttributesKind::kSlice:
      return SliceAttributes{p.DrawDims(), p.DrawDims(), p.DrawDims()};
    case AttributesKind::kDynamicSlice:
      return DynamicSliceAttributes{p.DrawDims()};
    case AttributesKind::kPad:
      return PadAttributes{DrawVector<PaddingDim>(p)};
    case AttributesKind::kDot:
      return Draw(p, Tag<DotAttributes>());
    case AttributesKind::kWindow:
      return WindowAttributes{DrawVector<WindowDim>(p)};
    case AttributesKind::kConvolution:
      return Draw(p, Tag<ConvolutionAttributes>());
    case AttributesKind::kGather:
      return Draw(p, Tag<GatherAttributes>());
    case AttributesKind::kScatter:
      return Draw(p, Tag<ScatterAttributes>());
    case AttributesKind::kTopK:
      return TopKAttributes{p.DrawInt(), p.OneIn(2)};
    case AttributesKind::kFft:
      return FftAttributes{Draw(p, Tag<FftType>()), p.DrawDims()};
    case AttributesKind::kReducePrecision:
      return ReducePrecisionAttributes{p.DrawInt(), p.DrawInt()};
    case AttributesKind::kBatchNorm:
      return BatchNormAttributes{0.1f, p.DrawInt()};
    case AttributesKind::kScan:
      return ScanAttributes{p.DrawDims(), p.DrawInt(), p.OneIn(2), p.DrawInt()};
    case AttributesKind::kParameter:
      return ParameterAttributes{p.DrawInt()};
    case AttributesKind::kGetTupleElement:
      return GetTupleElementAttributes{p.DrawInt()};
    case AttributesKind::kCustomCall:
      return Draw(p, Tag<CustomCallAttributes>());
    case AttributesKind::kFusion:
      return FusionAttributes{p.DrawText(),
                              DrawVector<OutputOperandAliasing>(p)};
    case AttributesKind::kOutfeed:
      return OutfeedAttributes{p.DrawText(), p.DrawShape()};
    case AttributesKind::kChannel:
      return ChannelAttributes{p.DrawInt(), p.OneIn(2)};
    case AttributesKind::kCollective:
      return Draw(p, Tag<CollectiveAttributes>());
    case AttributesKind::kCollectivePermute:
      return Draw(p, Tag<CollectivePermuteAttributes>());
    case AttributesKind::kAsync:
      return AsyncAttributes{p.DrawText(),
                             DrawVector<OutputOperandAliasing>(p)};
    case AttributesKind::kCopyStart:
      return CopyStartAttributes{p.DrawInt()};
    case AttributesKind::kDomain:
      return DomainAttributes{p.DrawText(), p.DrawText(), p.DrawText()};
    default:
      return NoAttributes{};
  }
}

}  // namespace

Attributes Draw(Player& p, Tag<Attributes>) {
  return DrawAttributes(p, static_cast<AttributesKind>(p.Choose(36)));
}

}  // namespace indim
