#include "indim/builder/sharding.h"

#include <utility>

#include "indim/builder/recorder.h"

namespace indim {
ScopedSharding::ScopedSharding(ComputationBuilder* builder,
                               std::optional<std::string> op_sharding,
                               Caller caller) {
  internal::Recorder* recorder = internal::RecorderOf(*builder);
  control_ = recorder->control();
  generation_ = recorder->generation();
  before_ = recorder->sharding();
  recorder->CheckAndSetSharding(std::move(op_sharding), caller);
}

ScopedSharding::~ScopedSharding() {
  internal::Recorder::Of(control_, generation_)
      ->set_sharding(std::move(before_));
}

}  // namespace indim
