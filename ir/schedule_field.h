// SPDX-License-Identifier: Apache-2.0
// Whether a module has a schedule: an order in which its instructions run.

#ifndef INDIM_IR_SCHEDULE_FIELD_H_
#define INDIM_IR_SCHEDULE_FIELD_H_

#include "indim/ir/module_data.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {

inline bool HasSchedule(const ModuleData& data) {
  return FieldList(WireMessage::kHloModuleProto, data.other_fields)
      .has(field::HloModuleProto::kSchedule);
}

}  // namespace indim::internal

#endif  // INDIM_IR_SCHEDULE_FIELD_H_
