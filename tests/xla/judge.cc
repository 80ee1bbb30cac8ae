// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/xla/judge.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "indim/passes/export/export.h"

namespace indim {
namespace {

constexpr char kRunner[] = "tests/xla/xla_runner.py";

// The Python process and the pipes to it. It ends when they close.
class Runner {
 public:
  static Runner& Get() {
    static Runner* const kRunner = new Runner();
    return *kRunner;
  }

  absl::StatusOr<std::string> Ask(absl::string_view request,
                                  absl::Span<const std::string> blobs) {
    if (!status_.ok()) return status_;
    bool sent = Write(request) && Write("\n");
    for (const std::string& blob : blobs) sent = sent && Write(blob);
    sent = sent && fflush(to_) == 0;
    std::string head;
    if (!sent || !ReadLine(&head)) return Died();
    const std::vector<std::string> words = absl::StrSplit(head, ' ');
    size_t size = 0;
    if (words.size() != 2 || !absl::SimpleAtoi(words[1], &size)) return Died();
    std::string answer(size, '\0');
    if (fread(&answer[0], 1, size, from_) != size) return Died();
    if (words[0] == "ok") return answer;
    return absl::InvalidArgumentError(answer);
  }

 private:
  Runner() {
    // A runner that died is an error to report, not the end of the test.
    signal(SIGPIPE, SIG_IGN);
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) {
      status_ = absl::FailedPreconditionError("no pipes");
      return;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    for (int fd : {in[0], in[1], out[0], out[1]}) {
      posix_spawn_file_actions_addclose(&actions, fd);
    }
    std::string python = XlaPython();
    std::string script = kRunner;
    std::string no_cache = "-B";  // leaves no files beside the script
    char* const arguments[] = {&python[0], &no_cache[0], &script[0], nullptr};
    pid_t child;
    const int error = posix_spawn(&child, python.c_str(), &actions, nullptr,
                                  arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
    if (error != 0 || to_ == nullptr || from_ == nullptr) {
      status_ = absl::FailedPreconditionError(
          absl::StrCat("INDIM_XLA_PYTHON names ", python,
                       ", which can't be started: run `./bazelw --setup-xla`"));
    }
  }

  absl::Status Died() {
    status_ = absl::FailedPreconditionError(
        "the Python process that runs XLA has died; what it said stands above. "
        "Without jaxlib: run `./bazelw --setup-xla`, which installs it");
    return status_;
  }

  bool Write(absl::string_view bytes) {
    return fwrite(bytes.data(), 1, bytes.size(), to_) == bytes.size();
  }

  bool ReadLine(std::string* line) {
    for (int c = fgetc(from_); c != EOF; c = fgetc(from_)) {
      if (c == '\n') return true;
      line->push_back(static_cast<char>(c));
    }
    return false;
  }

  absl::Status status_;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

absl::string_view Name(Domain domain) {
  switch (domain) {
    case Domain::kAny:
      return "any";
    case Domain::kSpecial:
      return "special";
    case Domain::kPositive:
      return "positive";
    case Domain::kUnit:
      return "unit";
    case Domain::kCount:
      return "count";
    case Domain::kAboveOne:
      return "above_one";
    case Domain::kSmall:
      return "small";
    case Domain::kExponent:
      return "exponent";
    case Domain::kShift:
      return "shift";
    case Domain::kWeight:
      return "weight";
  }
  return "";
}

}  // namespace

bool IsKnownToXla(Opcode opcode) {
  return opcode != Opcode::kExp2 && opcode != Opcode::kLog2 &&
         opcode != Opcode::kShuffle && opcode != Opcode::kCollectiveReduce;
}

absl::StatusOr<std::string> AskXla(absl::string_view command,
                                   JsonWriter request,
                                   absl::Span<const std::string> blobs) {
  std::vector<std::string> sizes;
  for (const std::string& blob : blobs) {
    sizes.push_back(absl::StrCat(blob.size()));
  }
  request.Add("command", command).AddList("sizes", sizes);
  return Runner::Get().Ask(request.text(), blobs);
}

std::string InputJson(const Shape& shape, Domain domain) {
  return JsonWriter()
      .Add("shape", shape.ToString())
      .Add("domain", Name(domain))
      .text();
}

JudgedModule::JudgedModule(absl::string_view name, uint32_t seed)
    : seed_(seed), builder_(name) {}

JudgedModule::Input JudgedModule::AddInput(const ShapeArg& shape,
                                           Domain domain) {
  const size_t number = inputs_.size();
  if (!shape.shape().ok()) ADD_FAILURE() << shape.shape().status();
  inputs_.push_back(InputJson(shape.shape().value_or(Shape()), domain));
  return {builder_.Parameter(number, shape), absl::StrCat("p", number),
          absl::StrCat("raw[", number, "]")};
}

JudgedModule::Input JudgedModule::AddInput(const ShapeArg& shape,
                                           absl::string_view json_values) {
  Input input = AddInput(shape);
  inputs_.back() = JsonWriter()
                       .Add("shape", shape.shape().value_or(Shape()).ToString())
                       .AddRaw("values", json_values)
                       .text();
  return input;
}

void JudgedModule::Expect(Op result, absl::string_view numpy_expression,
                          int ulps) {
  const absl::StatusOr<Shape> shape = builder_.shape(result);
  if (!shape.ok()) {
    ADD_FAILURE() << numpy_expression << "\n" << shape.status();
    return;
  }
  results_.push_back(result);
  expectations_.push_back(JsonWriter()
                              .Add("shape", shape->ToString())
                              .Add("expect", numpy_expression)
                              .Add("ulps", int64_t{ulps})
                              .text());
}

std::string JudgedModule::Bytes() {
  const absl::StatusOr<Module> module =
      builder_.Build(builder_.Tuple(results_));
  if (!module.ok()) {
    ADD_FAILURE() << module.status();
    return "";
  }
  absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
  if (!bytes.ok()) {
    ADD_FAILURE() << bytes.status();
    return "";
  }
  return *std::move(bytes);
}

absl::StatusOr<std::string> JudgedModule::Compare(const std::string& bytes) {
  JsonWriter request;
  request.Add("seed", int64_t{seed_})
      .AddList("inputs", inputs_)
      .AddList("results", expectations_);
  return AskXla("compare", request, {bytes});
}

void JudgedModule::Run() {
  const std::string name(builder_.name());
  const std::string bytes = Bytes();
  if (bytes.empty()) return;
  const absl::StatusOr<std::string> answer = Compare(bytes);
  EXPECT_TRUE(answer.ok()) << name << ": " << answer.status();
}

void JudgedModule::RunRefused(absl::string_view opcode,
                              absl::string_view message) {
  const std::string bytes = Bytes();
  if (bytes.empty()) return;
  const absl::StatusOr<std::string> read = AskXla("read", {}, {bytes});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(absl::StrContains(*read, absl::StrCat(" ", opcode, "(")))
      << *read;
  const absl::StatusOr<std::string> answer = Compare(bytes);
  EXPECT_FALSE(answer.ok());
  EXPECT_TRUE(absl::StrContains(answer.status().message(), message))
      << answer.status();
}

}  // namespace indim
