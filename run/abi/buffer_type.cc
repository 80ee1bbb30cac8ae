// SPDX-License-Identifier: Apache-2.0
#include "indim/run/abi/buffer_type.h"

namespace indim::pjrt {
namespace {

struct BufferTypeNumber {
  ElementType type;
  int number;
};
constexpr BufferTypeNumber kRows[] = {
#define INDIM_PJRT_BUFFER_TYPE(type, number) {ElementType::k##type, number},
#include "indim/run/abi/buffer_types.def"
#undef INDIM_PJRT_BUFFER_TYPE
};

}  // namespace

int BufferType(ElementType type) {
  for (const BufferTypeNumber& row : kRows) {
    if (row.type == type) return row.number;
  }
  return 0;
}

}  // namespace indim::pjrt
