// SPDX-License-Identifier: Apache-2.0
#include "indim/run/executable.h"

#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/run/client_state.h"
#include "indim/run/compile/compiled_tilings.h"
#include "indim/run/upload.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

absl::Status ArgumentError(absl::string_view message) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtArgument,
                       message);
}

std::string InputText(const ExecutableState& state, size_t i) {
  const Port& port = state.interface.inputs[i];
  return absl::StrCat("input ", i, " (", port.name, ")");
}

// "x f32[8,784], w f32[784,10]", the first ones.
std::string PortsText(absl::Span<const Port> ports) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (i == kMost) return text + ", ...";
    absl::StrAppend(&text, i == 0 ? "" : ", ", ports[i].name, " ",
                    ports[i].shape.ToString());
  }
  return text.empty() ? "none" : text;
}

// The plugin checks neither element types nor names.
absl::Status CheckInput(const ExecutableState& state, size_t device, size_t i,
                        const Buffer& buffer) {
  const BufferState* const given = BufferState::Of(buffer).get();
  if (given == nullptr) {
    return ArgumentError(
        absl::StrCat(InputText(state, i), " is given no buffer"));
  }
  if (i < state.input_shapes.size() && given->shape != state.input_shapes[i]) {
    return ArgumentError(absl::StrCat(
        InputText(state, i), " is ", state.input_shapes[i].ToString(),
        ", but the buffer is ", given->shape.ToString()));
  }
  if (given->client != state.client || given->device != device) {
    return ArgumentError(absl::StrCat(
        InputText(state, i), " is needed on ",
        state.client->devices[device].text, ", but the buffer is on ",
        given->client->devices[given->device].text,
        given->client == state.client ? "" : " of another client"));
  }
  return absl::OkStatus();
}

using PluginBuffers = absl::InlinedVector<void*, 8>;

