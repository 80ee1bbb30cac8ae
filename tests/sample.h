// SPDX-License-Identifier: Apache-2.0
// Tests of very many cases ask a sample of them. With INDIM_ALL_CASES in the
// environment, as .ci/thorough sets it, they ask each.

#ifndef INDIM_TESTS_SAMPLE_H_
#define INDIM_TESTS_SAMPLE_H_

#include <cstdlib>

namespace indim {

inline bool AsksAllCases() { return std::getenv("INDIM_ALL_CASES") != nullptr; }

// The step from a case to the next that is asked: `sample` (1 or more), or 1
// where each is.
inline int SampleStep(int sample) { return AsksAllCases() ? 1 : sample; }

}  // namespace indim

#endif  // INDIM_TESTS_SAMPLE_H_
