// Client::Compile and Client::CompileProgram.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/pjrt/abi/codes.h"
#include "indim/pjrt/abi/plugin_api.h"
#include "indim/pjrt/client.h"
#include "indim/pjrt/client_state.h"

namespace indim {
namespace pjrt {
namespace {

absl::Status CheckCounts(const CompileOptions& options) {
  const auto error = [](absl::string_view message) {
    return CodedError(absl::StatusCode::kInvalidArgument, kPjrtDevices,
                      message);
  };
  constexpr int64_t kMost = 1 << 20;
  if (options.replicas < 0 || options.partitions < 0 ||
      options.replicas > kMost || options.partitions > kMost) {
    return error(absl::StrCat("there can't be ", options.replicas,
                              " replicas of ", options.partitions,
                              " partitions"));
  }
  const int64_t needed = std::max<int64_t>(options.replicas, 1) *
                         std::max<int64_t>(options.partitions, 1);
  const size_t given = options.device_ids.size();
  if (given == 0 || given == static_cast<size_t>(needed)) {
    return absl::OkStatus();
  }
  return error(absl::StrCat(options.replicas, " replicas of ",
                            options.partitions, " partitions run on ", needed,
                            " devices, but device_ids has ", given));
}

}  // namespace

absl::StatusOr<Executable> Client::CompileProgram(
    const Program& program, const CompileOptions& options) const {
  absl::Status status = CheckCounts(options);
  if (!status.ok()) return status;
  abi::Program code;
  code.code = program.code.data();
  code.code_size = program.code.size();
  code.format = program.format.data();
  code.format_size = program.format.size();
  const std::string encoded = EncodeCompileOptions(options, program.tupled);
  abi::ClientCompileArgs args;
  args.client = state_->client.get();
  args.program = &code;
  args.options = encoded.data();
  args.options_size = encoded.size();
  status = state_->api->Call(&args);
  if (!status.ok()) return status;
  auto state = std::make_shared<ExecutableState>();
  state->client = state_;
  state->loaded = OwnedLoadedExecutable(state_->api, args.executable);
  state->interface = program.interface;
  if (options.partitions <= 1) {
    for (const Port& port : program.interface.inputs) {
      state->input_shapes.push_back(port.shape);
    }
  }
  status = state->Describe();
  if (!status.ok()) return status;
  return ExecutableState::Make(std::move(state));
}

absl::StatusOr<Executable> Client::Compile(
    const Module& module, const CompileOptions& options) const {
  const absl::StatusOr<Program> program = ProgramOf(module);
  if (!program.ok()) return program.status();
  return CompileProgram(*program, OptionsFor(module, options));
}

}  // namespace pjrt
}  // namespace indim