absl::Status CheckInputs(const ExecutableState& state, size_t device,
                         absl::Span<const Buffer> inputs,
                         PluginBuffers* buffers) {
  const absl::Span<const Port> ports = state.interface.inputs;
  if (inputs.size() != ports.size()) {
    return ArgumentError(absl::StrCat("the program takes ", ports.size(),
                                      " inputs (", PortsText(ports), "), not ",
                                      inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const absl::Status status = CheckInput(state, device, i, inputs[i]);
    if (!status.ok()) return status;
    buffers->push_back(BufferState::Of(inputs[i])->buffer.get());
  }
  return absl::OkStatus();
}

// The shape of a result on one device. How XLA cut it only the buffer tells.
absl::StatusOr<Shape> ResultShape(const ExecutableState& state, size_t i,
                                  void* buffer) {
  const Shape& shape = state.interface.outputs[i].shape;
  if (state.partitions == 1) return shape;
  abi::BufferDimensionsArgs args;
  args.buffer = buffer;
  const absl::Status status = state.client->api->Call(&args);
  if (!status.ok()) return status;
  return Shape::Of(shape.element_type(),
                   absl::MakeConstSpan(args.dims, args.dim_count));
}

// The inputs of each device.
using InputLists = absl::InlinedVector<absl::Span<const Buffer>, 1>;

// Takes what the plugin made, all of it also after an error.
absl::StatusOr<ShardedExecution> TakeResults(
    const ExecutableState& state, absl::Span<const PluginBuffers> buffers,
    absl::Span<void* const> events) {
  ShardedExecution execution;
  absl::Status status;
  execution.results.resize(buffers.size());
  for (size_t d = 0; d < buffers.size(); ++d) {
    execution.done.push_back(EventState::Take(state.client, events[d]));
    execution.results[d].reserve(buffers[d].size());
    for (size_t i = 0; i < buffers[d].size(); ++i) {
      absl::StatusOr<Shape> shape = ResultShape(state, i, buffers[d][i]);
      status.Update(shape.status());
      execution.results[d].push_back(BufferState::Take(
          state.client, state.devices[d],
          shape.ok() ? *std::move(shape) : Shape(), buffers[d][i]));
    }
  }
  if (!status.ok()) return status;
  return execution;
}

absl::StatusOr<ShardedExecution> ExecuteOn(const ExecutableState& state,
                                           const InputLists& inputs,
                                           const ExecuteOptions& options) {
  const size_t devices = state.devices.size();
  const size_t results = state.interface.outputs.size();
  if (inputs.size() != devices) {
    return ArgumentError(absl::StrCat("the program runs on ", devices,
                                      " devices, but there are inputs for ",
                                      inputs.size()));
  }
  absl::InlinedVector<PluginBuffers, 1> in(devices), out(devices);
  absl::InlinedVector<void* const*, 1> in_lists(devices);
  absl::InlinedVector<void**, 1> out_lists(devices);
  PluginBuffers events(devices);
  for (size_t d = 0; d < devices; ++d) {
    const absl::Status status =
        CheckInputs(state, state.devices[d], inputs[d], &in[d]);
    if (!status.ok()) return status;
    out[d].resize(results);
    in_lists[d] = in[d].data();
    out_lists[d] = out[d].data();
  }
  abi::ExecuteOptionsStruct execute_options;
  execute_options.kept_inputs = options.keep.data();
  execute_options.kept_input_count = options.keep.size();
  abi::LoadedExecutableExecuteArgs args;
  args.executable = state.loaded.get();
  args.options = &execute_options;
  args.arguments = in_lists.data();
  args.device_count = devices;
  args.argument_count = state.interface.inputs.size();
  args.outputs = out_lists.data();
  args.done_events = events.data();
  const absl::Status status = state.client->api->Call(&args);
  if (!status.ok()) return status;
  return TakeResults(state, out, events);
}

// The arrays of the arguments, each of which fits its input.
absl::StatusOr<std::vector<Literal>> CheckArguments(
    const ExecutableState& state, absl::Span<const Literal> arguments) {
  const Interface& interface = state.interface;
  if (arguments.size() != interface.parameters.size()) {
    return ArgumentError(absl::StrCat(
        "the program takes ", interface.parameters.size(), " arguments (",
        PortsText(interface.inputs), "), not ", arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (SameStructure(arguments[i].shape(), interface.parameters[i])) continue;
    if (arguments[i].shape().is_tuple() || interface.parameters[i].is_tuple()) {
      return ArgumentError(absl::StrCat(
          "argument ", i, " is ", interface.parameters[i].ToString(), ", not ",
          arguments[i].shape().ToString()));
    }
  }
  std::vector<Literal> leaves = LeavesOf(arguments);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].shape() == interface.inputs[i].shape) continue;
    return ArgumentError(absl::StrCat(
        InputText(state, i), " is ", interface.inputs[i].shape.ToString(),
        ", but the argument is ", leaves[i].shape().ToString()));
  }
  return leaves;
}

absl::StatusOr<Buffer> UploadPart(const ExecutableState& state, size_t device,
                                  const Tiling& tiling, const Literal& array,
                                  int64_t partition) {
  if (tiling.is_whole()) return UploadLiteral(state.client, device, array);
  const absl::StatusOr<Literal> part = CutTile(tiling, array, partition);
  if (!part.ok()) return part.status();
  return UploadLiteral(state.client, device, *part);
}

// Output `i` from the results of the partitions.
absl::StatusOr<Literal> ReadParts(
    const Port& port, size_t i, absl::Span<const std::vector<Buffer>> results) {
  const Shape expected = TileShape(port.tiling, port.shape);
  std::vector<Literal> parts;
  for (const std::vector<Buffer>& of_device : results) {
    if (of_device.size() <= i || of_device[i].shape() != expected) {
      return ErrorWithCode(
          absl::StatusCode::kInternal, Code::kPjrtDevices,
          absl::StrCat("result ", port.name, " of a partition is ",
                       of_device.size() <= i ? "missing"
                                             : of_device[i].shape().ToString(),
                       ", but by its sharding ", expected.ToString()));
    }
    absl::StatusOr<Literal> part = of_device[i].ToLiteral();
    if (!part.ok()) return part.status();
    if (port.tiling.is_whole()) return part;
    parts.push_back(*std::move(part));
  }
  return AssembleTiles(port.tiling, port.shape, parts);
}

// The optimized program, in the format that `*format` then names.
absl::StatusOr<std::string> OptimizedProgram(const ExecutableState& state,
                                             std::string* format) {
  abi::Program program;
  abi::ExecutableOptimizedProgramArgs args;
  args.executable = state.executable.get();
  args.program = &program;
  absl::Status status = state.client->api->Call(&args);
  if (!status.ok()) return status;
  std::string code(program.code_size, '\0');
  program.code = code.data();
  status = state.client->api->Call(&args);
  if (!status.ok()) return status;
  if (program.format != nullptr) {
    *format = std::string(program.format, program.format_size);
  }
  return code;
}

// How XLA cut arrays for which the module has no sharding. Plugins that don't
// show their programs leave them whole.
absl::Status ReadOpenTilings(const ExecutableState& state,
                             Interface* interface) {
  if (state.partitions <= 1 || !HasOpenTilings(*interface)) {
    return absl::OkStatus();
  }
  std::string format;
  const absl::StatusOr<std::string> compiled = OptimizedProgram(state, &format);
  if (!compiled.ok()) return absl::OkStatus();
  return SetOpenTilings(*compiled, format == "hlo_with_config",
                        state.partitions, interface);
}

}  // namespace

