// Eight devices of XLA's CPU beside the evaluator's (EvaluateOnDevices): every
// collective that XLA's CPU has, with groups in each form; random modules; a
// training step, cut in the usual ways, against one device.
// INDIM_PJRT_PLUGINS names the plugins (bazelw sets it).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/eval/evaluator.h"
#include "indim/io/read.h"
#include "indim/pjrt/client.h"
#include "indim/pjrt/plugin.h"

namespace indim {
namespace pjrt {
namespace {

constexpr int64_t kDevices = 8;

std::vector<std::string> Paths() {
  const char* const paths = std::getenv("INDIM_PJRT_PLUGINS");
  if (paths == nullptr) return {};
  return absl::StrSplit(paths, ':', absl::SkipEmpty());
}

class DevicesTest : public ::testing::TestWithParam<std::string> {
 protected:
  static Client NewClient() {
    const Plugin plugin = Plugin::Load(GetParam()).value();
    return Client::Create(plugin, {{{"cpu_device_count", kDevices}}}).value();
  }
};

// The results of all devices on the plugin, whose programs run as they stand.
absl::StatusOr<std::vector<Literal>> RunOnEach(
    const Client& client, const Module& module, const EvalDevices& devices,
    const std::vector<std::vector<Literal>>& arguments) {
  CompileOptions options;
  options.replicas = devices.replicas;
  options.partitions = devices.partitions;
  const absl::StatusOr<Executable> program = client.Compile(module, options);
  if (!program.ok()) return program.status();
  const std::vector<Device> on = program->devices();
  std::vector<std::vector<Buffer>> inputs(on.size());
  for (size_t d = 0; d < on.size(); ++d) {
    for (const std::vector<Literal>& argument : arguments) {
      const absl::StatusOr<Buffer> input =
          client.ToDevice(argument[argument.size() == 1 ? 0 : d], on[d]);
      if (!input.ok()) return input.status();
      inputs[d].push_back(*input);
    }
  }
  const absl::StatusOr<ShardedExecution> run = program->ExecuteSharded(inputs);
  if (!run.ok()) return run.status();
  std::vector<Literal> results;
  for (const std::vector<Buffer>& of_device : run->results) {
    std::vector<Literal> leaves;
    for (const Buffer& buffer : of_device) {
      absl::StatusOr<Literal> leaf = buffer.ToLiteral();
      if (!leaf.ok()) return leaf.status();
      leaves.push_back(*std::move(leaf));
    }
    results.push_back(Literal::Tuple(std::move(leaves)));
  }
  return results;
}

// The arrays of a result as a tuple, as RunOnEach has them.
Literal AsTuple(const Literal& value) {
  return value.shape().is_tuple() ? value : Literal::Tuple({value});
}

void ExpectSameOnEach(const Client& client, const std::string& text,
                      const EvalDevices& devices,
                      const std::vector<std::vector<Literal>>& arguments) {
  SCOPED_TRACE(absl::StrCat(devices.replicas, " replicas of ",
                            devices.partitions, " partitions:\n", text));
  const absl::StatusOr<Module> module = ReadModuleText(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::vector<Literal>> ours =
      EvaluateOnDevices(*module, devices, arguments);
  ASSERT_TRUE(ours.ok()) << ours.status();
  const absl::StatusOr<std::vector<Literal>> said =
      RunOnEach(client, *module, devices, arguments);
  ASSERT_TRUE(said.ok()) << said.status();
  ASSERT_EQ(said->size(), devices.count());
  for (size_t d = 0; d < said->size(); ++d) {
    const Literal here = AsTuple((*ours)[ours->size() == 1 ? 0 : d]);
    EXPECT_TRUE((*said)[d] == here)
        << "device " << d << ": " << (*said)[d].ToString() << ", not "
        << here.ToString();
  }
}

// s32[8] for each device.
std::vector<std::vector<Literal>> Numbers(uint64_t seed) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  std::vector<Literal> numbers;
  for (int64_t d = 0; d < kDevices; ++d) {
    std::vector<int32_t> values(8);
    for (int32_t& value : values) value = static_cast<int32_t>(random() % 100);
    numbers.push_back(Literal::Array(absl::MakeConstSpan(values), {8}).value());
  }
  return {numbers};
}

// The instructions of `body` with shardings that leave them to the program, as
// XLA wants where there are partitions.
std::string Manual(const std::string& body) {
  std::string manual;
  for (const absl::string_view line :
       absl::StrSplit(body, '\n', absl::SkipEmpty())) {
    const absl::string_view shape = line.substr(line.find(" = ") + 3);
    const bool is_tuple = absl::StartsWith(shape, "(");
    const int64_t leaves =
        is_tuple
            ? std::count(shape.begin(),
                         shape.begin() + static_cast<int64_t>(shape.find(')')),
                         '[')
            : 1;
    const std::vector<std::string> shardings(static_cast<size_t>(leaves),
                                             "{manual}");
    const std::string all = absl::StrJoin(shardings, ", ");
    absl::StrAppend(&manual, line,
                    ", sharding=", is_tuple ? absl::StrCat("{", all, "}") : all,
                    "\n");
  }
  return manual;
}

// A module of s32[8] x whose entry ends with `body`.
std::string ModuleOf(const EvalDevices& devices, const std::string& body) {
  return absl::StrCat(
      "HloModule m, replica_count=", devices.replicas,
      ", num_partitions=", devices.partitions, R"(

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

max {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] maximum(a, b)
}

ENTRY e {
)",
      devices.partitions == 1
          ? absl::StrCat("  x = s32[8] parameter(0)\n", body)
          : Manual(absl::StrCat("  x = s32[8] parameter(0)\n", body)),
      "}\n");
}

// --- Collectives -------------------------------------------------------------

// One way to say groups, and the replicas and partitions that it fits.
struct Groups {
  EvalDevices devices;
  std::string attributes;
  int64_t size;  // members of a group
};

std::vector<Groups> AllReduceGroups() {
  return {
      {{8, 1}, "replica_groups={}", 8},
      {{8, 1}, "replica_groups={{0,1,2,3},{7,6,5,4}}", 4},
      {{8, 1}, "replica_groups=[4,2]<=[8]", 2},
      {{8, 1}, "replica_groups=[2,4]<=[4,2]T(1,0)", 4},
      {{8, 1}, "replica_groups=[4,2]<=[2,2,2]T(2,0,1)", 2},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'a'}", 2},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'b':(1)2,'a'}", 4},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'b':(2)2}", 2},
      {{2, 4}, "replica_groups={{1,0}}", 2},
      {{2, 4}, "channel_id=1, replica_groups={{0},{1}}", 4},
      {{2, 4}, "channel_id=1, replica_groups={{1,0}}", 8},
      {{2, 4},
       "channel_id=1, replica_groups={{0,5},{1,4},{2,7},{6,3}}, "
       "use_global_device_ids=true",
       2},
      {{4, 2},
       "channel_id=1, replica_groups=[2,4]<=[2,2,2]T(1,0,2), "
       "use_global_device_ids=true",
       4},
      {{1, 8},
       "channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true",
       8},
      {{1, 8},
       "channel_id=1, replica_groups=mesh['a'=4,'b'=2] {'a'}, "
       "use_global_device_ids=true",
       4},
  };
}

