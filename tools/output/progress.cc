// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/progress.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <streambuf>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "indim/proto/wire/printable.h"

namespace indim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kEach = std::chrono::milliseconds(200);
constexpr char kEraseLine[] = "\r\x1b[K";

// How many characters the terminal has beside each other, less the last one,
// at which some terminals begin a new line.
size_t Width() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 20 ? size.ws_col - 1u : 79u;
}

void WriteToTerminal(absl::string_view text) {
  // Who can't be told isn't.
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

// The line. A thread shows it, all others change it.
class ProgressLine {
 public:
  // False: there is no thread to be had.
  bool Start() {
    begin_ = Clock::now();
    return pthread_create(&thread_, nullptr, &ProgressLine::Run, this) == 0;
  }

  void Stop() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
      Erase();
    }
    changed_.notify_all();
    pthread_join(thread_, nullptr);
  }

  void Set(absl::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ = std::string(text);
    if (text_.empty()) Erase();
  }

  // Before somebody else writes; the line comes back a moment later.
  void GiveWay() {
    const std::lock_guard<std::mutex> lock(mutex_);
    Erase();
    not_before_ = Clock::now() + kEach;
  }

 private:
  static void* Run(void* line) {
    static_cast<ProgressLine*>(line)->ShowUntilStopped();
    return nullptr;
  }

  void ShowUntilStopped() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopped_) {
      changed_.wait_for(lock, kEach);
      const Clock::time_point now = Clock::now();
      if (stopped_ || text_.empty() || now < not_before_) continue;
      if (now - begin_ < kFirst) continue;
      const auto seconds =
          std::chrono::duration_cast<std::chrono::seconds>(now - begin_);
      std::string shown = absl::StrCat("indim: ", text_);
      const std::string end = absl::StrCat(", ", seconds.count(), " s");
      const size_t width = Width();
      if (shown.size() + end.size() > width) {
        shown.resize(width - std::min(width, end.size()));
      }
      WriteToTerminal(absl::StrCat(kEraseLine, shown, end));
      is_shown_ = true;
    }
  }

  void Erase() {
    if (is_shown_) WriteToTerminal(kEraseLine);
    is_shown_ = false;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  pthread_t thread_ = {};
  Clock::time_point begin_;
  Clock::time_point not_before_;
  std::string text_;  // "": nothing is shown
  bool is_shown_ = false;
  bool stopped_ = false;
};

// A stream's bytes, before which the line gives way.
class PoliteBuffer : public std::streambuf {
 public:
  PoliteBuffer(std::ostream& stream, ProgressLine* line)
      : bytes_(stream.rdbuf()), line_(line) {
    stream.rdbuf(this);
  }
  std::streambuf* bytes() const { return bytes_; }

 protected:
  int_type overflow(int_type c) override {
    line_->GiveWay();
    return traits_type::eq_int_type(c, traits_type::eof())
               ? bytes_->pubsync()
               : bytes_->sputc(traits_type::to_char_type(c));
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    line_->GiveWay();
    return bytes_->sputn(text, size);
  }
  int sync() override { return bytes_->pubsync(); }

 private:
  std::streambuf* const bytes_;
  ProgressLine* const line_;
};

struct Shown {
  Shown() {
    if (isatty(STDOUT_FILENO) == 1) out.emplace(std::cout, &line);
  }

  ProgressLine line;
  std::optional<PoliteBuffer> out;  // where it is a terminal
  PoliteBuffer err{std::cerr, &line};
};

// Null while nothing is shown.
Shown* shown = nullptr;

// Gives the stream its own bytes back; what failed stays failed.
void Restore(std::ostream& stream, std::streambuf* bytes) {
  const std::ios_base::iostate state = stream.rdstate();
  stream.rdbuf(bytes);
  stream.setstate(state);
}

void EndShown() {
  if (shown->out) Restore(std::cout, shown->out->bytes());
  Restore(std::cerr, shown->err.bytes());
  delete shown;
  shown = nullptr;
}

}  // namespace

void StartProgress(bool quiet) {
  if (quiet || shown != nullptr || isatty(STDERR_FILENO) != 1) return;
  shown = new Shown;
  if (!shown->line.Start()) EndShown();
}

void StopProgress() {
  if (shown == nullptr) return;
  shown->line.Stop();
  EndShown();
}

ProgressStage::ProgressStage(absl::string_view text) { Next(text); }

void ProgressStage::Next(absl::string_view text) {
  if (shown != nullptr) shown->line.Set(text);
}

void ProgressStage::Done() {
  if (shown != nullptr) shown->line.Set("");
}

std::string ReadingText(absl::string_view path) {
  if (path == "-") {
    return isatty(STDIN_FILENO) == 1 ? "" : "reading standard input";
  }
  std::error_code error;
  const auto bytes = std::filesystem::file_size(std::string(path), error);
  const std::string text = absl::StrCat("reading ", Printable(path));
  return error || bytes < 100000
             ? text
             : absl::StrFormat("%s, %.1f MB", text,
                               static_cast<double>(bytes) / 1e6);
}

std::string InstructionsText(absl::string_view verb, const Module& module) {
  const int64_t count = module.instruction_count();
  return absl::StrCat(verb, " ", Printable(module.name()), ", ", count,
                      count == 1 ? " instruction" : " instructions");
}

std::string FilesDone::Text(absl::string_view text) const {
  return all < 2 || text.empty()
             ? std::string(text)
             : absl::StrCat(done, " of ", all, " files: ", text);
}

}  // namespace indim
