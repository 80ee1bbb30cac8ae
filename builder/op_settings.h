// SPDX-License-Identifier: Apache-2.0
// OpSettings: the requests that change an op which was recorded, beside its
// attributes, or what the next ops get.

#ifndef INDIM_BUILDER_OP_SETTINGS_H_
#define INDIM_BUILDER_OP_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "indim/builder/arguments.h"
#include "indim/builder/op.h"
#include "indim/builder/open_computations.h"
#include "indim/builder/recorder.h"
#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/proto/wire/field_list.h"

namespace indim::internal {

class OpSettings {
 public:
  explicit OpSettings(Recorder* recorder) : recorder_(*recorder) {}

  // Of the next ops.
  void SetOpName(absl::string_view op_name, Caller caller);
  void SetOpType(absl::string_view op_type, Caller caller);
  // `scope` after the op_name in force and a '/'.
  void EnterOpName(absl::string_view scope, Caller caller);
  // `sharding` is bytes of an OpSharding, which become canonical; IND0640 for
  // other bytes.
  void SetSharding(std::optional<std::string> sharding, Caller caller);

  // Of an op.
  void SetName(Op op, absl::string_view name, Caller caller);
  void SetFrontendAttribute(Op op, absl::string_view key,
                            absl::string_view value, Caller caller);
  void SetBackendConfig(Op op, absl::string_view config, Caller caller);
  void SetResultAccuracy(Op op, const ResultAccuracy& accuracy, Caller caller);
  void AddControlDependency(Op from, Op to, Caller caller);
  void SetComposite(Op call, Caller caller);
  void SetReplication(Op parameter, const std::vector<bool>& replicated,
                      Caller caller);

  // Names a node; it isn't checked.
  void SetNameOf(Frame* frame, uint32_t node, absl::string_view name);
  // IND0609: `text`, the `role` of the call `what`, isn't UTF-8.
  bool CheckUtf8(absl::string_view what, absl::string_view role,
                 absl::string_view text, Caller caller);

 private:
  // CheckUtf8, before a build.
  bool CanName(absl::string_view what, absl::string_view role,
               absl::string_view name, Caller caller);
  NameId NameOf(absl::string_view name);
  // The record of an op that may be changed; null: it is poisoned, or misused,
  // which is recorded.
  InstructionRecord* Changeable(absl::string_view what, Op op, Caller caller);
  // Passes the op's fields to `change` and stores the result.
  void ChangeFields(absl::string_view what, Op op, Caller caller,
                    absl::FunctionRef<void(FieldList*)> change);

  Recorder& recorder_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_OP_SETTINGS_H_
