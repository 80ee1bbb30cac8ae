// SPDX-License-Identifier: Apache-2.0
// Client::Compile and Client::CompileProgram.

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/run/client.h"
#include "indim/run/client_state.h"
#include "indim/run/compile/default_flags.h"
#include "indim/run/compile/error_places.h"
#include "indim/run/compile/preflight.h"
#include "indim/run/compile_request.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

absl::Status CheckCounts(const CompileOptions& options) {
  const auto error = [](absl::string_view message) {
    return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtDevices,
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

absl::StatusOr<Request> RequestOf(const ClientState& client,
                                  const Module& module,
                                  const CompileOptions& options) {
  Request request;
  request.options = OptionsFor(module, options);
  const char* const environment = std::getenv("XLA_FLAGS");
  AddDefaultFlags(client.platform_name,
                  environment == nullptr ? "" : environment, &request.options);
  if (options.preflight) {
    const absl::Status status =
        Preflight({client.platform_name, client.api->minor_version()}, module,
                  request.options);
    if (!status.ok()) return status;
  }
  absl::StatusOr<Program> program =
      ProgramOf(module, request.options.partitions);
  if (!program.ok()) return program.status();
  request.program = *std::move(program);
  return request;
}

absl::StatusOr<Executable> CompileEncoded(const ClientPtr& client,
                                          const Program& program,
                                          absl::string_view options,
                                          int64_t partitions) {
  abi::Program code;
  code.code = program.code.data();
  code.code_size = program.code.size();
  code.format = program.format.data();
  code.format_size = program.format.size();
  abi::ClientCompileArgs args;
  args.client = client->client.get();
  args.program = &code;
  args.options = options.data();
  args.options_size = options.size();
  const absl::Status status = client->api->Call(&args);
  if (!status.ok()) return status;
  return ExecutableState::Take(client, args.executable, program.interface,
                               std::max<int64_t>(partitions, 1));
}

absl::StatusOr<Executable> Client::CompileProgram(
    const Program& program, const CompileOptions& options) const {
  const absl::Status status = CheckCounts(options);
  if (!status.ok()) return status;
  return CompileEncoded(state_, program,
                        EncodeCompileOptions(options, program.tupled),
                        options.partitions);
}

absl::StatusOr<Executable> Client::Compile(
    const Module& module, const CompileOptions& options) const {
  const absl::StatusOr<Request> request = RequestOf(*state_, module, options);
  if (!request.ok()) return request.status();
  absl::StatusOr<Executable> executable =
      CompileProgram(request->program, request->options);
  if (!executable.ok()) return WithPlaces(executable.status(), module);
  return executable;
}

}  // namespace indim::pjrt
