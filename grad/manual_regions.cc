// SPDX-License-Identifier: Apache-2.0
// Derivatives of manual regions (JAX's shard_map): whole arrays are cut into
// the parts of devices, with which the devices compute, and what they get is
// joined to whole arrays.
//
// A region of Shardy's is a custom call that cuts, a call, and a custom call
// that joins. XLA takes the three for one, so nothing else passes its borders:
// the derivative has a region of its own, which computes again what it needs.
// GSPMD's are custom calls of one array each, which are linear themselves.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/op_settings.h"
#include "indim/grad/carry.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/split.h"
#include "indim/grad/stacks.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/shardy/shardy_text.h"

namespace indim::internal {
namespace {

constexpr absl::string_view kCut = "xla.sdy.GlobalToLocalShape";
constexpr absl::string_view kJoin = "xla.sdy.LocalToGlobalShape";

constexpr absl::string_view kGspmdCut = "SPMDFullToShardShape";
constexpr absl::string_view kGspmdJoin = "SPMDShardToFullShape";

absl::string_view TargetOf(const Instruction& node) {
  return node.opcode() == Opcode::kCustomCall
             ? absl::string_view(
                   As<CustomCallAttributes>(node.attributes()).target)
             : "";
}

// What the operands of `user` are: the elements of its tuple, or itself.
std::optional<Instruction> TupleSourceOf(const Instruction& user) {
  if (user.operand_count() == 0) return std::nullopt;
  const Instruction first = user.operand(0);
  if (first.opcode() != Opcode::kGetTupleElement) {
    if (user.operand_count() != 1) return std::nullopt;
    return first;
  }
  const Instruction source = first.operand(0);
  if (source.shape().tuple_size() != user.operand_count()) return std::nullopt;
  for (int i = 0; i < user.operand_count(); ++i) {
    const Instruction element = user.operand(i);
    if (element.opcode() != Opcode::kGetTupleElement ||
        !(element.operand(0) == source) ||
        As<GetTupleElementAttributes>(element.attributes()).index != i) {
      return std::nullopt;
    }
  }
  return source;
}

std::optional<Instruction> CutOf(const Instruction& call) {
  const std::optional<Instruction> cut = TupleSourceOf(call);
  return cut && TargetOf(*cut) == kCut ? cut : std::nullopt;
}

// The arrays that cross a border of a region.
struct RegionBorder {
  std::vector<Op> ops;  // outside
  std::vector<std::string> shardings;
  std::vector<Shape> wholes, parts;

  void Add(const RegionBorder& other, size_t i, Op op) {
    ops.push_back(op);
    shardings.push_back(other.shardings[i]);
    wholes.push_back(other.wholes[i]);
    parts.push_back(other.parts[i]);
  }
};

// The arrays of a border where it cuts or joins.
RegionBorder BorderAt(const Instruction& node, absl::string_view key) {
  RegionBorder border;
  border.shardings = ShardyShardings(NoteOf(node, key).value_or(""));
  for (const Instruction operand : node.operands()) {
    border.wholes.push_back(operand.shape().WithoutLayout());
  }
  for (const Shape& leaf : LeafShapes(node.shape())) {
    border.parts.push_back(leaf.WithoutLayout());
  }
  if (key == kSdyOutShardings) std::swap(border.wholes, border.parts);
  return border;
}

struct ManualRegion {
  std::string axes;    // as the attribute has them
  std::string meshes;  // of the module
  RegionBorder in, out;
  Computation body;
  std::unique_ptr<SplitComputation> split;

  bool IsWhole() const {
    const auto is_whole = [](const RegionBorder& border) {
      return border.shardings.size() == border.wholes.size() &&
             border.shardings.size() == border.parts.size();
    };
    return is_whole(in) && is_whole(out);
  }

  // Records a region that calls `callee`: what it gives, whole.
  std::vector<Op> Record(ComputationBuilder& b, const RegionBorder& from,
                         const Callee& callee, const RegionBorder& to) const {
    std::vector<Op> parts, wholes;
    AddLeaves(b, Cross(b, kCut, kSdyInShardings, from.ops, from, from.parts),
              &parts);
    const Op made = b.Call(callee, parts);
    b.SetFrontendAttribute(made, "inlineable", "false");
    parts.clear();
    AddLeaves(b, made, &parts);
    AddLeaves(b, Cross(b, kJoin, kSdyOutShardings, parts, to, to.wholes),
              &wholes);
    return wholes;
  }

