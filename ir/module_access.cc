// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/module_access.h"

#include "indim/ir/storage/sole_owner.h"
#include "indim/proto/wire/field_list.h"

namespace indim::internal {

std::shared_ptr<ModuleData> TakeData(Module module) {
  std::shared_ptr<const ModuleData> data = ModuleAccess::Release(&module);
  if (IsSoleOwner(data)) {
    return std::const_pointer_cast<ModuleData>(std::move(data));
  }
  return std::make_shared<ModuleData>(*data);
}

FieldList FieldsOf(const Instruction& instruction) {
  return FieldList::Of(AttributeBytesOf(instruction));
}

}  // namespace indim::internal
