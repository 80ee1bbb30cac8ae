// SPDX-License-Identifier: Apache-2.0
// Shared by the peers' programs: the least time of many runs, on a heap that
// keeps its memory, and the line that //bench reads.

#ifndef INDIM_BENCH_PEERS_TIMING_H_
#define INDIM_BENCH_PEERS_TIMING_H_

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

namespace peer {

inline void WarmHeap() {
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TOP_PAD, 64 << 20);
}

// The process's CPU time, as in Google Benchmark for Indim: other programs
// affect it less.
inline double Now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Collects the times of one step.
class Least {
 public:
  template <typename F>
  void Time(F&& step) {
    const double begin = Now();
    step();
    ns_ = std::min(ns_, Now() - begin);
  }
  // Counts the time only if step() returns true.
  template <typename F>
  void TimeIf(F&& step) {
    const double begin = Now();
    if (step()) ns_ = std::min(ns_, Now() - begin);
  }
  double ns() const { return ns_; }

 private:
  double ns_ = std::numeric_limits<double>::infinity();
};

inline void Print(const std::string& name, double ns, double items) {
  std::printf("%s\t%.3f\n", name.c_str(), ns / items);
  std::fflush(stdout);
}

}  // namespace peer

#endif  // INDIM_BENCH_PEERS_TIMING_H_
