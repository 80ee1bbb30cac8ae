// The tables that a run of //bench ends with.

#ifndef INDIM_BENCH_TABLES_H_
#define INDIM_BENCH_TABLES_H_

#include <map>
#include <set>
#include <string>

namespace indim::bench {

// A row, "step/graph": the least time of a single run in ns per item, and how
// many items (ops or instructions) it had.
struct Measured {
  double ns = 0;
  double items = 0;
};
using Rows = std::map<std::string, Measured>;

class Tables {
 public:
  // `ours` must outlive this. `peers`: ns per item, by "xla/ROW" and
  // "mlir/ROW".
  Tables(const Rows& ours, const std::map<std::string, double>& peers);

  // Each row beside what it is compared with, a peer's or one of our own.
  void PrintAll() const;
  // Each step of the modules of these names beside each peer: the time of all
  // that the peer has, taken together, and the least and the largest ratio of
  // one.
  void PrintTogether(const std::set<std::string>& modules) const;
  // How linear each step is: its time per op of kManyOps by that of kOps.
  void PrintScale() const;

 private:
  // Of all modules that both have.
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
