// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/sharding.h"

#include <utility>

#include "indim/builder/op_settings.h"
#include "indim/builder/recorder.h"

namespace indim {
ScopedSharding::ScopedSharding(ComputationBuilder* builder,
                               std::optional<std::string> op_sharding,
                               Caller caller) {
  internal::Recorder* recorder = internal::RecorderOf(*builder);
  control_ = recorder->open().At(0).control;
  generation_ = recorder->open().At(0).generation;
  before_ = recorder->settings().sharding();
  internal::OpSettings(recorder).SetSharding(std::move(op_sharding), caller);
}

ScopedSharding::~ScopedSharding() {
  internal::Recorder::Of(control_, generation_)
      ->settings()
      .set_sharding(std::move(before_));
}

}  // namespace indim
