// SPDX-License-Identifier: Apache-2.0
// The real XLA: its C++ XlaBuilder, HloModule, verifier and text, from the
// TensorFlow wheel. See ../peers.md.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "timing.h"
#include "xla/client/xla_builder.h"
#include "xla/client/xla_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo.pb.h"
#include "xla/service/hlo_parser.h"
#include "xla/service/hlo_verifier.h"
#include "xla/shape_util.h"

namespace {

using xla::XlaBuilder;
using xla::XlaOp;
using Sizes = std::vector<int64_t>;

xla::Shape F32(const Sizes& sizes) {
  return xla::ShapeUtil::MakeShape(xla::F32, sizes);
}

long Same(XlaBuilder* b, long n, XlaOp* root) {
  XlaOp x = xla::Parameter(b, 0, F32({8, 16}), "x");
  const XlaOp y = xla::Parameter(b, 1, F32({8, 16}), "y");
  for (long i = 0; i < n; ++i) x = xla::Add(x, y);
  *root = x;
  return n;
}

long InDim(XlaBuilder* b, long n, XlaOp* root) {
  XlaOp x = xla::Parameter(b, 0, F32({8, 16}), "x");
  const XlaOp y = xla::Parameter(b, 1, F32({16}), "y");
  for (long i = 0; i < n; ++i) x = xla::Add(x, y, {1});
  *root = x;
  return n;
}

long Mixed(XlaBuilder* b, long n, XlaOp* root) {
  XlaOp x = xla::Parameter(b, 0, F32({8, 16}), "x");
  const XlaOp same = xla::Parameter(b, 1, F32({8, 16}), "y");
  const XlaOp scalar = xla::Parameter(b, 2, F32({}), "s");
  const XlaOp vector = xla::Parameter(b, 3, F32({16}), "v");
  const XlaOp degenerate = xla::Parameter(b, 4, F32({1, 16}), "d");
  const XlaOp operands[10] = {same, same, scalar, same,       vector,
                              same, same, scalar, degenerate, same};
  for (long i = 0; i < n; ++i) {
    const Sizes dims = i % 10 == 4 ? Sizes{1} : Sizes{};
    const XlaOp r = operands[i % 10];
    switch (i & 3) {
      case 0:
        x = xla::Add(x, r, dims);
        break;
      case 1:
        x = xla::Mul(x, r, dims);
        break;
      case 2:
        x = xla::Sub(x, r, dims);
        break;
      default:
        x = xla::Max(x, r, dims);
    }
  }
  *root = x;
  return n;
}

xla::XlaComputation Scalar(bool maximum) {
  XlaBuilder b(maximum ? "max" : "add");
  const XlaOp l = xla::Parameter(&b, 0, F32({}), "l");
  const XlaOp r = xla::Parameter(&b, 1, F32({}), "r");
  return b.Build(maximum ? xla::Max(l, r) : xla::Add(l, r)).value();
}

long Transformers(XlaBuilder* b, long n, XlaOp* root) {
  constexpr int64_t kB = 4, kS = 128, kD = 256, kH = 4, kM = 1024;
  static const auto* add = new xla::XlaComputation(Scalar(false));
  static const auto* max = new xla::XlaComputation(Scalar(true));
  long calls = 0;
  int64_t parameters = 0;
  auto next = [&](const Sizes& sizes) {
    return xla::Parameter(b, parameters++, F32(sizes), "p");
  };
  auto number = [&](float value) { return xla::ConstantR0<float>(b, value); };
  XlaOp x = next({kB, kS, kD});
  const XlaOp wq = next({kD, kD}), wk = next({kD, kD}), wv = next({kD, kD}),
              wo = next({kD, kD}), w1 = next({kD, kM}), w2 = next({kM, kD}),
              b1 = next({kM}), b2 = next({kD}), gain = next({kD}),
              bias = next({kD});
  const XlaOp zero = number(0), low = number(-1e30f), width = number(kD),
              epsilon = number(1e-5f), half = number(.5f), one = number(1),
              scale = number(.125f), c0 = number(.044715f),
              c1 = number(.79788f);
  xla::DotDimensionNumbers linear, scores, values;
  linear.add_lhs_contracting_dimensions(2);
  linear.add_rhs_contracting_dimensions(0);
  for (int i : {0, 1}) {
    scores.add_lhs_batch_dimensions(i);
    scores.add_rhs_batch_dimensions(i);
  }
  values = scores;
  scores.add_lhs_contracting_dimensions(3);
  scores.add_rhs_contracting_dimensions(3);
  values.add_lhs_contracting_dimensions(3);
  values.add_rhs_contracting_dimensions(2);
  auto norm = [&](XlaOp a) {
    const XlaOp mean = xla::Div(xla::Reduce(a, zero, *add, {2}), width);
    const XlaOp centered = xla::Sub(a, mean, {0, 1});
    const XlaOp variance = xla::Div(
        xla::Reduce(xla::Mul(centered, centered), zero, *add, {2}), width);
    const XlaOp r = xla::Rsqrt(xla::Add(variance, epsilon));
    calls += 11;
    return xla::Add(xla::Mul(xla::Mul(centered, r, {0, 1}), gain, {2}), bias,
                    {2});
  };
  auto heads = [&](XlaOp a) {
    calls += 2;
    return xla::Transpose(xla::Reshape(a, {kB, kS, kH, kD / kH}), {0, 2, 1, 3});
  };
  while (calls < n) {
    XlaOp h = norm(x);
    const XlaOp q = heads(xla::DotGeneral(h, wq, linear));
    const XlaOp k = heads(xla::DotGeneral(h, wk, linear));
    const XlaOp v = heads(xla::DotGeneral(h, wv, linear));
    const XlaOp s = xla::Mul(xla::DotGeneral(q, k, scores), scale);
    const XlaOp e =
        xla::Exp(xla::Sub(s, xla::Reduce(s, low, *max, {3}), {0, 1, 2}));
    const XlaOp p = xla::Div(e, xla::Reduce(e, zero, *add, {3}), {0, 1, 2});
    const XlaOp o = xla::Reshape(
        xla::Transpose(xla::DotGeneral(p, v, values), {0, 2, 1, 3}),
        {kB, kS, kD});
    x = xla::Add(x, xla::DotGeneral(o, wo, linear));
    h = norm(x);
    XlaOp u = xla::Add(xla::DotGeneral(h, w1, linear), b1, {2});
    const XlaOp cube = xla::Mul(xla::Mul(xla::Mul(u, u), u), c0);
    const XlaOp t = xla::Tanh(xla::Mul(xla::Add(u, cube), c1));
    u = xla::Mul(xla::Mul(u, half), xla::Add(t, one));
    x = xla::Add(x, xla::Add(xla::DotGeneral(u, w2, linear), b2, {2}));
    calls += 15 + 14;
  }
  *root = x;
  return calls;
}

// --- Hard graphs ------------------------------------------------------------

long FanIn(XlaBuilder* b, long n, XlaOp* root) {
  const XlaOp x = xla::Parameter(b, 0, F32({8, 16}), "x");
  std::vector<XlaOp> all;
  for (long i = 1; i < n; ++i) all.push_back(xla::Neg(x));
  *root = xla::Tuple(b, all);
  return n;
}

long TinyComputations(XlaBuilder* b, long n, XlaOp* root) {
  XlaOp x = xla::Parameter(b, 0, F32({8, 16}), "x");
  for (long i = 0; i < n; i += 4) {
    XlaBuilder sub("tiny");
    const XlaOp p = xla::Parameter(&sub, 0, F32({8, 16}), "p");
    x = xla::Call(b, sub.Build(xla::Add(p, p)).value(), {x});
  }
  *root = x;
  return n;
}

// A computation has copies of everything that it calls, so this keeps only the
// last one.
long DeepCalls(XlaBuilder* b, long n, XlaOp* root) {
  xla::XlaComputation inner;
  for (long i = 0; i < n; i += 3) {
    XlaBuilder sub("level");
    const XlaOp p = xla::Parameter(&sub, 0, F32({8, 16}), "p");
    XlaOp x = xla::Add(p, p);
    if (i > 0) x = xla::Call(&sub, inner, {x});
    inner = sub.Build(x).value();
  }
  *root = xla::Call(b, inner, {xla::Parameter(b, 0, F32({8, 16}), "x")});
  return n;
}

long WideTuples(XlaBuilder* b, long n, XlaOp* root) {
  const XlaOp x = xla::Parameter(b, 0, F32({8, 16}), "x");
  XlaOp last = x;
  for (long done = 0; done < n;) {
    const long width = std::min<long>(100000, (n - done) / 2 + 1);
    const XlaOp tuple = xla::Tuple(b, std::vector<XlaOp>(width, x));
    for (long i = 0; i < width; ++i) last = xla::GetTupleElement(tuple, i);
    done += width + 1;
  }
  *root = last;
  return n;
}

long DistinctShapes(XlaBuilder* b, long n, XlaOp* root) {
  const XlaOp one = xla::Parameter(b, 0, F32({1}), "one");
  XlaOp x = one;
  for (long i = 0; i < n; ++i) x = xla::ConcatInDim(b, {x, one}, 0);
  *root = x;
  return n;
}

void TimeGraph(const std::string& name,
               long (*record)(XlaBuilder*, long, XlaOp*), long n) {
  peer::Least recording, building;
  long calls = 0;
  for (int run = 0; run < 6; ++run) {
    auto b = std::make_unique<XlaBuilder>("bench");
    XlaOp root;
    recording.Time([&] { calls = record(b.get(), n, &root); });
    std::string bytes;
    building.Time([&] {
      const xla::XlaComputation built = b->Build(root).value();
      built.proto().SerializeToString(&bytes);
    });
  }
  const std::string suffix = name + "/" + std::to_string(n);
  peer::Print("record/" + suffix, recording.ns(), calls);
  peer::Print("build+write/" + suffix, building.ns(), calls);
}

// Whether a gather or scatter has batching dims, which XLA of 2023 lacks: then
// dims of the operand are left over.
bool HasBatchingDims(const xla::HloInstructionProto& i) {
  if (i.opcode() == "gather") {
    const auto& dims = i.gather_dimension_numbers();
    return i.gather_slice_sizes_size() !=
           dims.offset_dims_size() + dims.collapsed_slice_dims_size();
  }
  if (i.opcode() != "scatter") return false;
  const auto& dims = i.scatter_dimension_numbers();
  const auto& shape =
      i.shape().tuple_shapes_size() > 0 ? i.shape().tuple_shapes(0) : i.shape();
  return shape.dimensions_size() !=
         dims.update_window_dims_size() + dims.inserted_window_dims_size();
}

// Replaces them by custom calls, of which the verifier checks nothing.
// Otherwise it would refuse the whole module, and there would be no time to
// compare with. False: there are none.
bool ReplaceUnknown(xla::HloModuleProto* m) {
  bool replaced = false;
  for (auto& c : *m->mutable_computations()) {
    for (auto& i : *c.mutable_instructions()) {
      if (!HasBatchingDims(i)) continue;
      i.set_opcode("custom-call");
      i.set_custom_call_target("newer");
      i.clear_gather_dimension_numbers();
      i.clear_scatter_dimension_numbers();
      i.clear_gather_slice_sizes();
      replaced = true;
    }
  }
  return replaced;
}

std::unique_ptr<xla::HloModule> Create(const xla::HloModuleProto& proto,
                                       const xla::HloModuleConfig& config) {
  auto created = xla::HloModule::CreateFromProto(proto, config);
  return created.ok() ? std::move(*created) : nullptr;
}

void TimeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string bytes = stream.str();
  const std::string name = path.substr(path.rfind('/') + 1);
  double count = 0;
  peer::Least parsing, creating, verifying, printing, reading, writing;
  // A small file is run as often as in Indim's benchmark.
  const double begin = peer::Now();
  const auto is_soon = [&] { return peer::Now() - begin < 1e9; };
  for (int run = 0; run < 6 || is_soon(); ++run) {
    auto proto = std::make_unique<xla::HloModuleProto>();
    parsing.Time([&] { proto->ParseFromString(bytes); });
    count = 0;
    for (auto& c : proto->computations()) count += c.instructions_size();
    const auto config = xla::HloModule::CreateModuleConfigFromProto(
        *proto, xla::DebugOptions());
    if (!config.ok()) return;
    std::unique_ptr<xla::HloModule> module;
    creating.Time([&] { module = Create(*proto, *config); });
    if (module == nullptr) return;
    std::unique_ptr<xla::HloModule> stand_in;
    if (ReplaceUnknown(proto.get())) stand_in = Create(*proto, *config);
    xla::HloVerifier verifier{xla::HloVerifierOpts{}};
    verifying.TimeIf([&] {
      return verifier.Run(stand_in ? stand_in.get() : module.get()).ok();
    });
    std::string text, written;
    writing.Time([&] { module->ToProto().SerializeToString(&written); });
    printing.Time([&] { text = module->ToString(); });
    reading.TimeIf(
        [&] { return xla::ParseAndReturnUnverifiedModule(text).ok(); });
  }
  const auto print = [&](const char* step, double ns) {
    // A refused module gives no time to compare with.
    if (std::isfinite(ns)) peer::Print(step + name, ns, count);
  };
  const double importing = parsing.ns() + creating.ns();
  print("protobuf-parse/", parsing.ns());
  print("import/", importing);
  print("verify/", verifying.ns());
  print("import+infer+verify/", importing + verifying.ns());
  print("serialize/", writing.ns());
  print("print-text/", printing.ns());
  print("parse-text/", reading.ns());
}

}  // namespace

int main(int argc, char** argv) {
  peer::WarmHeap();
  constexpr long kOps = 100000;
  TimeGraph("same", Same, kOps);
  TimeGraph("indim", InDim, kOps);
  TimeGraph("mixed", Mixed, kOps);
  TimeGraph("transformer", Transformers, kOps);
  TimeGraph("chain", Same, kOps);
  TimeGraph("fan-in", FanIn, kOps);
  TimeGraph("tiny-computations", TinyComputations, kOps);
  TimeGraph("wide-tuples", WideTuples, kOps);
  TimeGraph("distinct-shapes", DistinctShapes, kOps);
  // The time of the copies grows with the square of the depth.
  TimeGraph("deep-calls", DeepCalls, kOps / 100);
  for (int i = 1; i < argc; ++i) TimeFile(argv[i]);
}