  // Devices along an axis that doesn't cut a value have copies of its parts.
  struct Copies {
    int64_t count = 1;
    std::vector<std::string> axes;
  };
  absl::StatusOr<Copies> CopiesOf(const std::string& sharding) const {
    const auto named =
        ReadShardyShardings(sharding, [this](absl::string_view name) {
          return FindShardyMesh(meshes, name);
        });
    if (!named.ok()) return named.status();
    const std::vector<Mesh::Axis>& all = (*named)[0].mesh.axes;
    std::vector<bool> cuts(all.size());
    for (const Sharding::Dim& dim : (*named)[0].dims) {
      for (const AxisRef& ref : dim.axes) {
        if (!ref.is_whole()) {
          return absl::InvalidArgumentError("a part of an axis cuts it");
        }
        cuts[static_cast<size_t>(ref.axis)] = true;
      }
    }
    Copies copies;
    const std::vector<std::string> manual = ShardyManualAxes(axes);
    for (size_t i = 0; i < all.size(); ++i) {
      if (cuts[i] || !absl::c_linear_search(manual, all[i].name)) continue;
      copies.count *= all[i].size;
      copies.axes.push_back(all[i].name);
    }
    return copies;
  }

  std::vector<Tangent> Transposed(ComputationBuilder& b,
                                  const std::function<Op(Op)>& value_of,
                                  absl::Span<const Tangent> cotangents) const;
  std::vector<Tangent> Applied(ComputationBuilder& b, GradientContext* context,
                               const CallChain* site,
                               const ActiveLeaves& wanted,
                               absl::Span<const Tangent> tangents,
                               absl::Status* status) const;

 private:
  Op Cross(ComputationBuilder& b, absl::string_view target,
           absl::string_view key, absl::Span<const Op> operands,
           const RegionBorder& border,
           const std::vector<Shape>& results) const {
    CustomCallAttributes call;
    call.target = std::string(target);
    call.has_side_effect = true;
    const Op made = b.AddInstruction(
        Opcode::kCustomCall, operands, call,
        results.size() == 1 ? results[0] : Shape::Tuple(results));
    b.SetFrontendAttribute(made, key, ShardyPerValue(border.shardings));
    b.SetFrontendAttribute(made, kSdyManualAxes, axes);
    return made;
  }
};

// Cut by `axes` along a leading dim, which it gets.
std::string WithLeadingAxes(std::string sharding,
                            const std::vector<std::string>& axes) {
  size_t at = sharding.find(", replicated={");
  if (at != std::string::npos) {
    sharding.erase(at, sharding.find('}', at) - at + 1);
  }
  at = sharding.find(", [") + 3;
  sharding.insert(at, absl::StrCat("{\"", absl::StrJoin(axes, "\", \""), "\"}",
                                   sharding[at] == ']' ? "" : ", "));
  return sharding;
}

// A result of which devices have copies gets its cotangent in equal shares; of
// an operand the devices' gradients are added.
std::vector<Tangent> ManualRegion::Transposed(
    ComputationBuilder& b, const std::function<Op(Op)>& value_of,
    absl::Span<const Tangent> cotangents) const {
  RegionBorder from, to;
  ComputationBuilder called =
      b.SubBuilder(absl::StrCat(body.name(), "_transpose"));
  for (size_t k = 0; k < split->results().size(); ++k) {
    const size_t i = split->results()[k];
    Op g = cotangents[k] ? *cotangents[k] : b.Splat(0, out.wholes[i]);
    const int64_t copies = CopiesOf(out.shardings[i])->count;
    if (copies > 1) g = b.Div(g, b.Splat(copies, out.wholes[i]));
    from.Add(out, i, g);
  }
  for (size_t i = 0; i < in.ops.size(); ++i)
    from.Add(in, i, value_of(in.ops[i]));
  std::vector<Op> operands, gradients;
  for (const Shape& part : from.parts)
    operands.push_back(called.Parameter(part));
  AddLeaves(called, called.Call(split->BuildAgain(&called), operands),
            &gradients);
  for (size_t k = 0; k < gradients.size(); ++k) {
    to.Add(in, split->arguments()[k], Op());
    const Copies copies = *CopiesOf(to.shardings[k]);
    if (copies.count == 1) continue;
    gradients[k] = ReshapeTo(called, gradients[k], StackOf(to.parts[k], 1));
    to.shardings[k] = WithLeadingAxes(to.shardings[k], copies.axes);
    to.wholes[k] = StackOf(to.wholes[k], copies.count);
  }
  const std::vector<Op> wholes = Record(
      b, from,
      called.BuildCallee(gradients.size() == 1 ? gradients[0]
                                               : called.Tuple(gradients)),
      to);
  std::vector<Tangent> sums;
  for (size_t k = 0; k < wholes.size(); ++k) {
    const bool has_copies =
        to.wholes[k].rank() != in.wholes[split->arguments()[k]].rank();
    sums.push_back(has_copies ? SumOver(b, wholes[k], {0}) : wholes[k]);
  }
  return sums;
}

// One tangent for each operand of the region, and for each of its results.
std::vector<Tangent> ManualRegion::Applied(ComputationBuilder& b,
                                           GradientContext* context,
                                           const CallChain* site,
                                           const ActiveLeaves& wanted,
                                           absl::Span<const Tangent> tangents,
                                           absl::Status* status) const {
  RegionBorder from = in, to;
  ActiveLeaves active;
  for (size_t i = 0; i < tangents.size(); ++i) {
    active.push_back(tangents[i].has_value());
    if (tangents[i]) from.Add(in, i, *tangents[i]);
  }
  ComputationBuilder called = b.SubBuilder(absl::StrCat(body.name(), "_jvp"));
  absl::StatusOr<Traced> result =
      TangentsIn(&called, context, body, site, active, wanted);
  std::vector<Tangent> made(out.wholes.size());
  *status = result.status();
  if (!result.ok()) return made;
  std::vector<Op> parts;
  std::vector<size_t> leaves;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!result->tangents[i] || !wanted[i]) continue;
    leaves.push_back(i);
    parts.push_back(*result->tangents[i]);
    to.Add(out, i, Op());
  }
  if (leaves.empty()) return made;
  const std::vector<Op> wholes = Record(
      b, from,
      called.BuildCallee(parts.size() == 1 ? parts[0] : called.Tuple(parts)),
      to);
  for (size_t k = 0; k < leaves.size(); ++k) made[leaves[k]] = wholes[k];
  return made;
}

