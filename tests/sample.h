// Tests of very many cases ask each of them, and under AddressSanitizer, where
// all is several times as slow, some of them.

#ifndef INDIM_TESTS_SAMPLE_H_
#define INDIM_TESTS_SAMPLE_H_

namespace indim {

// The step from a case to the next that is asked: 1, or `sanitized` under
// AddressSanitizer (1 or more).
constexpr int SampleStep([[maybe_unused]] int sanitized) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return sanitized;
#endif
#endif
  return 1;
}

}  // namespace indim

#endif  // INDIM_TESTS_SAMPLE_H_
