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
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/bytecode/entry_sink.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

inline Terms OtherTerms(Terms terms) {
  return terms == Terms::kVhlo ? Terms::kBuiltin : Terms::kVhlo;
}
// The terms of the dictionary of an operation's discardable attributes.
inline Terms DictionaryTerms(Terms terms) {
  return terms == Terms::kVhlo ? Terms::kVhloValues : Terms::kBuiltin;
}

struct OpPlan {
  static constexpr uint32_t kNoProperties = ~uint32_t{0};

  uint32_t name = 0;  // OpPlans::names
  uint32_t properties = kNoProperties;
  AttrId location;
  AttrId dictionary;  // of discardable attributes; invalid: it has none
  Terms terms = Terms::kVhlo;
  bool is_isolated = false;
  bool is_tan = false;  // written as sine, cosine and divide
};

class OpPlans {
 public:
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
    Terms terms;
    std::vector<Property> values;
  };
  struct TanNames {
    uint32_t sine = 0;
    uint32_t cosine = 0;
    uint32_t divide = 0;
  };

  OpPlans(Ir* ir, Version target, bool mixed)
      : ir_(*ir), sink_(ir, target, mixed) {}

  // Plans all operations of the module. Errors: WriteArtifact.
  absl::Status Make();

  EntrySink& sink() { return sink_; }
  const OpPlan& of(OpId id) const { return plans_[id.index]; }
  const std::vector<Name>& names() const { return names_; }
  const std::vector<Properties>& properties() const { return properties_; }
  // builtin.unrealized_conversion_cast.
  uint32_t cast_name() const { return cast_name_; }
  const TanNames& tan_names() const { return tan_names_; }

  // The terms of a value's type where it is defined.
  Terms TermsOf(ValueId value) const;
  // The value is used in other terms too.
  bool HasCast(ValueId value) const {
    return !casts_.empty() && casts_.contains(value.index);
  }
  // How many operations, each of one result, are written in addition to it.
  uint32_t ExtraOps(OpId id) const;

 private:
  absl::Status MakeOp(OpId id);
  absl::Status MakeVhlo(const Op& op, OpPlan* plan);
  absl::Status MakeOther(const Op& op, OpPlan* plan);
  absl::Status UseValues(OpId id);
  absl::Status UseCast(ValueId value);
  absl::Status UseTan();
  uint32_t UseName(absl::string_view dialect, absl::string_view text);
  // Numbers `properties`, of an operation whose own ones are its key.
  absl::Status UseProperties(std::vector<uint32_t> key, Properties properties,
                             OpPlan* plan);
  std::vector<uint32_t> KeyOf(const Op& op) const;

  Ir& ir_;
  EntrySink sink_;
  std::vector<OpPlan> plans_;
  std::vector<Name> names_;
  absl::flat_hash_map<std::string, uint32_t> name_numbers_;
  std::vector<Properties> properties_;
  // By name and properties of an operation.
  absl::flat_hash_map<std::vector<uint32_t>, uint32_t> property_numbers_;
  absl::flat_hash_set<uint32_t> casts_;
  std::vector<Terms> region_terms_;  // by region: of its blocks' arguments
  uint32_t cast_name_ = 0;
  TanNames tan_names_;
  bool has_tan_ = false;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_OP_PLAN_H_