// The parts' tangents are the whole arrays' until they are joined.
absl::Status TangentCut(Primal& node) {
  for (int i = 0; i < node.node().operand_count(); ++i) {
    node.tangents()[static_cast<size_t>(i)] = node.t(i);
  }
  return absl::OkStatus();
}

absl::Status TangentJoin(Primal& node) {
  const std::optional<Instruction> call = TupleSourceOf(node.node());
  const std::optional<Instruction> cut =
      call && call->opcode() == Opcode::kCall ? CutOf(*call) : std::nullopt;
  if (!cut) return node.Refuse("it isn't the end of a call of Shardy's");
  GradientContext& context = node.context();
  auto region = std::make_shared<ManualRegion>();
  region->axes = NoteOf(*cut, kSdyManualAxes).value_or("");
  region->meshes = ShardyMeshes(ModuleAccess::Data(*cut).other_fields);
  region->in = BorderAt(*cut, kSdyInShardings);
  region->out = BorderAt(node.node(), kSdyOutShardings);
  region->body = call->callee(0);
  if (!region->IsWhole()) return node.Refuse("values have no shardings");
  if (!node.tape().is_forward() && context.CantRunTwice(region->body)) {
    return node.Refuse(
        "its transpose would run it again, and it draws random numbers, moves "
        "data or has side effects",
        "do that outside");
  }
  for (const RegionBorder* border : {&region->in, &region->out}) {
    for (const std::string& sharding : border->shardings) {
      const auto copies = region->CopiesOf(sharding);
      if (!copies.ok()) return node.Refuse(copies.status().message());
    }
  }
  ActiveLeaves active;
  std::vector<Tangent> given;
  for (const Instruction operand : cut->operands()) {
    const Traced& traced = node.TracedOf(operand);
    region->in.ops.push_back(traced.value);
    given.push_back(traced.tangents[0]);
    active.push_back(given.back().has_value());
  }
  const CallChain* const site =
      context.AddSite(*call, 0, node.linearizer().site());
  const std::vector<Shape> results = region->out.wholes;
  absl::Status status;
  if (node.tape().is_forward()) {
    std::vector<Tangent> made = region->Applied(node.b(), &context, site,
                                                node.wanted(), given, &status);
    absl::c_move(made, node.tangents().begin());
    return status;
  }
  region->split =
      std::make_unique<SplitComputation>(&node.b(), region->body, nullptr);
  status = region->split->Record(&context, site, active, node.wanted());
  if (!status.ok() || region->split->arguments().empty()) return status;
  std::vector<Tangent> taken;
  std::vector<Shape> shapes;
  for (const size_t i : region->split->arguments()) taken.push_back(given[i]);
  for (const size_t i : region->split->results()) shapes.push_back(results[i]);
  LinearFunction function;
  function.transpose = [region](ComputationBuilder* b,
                                const std::function<Op(Op)>& value_of,
                                absl::Span<const Tangent> cotangents) {
    return region->Transposed(*b, value_of, cotangents);
  };
  const std::vector<Tangent> tangents =
      node.tape().Apply(std::move(function), taken, shapes);
  for (size_t k = 0; k < tangents.size(); ++k) {
    node.tangents()[region->split->results()[k]] = tangents[k];
  }
  return absl::OkStatus();
}