// Groups of collectives that take no global ids.
std::vector<Groups> PlainGroups() {
  return {
      {{8, 1}, "replica_groups={{0,1,2,3},{7,6,5,4}}", 4},
      {{8, 1}, "replica_groups=[4,2]<=[2,4]T(1,0)", 2},
      {{8, 1}, "replica_groups=mesh['a'=2,'b'=4] {'b'}", 4},
      {{2, 4}, "channel_id=1, replica_groups={{3,0},{1,2}}", 2},
      {{2, 4}, "replica_groups={{0,1}}", 2},
      {{1, 8}, "channel_id=1, replica_groups=[2,4]<=[8]", 4},
  };
}

TEST_P(DevicesTest, Collectives) {
  const Client client = NewClient();
  for (const Groups& g : AllReduceGroups()) {
    for (const std::string& body : {
             absl::StrCat("  ROOT r = s32[8] all-reduce(x), ", g.attributes,
                          ", to_apply=add\n"),
             absl::StrCat("  ROOT r = (s32[8], s32[8]) all-reduce(x, x), ",
                          g.attributes, ", to_apply=max\n"),
             absl::StrCat("  ROOT r = s32[", 8 * g.size, "] all-gather(x), ",
                          g.attributes, ", dimensions={0}\n"),
             absl::StrCat("  t = s32[4,2] reshape(x)\n  ROOT r = s32[4,",
                          2 * g.size, "] all-gather(t), ", g.attributes,
                          ", dimensions={1}\n"),
             absl::StrCat("  ROOT r = s32[", 8 / g.size,
                          "] reduce-scatter(x), ", g.attributes,
                          ", dimensions={0}, to_apply=add\n"),
         }) {
      ExpectSameOnEach(client, ModuleOf(g.devices, body), g.devices,
                       Numbers(1));
    }
  }
  for (const Groups& g : PlainGroups()) {
    std::string shapes, operands, slices;
    for (int64_t i = 0; i < g.size; ++i) {
      const char* const comma = i == 0 ? "" : ", ";
      absl::StrAppend(&slices, "  part", i, " = s32[2] slice(x), slice={[", i,
                      ":", i + 2, "]}\n");
      absl::StrAppend(&shapes, comma, "s32[2]");
      absl::StrAppend(&operands, comma, "part", i);
    }
    for (const std::string& body :
         {absl::StrCat("  ROOT r = s32[8] all-to-all(x), ", g.attributes,
                       ", dimensions={0}\n"),
          absl::StrCat("  t = s32[2,4] reshape(x)\n  ROOT r = s32[2,4] "
                       "all-to-all(t), ",
                       g.attributes, ", dimensions={1}\n"),
          absl::StrCat(slices, "  ROOT r = (", shapes, ") all-to-all(",
                       operands, "), ", g.attributes, "\n")}) {
      ExpectSameOnEach(client, ModuleOf(g.devices, body), g.devices,
                       Numbers(2));
    }
  }
}

