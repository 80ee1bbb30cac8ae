// SPDX-License-Identifier: Apache-2.0
// Values on several devices, for the command line.

#ifndef INDIM_TOOLS_VALUES_DEVICE_VALUES_H_
#define INDIM_TOOLS_VALUES_DEVICE_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/eval/ops/eval_devices.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/types/shape.h"

namespace indim {

// InvalidArgument: `devices`, the value of --devices, isn't in
// 1..EvalDevices::kMost.
absl::Status CheckDevicesFlag(int64_t devices);

// The devices that a module is for, as its configuration says. Where it says
// none, `wanted`: partitions of a module with shardings, else replicas.
// InvalidArgument, IND0866: it is for another number than `wanted`, if that is
// more than 1, or for more than EvalDevices::kMost.
absl::StatusOr<EvalDevices> DevicesOf(const Module& module, int64_t wanted);

// The values of `input` for a parameter of `shape` on `count` devices: itself,
// if it has that shape, or the parts of a leading dim of the devices.
// InvalidArgument, IND0866: neither fits.
absl::StatusOr<std::vector<Literal>> SplitByDevice(const Literal& input,
                                                   const Shape& shape,
                                                   size_t count);

// The values of `count` devices, or the one of all, as one with a leading dim
// of the devices; of tuples each array. InvalidArgument, IND0866: an array has
// bounded dims.
absl::StatusOr<Literal> JoinDevices(absl::Span<const Literal> values,
                                    size_t count);

}  // namespace indim

#endif  // INDIM_TOOLS_VALUES_DEVICE_VALUES_H_
