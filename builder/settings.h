// SPDX-License-Identifier: Apache-2.0
// Settings: what is in force for the next calls of a builder: whether lines are
// recorded, names, a sharding, the composite that is open.

#ifndef INDIM_BUILDER_SETTINGS_H_
#define INDIM_BUILDER_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "indim/builder/op.h"
#include "indim/ir/ids.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// A composite op (composite.h): ops recorded in it have its caller's line,
// messages name it, and its result gets the sharding that was in scope.
struct CompositeScope {
  const char* name;
  Caller caller;
  size_t first_node;
  std::optional<std::string> sharding;
};

class Settings {
 public:
  // `fixed`: they never change, those of Recorder::None().
  explicit Settings(bool fixed) : fixed_(fixed) {}

  bool record_locations() const { return record_locations_; }
  void set_record_locations(bool on) { Set(on, &record_locations_); }
  bool strict_types() const { return strict_types_; }
  void set_strict_types(bool on) { Set(on, &strict_types_); }
  NameId op_name() const { return op_name_; }
  void set_op_name(NameId name) { Set(name, &op_name_); }
  NameId op_type() const { return op_type_; }
  void set_op_type(NameId type) { Set(type, &op_type_); }
  // The metadata of ops that are recorded for an instruction of another module,
  // without a line and a name of a call. Null: a program records them.
  const std::optional<MetadataId>& origin() const { return origin_; }
  void set_origin(std::optional<MetadataId> origin) { Set(origin, &origin_); }

  // Canonical bytes of an OpSharding.
  const std::optional<std::string>& sharding() const { return sharding_; }
  void set_sharding(std::optional<std::string> sharding) {
    Set(std::move(sharding), &sharding_);
    Set(uint32_t{0}, &fitting_);
  }
  // The sharding, if a value of `shape` can carry it.
  std::optional<std::string> ShardingFor(const Shape& shape) const;
  // The StructureId of the last shape that the sharding was found to fit; 0:
  // none.
  uint32_t fitting() const { return fitting_; }
  void set_fitting(uint32_t structure) { fitting_ = structure; }

  // Null: none is open.
  const CompositeScope* composite() const {
    return composite_ ? &*composite_ : nullptr;
  }
  // Whom diagnostics name for a call: who called the composite that is open;
  // nobody for what is recorded for an instruction of another module.
  Caller CallerInForce(Caller caller) const {
    if (composite_) return composite_->caller;
    return origin_ && !record_locations_ ? Caller{} : caller;
  }
  // False: one is open already, and this is a part of it.
  bool EnterComposite(const char* name, Caller caller, size_t first_node);
  // The end of a composite: first the sharding comes back.
  void RestoreSharding() { set_sharding(std::move(composite_->sharding)); }
  void LeaveComposite() { composite_.reset(); }

 private:
  template <typename T>
  void Set(T value, T* member) {
    if (!fixed_) *member = std::move(value);
  }

  const bool fixed_;
  bool record_locations_ = true;
  bool strict_types_ = false;
  NameId op_name_, op_type_;
  std::optional<MetadataId> origin_;
  std::optional<std::string> sharding_;
  uint32_t fitting_ = 0;
  std::optional<CompositeScope> composite_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_SETTINGS_H_