TEST_P(DevicesTest, PermutesAndNumbers) {
  const Client client = NewClient();
  const struct {
    EvalDevices devices;
    const char* body;
  } kCases[] = {
      {{8, 1},
       "  ROOT r = s32[8] collective-permute(x), "
       "source_target_pairs={{0,1},{1,2},{2,0},{3,3},{5,4}}\n"},
      {{2, 4},
       "  ROOT r = s32[8] collective-permute(x), channel_id=1, "
       "source_target_pairs={{0,3},{3,1}}\n"},
      {{2, 4},
       "  ROOT r = s32[8] collective-permute(x), "
       "source_target_pairs={{0,1}}\n"},
      {{2, 4},
       "  p = u32[] partition-id()\n  q = u32[] replica-id()\n"
       "  ROOT r = (u32[], u32[]) tuple(p, q)\n"},
  };
  for (const auto& c : kCases) {
    ExpectSameOnEach(client, ModuleOf(c.devices, c.body), c.devices,
                     Numbers(3));
  }
}

// --- Random modules ----------------------------------------------------------

// A chain of collectives and of operations on what each device has.
class RandomBody {
 public:
  explicit RandomBody(uint32_t seed) : random_(seed) {
    constexpr EvalDevices kGrids[] = {{8, 1}, {1, 8}, {2, 4}, {4, 2}};
    devices_ = kGrids[random_() % 4];
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
    switch (Below(takes_global ? 3 : 2)) {
      case 0:
        return {devices_.replicas, 1, ""};
      case 1:
        if (!takes_global) return {devices_.partitions, 1, channel};
        return {devices_.replicas, devices_.partitions, channel};
      default:
        return {kDevices, 1,
                absl::StrCat(channel, ", use_global_device_ids=true")};
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
        const bool replicas = Below(2) == 0;
        const int64_t count =
            replicas ? devices_.replicas : devices_.partitions;
        for (int64_t i = 0; i < count; ++i) to.push_back(i);
        std::shuffle(to.begin(), to.end(), random_);
        std::vector<std::string> pairs;
        for (int64_t i = 0; i < count; ++i) {
          if (i > 0 && Below(4) == 0) continue;
          pairs.push_back(
              absl::StrCat("{", i, ",", to[static_cast<size_t>(i)], "}"));
        }
        AddLine(v, " = s32[8] collective-permute(", x_, ")",
                replicas ? "" : absl::StrCat(", channel_id=", ++channels_),
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

TEST_P(DevicesTest, RandomModules) {
  const Client client = NewClient();
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    RandomBody body(seed);
    ExpectSameOnEach(client, ModuleOf(body.devices(), body.Make()),
                     body.devices(), Numbers(seed));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Plugins, DevicesTest, ::testing::ValuesIn(Paths()),
                         [](const auto& plugin) {
                           return absl::StrCat("Number", plugin.index);
                         });

TEST(DevicesPluginsTest, ThereAreSome) { EXPECT_FALSE(Paths().empty()); }

}  // namespace
}  // namespace pjrt
}  // namespace indim
