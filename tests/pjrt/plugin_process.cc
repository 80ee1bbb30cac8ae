#include "indim/tests/pjrt/plugin_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/codec/literal_proto.h"
#include "indim/hlo_proto/module_reader.h"
#include "indim/hlo_proto/module_serializer.h"
#include "indim/pjrt/client.h"
#include "indim/pjrt/plugin.h"

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

// What begins an answer.
constexpr char kGood[] = "good", kBad[] = "bad", kNoPlugin[] = "no plugin";

absl::StatusOr<pjrt::Client> StartClient(const std::string& path) {
  const absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Load(path);
  if (!plugin.ok()) return plugin.status();
  return pjrt::Client::Create(*plugin);
}

absl::StatusOr<Literal> RunRequest(const pjrt::Client& client,
                                   const std::vector<std::string>& request) {
  const absl::StatusOr<Module> module = ReadHloModuleProto(request[0]);
  if (!module.ok()) return module.status();
  pjrt::CompileOptions options;
  options.replicas = 1;
  options.partitions = 1;
  const absl::StatusOr<pjrt::Executable> executable =
      client.Compile(*module, options);
  if (!executable.ok()) return executable.status();
  std::vector<Literal> arguments;
  for (size_t i = 1; i < request.size(); ++i) {
    absl::StatusOr<Literal> argument = ParseLiteralProto(request[i]);
    if (!argument.ok()) return argument.status();
    arguments.push_back(*std::move(argument));
  }
  return executable->Run(arguments);
}

std::vector<std::string> Answer(const absl::StatusOr<pjrt::Client>& client,
                                const std::vector<std::string>& request) {
  if (!client.ok()) {
    return {kNoPlugin, std::string(client.status().message())};
  }
  const absl::StatusOr<Literal> result = RunRequest(*client, request);
  if (!result.ok()) return {kBad, std::string(result.status().message())};
  return {kGood, SerializeLiteralProto(*result)};
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

absl::StatusOr<Literal> PluginProcess::Run(
    const Module& module, absl::Span<const Literal> arguments) {
  if (child_ < 0) {
    const absl::Status started = Start();
    if (!started.ok()) return started;
  }
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  if (!bytes.ok()) return bytes.status();
  std::vector<std::string> parts = {*bytes};
  for (const Literal& argument : arguments) {
    parts.push_back(SerializeLiteralProto(argument));
  }
  std::vector<std::string> answer;
  if (!Send(requests_, parts) || !Receive(answers_, &answer) ||
      answer.empty()) {
    return Stop();
  }
  if (answer[0] == kNoPlugin) return absl::NotFoundError(answer[1]);
  if (answer[0] == kBad) return absl::UnknownError(answer[1]);
  return ParseLiteralProto(answer[1]);
}

}  // namespace indim
