// SPDX-License-Identifier: Apache-2.0
// The names of an artifact's operations, and the attributes that operations of
// a name have: both stand in tables, and most operations share them.

#ifndef INDIM_STABLEHLO_BYTECODE_OP_NAMES_H_
#define INDIM_STABLEHLO_BYTECODE_OP_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "indim/stablehlo/bytecode/entry_reader.h"
#include "indim/stablehlo/bytecode/sections.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// An operation's name, once it was seen.
struct KnownName {
  bool seen = false;
  bool is_cast = false;    // builtin.unrealized_conversion_cast
  bool is_return = false;  // func.return or stablehlo.return, by parent
  const VhloOp* vhlo = nullptr;
  const OpRow* row = nullptr;  // none: a cast
  StringId name;
};

struct OpAttributes {
  std::vector<NamedAttr> properties;
  std::vector<NamedAttr> discardable;

  size_t size() const { return properties.size() + discardable.size(); }
};

class OpNames {
 public:
  // No such attributes or properties.
  static constexpr uint64_t kNothing = ~uint64_t{0};

  // All must outlive it.
  OpNames(const Sections* sections, EntryTable* entries, Ir* ir)
      : sections_(*sections),
        entries_(*entries),
        ir_(*ir),
        names_(sections->op_names.size()) {}

  size_t count() const { return names_.size(); }

  // `number` is below count(), and `offset` is of the operation, for errors:
  // the operation is unknown. The reference stays valid.
  absl::StatusOr<const KnownName*> Name(size_t number, size_t offset);

  // The attributes of an operation with the name of that number, which was
  // asked for: the numbers of a dictionary among the entries and of properties
  // among the sections', or kNothing. The reference stays valid. Errors: they
  // aren't those of such an operation.
  absl::StatusOr<const OpAttributes*> Attributes(size_t name,
                                                 uint64_t dictionary,
                                                 uint64_t properties,
                                                 size_t offset);

 private:
  using Key = std::pair<uint64_t, std::pair<uint64_t, uint64_t>>;

  absl::StatusOr<KnownName> Learn(const OpNameEntry& entry, size_t offset);
  absl::StatusOr<OpAttributes> Read(const KnownName& name, uint64_t dictionary,
                                    uint64_t properties, size_t offset);
  // The properties of an operation from the section of properties.
  absl::StatusOr<std::vector<NamedAttr>> Properties(const KnownName& name,
                                                    Cursor in, size_t offset);
  absl::StatusOr<AttrId> Property(bool optional, Cursor* in);
  // Sorts an old operation's attributes into its own and others.
  absl::StatusOr<OpAttributes> Split(const KnownName& name,
                                     const std::vector<NamedAttr>& attributes,
                                     size_t offset);

  const Sections& sections_;
  EntryTable& entries_;
  Ir& ir_;
  std::vector<KnownName> names_;
  absl::node_hash_map<Key, OpAttributes> attributes_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_OP_NAMES_H_