absl::StatusOr<Executable> ExecutableState::Take(const ClientPtr& client,
                                                 void* loaded,
                                                 Interface interface,
                                                 int64_t partitions) {
  auto state = std::make_shared<ExecutableState>();
  state->client = client;
  state->loaded = OwnedLoadedExecutable(client->api, loaded);
  state->interface = std::move(interface);
  state->partitions = partitions;
  const absl::Status status = state->Describe();
  if (!status.ok()) return status;
  return Executable(std::move(state));
}

absl::Status ExecutableState::Describe() {
  abi::LoadedExecutableGetExecutableArgs get;
  get.loaded = loaded.get();
  absl::Status status = client->api->Call(&get);
  if (!status.ok()) return status;
  executable = OwnedExecutable(client->api, get.executable);
  abi::ExecutableNumOutputsArgs outputs;
  outputs.executable = executable.get();
  status = client->api->Call(&outputs);
  if (!status.ok()) return status;
  if (outputs.output_count != interface.outputs.size()) {
    return ErrorWithCode(
        absl::StatusCode::kInternal, Code::kPjrtBorder,
        absl::StrCat("the plugin compiled a program of ", outputs.output_count,
                     " results, but the module has ", interface.outputs.size(),
                     " (", PortsText(interface.outputs), ")"));
  }
  abi::LoadedExecutableAddressableDevicesArgs on;
  on.executable = loaded.get();
  status = client->api->Call(&on);
  if (!status.ok()) return status;
  for (size_t i = 0; i < on.device_count; ++i) {
    devices.push_back(client->IndexOf(on.devices[i]));
    if (devices.back() == client->devices.size()) {
      return ErrorWithCode(
          absl::StatusCode::kInternal, Code::kPjrtDevices,
          "the program runs on a device that the client lacks");
    }
  }
  status = ReadOpenTilings(*this, &interface);
  if (!status.ok()) return status;
  for (const Port& port : interface.inputs) {
    input_shapes.push_back(TileShape(port.tiling, port.shape));
  }
  if (!devices.empty()) return absl::OkStatus();
  return ErrorWithCode(absl::StatusCode::kFailedPrecondition,
                       Code::kPjrtDevices,
                       "the program runs on no device of this process");
}

