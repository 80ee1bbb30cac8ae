// SPDX-License-Identifier: Apache-2.0
// Tables: the tables at the end of a run of //bench.

#ifndef INDIM_BENCH_TABLES_H_
#define INDIM_BENCH_TABLES_H_

#include <map>
#include <set>
#include <string>

namespace indim::bench {

// The result of a row, "step/graph": the least time of a single run in ns per
// item, and the number of items (ops or instructions).
struct Measured {
  double ns = 0;
  double items = 0;
};
using Rows = std::map<std::string, Measured>;

class Tables {
 public:
  // `ours` must outlive this. `peers` has ns per item, by "xla/ROW" and
  // "mlir/ROW".
  Tables(const Rows& ours, const std::map<std::string, double>& peers);

  // Prints each row beside a peer's or another row of ours, with the ratio.
  void PrintAll() const;
  // Prints each step of these modules beside each peer: the total time over the
  // modules that the peer has, and the least and largest ratio.
  void PrintTogether(const std::set<std::string>& modules) const;
  // Prints how linear each step is: the ratio of its times per op for kManyOps
  // and kOps.
  void PrintScale() const;

 private:
  // Sums over the modules that both have.
  struct Sum {
    void Add(const std::string& module, double items, double ns, double peer);

    int modules = 0;
    double items = 0, ours = 0, peers = 0;  // ns
    double least = 0, most = 0;             // ratios
    std::string least_name, most_name;
  };

  const Rows& ours_;
  std::map<std::string, double> all_;  // ns per item, peers' included
};

}  // namespace indim::bench

#endif  // INDIM_BENCH_TABLES_H_