// GSPMD's: `whole` is the sharding of the whole array, `part` of the part.
struct GspmdBorder {
  std::string whole, part;
  Shape whole_shape, part_shape;

  Op Note(ComputationBuilder& b, Op x, absl::string_view target,
          const std::string& sharding, const Shape& shape) const {
    CustomCallAttributes call;
    call.target = std::string(target);
    OpSettings settings(RecorderOf(b));
    settings.SetSharding(sharding, Caller());
    const Op made = b.AddInstruction(Opcode::kCustomCall, {x}, call, shape);
    settings.SetSharding(std::nullopt, Caller());
    return made;
  }
  Op Cut(ComputationBuilder& b, Op x) const {
    return Note(b, Note(b, x, "Sharding", whole, whole_shape), kGspmdCut, part,
                part_shape);
  }
  Op Join(ComputationBuilder& b, Op x) const {
    return Note(b, Note(b, x, "Sharding", part, part_shape), kGspmdJoin, whole,
                whole_shape);
  }
};

absl::Status TangentGspmd(Primal& node, bool cuts) {
  if (!node.t(0)) return absl::OkStatus();
  const std::string own = ShardingOf(node.node()).value_or("");
  const std::string other = ShardingOf(node.node().operand(0)).value_or("");
  GspmdBorder border{other, own, node.shape(0).WithoutLayout(),
                     node.shape().WithoutLayout()};
  if (!cuts) {
    std::swap(border.whole, border.part);
    std::swap(border.whole_shape, border.part_shape);
  }
  const Sharding sharding = ParseSharding(border.whole);
  if (!sharding.Fault().empty() || !sharding.IsTiled() ||
      sharding.replicate_on_last || !sharding.subgroup_types.empty() ||
      sharding.named) {
    return node.Refuse("devices have copies of parts of it",
                       "lower the program with Shardy");
  }
  ComputationBuilder* const b = &node.b();
  LinearFunction function;
  function.apply = [=](absl::Span<const Tangent> t) -> std::vector<Tangent> {
    return {cuts ? border.Cut(*b, *t[0]) : border.Join(*b, *t[0])};
  };
  function.transpose = [=](ComputationBuilder* out,
                           const std::function<Op(Op)>&,
                           absl::Span<const Tangent> g) {
    return std::vector<Tangent>{cuts ? border.Join(*out, *g[0])
                                     : border.Cut(*out, *g[0])};
  };
  node.Set(
      node.tape().Apply(std::move(function), {node.t(0)}, {node.shape()})[0]);
  return absl::OkStatus();
}

absl::Status TangentGspmdCut(Primal& node) {
  return TangentGspmd(node, /*cuts=*/true);
}

absl::Status TangentGspmdJoin(Primal& node) {
  return TangentGspmd(node, /*cuts=*/false);
}

}  // namespace

bool IsManualBody(const Instruction& call) { return CutOf(call).has_value(); }

TangentRule ManualBorderRule(absl::string_view target) {
  if (target == kCut) return TangentCut;
  if (target == kJoin) return TangentJoin;
  if (target == kGspmdCut) return TangentGspmdCut;
  if (target == kGspmdJoin) return TangentGspmdJoin;
  return nullptr;
}

// Any tangent says that the parts have one; what joins them differentiates.
absl::Status TangentManualBody(Primal& node) {
  Tangent any;
  for (int i = 0; i < node.node().operand_count(); ++i) {
    if (!any) any = node.t(i);
  }
  for (size_t i = 0; i < node.tangents().size(); ++i) {
    if (node.wanted()[i]) node.tangents()[i] = any;
  }
  return absl::OkStatus();
}

}  // namespace indim::internal
