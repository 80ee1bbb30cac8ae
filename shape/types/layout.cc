// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/layout.h"

namespace indim {

Layout Layout::RowMajor(int rank) {
  Layout layout;
  for (int i = rank - 1; i >= 0; --i) layout.minor_to_major.push_back(i);
  return layout;
}

}  // namespace indim
