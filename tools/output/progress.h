// SPDX-License-Identifier: Apache-2.0
// Progress on a terminal: one line on standard error, from the second second
// of a command on, which goes away before anything else is written.
//
//   StartProgress(quiet);                    // once, where the command begins
//   ProgressStage stage("reading m.pb, 1.2 GB");
//   ... read ...
//   stage.Next("inferring 1000000 instructions");
//   ... infer ...
//   stage.Done();                            // or at the end of its scope
//
// shows "indim: inferring 1000000 instructions, 3 s". In a pipe, with --quiet
// and in the first second there is nothing.

#ifndef INDIM_TOOLS_OUTPUT_PROGRESS_H_
#define INDIM_TOOLS_OUTPUT_PROGRESS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// Shows the stages from now on, where standard error is a terminal and `quiet`
// is false. A thread of its own shows them; where the system has none to give,
// nothing is shown. What goes to the terminal, on standard output and standard
// error, takes the line away first. The second call does nothing.
void StartProgress(bool quiet);

// Takes the line away and ends the thread. Where StartProgress showed nothing,
// this does nothing.
void StopProgress();

// A part of the work, shown while the object lives; "" shows nothing. One at a
// time.
class ProgressStage {
 public:
  explicit ProgressStage(absl::string_view text);
  ~ProgressStage() { Done(); }
  ProgressStage(const ProgressStage&) = delete;
  ProgressStage& operator=(const ProgressStage&) = delete;

  // Goes on with another part.
  void Next(absl::string_view text);
  // Nothing is shown from here on.
  void Done();
};

// "reading m.pb, 12.3 MB", of a file of 100 KB or more; of "-" "reading
// standard input", or "", which shows nothing, where a person types it.
std::string ReadingText(absl::string_view path);

// "checking m, 1000 instructions".
std::string InstructionsText(absl::string_view verb, const Module& module);

// How far a command is that takes many files.
struct FilesDone {
  // "2 of 7 files: reading m.pb", of one file alone "reading m.pb".
  std::string Text(absl::string_view text) const;

  size_t done = 0;
  size_t all = 1;
};

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_PROGRESS_H_
