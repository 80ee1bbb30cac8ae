// SPDX-License-Identifier: Apache-2.0
// Executable: a compiled program on its devices.
//
//   absl::StatusOr<pjrt::Executable> step = client.Compile(module);
//   absl::StatusOr<Literal> result = step->Run({x, w});      // all in one
//
//   absl::StatusOr<pjrt::Execution> run = step->Execute({x_buffer, w_buffer});
//   absl::StatusOr<Literal> loss = run->results[0].ToLiteral();

#ifndef INDIM_RUN_EXECUTABLE_H_
#define INDIM_RUN_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/buffer.h"
#include "indim/run/compile/interface.h"
#include "indim/run/device.h"
#include "indim/run/event.h"

namespace indim::pjrt {

struct ExecutableState;

struct ExecuteOptions {
  // Inputs, by number, that must not be donated although the module's
  // input_output_alias says so. Their buffers stay. C API 0.115 refuses to keep
  // an input whose alias is a must-alias.
  std::vector<int64_t> keep;
};

// A run, which may still be going on.
struct Execution {
  std::vector<Buffer> results;  // one for each of Executable::outputs()
  Event done;
};

// The runs of all devices.
struct ShardedExecution {
  std::vector<std::vector<Buffer>> results;  // by device, then by output
  std::vector<Event> done;                   // by device
};

// A handle, which may be copied. Any thread may use it, many at a time.
class Executable {
 public:
  // The arrays that go in and come out, with their names. The elements of
  // tuples count one by one.
  absl::Span<const Port> inputs() const;
  absl::Span<const Port> outputs() const;
  // Where it runs: replica by replica, the partitions of each.
  std::vector<Device> devices() const;

  // Runs on one device. `inputs`: a buffer for each of inputs(). Where the
  // module's input_output_alias gives an input's memory to a result, the input
  // is deleted (ExecuteOptions::keep prevents it).
  //
  // InvalidArgument, IND1104, before anything runs: the wrong number of
  // buffers, or one of another shape, element type or device; it names the
  // input. FailedPrecondition, IND1108: it runs on several devices. IND1102:
  // the plugin refuses to run; errors of the run itself come with `done` and
  // the results.
  absl::StatusOr<Execution> Execute(absl::Span<const Buffer> inputs,
                                    const ExecuteOptions& options = {}) const;

  // Runs on all devices, by device as devices() lists them. Errors as above.
  absl::StatusOr<ShardedExecution> ExecuteSharded(
      absl::Span<const std::vector<Buffer>> inputs,
      const ExecuteOptions& options = {}) const;

  // Uploads, runs and waits, on all devices. `arguments`: a value for each of
  // the module's parameters; tuples are tuples, also in the result. Arrays are
  // whole: they are cut and put together as the module's shardings say.
  // Replicas get the same, and the first one's result is returned.
  absl::StatusOr<Literal> Run(absl::Span<const Literal> arguments) const;

  // The steps of Run. ToDevices makes the buffers of each device for whole
  // arguments; FromDevices puts a result together from the parts that the
  // devices of (at least) one replica have. Internal, IND1108: XLA has cut a
  // result otherwise than its sharding says.
  absl::StatusOr<std::vector<std::vector<Buffer>>> ToDevices(
      absl::Span<const Literal> arguments) const;
  absl::StatusOr<Literal> FromDevices(
      absl::Span<const std::vector<Buffer>> results) const;

  // The program as the plugin compiled it, as an HloModuleProto (where the
  // plugin has it: CPU and GPU).
  absl::StatusOr<std::string> OptimizedHlo() const;

  // Bytes from which Client::Load makes it again: the plugin's own, behind what
  // this class knows and what the plugin says of its version.
  absl::StatusOr<std::string> Serialize() const;

 private:
  friend struct ExecutableState;
  explicit Executable(std::shared_ptr<const ExecutableState> state)
      : state_(std::move(state)) {}

  std::shared_ptr<const ExecutableState> state_;
};

}  // namespace indim::pjrt

#endif  // INDIM_RUN_EXECUTABLE_H_
