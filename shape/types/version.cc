// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/version.h"

namespace indim {

absl::string_view Version() { return "0.1.0"; }

}  // namespace indim
