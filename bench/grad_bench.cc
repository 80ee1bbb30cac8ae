// SPDX-License-Identifier: Apache-2.0
// How long it takes to make the gradient of a GPT, and how much memory its
// module takes: bazel run -c opt //bench:grad_bench [-- LAYERS...]
//
// Beside it JAX traces the gradient of the same model, where INDIM_XLA_PYTHON
// is a Python with jaxlib and INDIM_JAX a folder with jax (peers/).

#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/bench/peers/timing.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/gradient.h"
#include "indim/ir/module.h"
#include "indim/passes/export/expand_broadcasts.h"

namespace indim::bench {
namespace {

constexpr int64_t kBatch = 4, kLength = 128, kVocabulary = 512, kWidth = 264,
                  kHeads = 12, kHead = kWidth / kHeads;

// As gpt() of peers/jax_gradient.py. Each head is computed by itself, with
// rotary embeddings: about 900 instructions a layer.
class Gpt {
 public:
  explicit Gpt(ComputationBuilder* b) : b_(*b) {}

  Op Loss(int layers) {
    const Op tokens = b_.Parameter(
        {absl::StrCat("s32[", kBatch, ",", kLength, "]")}, "tokens");
    const Op labels = b_.Parameter(b_.shape(tokens).value(), "labels");
    const Op embedding = Weight({kVocabulary, kWidth});
    Op x = Take(embedding, tokens, 0);
    cosine_ = Weight({kLength, kHead});
    sine_ = Weight({kLength, kHead});
    for (int i = 0; i < layers; ++i) {
      x = x + Attention(Normalized(x));
      const Op hidden = Linear(Normalized(x), kWidth, 4 * kWidth);
      x = x + Linear(Gelu(hidden, /*approximate=*/true), 4 * kWidth, kWidth);
    }
    const Op logits = Product(Normalized(x), b_.Transpose(embedding, {1, 0}));
    return Mean(CrossEntropy(logits, labels));
  }

 private:
  Op Weight(std::vector<int64_t> sizes) {
    std::vector<Dim> dims;
    for (const int64_t size : sizes) dims.push_back(Dim::Static(size));
    return b_.Parameter(Shape::Array(ElementType::kF32, dims), "w");
  }
  Op Normalized(Op x) {
    const Op scale = Weight({kWidth});
    return LayerNorm(x, scale, Weight({kWidth}));
  }
  // Over the last dim of x.
  Op Product(Op x, Op w) {
    DotAttributes dot;
    dot.lhs_contracting_dims = {2};
    dot.rhs_contracting_dims = {0};
    return b_.DotGeneral(x, w, dot);
  }
  Op Linear(Op x, int64_t from, int64_t to) {
    const Op w = Weight({from, to});
    return b_.Add(Product(x, w), Weight({to}), {2});
  }
  Op Turned(Op x) {
    const Op first = b_.SliceInDim(x, 0, kHead / 2, 1, 2);
    const Op second = b_.SliceInDim(x, kHead / 2, kHead, 1, 2);
    const Op turned = b_.ConcatInDim({b_.Neg(second), first}, 2);
    return b_.Add(b_.Mul(x, cosine_, {1, 2}), b_.Mul(turned, sine_, {1, 2}));
  }
  Op Attention(Op x) {
    AttentionOptions options;
    options.causal = true;
    const auto alone = [&](Op of_head) {
      return b_.Reshape(of_head, {kBatch, kLength, 1, kHead});
    };
    Op sum = x;
    for (int64_t head = 0; head < kHeads; ++head) {
      const Op query = Turned(Linear(x, kWidth, kHead));
      const Op key = Turned(Linear(x, kWidth, kHead));
      const Op value = Linear(x, kWidth, kHead);
      const Op seen =
          DotProductAttention(alone(query), alone(key), alone(value), options);
      const Op made =
          Linear(b_.Reshape(seen, {kBatch, kLength, kHead}), kHead, kWidth);
      sum = head == 0 ? made : sum + made;
    }
    return sum;
  }

  Op cosine_, sine_;
  ComputationBuilder& b_;
};

template <typename T>
T OrDie(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
  std::exit(1);
}

// With explicit broadcasts, as a module that was read has them.
Module MakeGpt(int layers) {
  ComputationBuilder b("gpt");
  const Op loss = Gpt(&b).Loss(layers);
  ExpandResult expanded = ExpandBroadcasts(OrDie(b.Build(loss)));
  return std::move(expanded.module);
}

// Bytes of memory that the process has.
double Resident() {
  FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  double all = 0, resident = 0;
  if (std::fscanf(file, "%lf %lf", &all, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Bytes of memory for each instruction of what `make` returns. Pages count,
// since a large column reserves more of them than it uses: that takes mapped
// blocks, which a warm heap doesn't have.
double BytesOf(const std::function<Module()>& make) {
  mallopt(M_MMAP_MAX, 1 << 16);
  malloc_trim(0);
  const double before = Resident();
  const Module module = make();
  malloc_trim(0);
  const double bytes = Resident() - before;
  peer::WarmHeap();
  return bytes / static_cast<double>(module.instruction_count());
}

// JAX's tracing of the gradient in ms; nullopt: it isn't here.
std::optional<double> TimeOfJax(int layers) {
  const char* const python = std::getenv("INDIM_XLA_PYTHON");
  const char* const jax = std::getenv("INDIM_JAX");
  if (python == nullptr || jax == nullptr) return std::nullopt;
  const std::string command =
      absl::StrCat("PYTHONPATH='", jax, "' '", python,
                   "' -B bench/peers/jax_gradient.py ", layers);
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  double ms = 0;
  const bool read = std::fscanf(pipe, "%lf", &ms) == 1;
  pclose(pipe);
  return read ? std::optional<double>(ms) : std::nullopt;
}

void PrintRow(int layers) {
  const Module model = MakeGpt(layers);
  peer::Least least;
  int64_t emitted = 0;
  for (int run = 0; run < (layers > 100 ? 2 : 8); ++run) {
    least.Time(
        [&] { emitted = OrDie(Gradient(model, {})).instruction_count(); });
  }
  const double bytes = BytesOf([&] { return MakeGpt(layers); });
  const double bytes_of_gradient =
      BytesOf([&] { return OrDie(Gradient(model, {})); });
  const std::optional<double> jax =
      layers > 100 ? std::nullopt : TimeOfJax(layers);
  std::printf("| %d | %d | %d | %.1f | %.2f | %.0f | %.0f | %s |\n", layers,
              static_cast<int>(model.instruction_count()),
              static_cast<int>(emitted), least.ns() / 1e6,
              least.ns() / 1e3 / static_cast<double>(emitted), bytes,
              bytes_of_gradient,
              jax ? absl::StrCat(static_cast<int>(*jax)).c_str() : "-");
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  peer::WarmHeap();
  std::vector<int> layers;
  for (int i = 1; i < argc; ++i) layers.push_back(std::atoi(argv[i]));
  if (layers.empty()) layers = {10, 100, 500};
  std::printf(
      "| layers | instructions | of the gradient | ms | µs each | bytes of an "
      "instruction | of the gradient's | JAX traces, ms |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const int count : layers) PrintRow(count);
  return 0;
}

}  // namespace
}  // namespace indim::bench

int main(int argc, char** argv) { return indim::bench::Main(argc, argv); }
