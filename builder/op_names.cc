// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/op_names.h"

#include "indim/builder/op_settings.h"
#include "indim/builder/recorder.h"

namespace indim {

ScopedOpName::ScopedOpName(ComputationBuilder* builder, absl::string_view name,
                           Caller caller) {
  internal::Recorder* recorder = internal::RecorderOf(*builder);
  control_ = recorder->open().At(0).control;
  generation_ = recorder->open().At(0).generation;
  before_ = recorder->settings().op_name().value;
  internal::OpSettings(recorder).EnterOpName(name, caller);
}

ScopedOpName::~ScopedOpName() {
  internal::Recorder::Of(control_, generation_)
      ->settings()
      .set_op_name(NameId{before_});
}

}  // namespace indim
