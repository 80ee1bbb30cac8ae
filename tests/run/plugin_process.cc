// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/run/plugin_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/run/client.h"
#include "indim/run/compile/default_flags.h"
#include "indim/run/compile/interface.h"
#include "indim/run/named_value.h"
#include "indim/run/plugin.h"
#include "indim/stablehlo/read.h"

namespace indim {
namespace {

// Both ends are of one program: a count of strings, each after its size. False:
// the other end is gone.
bool WriteBytes(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(fd, at, size);
    if (written <= 0) return false;
    at += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

bool ReadBytes(int fd, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(fd, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool Send(int fd, const std::vector<std::string>& parts) {
  const uint64_t count = parts.size();
  if (!WriteBytes(fd, &count, sizeof(count))) return false;
  for (const std::string& part : parts) {
    const uint64_t size = part.size();
    if (!WriteBytes(fd, &size, sizeof(size)) ||
        !WriteBytes(fd, part.data(), part.size())) {
      return false;
    }
  }
  return true;
}

bool Receive(int fd, std::vector<std::string>* parts) {
  uint64_t count = 0;
  if (!ReadBytes(fd, &count, sizeof(count))) return false;
  parts->assign(count, std::string());
  for (std::string& part : *parts) {
    uint64_t size = 0;
    if (!ReadBytes(fd, &size, sizeof(size))) return false;
    part.resize(size);
    if (size > 0 && !ReadBytes(fd, &part[0], size)) return false;
  }
  return true;
}

// What begins a request.
constexpr char kModule[] = "module", kStablehlo[] = "stablehlo",
               kRelease[] = "release";
// What begins an answer.
constexpr char kGood[] = "good", kBad[] = "bad", kNoPlugin[] = "no plugin";

absl::StatusOr<pjrt::Client> StartClient(const std::string& path) {
  const absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Load(path);
  if (!plugin.ok()) return plugin.status();
  return pjrt::Client::Create(*plugin);
}

absl::StatusOr<pjrt::Executable> Compile(const pjrt::Client& client,
                                         const std::string& kind,
                                         const std::string& code) {
  pjrt::CompileOptions options;
  options.replicas = 1;
  options.partitions = 1;
  const absl::StatusOr<Module> module =
      kind == kStablehlo ? ReadStablehlo(code) : ReadHloModuleProto(code);
  if (!module.ok()) return module.status();
  if (kind == kModule) return client.Compile(*module, options);
  absl::StatusOr<pjrt::Interface> interface = pjrt::InterfaceOf(*module);
  if (!interface.ok()) return interface.status();
  pjrt::AddDefaultFlags(client.platform_name(), "", &options);
  return client.CompileProgram({"mlir", code, *std::move(interface)}, options);
}

// parts: the kind, the program, the arguments.
absl::StatusOr<std::string> RunRequest(const pjrt::Client& client,
                                       const std::vector<std::string>& parts) {
  const absl::StatusOr<pjrt::Executable> executable =
      Compile(client, parts[0], parts[1]);
  if (!executable.ok()) return executable.status();
  std::vector<Literal> arguments;
  for (size_t i = 2; i < parts.size(); ++i) {
    absl::StatusOr<Literal> argument = ParseLiteralProto(parts[i]);
    if (!argument.ok()) return argument.status();
    arguments.push_back(*std::move(argument));
  }
  const absl::StatusOr<Literal> result = executable->Run(arguments);
  if (!result.ok()) return result.status();
  return SerializeLiteralProto(*result);
}

absl::StatusOr<std::string> ReleaseOf(const pjrt::Plugin& plugin) {
  for (const pjrt::NamedValue& attribute : plugin.attributes()) {
    const auto* const numbers =
        std::get_if<std::vector<int64_t>>(&attribute.value);
    if (attribute.name == "stablehlo_current_version" && numbers != nullptr) {
      return absl::StrJoin(*numbers, ".");
    }
  }
  return absl::NotFoundError("it doesn't say its release of StableHLO");
}

std::vector<std::string> Answer(const absl::StatusOr<pjrt::Client>& client,
                                const std::vector<std::string>& request) {
  if (!client.ok()) {
    return {kNoPlugin, std::string(client.status().message())};
  }
  const absl::StatusOr<std::string> answer = request[0] == kRelease
                                                 ? ReleaseOf(client->plugin())
                                                 : RunRequest(*client, request);
  if (!answer.ok()) return {kBad, std::string(answer.status().message())};
  return {kGood, *answer};
}

}  // namespace

void PluginProcess::Serve(int requests, int answers) const noexcept {
  const absl::StatusOr<pjrt::Client> client = StartClient(path_);
  std::vector<std::string> request;
  while (Receive(requests, &request)) {
    alarm(kMostSeconds);
    const bool sent = Send(answers, Answer(client, request));
    alarm(0);
    if (!sent) break;
  }
  // Threads of the plugin may run on: nothing is torn down.
  _exit(0);
}

absl::Status PluginProcess::Start() {
  // A child that is gone is told by what it doesn't answer.
  signal(SIGPIPE, SIG_IGN);
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) return absl::InternalError("no pipe");
  child_ = fork();
  if (child_ < 0) return absl::InternalError("no process");
  if (child_ == 0) {
    close(down[1]);
    close(up[0]);
    Serve(down[0], up[1]);
  }
  close(down[0]);
  close(up[1]);
  requests_ = down[1];
  answers_ = up[0];
  return absl::OkStatus();
}

absl::Status PluginProcess::Stop() {
  if (child_ < 0) return absl::OkStatus();
  close(requests_);
  close(answers_);
  int status = 0;
  waitpid(child_, &status, 0);
  child_ = -1;
  if (!WIFSIGNALED(status)) {
    return absl::AbortedError(
        absl::StrCat("it ended with status ", WEXITSTATUS(status)));
  }
  if (WTERMSIG(status) == SIGALRM) {
    return absl::DeadlineExceededError(
        absl::StrCat("it took longer than ", kMostSeconds, " s"));
  }
  return absl::AbortedError(absl::StrCat("it ended by signal ",
                                         WTERMSIG(status), " (",
                                         strsignal(WTERMSIG(status)), ")"));
}

absl::StatusOr<std::string> PluginProcess::Ask(
    const std::vector<std::string>& request) {
  if (child_ < 0) {
    const absl::Status started = Start();
    if (!started.ok()) return started;
  }
  std::vector<std::string> answer;
  if (!Send(requests_, request) || !Receive(answers_, &answer) ||
      answer.empty()) {
    return Stop();
  }
  if (answer[0] == kNoPlugin) return absl::NotFoundError(answer[1]);
  if (answer[0] == kBad) return absl::UnknownError(answer[1]);
  return answer[1];
}

absl::StatusOr<Literal> PluginProcess::Run(
    const std::string& kind, const std::string& program,
    absl::Span<const Literal> arguments) {
  std::vector<std::string> parts = {kind, program};
  for (const Literal& argument : arguments) {
    parts.push_back(SerializeLiteralProto(argument));
  }
  const absl::StatusOr<std::string> result = Ask(parts);
  if (!result.ok()) return result.status();
  return ParseLiteralProto(*result);
}

absl::StatusOr<Literal> PluginProcess::Run(
    const Module& module, absl::Span<const Literal> arguments) {
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  if (!bytes.ok()) return bytes.status();
  return Run(kModule, *bytes, arguments);
}

absl::StatusOr<Literal> PluginProcess::RunStablehlo(
    const std::string& program, absl::Span<const Literal> arguments) {
  return Run(kStablehlo, program, arguments);
}

absl::StatusOr<std::string> PluginProcess::StablehloRelease() {
  return Ask({kRelease});
}

}  // namespace indim
