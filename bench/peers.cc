// SPDX-License-Identifier: Apache-2.0
#include "indim/bench/peers.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace indim::bench {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// Adds the lines of a command as "PEER/NAME".
void AddTimes(const std::string& peer, std::string command,
              const std::vector<std::string>& files,
              std::map<std::string, double>* times) {
  for (const std::string& file : files) {
    absl::StrAppend(&command, " ", Quoted(file));
  }
  FILE* pipe = popen(absl::StrCat(command, " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return;
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    const std::vector<std::string> parts = absl::StrSplit(line, '\t');
    double ns = 0;
    if (parts.size() == 2 && absl::SimpleAtod(parts[1], &ns)) {
      (*times)[absl::StrCat(peer, "/", parts[0])] = ns;
    }
  }
  pclose(pipe);
}

}  // namespace

std::map<std::string, double> RunPeers(const std::string& folder,
                                       const std::vector<std::string>& files) {
  std::map<std::string, double> times;
  for (const char* peer : {"xla", "mlir"}) {
    const std::string program = absl::StrCat(folder, "/", peer, "_peer");
    if (access(program.c_str(), X_OK) != 0) continue;
    AddTimes(peer, Quoted(program), files, &times);
  }
  return times;
}

std::map<std::string, double> RunJaxlib(const std::vector<std::string>& files) {
  std::map<std::string, double> times;
  const char* python = std::getenv("INDIM_XLA_PYTHON");
  if (python == nullptr || files.empty()) return times;
  AddTimes("jaxlib",
           absl::StrCat(Quoted(python), " -B bench/peers/jaxlib_peer.py"),
           files, &times);
  return times;
}

}  // namespace indim::bench
