// SPDX-License-Identifier: Apache-2.0
#include "indim/run/isolated.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/run/child_process.h"
#include "indim/run/client_state.h"
#include "indim/run/compile/error_places.h"
#include "indim/run/compile_request.h"
#include "indim/run/isolated_message.h"
#include "indim/run/plugin.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

// The first argument of the other process.
constexpr char kServe[] = "--indim-compile-isolated";

// The program to start; null: main has not called ServeIsolated.
std::atomic<const std::string*> this_program{nullptr};

absl::Status EndedError(absl::StatusCode kind, absl::string_view message) {
  return ErrorWithCode(kind, Code::kPjrtEnded, message);
}

IsolatedAnswer Compile(const IsolatedRequest& request) {
  const absl::StatusOr<Plugin> plugin = Plugin::Load(request.plugin);
  if (!plugin.ok()) return {plugin.status(), ""};
  const absl::StatusOr<Client> client =
      Client::Create(*plugin, {request.client_options, true});
  if (!client.ok()) return {client.status(), ""};
  const absl::StatusOr<Executable> executable =
      CompileEncoded(ClientState::Of(*client), request.program,
                     request.compile_options, request.partitions);
  if (!executable.ok()) return {executable.status(), ""};
  absl::StatusOr<std::string> bytes = executable->Serialize();
  // That it compiles is worth something even so.
  if (!bytes.ok()) return {absl::OkStatus(), ""};
  return {absl::OkStatus(), *std::move(bytes)};
}

// An exception of the plugin ends the process, as an abort does.
int Serve(const std::string& request_path,
          const std::string& answer_path) noexcept {
  const absl::StatusOr<std::string> bytes = ReadFile(request_path);
  IsolatedRequest request;
  if (!bytes.ok() || !ReadRequest(*bytes, &request)) return 1;
  const std::string answer = WriteAnswer(Compile(request));
  if (!WriteFile(answer_path, answer).ok()) return 1;
  // Threads of the plugin may run on: nothing is torn down.
  EndProcess(0);
}

// Whether a line of a process that ended tells why.
bool IsReason(absl::string_view line) {
  for (const absl::string_view mark :
       {"Check failed", "terminate called", "ERROR: AddressSanitizer",
        "LLVM ERROR", "Fatal"}) {
    if (absl::StrContains(line, mark)) return true;
  }
  return false;
}

// What the process wrote about its end.
std::string LastWords(const std::string& path) {
  constexpr int kMostLines = 6;
  constexpr size_t kMostOfLine = 300;
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return "";
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty()) lines.emplace_back(line.substr(0, kMostOfLine));
  }
  // A reason stands before a long stack of calls; else the end tells most.
  const auto reason = std::find_if(lines.begin(), lines.end(), IsReason);
  const bool is_told = reason != lines.end();
  if (is_told) lines.erase(lines.begin(), reason);
  if (lines.size() > size_t{kMostLines}) {
    const auto first = is_told ? lines.begin() + kMostLines : lines.begin();
    const auto last = is_told ? lines.end() : lines.end() - kMostLines;
    lines.erase(first, last);
  }
  if (lines.empty()) return "";
  return absl::StrCat("; it wrote: ", absl::StrJoin(lines, "\n  "));
}

absl::StatusOr<IsolatedAnswer> Ask(const std::string& program,
                                   const std::string& folder,
                                   const IsolatedRequest& request,
                                   const IsolateOptions& isolate) {
  const std::string request_path = folder + "/request";
  const std::string answer_path = folder + "/answer";
  const std::string output_path = folder + "/output";
  const absl::Status written = WriteFile(request_path, WriteRequest(request));
  if (!written.ok()) return written;
  const absl::StatusOr<ChildEnd> end = RunChild(
      program, {kServe, request_path, answer_path}, output_path, isolate.limit);
  if (!end.ok()) return EndedError(end.status().code(), end.status().message());
  IsolatedAnswer answer;
  const absl::StatusOr<std::string> bytes = ReadFile(answer_path);
  if (end->is_good && bytes.ok() && ReadAnswer(*bytes, &answer)) return answer;
  return EndedError(absl::StatusCode::kAborted,
                    absl::StrCat("the plugin ", request.plugin,
                                 " ended its process while it compiled: it ",
                                 end->text, LastWords(output_path)));
}

}  // namespace

std::optional<int> ServeIsolated(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], kServe) == 0) {
    return Serve(argv[2], argv[3]);
  }
  if (argc > 0 && this_program == nullptr) {
    this_program = new std::string(ThisProgram(argv[0]));
  }
  return std::nullopt;
}

bool CanIsolate() { return this_program != nullptr; }

absl::StatusOr<Executable> CompileIsolated(const Client& client,
                                           const Module& module,
                                           const CompileOptions& options,
                                           const IsolateOptions& isolate) {
  const std::string* const program = this_program;
  if (program == nullptr) {
    return EndedError(absl::StatusCode::kFailedPrecondition,
                      "main must call ServeIsolated before CompileIsolated "
                      "can start the program again");
  }
  const ClientPtr& state = ClientState::Of(client);
  absl::StatusOr<Request> compiled = RequestOf(*state, module, options);
  if (!compiled.ok()) return compiled.status();
  IsolatedRequest request;
  request.plugin = client.plugin().path();
  request.client_options = state->options;
  request.compile_options =
      EncodeCompileOptions(compiled->options, compiled->program.tupled);
  request.partitions = compiled->options.partitions;
  request.program = compiled->program;
  const absl::StatusOr<std::string> folder = MakeTemporaryFolder();
  if (!folder.ok()) {
    return EndedError(folder.status().code(), folder.status().message());
  }
  const absl::StatusOr<IsolatedAnswer> answer =
      Ask(*program, *folder, request, isolate);
  RemoveFolder(*folder);
  if (!answer.ok()) return answer.status();
  if (!answer->status.ok()) return WithPlaces(answer->status, module);
  if (!answer->executable.empty()) {
    absl::StatusOr<Executable> loaded = client.Load(answer->executable);
    if (loaded.ok()) return loaded;
  }
  return client.CompileProgram(compiled->program, compiled->options);
}

}  // namespace indim::pjrt
