// Trains a small network on XLA, without Python: 200 steps of the graph in
// train_step.cc, on data that it makes. The weights stay on the devices: each
// step gets those of the last one, and their memory is used again.
//
//   ./bazelw run //examples:train -- --plugin=cpu              # one device
//   ./bazelw run //examples:train -- --devices=8 --plugin=cpu  # data over 8

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "indim/builder/sharding.h"
#include "indim/eval/values/random_literal.h"
#include "indim/examples/train_step.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"

namespace indim {
namespace {

struct Options {
  std::string plugin = "cpu";
  int64_t devices = 1;
  int steps = 200;
};

constexpr int64_t kRows = 32, kFeatures = 16, kHidden = 24, kClasses = 5;

// x, y and the first weights, as train_step.h lists them. A row's class is that
// of the largest of its first features.
std::vector<Literal> FirstArguments() {
  RandomStream random(1);
  const auto number = [&random] {
    return static_cast<float>(random.Between(-1000, 1000)) / 1000;
  };
  std::vector<float> x(kRows * kFeatures), y(kRows * kClasses, 0);
  for (float& element : x) element = number();
  for (int64_t row = 0; row < kRows; ++row) {
    const float* const features = &x[static_cast<size_t>(row * kFeatures)];
    int64_t best = 0;
    for (int64_t c = 1; c < kClasses; ++c) {
      if (features[c] > features[best]) best = c;
    }
    y[static_cast<size_t>(row * kClasses + best)] = 1;
  }
  const auto weights = [&number](std::vector<int64_t> sizes) {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = number() / 4;
    return *Literal::Array(absl::MakeConstSpan(values), sizes);
  };
  return {*Literal::Array(absl::MakeConstSpan(x), {kRows, kFeatures}),
          *Literal::Array(absl::MakeConstSpan(y), {kRows, kClasses}),
          weights({kFeatures, kHidden}),
          weights({kHidden}),
          weights({kHidden, kClasses}),
          weights({kClasses})};
}

absl::StatusOr<Module> Step(int64_t devices) {
  TrainStepOptions options;
  // New weight k lies where the old one was, parameter k + 2.
  for (int64_t k = 0; k < 4; ++k) {
    options.build.aliases.push_back({{k}, k + 2});
  }
  if (devices > 1) {
    options.data_sharding = TileSharding({devices, 1});
    options.weight_sharding = ReplicateSharding();
    options.build.devices.partitions = devices;
  }
  return TrainStep(options);
}

absl::StatusOr<pjrt::Client> NewClient(const Options& options) {
  const absl::StatusOr<pjrt::Plugin> plugin =
      pjrt::Plugin::Find(options.plugin);
  if (!plugin.ok()) return plugin.status();
  pjrt::ClientOptions client;
  if (options.devices > 1) {
    client.values = {{"cpu_device_count", options.devices}};
  }
  return pjrt::Client::Create(*plugin, client);
}

// Runs a step, and puts the new weights where the old ones were.
absl::Status Advance(const pjrt::Executable& step,
                     std::vector<std::vector<pjrt::Buffer>>* inputs,
                     pjrt::Buffer* loss) {
  absl::StatusOr<pjrt::ShardedExecution> run = step.ExecuteSharded(*inputs);
  if (!run.ok()) return run.status();
  for (size_t device = 0; device < inputs->size(); ++device) {
    for (size_t k = 0; k < 4; ++k) {
      (*inputs)[device][k + 2] = run->results[device][k];
    }
  }
  *loss = run->results[0][4];
  return absl::OkStatus();
}

absl::Status Train(const Options& options) {
  const absl::StatusOr<Module> module = Step(options.devices);
  if (!module.ok()) return module.status();
  const absl::StatusOr<pjrt::Client> client = NewClient(options);
  if (!client.ok()) return client.status();
  const absl::StatusOr<pjrt::Executable> step = client->Compile(*module);
  if (!step.ok()) return step.status();
  absl::StatusOr<std::vector<std::vector<pjrt::Buffer>>> inputs =
      step->ToDevices(FirstArguments());
  if (!inputs.ok()) return inputs.status();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i <= options.steps; ++i) {
    pjrt::Buffer loss;
    const absl::Status status = Advance(*step, &*inputs, &loss);
    if (!status.ok()) return status;
    // Reading waits for the step; others need not.
    if (i % 20 != 0) continue;
    const absl::StatusOr<std::vector<float>> value = loss.ToVector<float>();
    if (!value.ok()) return value.status();
    std::printf("step %4d  loss %.4f\n", i, (*value)[0]);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::printf("%d steps in %.1f ms, on %d of %s's devices\n", options.steps,
              seconds * 1e3, static_cast<int>(options.devices),
              client->platform_name().c_str());
  return absl::OkStatus();
}

// Whether `argument` is --name=VALUE; then *value is VALUE.
bool IsFlag(const std::string& argument, const std::string& name,
            std::string* value) {
  const std::string start = "--" + name + "=";
  if (argument.compare(0, start.size(), start) != 0) return false;
  *value = argument.substr(start.size());
  return true;
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  indim::Options options;
  for (int i = 1; i < argc; ++i) {
    std::string value;
    if (indim::IsFlag(argv[i], "plugin", &value)) {
      options.plugin = value;
    } else if (indim::IsFlag(argv[i], "devices", &value)) {
      options.devices = std::atoi(value.c_str());
    } else if (indim::IsFlag(argv[i], "steps", &value)) {
      options.steps = std::atoi(value.c_str());
    } else {
      std::fprintf(stderr,
                   "usage: train [--plugin=cpu|PATH] [--devices=N] "
                   "[--steps=N]; N of devices divides %d\n",
                   static_cast<int>(indim::kRows));
      return EXIT_FAILURE;
    }
  }
  if (options.devices < 1 || options.devices > indim::kRows) {
    std::fprintf(stderr, "--devices must be in 1..%d\n",
                 static_cast<int>(indim::kRows));
    return EXIT_FAILURE;
  }
  const absl::Status status = indim::Train(options);
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}
