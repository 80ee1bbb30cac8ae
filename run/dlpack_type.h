// SPDX-License-Identifier: Apache-2.0
// Element types as DLPack numbers them, and the order of its elements. Not part
// of the API.

#ifndef INDIM_RUN_DLPACK_TYPE_H_
#define INDIM_RUN_DLPACK_TYPE_H_

#include "indim/run/dlpack.h"
#include "indim/shape/types/element_type.h"

namespace indim::pjrt::internal {

// False: DLPack has the type not, or in another form.
bool ToDlType(ElementType type, DlType* dl);
// kInvalid: we have no such type.
ElementType FromDlType(const DlType& dl);
// Whether the elements lie row by row, without gaps.
bool IsRowMajor(const DlTensor& tensor);

}  // namespace indim::pjrt::internal

#endif  // INDIM_RUN_DLPACK_TYPE_H_
