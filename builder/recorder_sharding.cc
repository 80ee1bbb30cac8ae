// The sharding in scope: which ops get it. It goes on what the user calls; what
// a call makes for itself (ForItself) gets none.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/record_util.h"
#include "indim/builder/recorder.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/sharding_faults.h"
#include "indim/wire/canonical.h"

namespace indim::internal {

void Recorder::CheckAndSetSharding(std::optional<std::string> sharding,
                                   Caller caller) {
  if (sharding) {
    absl::StatusOr<std::string> canonical = Canonicalize(
        WireMessage::kOpSharding, *sharding, kInstructionDepth + 1);
    if (!canonical.ok()) {
      Diagnostic diagnostic;
      diagnostic.code = Code::kAttributeBytes;
      diagnostic.args = {absl::StrCat(
          "a sharding is the bytes of an OpSharding, which "
          "ReplicateSharding(), "
          "TileSharding({2, 4}) and others of builder/sharding.h make; in \"",
          absl::CHexEscape(absl::string_view(*sharding).substr(0, 40)), "\" ",
          canonical.status().message())};
      return AddDiagnostic("set_sharding", std::move(diagnostic), caller);
    }
    sharding = *std::move(canonical);
    std::vector<Diagnostic> errors =
        ShardingErrors(*sharding, Shape(), /*devices=*/0);
    for (Diagnostic& error : errors) {
      AddDiagnostic("set_sharding", std::move(error), caller);
    }
    if (!errors.empty()) return;
  }
  set_sharding(std::move(sharding));
}

std::optional<std::string> Recorder::ShardingFor(const Shape& shape) const {
  if (!sharding_ || !ShardingErrors(*sharding_, shape, /*devices=*/0).empty()) {
    return std::nullopt;
  }
  return sharding_;
}

Op Recorder::CheckSharded(Op op, Caller caller) {
  if (!sharding_ || StateOf(op) != OpState::kGood) return op;
  ShapeId& shape = frame_.instructions[op.node_].shape;
  const ShapeTable& shapes = shared_->pools().shapes();
  const uint32_t structure = shapes.structure(shape).value;
  if (structure == fits_sharding_) return op;
  std::vector<Diagnostic> errors =
      ShardingErrors(*sharding_, shapes.shape(shape), /*devices=*/0);
  if (errors.empty()) {
    fits_sharding_ = structure;
    return op;
  }
  shape = ShapeId{};
  for (Diagnostic& error : errors) {
    Keep({std::move(error), op.node_, "", caller});
  }
  return op;
}

Op Recorder::OwnConstant(const Literal& literal, Caller caller) {
  const ForItself part(this);
  return Constant(literal, caller);
}

std::vector<std::optional<std::string>> Recorder::ShardingsOf(
    Op tuple, size_t own, size_t count) const {
  std::vector<std::optional<std::string>> shardings(count);
  const Shape* const shape = ShapeOf(tuple);
  if (!sharding_ || shape == nullptr) return shardings;
  const auto parts = TupleParts(*sharding_);
  const bool apart = parts && parts->size() == count - own;
  bool carried = false;
  for (size_t i = own; i < count; ++i) {
    shardings[i] = apart ? std::string((*parts)[i - own])
                         : ShardingFor(shape->elements()[i]);
    carried |= shardings[i].has_value();
  }
  if (!carried && own < count) shardings[own] = sharding_;  // is reported
  return shardings;
}

std::vector<Op> Recorder::Elements(Op tuple, size_t own, size_t count,
                                   Caller caller) {
  const std::vector<std::optional<std::string>> shardings =
      ShardingsOf(tuple, own, count);
  std::vector<Op> elements;
  for (size_t i = 0; i < count; ++i) {
    const SwappedSharding scope(this, shardings[i]);
    const Attributes attributes =
        GetTupleElementAttributes{static_cast<int64_t>(i)};
    elements.push_back(
        Record({Opcode::kGetTupleElement, {tuple}, &attributes}, caller));
  }
  return elements;
}

}  // namespace indim::internal