absl::Span<const Port> Executable::inputs() const {
  return state_->interface.inputs;
}
absl::Span<const Port> Executable::outputs() const {
  return state_->interface.outputs;
}

std::vector<Device> Executable::devices() const {
  std::vector<Device> devices;
  for (const size_t device : state_->devices) {
    devices.push_back(state_->client->DeviceAt(device));
  }
  return devices;
}

absl::StatusOr<ShardedExecution> Executable::ExecuteSharded(
    absl::Span<const std::vector<Buffer>> inputs,
    const ExecuteOptions& options) const {
  return ExecuteOn(*state_, {inputs.begin(), inputs.end()}, options);
}

absl::StatusOr<Execution> Executable::Execute(
    absl::Span<const Buffer> inputs, const ExecuteOptions& options) const {
  if (state_->devices.size() != 1) {
    return ErrorWithCode(
        absl::StatusCode::kFailedPrecondition, Code::kPjrtDevices,
        absl::StrCat("the program runs on ", state_->devices.size(),
                     " devices: ExecuteSharded runs it"));
  }
  absl::StatusOr<ShardedExecution> sharded =
      ExecuteOn(*state_, {inputs}, options);
  if (!sharded.ok()) return sharded.status();
  Execution execution;
  execution.results = std::move(sharded->results[0]);
  execution.done = std::move(sharded->done[0]);
  return execution;
}

absl::StatusOr<std::vector<std::vector<Buffer>>> Executable::ToDevices(
    absl::Span<const Literal> arguments) const {
  const ExecutableState& state = *state_;
  const absl::StatusOr<std::vector<Literal>> leaves =
      CheckArguments(state, arguments);
  if (!leaves.ok()) return leaves.status();
  std::vector<std::vector<Buffer>> inputs(state.devices.size());
  for (size_t d = 0; d < inputs.size(); ++d) {
    const int64_t partition = static_cast<int64_t>(d) % state.partitions;
    for (size_t i = 0; i < leaves->size(); ++i) {
      const Tiling& tiling = state.interface.inputs[i].tiling;
      absl::StatusOr<Buffer> input =
          UploadPart(state, state.devices[d], tiling, (*leaves)[i], partition);
      if (!input.ok()) return input.status();
      inputs[d].push_back(*std::move(input));
    }
  }
  return inputs;
}

absl::StatusOr<Literal> Executable::FromDevices(
    absl::Span<const std::vector<Buffer>> results) const {
  const ExecutableState& state = *state_;
  const size_t partitions = static_cast<size_t>(state.partitions);
  if (results.size() < partitions) {
    return ArgumentError(absl::StrCat("there are results of ", results.size(),
                                      " devices, but the program is spread "
                                      "over ",
                                      partitions));
  }
  std::vector<Literal> arrays;
  for (size_t i = 0; i < state.interface.outputs.size(); ++i) {
    absl::StatusOr<Literal> array =
        ReadParts(state.interface.outputs[i], i, results.first(partitions));
    if (!array.ok()) return array.status();
    arrays.push_back(*std::move(array));
  }
  absl::Span<const Literal> rest = arrays;
  return ValueOf(state.interface.result, &rest);
}

absl::StatusOr<Literal> Executable::Run(
    absl::Span<const Literal> arguments) const {
  const absl::StatusOr<std::vector<std::vector<Buffer>>> inputs =
      ToDevices(arguments);
  if (!inputs.ok()) return inputs.status();
  const absl::StatusOr<ShardedExecution> execution = ExecuteSharded(*inputs);
  if (!execution.ok()) return execution.status();
  absl::Status status;
  for (const Event& done : execution->done) status.Update(done.Await());
  if (!status.ok()) return status;
  return FromDevices(execution->results);
}

absl::StatusOr<std::string> Executable::OptimizedHlo() const {
  std::string format;
  return OptimizedProgram(*state_, &format);
}

}  // namespace indim::pjrt
