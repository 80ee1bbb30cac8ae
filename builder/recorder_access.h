// RecorderAccess: the recorder behind a builder, for the C interface, which
// records without the builder's own calls. Not part of the API.

#ifndef INDIM_BUILDER_RECORDER_ACCESS_H_
#define INDIM_BUILDER_RECORDER_ACCESS_H_

#include "indim/builder/computation_builder.h"
#include "indim/builder/recorder.h"

namespace indim::internal {

// No object of it is made: a class that derives from the builder may name the
// builder's protected member.
class RecorderAccess : ComputationBuilder {
 public:
  // Recorder::None() after the builder was moved away.
  static Recorder* Of(const ComputationBuilder& builder) {
    return (builder.*&RecorderAccess::recorder_).get();
  }
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_RECORDER_ACCESS_H_
