// HardTanh as a shared library, for
//
//   indim run model.hlo --pass=bazel-bin/examples/passes/libhard_tanh.so

#include "indim/examples/passes/native_passes.h"
#include "indim/run/pass_library.h"

const indim_pass indim_pass_1 = {
    "hard-tanh", INDIM_PASS_PRE_SCHEDULER, [](const indim_pass_call* call) {
      indim::pjrt::AnswerPassCall(*call,
                                  indim::pjrt::EditingPass(indim::HardTanh));
    }};
