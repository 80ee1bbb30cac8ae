// SPDX-License-Identifier: Apache-2.0
// The checkout, for tests that read its files where they are, so that a new one
// can't be forgotten: they have //:WORKSPACE as data and run outside the
// sandbox.

#ifndef INDIM_TESTS_CHECKOUT_H_
#define INDIM_TESTS_CHECKOUT_H_

#include <filesystem>
#include <string>

#include "indim/tests/page.h"

namespace indim {

// Where the link to WORKSPACE among the test's files ends.
inline std::filesystem::path Checkout() {
  return std::filesystem::canonical("WORKSPACE").parent_path();
}

// The bytes of a file, by its path in the checkout; "" where there is none.
inline std::string CheckoutText(const std::string& path) {
  return FileText(Checkout() / path);
}

}  // namespace indim

#endif  // INDIM_TESTS_CHECKOUT_H_
