// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/values/device_values.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/run/compile/compile_options.h"
#include "indim/run/compile/program.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim {
namespace {

absl::Status DevicesError(absl::string_view message) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kEvalDevices,
                       message);
}

// `shape` with a leading dim of `count`.
Shape WithDevices(const Shape& shape, size_t count) {
  std::vector<Dim> dims = {Dim::Static(static_cast<int64_t>(count))};
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  return Shape::Array(shape.element_type(), dims);
}

}  // namespace

absl::Status CheckDevicesFlag(int64_t devices) {
  if (devices >= 1 && devices <= EvalDevices::kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--devices=", devices, " is not in 1..", EvalDevices::kMost));
}

absl::StatusOr<EvalDevices> DevicesOf(const Module& module, int64_t wanted) {
  pjrt::CompileOptions options;
  options.devices = wanted;
  options = pjrt::OptionsFor(module, options);
  const EvalDevices devices{options.replicas, options.partitions};
  if (devices.replicas > EvalDevices::kMost / devices.partitions) {
    return DevicesError(absl::StrCat("the module is for ", devices.replicas,
                                     " replicas of ", devices.partitions,
                                     " partitions, more than ",
                                     EvalDevices::kMost, " devices"));
  }
  if (wanted <= 1 || static_cast<int64_t>(devices.count()) == wanted) {
    return devices;
  }
  return DevicesError(absl::StrCat(
      "the module is for ", devices.replicas, " replicas of ",
      devices.partitions, " partitions, not for ", wanted, " devices"));
}

absl::StatusOr<std::vector<Literal>> SplitByDevice(const Literal& input,
                                                   const Shape& shape,
                                                   size_t count) {
  const Shape wanted = shape.WithoutLayout();
  if (input.shape() == wanted) return std::vector<Literal>{input};
  if (!wanted.is_array() || !wanted.is_static() ||
      input.shape() != WithDevices(wanted, count)) {
    return DevicesError(absl::StrCat(
        "an input of ", wanted.ToString(), " on ", count, " devices is that, ",
        wanted.is_array() && wanted.has_rank()
            ? absl::StrCat("or ", WithDevices(wanted, count).ToString(),
                           ", a part for each, ")
            : "",
        "not ", input.shape().ToString()));
  }
  const absl::StatusOr<Literal> dense = input.Expanded();
  if (!dense.ok()) return dense.status();
  const size_t size = dense->bytes().size() / count;
  std::vector<Literal> parts;
  for (size_t device = 0; device < count; ++device) {
    absl::StatusOr<Literal> part =
        Literal::FromBytes(wanted, dense->bytes().substr(device * size, size));
    if (!part.ok()) return part.status();
    parts.push_back(*std::move(part));
  }
  return parts;
}

absl::StatusOr<Literal> JoinDevices(absl::Span<const Literal> values,
                                    size_t count) {
  const Shape& shape = values[0].shape();
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < values[0].elements().size(); ++i) {
      std::vector<Literal> of_devices;
      for (const Literal& value : values) {
        of_devices.push_back(value.elements()[i]);
      }
      absl::StatusOr<Literal> element = JoinDevices(of_devices, count);
      if (!element.ok()) return element.status();
      elements.push_back(*std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.is_array()) return values[0];
  if (!shape.has_rank() || !shape.is_static()) {
    return DevicesError(absl::StrCat(
        "results of ", shape.ToString(),
        " may differ in size by device, and don't become one array"));
  }
  std::string bytes;
  for (size_t device = 0; device < count; ++device) {
    const absl::StatusOr<Literal> dense =
        values[values.size() == 1 ? 0 : device].Expanded();
    if (!dense.ok()) return dense.status();
    absl::StrAppend(&bytes, dense->bytes());
  }
  return Literal::FromBytes(WithDevices(shape, count), bytes);
}

}  // namespace indim
