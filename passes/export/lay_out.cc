// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/export/lay_out.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/passes/export/recipe_builder.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using wire_fields::AllRecords;
using wire_fields::Bytes;
using wire_fields::Record;

// Depth is at most Shape::kMaxTupleDepth.
bool HasLayouts(const Shape& shape) {
  if (shape.has_rank()) return shape.layout() != nullptr;
  return absl::c_all_of(shape.elements(), HasLayouts);
}

// The ProgramShapeProto `wire` with layouts; nullopt: all are there.
std::optional<std::string> LayOutProgramShape(absl::string_view wire) {
  namespace of = field::ProgramShapeProto;
  std::string laid_out;
  bool changes = false;
  const bool read = AllRecords(wire, [&](const Record& record) {
    std::optional<Shape> filled;
    if (record.tag == Bytes(of::kParameters) ||
        record.tag == Bytes(of::kResult)) {
      const absl::StatusOr<Shape> shape = ParseShapeProto(record.value);
      if (shape.ok()) filled = WithMissingLayouts(*shape);
    }
    if (filled) {
      wire_fields::AppendBytes(TagNumber(record.tag),
                               SerializeShapeProto(*filled), &laid_out);
      changes = true;
    } else {
      laid_out.append(record.bytes.data(), record.bytes.size());
    }
    return true;
  });
  if (!read) return std::nullopt;
  if (!changes) return std::nullopt;
  return laid_out;
}

// Checks distinct shapes: many instructions share few of them.
bool AnyLacksLayouts(const ModuleData& data) {
  const ShapeTable& shapes = data.pools->shapes();
  std::vector<bool> lacks(shapes.size());
  for (uint32_t id = 0; id < shapes.size(); ++id) {
    lacks[id] = !HasLayouts(shapes.shape(ShapeId{id}));
  }
  return absl::c_any_of(data.instructions, [&](const InstructionRecord& r) {
    return lacks[r.shape.value];
  });
}

void LayOutInstructions(ModuleData* data) {
  Pools& pools = data->MutablePools();
  ShapeTable& shapes = pools.shapes();
  std::vector<ShapeId> known(shapes.size());  // 0: not computed yet
  for (InstructionRecord& r : data->instructions) {
    if (r.opcode == Opcode::kConstant) {
      Expansion expansion;
      LayOutConstant(pools, r.shape, r.attribute_bytes, &expansion);
      if (expansion.shape) r.shape = shapes.Intern(*expansion.shape);
      if (expansion.attribute_bytes)
        r.attribute_bytes =
            pools.AddAttributeBytes(expansion.attribute_bytes->view());
    }
    if (!r.shape || r.shape.value >= known.size()) continue;
    ShapeId& laid_out = known[r.shape.value];
    if (!laid_out) {
      const std::optional<Shape> filled =
          WithMissingLayouts(shapes.shape(r.shape));
      laid_out = filled ? shapes.Intern(*filled) : r.shape;
    }
    r.shape = laid_out;
  }
}

}  // namespace

std::optional<Shape> WithMissingLayouts(const Shape& shape) {
  if (HasLayouts(shape)) return std::nullopt;
  return shape.WithDefaultLayout();
}

Module LayOut(Module module) {
  const ModuleData& data = internal::DataOf(module);
  const uint32_t count = static_cast<uint32_t>(data.computations.size());
  std::vector<std::pair<uint32_t, std::string>> programs;  // count: the host's
  for (uint32_t c = 0; c <= count; ++c) {
    std::optional<std::string> laid_out =
        LayOutProgramShape(c < count ? data.computations[c].program_shape
                                     : data.host_program_shape);
    if (laid_out) programs.emplace_back(c, *std::move(laid_out));
  }
  const bool any_lacks = AnyLacksLayouts(data);
  if (!any_lacks && programs.empty()) return module;
  std::shared_ptr<ModuleData> filled = internal::TakeData(std::move(module));
  if (any_lacks) LayOutInstructions(filled.get());
  for (auto& [c, wire] : programs) {
    (c < count ? filled->computations[c].program_shape
               : filled->host_program_shape) =
        filled->MutablePools().KeepBytes(std::move(wire));
  }
  return internal::ModuleOf(std::move(filled));
}

}  // namespace indim
