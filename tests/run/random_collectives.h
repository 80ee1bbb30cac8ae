// SPDX-License-Identifier: Apache-2.0
// Random modules of collectives on eight devices.

#ifndef INDIM_TESTS_RUN_RANDOM_COLLECTIVES_H_
#define INDIM_TESTS_RUN_RANDOM_COLLECTIVES_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/eval/evaluator.h"

namespace indim {

// A chain of collectives and of operations on what each device has. It begins
// with x, s32[8], ends with the root, and calls the computations add and max of
// s32[].
class RandomCollectives {
 public:
  explicit RandomCollectives(uint32_t seed) : random_(seed) {
    devices_ = {8, 1};
  }

  const EvalDevices& devices() const { return devices_; }

  std::string Make() {
    const int steps = 1 + static_cast<int>(random_() % 5);
    for (int i = 0; i < steps; ++i) AddStep();
    AddLine("ROOT r = s32[8] copy(", x_, ")");
    return body_;
  }

 private:
  template <typename... Parts>
  void AddLine(const Parts&... parts) {
    absl::StrAppend(&body_, "  ", parts..., "\n");
  }
  std::string NewName() { return absl::StrCat("v", ++names_); }
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }

  // What the ids of a collective name, with the attributes that say so.
  struct Ids {
    int64_t count;
    int64_t devices_each;  // of an id
    std::string attributes;
  };
  Ids MakeIds(bool takes_global) {
    const std::string channel = absl::StrCat(", channel_id=", ++channels_);
    switch (takes_global ? Below(3) : 0) {
      case 0:
        return {devices_.replicas, 1, ""};
      case 1:
        return {devices_.replicas, devices_.partitions, channel};
      default:
        return {8, 1, absl::StrCat(channel, ", use_global_device_ids=true")};
    }
  }

  // Equal groups of `size` among `count` ids, in one of the forms.
  std::string MakeGroups(int64_t count, int64_t size) {
    const int64_t groups = count / size;
    switch (Below(4)) {
      case 0:
        return absl::StrCat("[", groups, ",", size, "]<=[", count, "]");
      case 1:
        return absl::StrCat("[", groups, ",", size, "]<=[", size, ",", groups,
                            "]T(1,0)");
      case 3:
        return absl::StrCat("mesh['a'=", groups, ",'b'=", size, "] {'b'}");
      default:
        break;
    }
    std::vector<int64_t> ids(static_cast<size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    std::shuffle(ids.begin(), ids.end(), random_);
    std::string text = "{";
    for (int64_t g = 0; g < groups; ++g) {
      const auto first = ids.begin() + g * size;
      absl::StrAppend(&text, g == 0 ? "{" : ",{",
                      absl::StrJoin(first, first + size, ","), "}");
    }
    return text + "}";
  }

  void AddStep() {
    const std::string v = NewName();
    switch (Below(6)) {
      case 0: {
        const std::string i = NewName(), j = NewName(), b = NewName();
        AddLine(i, " = u32[] ", Below(2) == 0 ? "partition" : "replica",
                "-id()");
        AddLine(j, " = s32[] convert(", i, ")");
        AddLine(b, " = s32[8] broadcast(", j, "), dimensions={}");
        AddLine(v, " = s32[8] ", Below(2) == 0 ? "add" : "multiply", "(", x_,
                ", ", b, ")");
        break;
      }
      case 1: {
        std::vector<int64_t> to;
        const int64_t count = devices_.replicas;
        for (int64_t i = 0; i < count; ++i) to.push_back(i);
        std::shuffle(to.begin(), to.end(), random_);
        std::vector<std::string> pairs;
        for (int64_t i = 0; i < count; ++i) {
          if (i > 0 && Below(4) == 0) continue;
          pairs.push_back(
              absl::StrCat("{", i, ",", to[static_cast<size_t>(i)], "}"));
        }
        AddLine(v, " = s32[8] collective-permute(", x_, ")",
                ", source_target_pairs={", absl::StrJoin(pairs, ","), "}");
        break;
      }
      case 2: {
        const Ids ids = MakeIds(false);
        const int64_t size = ids.count >> Below(2);
        if (size == 0) return;
        AddLine(v, " = s32[8] all-to-all(", x_, ")", ids.attributes,
                ", replica_groups=", MakeGroups(ids.count, size),
                ", dimensions={0}");
        break;
      }
      default: {
        const Ids ids = MakeIds(true);
        const int64_t size = std::max<int64_t>(ids.count >> Below(3), 1);
        const std::string groups = absl::StrCat(
            ids.attributes, ", replica_groups=", MakeGroups(ids.count, size));
        const int64_t members = size * ids.devices_each;
        const std::string w = NewName();
        if (Below(2) == 0) {
          AddLine(v, " = s32[8] all-reduce(", x_, ")", groups,
                  ", to_apply=", Below(2) == 0 ? "add" : "max");
        } else if (Below(2) == 0) {
          AddLine(w, " = s32[", 8 * members, "] all-gather(", x_, ")", groups,
                  ", dimensions={0}");
          const int64_t start = Below(8 * members - 7);
          AddLine(v, " = s32[8] slice(", w, "), slice={[", start, ":",
                  start + 8, "]}");
        } else {
          const std::string b = NewName();
          AddLine(w, " = s32[", 8 / members, "] reduce-scatter(", x_, ")",
                  groups, ", dimensions={0}, to_apply=add");
          AddLine(b, " = s32[", members, ",", 8 / members, "] broadcast(", w,
                  "), dimensions={1}");
          AddLine(v, " = s32[8] reshape(", b, ")");
        }
      }
    }
    x_ = v;
  }

  std::mt19937 random_;
  EvalDevices devices_;
  std::string body_;
  std::string x_ = "x";
  int names_ = 0;
  int channels_ = 0;
};

}  // namespace indim

#endif  // INDIM_TESTS_RUN_RANDOM_COLLECTIVES_H_
