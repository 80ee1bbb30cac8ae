// SPDX-License-Identifier: Apache-2.0
// The builder behind a handle, and what all of its calls share: values by
// number, lines, and errors that a call returns or the builder keeps.

#ifndef INDIM_BINDINGS_C_RECORDING_H_
#define INDIM_BINDINGS_C_RECORDING_H_

#include <indim.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/bindings/c/attributes.h"
#include "indim/bindings/c/guard.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/recorder.h"
#include "indim/builder/region.h"
#include "indim/edit/insertion.h"

namespace indim::capi {

using OpList = absl::InlinedVector<Op, 6>;

// The names of the files of a family of builders, by number; 0: none. They are
// kept as long as the process lives, because modules' metadata is looked up by
// their address.
struct FileTable {
  std::vector<const char*> names = {""};
  absl::flat_hash_map<const char*, int64_t> numbers;
};

// Attributes that were given before, so that a text is read once.
struct KnownAttributes {
  GivenAttributes given;
  AttributeBytesId bytes;
  // Whether they have nothing beside the struct of the opcode.
  bool plain = false;
};

}  // namespace indim::capi

struct indim_builder {
  // A builder of its own, or the one of an insertion.
  std::optional<indim::ComputationBuilder> own;
  std::optional<indim::Insertion> insertion;

  bool collect = false;
  bool record_locations = true;
  std::shared_ptr<indim::capi::FileTable> files;
  std::vector<indim::Op> values;
  // By opcode, form and text.
  absl::flat_hash_map<std::string, indim::capi::KnownAttributes> attributes;

  indim::ComputationBuilder& builder() {
    return own ? *own : insertion->builder();
  }
  indim::internal::Recorder* recorder() {
    return indim::internal::RecorderOf(builder());
  }
  const indim::internal::Recorder* recorder() const {
    return const_cast<indim_builder*>(this)->recorder();
  }
};

struct indim_region {
  indim::Region region;
  bool ended = false;
};

namespace indim::capi {

// The op of a value; null: there is no such value.
inline const Op* FindOp(const indim_builder& builder, indim_value value) {
  return value < 0 || static_cast<size_t>(value) >= builder.values.size()
             ? nullptr
             : &builder.values[static_cast<size_t>(value)];
}
indim_error* NoSuchValue(const indim_builder& builder, indim_value value);
// The ops of values, appended to *ops; an error for a value that isn't there.
indim_error* FindOps(const indim_builder& builder,
                     absl::Span<const indim_value> values, OpList* ops);
// The caller of a location; nullopt: its file has no number.
inline std::optional<Caller> CallerOf(const indim_builder& builder,
                                      indim_location location) {
  const int64_t file = location >> 32;
  const auto& names = builder.files->names;
  if (file < 0 || static_cast<size_t>(file) >= names.size()) {
    return std::nullopt;
  }
  return Caller{names[static_cast<size_t>(file)],
                static_cast<int>(location & 0x7fffffff)};
}
indim_error* NoSuchFile(indim_location location);

// The error of a call that failed although it added none: it uses a value of a
// call that failed.
indim_error* TakeErrors(indim_builder* builder,
                        const internal::Recorder::Mark& mark);

// Whether a recorded op has a result.
inline bool IsGood(const indim_builder& builder, Op op) {
  return builder.recorder()->ShapeOf(op) != nullptr;
}

// Gives the result of a call that recorded `op` since `mark`, or its errors.
inline indim_error* GiveValue(indim_builder* builder,
                              const internal::Recorder::Mark& mark, Op op,
                              indim_value* value) {
  if (!builder->collect && !IsGood(*builder, op)) {
    return TakeErrors(builder, mark);
  }
  builder->values.push_back(op);
  *value = static_cast<indim_value>(builder->values.size() - 1);
  return nullptr;
}

// The same of several results: `values` gets the first `capacity` of them,
// `count`, unless null, how many there are.
indim_error* GiveResults(indim_builder* builder,
                         const internal::Recorder::Mark& mark,
                         absl::Span<const Op> results, indim_value* values,
                         size_t capacity, size_t* count);

// Records with `record`, a function of the recorder and a Caller that returns
// an Op.
template <typename Record>
indim_error* RecordValue(indim_builder* builder, indim_location location,
                         indim_value* value, Record record) {
  const std::optional<Caller> caller = CallerOf(*builder, location);
  if (!caller) return NoSuchFile(location);
  internal::Recorder& recorder = *builder->recorder();
  const internal::Recorder::Mark mark = recorder.Here();
  return GiveValue(builder, mark, record(recorder, *caller), value);
}

// What a call without a result does: its errors are returned, or kept.
template <typename Change>
indim_error* ChangeBuilder(indim_builder* builder, Change change) {
  internal::Recorder& recorder = *builder->recorder();
  const internal::Recorder::Mark mark = recorder.Here();
  change(recorder);
  return builder->collect || !recorder.FailedSince(mark)
             ? nullptr
             : TakeErrors(builder, mark);
}

// The attributes of a call, read or known; null in *known: none were given.
indim_error* KnowAttributes(indim_builder* builder, Opcode opcode,
                            const indim_attributes* given,
                            const KnownAttributes** known);
// The opcode of a call.
indim_error* FindOpcode(const indim_op& op, Opcode* opcode);
// Records a call whose options, opcode, operands and callees were read.
Op RecordCall(internal::Recorder* recorder, Opcode opcode,
              absl::Span<const Op> operands, const KnownAttributes* attributes,
              const Shape* result, absl::Span<const Callee> callees,
              Caller caller);

}  // namespace indim::capi

#endif  // INDIM_BINDINGS_C_RECORDING_H_
