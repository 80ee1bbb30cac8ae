#include "indim/builder/op_names.h"

#include "indim/builder/recorder.h"

namespace indim {

ScopedOpName::ScopedOpName(ComputationBuilder* builder, absl::string_view name,
                           Caller caller) {
  internal::Recorder* recorder = internal::RecorderOf(*builder);
  control_ = recorder->control();
  generation_ = recorder->generation();
  before_ = recorder->op_name().value;
  recorder->EnterOpName(name, caller);
}

ScopedOpName::~ScopedOpName() {
  internal::Recorder::Of(control_, generation_)->RestoreOpName(NameId{before_});
}

}  // namespace indim
