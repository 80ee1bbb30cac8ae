// SPDX-License-Identifier: Apache-2.0
// OpPlans: the decisions of the artifact writer about operations. It makes
// them for every operation before it writes the first, because names,
// attributes and types must be numbered by then.

#ifndef INDIM_STABLEHLO_BYTECODE_OP_PLAN_H_
#define INDIM_STABLEHLO_BYTECODE_OP_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/bytecode/entry_writer.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

inline Dialect OtherDialect(Dialect dialect) {
  return dialect == Dialect::kVhlo ? Dialect::kBuiltin : Dialect::kVhlo;
}
// The dialect of the dictionary of an operation's discardable attributes.
inline Dialect DictionaryDialect(Dialect dialect) {
  return dialect == Dialect::kVhlo ? Dialect::kVhloValues : Dialect::kBuiltin;
}

struct OpPlan {
  static constexpr uint32_t kNoProperties = ~uint32_t{0};

  uint32_t name = 0;  // OpPlans::names
  uint32_t properties = kNoProperties;
  AttrId location;
  AttrId dictionary;  // of discardable attributes; invalid: it has none
  Dialect dialect = Dialect::kVhlo;
  bool is_isolated = false;
  bool is_tan = false;  // written as sine, cosine and divide
};

class OpPlans {
 public:
  static constexpr uint32_t kUnused = ~uint32_t{0};
  struct Name {
    std::string text;  // without the dialect
    uint32_t dialect;
    uint32_t uses;
  };
  struct Property {
    AttrId value;
    bool optional;
  };
  struct Properties {
    Dialect dialect = Dialect::kVhlo;
    std::vector<Property> values;
  };
  struct TanNames {
    uint32_t sine = kUnused;
    uint32_t cosine = kUnused;
    uint32_t divide = kUnused;
  };

  OpPlans(Ir* ir, Version target, bool mixed)
      : ir_(*ir), entries_(ir, target, mixed) {}

  // Plans all operations of the module. Errors: WriteArtifact.
  absl::Status Make();

  EntryWriter& entries() { return entries_; }
  const OpPlan& of(OpId id) const { return plans_[id.index]; }
  const std::vector<Name>& names() const { return names_; }
  const std::vector<Properties>& properties() const { return properties_; }
  // builtin.unrealized_conversion_cast.
  uint32_t cast_name() const { return cast_name_; }
  const TanNames& tan_names() const { return tan_names_; }

  // The dialect of a value's type where it is defined.
  Dialect DialectOf(ValueId value) const;
  // The value is used in the other dialect too.
  bool HasCast(ValueId value) const {
    return !casts_.empty() && casts_.contains(value.index);
  }
  // How many operations, each of one result, are written in addition to it.
  uint32_t ExtraOps(OpId id) const;

 private:
  absl::Status MakeOp(OpId id);
  absl::Status MakeVhlo(const Op& op, OpPlan* plan);
  absl::Status MakeOther(const Op& op, OpPlan* plan);
  // Numbers the properties of an operation, which it makes unless another
  // operation has the same ones.
  absl::Status UseProperties(
      const Op& op, OpPlan* plan,
      absl::FunctionRef<absl::StatusOr<std::vector<Property>>()> make);
  absl::StatusOr<std::vector<Property>> PropertiesOfOther(const Op& op,
                                                          const OpRow& row);
  absl::Status UseValues(OpId id);
  absl::Status UseCast(ValueId value);
  uint32_t UseName(absl::string_view dialect, absl::string_view text);

  Ir& ir_;
  EntryWriter entries_;
  std::vector<OpPlan> plans_;
  std::vector<Name> names_;
  absl::flat_hash_map<std::string, uint32_t> name_numbers_;
  std::vector<Properties> properties_;
  // By name and properties of an operation.
  absl::flat_hash_map<std::vector<uint32_t>, uint32_t> property_numbers_;
  absl::flat_hash_set<uint32_t> casts_;
  std::vector<Dialect> region_dialects_;  // by region: of its blocks' arguments
  uint32_t cast_name_ = 0;
  TanNames tan_names_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_OP_PLAN_H_
