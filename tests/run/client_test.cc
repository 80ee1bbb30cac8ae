// SPDX-License-Identifier: Apache-2.0
// The client on a plugin that fails on demand (fake_plugin.h): what it returns,
// that nothing leaks whichever call fails, and many threads. Needs no plugin of
// others.

#include "indim/run/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/run/abi/shared_library.h"
#include "indim/run/dlpack.h"
#include "indim/run/plugin.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/run/fake_plugin.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPath[] = "tests/run/libfake_plugin.so";

const FakePluginControl& Control() {
  static const auto* const control = static_cast<const FakePluginControl*>(
      LoadSymbol(kPath, "kFakePluginControl").value());
  return *control;
}

Program MakeProgram(int inputs, int outputs) {
  Program program;
  program.format = "fake";
  program.code = absl::StrCat(outputs);
  const Shape shape = Shape::Of(ElementType::kF32, {2});
  for (int i = 0; i < inputs; ++i) {
    program.interface.parameters.push_back(shape);
    program.interface.inputs.push_back({absl::StrCat("in", i), shape});
  }
  std::vector<Shape> results;
  for (int i = 0; i < outputs; ++i) {
    results.push_back(shape);
    program.interface.outputs.push_back({absl::StrCat("out", i), shape});
  }
  program.interface.result = Shape::Tuple(results);
  return program;
}

class FakeTest : public ::testing::Test {
 protected:
  void SetUp() override { Control().fail_at(0); }
  void TearDown() override {
    Control().finish();
    EXPECT_EQ(Control().live(), 0);
  }
  static Plugin LoadFake() { return Plugin::Load(kPath).value(); }
};

// --- Plugins ----------------------------------------------------------------

TEST_F(FakeTest, APluginTellsWhatItIs) {
  const Plugin plugin = LoadFake();
  EXPECT_EQ(plugin.path(), kPath);
  EXPECT_EQ(plugin.major_version(), 0);
  EXPECT_EQ(plugin.minor_version(), 81);
  ASSERT_EQ(plugin.attributes().size(), 1u);
  EXPECT_EQ(plugin.attributes()[0].name, "made_for");
  EXPECT_EQ(ToString(plugin.attributes()[0].value), "\"tests\"");
  EXPECT_TRUE(plugin == LoadFake()) << "it is loaded once";
}

TEST_F(FakeTest, WhatCantBeLoadedIsToldClearly) {
  const struct {
    const char* path;
    const char* says;
  } kCases[] = {{"./no/such/file.so", "no/such/file.so"},
                {"./tests/run/client_test.cc", "tests/run/client_test.cc"},
                {"libm.so.6", "GetPjrtApi"}};
  for (const auto& c : kCases) {
    const absl::StatusOr<Plugin> plugin = Plugin::Load(c.path);
    EXPECT_TRUE(absl::IsNotFound(plugin.status())) << plugin.status();
    EXPECT_THAT(std::string(plugin.status().message()), HasSubstr(c.says));
    EXPECT_EQ(CodeText(CodeOf(plugin.status())), "IND1100");
  }
}

TEST_F(FakeTest, AnApiThatIsTooOldIsRefused) {
  Control().set_function_count(50);
  const absl::StatusOr<Plugin> plugin = Plugin::Load(kPath);
  Control().set_function_count(0);
  EXPECT_TRUE(absl::IsUnimplemented(plugin.status())) << plugin.status();
  EXPECT_EQ(CodeText(CodeOf(plugin.status())), "IND1101");
}

TEST_F(FakeTest, NamesOfPlugins) {
  setenv("INDIM_PJRT_CPU_PLUGIN", kPath, 1);
  const absl::StatusOr<std::string> ours = Plugin::FindPath("cpu");
  unsetenv("INDIM_PJRT_CPU_PLUGIN");
  ASSERT_TRUE(ours.ok()) << ours.status();
  EXPECT_EQ(*ours, kPath);
  setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "tpu:/a/b.so;toy:/c.so", 1);
  EXPECT_EQ(Plugin::FindPath("tpu").value(), "/a/b.so");
  EXPECT_EQ(Plugin::FindPath("toy").value(), "/c.so");
  unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  const absl::StatusOr<std::string> unknown = Plugin::FindPath("toy");
  EXPECT_TRUE(absl::IsNotFound(unknown.status())) << unknown.status();
  EXPECT_THAT(std::string(unknown.status().message()),
              HasSubstr("cpu, cuda, rocm, tpu"));
  EXPECT_EQ(Plugin::FindPath("./x.so").value(), "./x.so");
}

// --- Clients ----------------------------------------------------------------

TEST_F(FakeTest, OptionsAreChecked) {
  const absl::StatusOr<Client> client =
      Client::Create(LoadFake(), {{{"cpu_device_count", int64_t{3}}}});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(client->devices().size(), 3u);
  EXPECT_EQ(client->devices()[2].id(), 2);
  const struct {
    NamedValue option;
    const char* says;
  } kCases[] = {
      {{"cpu_devices_count", int64_t{3}}, "did you mean cpu_device_count?"},
      {{"cpu_device_count", std::string("3")}, "is an integer, not \"3\""},
      {{"memory_fraction", 0.5f}, "clients of cpu have no option"}};
  for (const auto& c : kCases) {
    const absl::StatusOr<Client> refused =
        Client::Create(LoadFake(), {{c.option}});
    EXPECT_TRUE(absl::IsInvalidArgument(refused.status()));
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr(c.says));
    EXPECT_EQ(CodeText(CodeOf(refused.status())), "IND1103");
  }
  EXPECT_TRUE(Client::Create(LoadFake(), {{{"x", true}}, true}).ok());
}

// --- Arguments --------------------------------------------------------------

TEST_F(FakeTest, ArgumentsAreCheckedByName) {
  const Client client = Client::Create(LoadFake()).value();
  const Executable run = client.CompileProgram(MakeProgram(2, 2)).value();
  const Buffer good = client.ToDevice(Literal::Vector({1, 2})).value();
  const Buffer integers =
      client.ToDevice<int32_t>(std::vector<int32_t>{1, 2}, {2}).value();
  const Buffer longer = client.ToDevice(Literal::Vector({1, 2, 3})).value();
  const Buffer elsewhere = good.CopyTo(client.devices()[1]).value();
  const Client other = Client::Create(LoadFake()).value();
  const Buffer of_other = other.ToDevice(Literal::Vector({1, 2})).value();
  const struct {
    std::vector<Buffer> inputs;
    const char* says;
  } kCases[] = {
      {{good}, "takes 2 inputs (in0 f32[2], in1 f32[2]), not 1"},
      {{good, integers}, "input 1 (in1) is f32[2], but the buffer is s32[2]"},
      {{longer, good}, "input 0 (in0) is f32[2], but the buffer is f32[3]"},
      {{good, elsewhere}, "input 1 (in1) is needed on FAKE"},
      {{of_other, good}, "of another client"},
      {{good, Buffer()}, "input 1 (in1) is given no buffer"}};
  for (const auto& c : kCases) {
    const absl::StatusOr<Execution> refused = run.Execute(c.inputs);
    EXPECT_TRUE(absl::IsInvalidArgument(refused.status()));
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr(c.says));
    EXPECT_EQ(CodeText(CodeOf(refused.status())), "IND1104");
  }
  const absl::StatusOr<Literal> refused =
      run.Run({Literal::Vector({1, 2}), Literal::Scalar(1.0f)});
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("input 1 (in1) is f32[2], but the argument is f32[]"));
  const absl::StatusOr<Literal> result =
      run.Run({Literal::Vector({1, 2}), Literal::Vector({3, 4})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->ToString(), "( {1, 2}, {3, 4} )");
}

TEST_F(FakeTest, ATypeThatBuffersLackAndSizesThatDontFit) {
  const Client client = Client::Create(LoadFake()).value();
  const std::vector<float> values = {1, 2, 3};
  const absl::Status refused[] = {
      client.ToDevice<float>(values, {2}).status(),
      client.ToDevice(Literal::Tuple({})).status(),
      client.ToDevice(Literal()).status(),
      client.BytesToDevice(Shape::Of(ElementType::kF6E3M2FN, {3}), "abc", 3)
          .status(),
      client
          .BytesToDevice(Shape::Of(ElementType::kF64,
                                   {int64_t{1} << 40, int64_t{1} << 40}),
                         "abc", 3)
          .status()};
  for (const absl::Status& status : refused) {
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_EQ(CodeText(CodeOf(status)), "IND1110");
  }
}

TEST_F(FakeTest, BuffersAreReadByTheirType) {
  const Client client = Client::Create(LoadFake()).value();
  const Buffer buffer =
      client.ToDevice<float>(std::vector<float>{1, 2}, {2}).value();
  EXPECT_THAT(buffer.ToVector<float>().value(), ElementsAre(1, 2));
  EXPECT_TRUE(absl::IsInvalidArgument(buffer.ToVector<int32_t>().status()));
  float one = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(buffer.Read(absl::MakeSpan(&one, 1))));
  EXPECT_EQ(buffer.DeviceBytes().value(), 8);
  EXPECT_FALSE(buffer.IsDeleted().value());
  ASSERT_TRUE(buffer.Delete().ok());
  EXPECT_TRUE(buffer.IsDeleted().value());
  EXPECT_FALSE(buffer.ToLiteral().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Buffer().ToLiteral().status()));
}

TEST_F(FakeTest, MemoryOfTheHostIsReleased) {
  const Client client = Client::Create(LoadFake()).value();
  alignas(Client::kHostAlignment) static const float values[2] = {1, 2};
  std::promise<void> released;
  const absl::StatusOr<Buffer> buffer = client.ShareWithDevice(
      Shape::Of(ElementType::kF32, {2}), values, sizeof(values),
      [&released] { released.set_value(); });
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  released.get_future().wait();
  EXPECT_THAT(buffer->ToVector<float>().value(), ElementsAre(1, 2));
}

TEST_F(FakeTest, AViewKeepsTheMemory) {
  absl::StatusOr<BufferView> view;
  {
    const Client client = Client::Create(LoadFake()).value();
    view = client.ToDevice(Literal::Vector({1, 2})).value().View();
  }
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->size_bytes(), 8u);
  EXPECT_EQ(static_cast<const float*>(view->data())[1], 2);
}

// --- DLPack -----------------------------------------------------------------

TEST_F(FakeTest, DlpackThereAndBack) {
  const Client client = Client::Create(LoadFake()).value();
  DlManagedTensor* tensor = nullptr;
  {
    const Buffer buffer =
        client.ToDevice<int32_t>(std::vector<int32_t>{1, 2, 3, 4}, {2, 2})
            .value();
    tensor = ToDlpack(buffer).value();
  }
  EXPECT_EQ(tensor->tensor.rank, 2);
  EXPECT_EQ(tensor->tensor.sizes[1], 2);
  EXPECT_EQ(tensor->tensor.type.code, 0);
  EXPECT_EQ(tensor->tensor.type.bits, 32);
  EXPECT_EQ(static_cast<const int32_t*>(tensor->tensor.data)[3], 4);
  const absl::StatusOr<Buffer> back = FromDlpack(client, tensor);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->shape(), Shape::Of(ElementType::kS32, {2, 2}));
  EXPECT_THAT(back->ToVector<int32_t>().value(), ElementsAre(1, 2, 3, 4));
}

TEST_F(FakeTest, WhatDlpackHasThatBuffersLack) {
  const Client client = Client::Create(LoadFake()).value();
  std::vector<float> values = {1, 2, 3, 4};
  std::vector<int64_t> sizes = {2, 2}, columns = {1, 2}, negative = {-2, 2};
  DlManagedTensor good;
  good.tensor.data = values.data();
  good.tensor.rank = 2;
  good.tensor.type = {2, 32, 1};
  good.tensor.sizes = sizes.data();
  std::vector<DlManagedTensor> wrong(4, good);
  wrong[0].tensor.strides = columns.data();
  wrong[1].tensor.type.lanes = 4;
  wrong[2].tensor.device.type = 2;
  wrong[3].tensor.sizes = negative.data();
  for (DlManagedTensor& tensor : wrong) {
    const absl::Status status = FromDlpack(client, &tensor).status();
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(CodeText(CodeOf(status)), "IND1110");
  }
  EXPECT_FALSE(FromDlpack(client, nullptr).ok());
  EXPECT_FALSE(ToDlpack(Buffer()).ok());
  // The tensor is the buffer's until it calls the deleter, on a thread of its
  // own.
  std::promise<void> released;
  good.context = &released;
  good.deleter = [](DlManagedTensor* tensor) {
    static_cast<std::promise<void>*>(tensor->context)->set_value();
  };
  const absl::StatusOr<Buffer> taken = FromDlpack(client, &good);
  ASSERT_TRUE(taken.ok()) << taken.status();
  released.get_future().wait();
  EXPECT_THAT(taken->ToVector<float>().value(), ElementsAre(1, 2, 3, 4));
}

// --- Saved executables ------------------------------------------------------

TEST_F(FakeTest, ASavedExecutableKeepsItsInterface) {
  const Client client = Client::Create(LoadFake()).value();
  const absl::StatusOr<std::string> saved =
      client.CompileProgram(MakeProgram(2, 1)).value().Serialize();
  ASSERT_TRUE(saved.ok()) << saved.status();
  const absl::StatusOr<Executable> loaded = client.Load(*saved);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->inputs().size(), 2u);
  EXPECT_EQ(loaded->inputs()[1].name, "in1");
  EXPECT_EQ(loaded->inputs()[1].shape, Shape::Of(ElementType::kF32, {2}));
  EXPECT_EQ(loaded->outputs()[0].name, "out0");
  const absl::StatusOr<Literal> result =
      loaded->Run({Literal::Vector({1, 2}), Literal::Vector({3, 4})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->ToString(), "( {1, 2} )");
}

TEST_F(FakeTest, OtherBytesAreNoExecutable) {
  const Client client = Client::Create(LoadFake()).value();
  const std::string saved =
      client.CompileProgram(MakeProgram(2, 1)).value().Serialize().value();
  for (size_t size = 0; size < saved.size(); ++size) {
    EXPECT_FALSE(client.Load(saved.substr(0, size)).ok()) << size;
  }
  for (size_t i = 0; i < saved.size(); ++i) {
    std::string broken = saved;
    broken[i] = static_cast<char>(broken[i] ^ 0x55);
    client.Load(broken).status().IgnoreError();
  }
  std::string of_another = saved;
  of_another.replace(of_another.find("fake 1"), 6, "fake 2");
  const absl::Status status = client.Load(of_another).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(CodeText(CodeOf(status)), "IND1109");
}

// --- Bounded shapes ---------------------------------------------------------

// A program of one input f32[2] whose result is of this shape.
absl::StatusOr<Literal> RunBounded(const Client& client, const Shape& shape) {
  Program program = MakeProgram(1, 1);
  program.interface.outputs[0].shape = shape;
  program.interface.result = Shape::Tuple({shape});
  const absl::StatusOr<Executable> run = client.CompileProgram(program);
  if (!run.ok()) return run.status();
  return run->Run({Literal::Vector({3, 4})});
}

TEST_F(FakeTest, ABoundedResultHasTheSizesOfRunTime) {
  const Client client = Client::Create(LoadFake()).value();
  Shape shape = Shape::Of(ElementType::kF32, {0});
  shape.set_dim(0, Dim::Bounded(3));
  const absl::StatusOr<Literal> result = RunBounded(client, shape);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::string zeros(sizeof(float), '\0');
  const Literal all = Literal::Vector({3, 4});
  EXPECT_EQ(
      result->elements()[0],
      Literal::Bounded(shape, absl::StrCat(all.bytes(), zeros), {2}).value());
  shape.set_dim(0, Dim::Bounded(1));
  const absl::Status refused = RunBounded(client, shape).status();
  EXPECT_TRUE(absl::IsInternal(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("[2]"));
  EXPECT_EQ(CodeText(CodeOf(refused)), "IND1110");
}

// --- Errors at every call ---------------------------------------------------

// One of everything. The first error.
absl::Status UseEverything() {
  const absl::StatusOr<Plugin> plugin = Plugin::Load(kPath);
  if (!plugin.ok()) return plugin.status();
  const absl::StatusOr<Client> client = Client::Create(*plugin);
  if (!client.ok()) return client.status();
  const absl::StatusOr<MemoryStats> stats = client->devices()[0].memory_stats();
  if (!stats.ok()) return stats.status();
  const absl::StatusOr<Executable> compiled =
      client->CompileProgram(MakeProgram(2, 3));
  if (!compiled.ok()) return compiled.status();
  const absl::StatusOr<std::string> saved = compiled->Serialize();
  if (!saved.ok()) return saved.status();
  const absl::StatusOr<Executable> run = client->Load(*saved);
  if (!run.ok()) return run.status();
  const absl::StatusOr<std::string> hlo = run->OptimizedHlo();
  if (!hlo.ok()) return hlo.status();
  const absl::StatusOr<Literal> result =
      run->Run({Literal::Vector({1, 2}), Literal::Vector({3, 4})});
  if (!result.ok()) return result.status();
  Shape bounded = Shape::Of(ElementType::kF32, {2});
  bounded.set_dim(0, Dim::Bounded(2));
  const absl::StatusOr<Literal> part = RunBounded(*client, bounded);
  if (!part.ok()) return part.status();
  alignas(Client::kHostAlignment) static const float values[2] = {1, 2};
  const absl::StatusOr<Buffer> shared = client->ShareWithDevice(
      Shape::Of(ElementType::kF32, {2}), values, sizeof(values), [] {});
  if (!shared.ok()) return shared.status();
  const absl::StatusOr<Execution> execution = run->Execute({*shared, *shared});
  if (!execution.ok()) return execution.status();
  const absl::StatusOr<bool> ready = execution->done.IsReady();
  if (!ready.ok()) return ready.status();
  const absl::Status waits = execution->done.OnReady([](absl::Status) {});
  if (!waits.ok()) return waits;
  const absl::StatusOr<Buffer> copy =
      execution->results[0].CopyTo(client->devices()[1]);
  if (!copy.ok()) return copy.status();
  const absl::StatusOr<BufferView> view = copy->View();
  if (!view.ok()) return view.status();
  const absl::StatusOr<int64_t> bytes = copy->DeviceBytes();
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<bool> deleted = copy->IsDeleted();
  if (!deleted.ok()) return deleted.status();
  return copy->Delete();
}

// Errors that nobody hears: of what destroys, and of texts that needn't be.
TEST_F(FakeTest, AnErrorAtEveryCallInTurn) {
  ASSERT_TRUE(UseEverything().ok());
  const int calls = Control().calls();
  EXPECT_GE(calls, 60);
  int heard = 0;
  for (int n = 1; n <= calls; ++n) {
    SCOPED_TRACE(absl::StrCat("call ", n));
    Control().fail_at(n);
    const absl::Status status = UseEverything();
    Control().finish();
    EXPECT_TRUE(Control().failed());
    EXPECT_EQ(Control().live(), 0);
    if (status.ok()) continue;
    ++heard;
    EXPECT_TRUE(absl::IsInternal(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("fails on demand"));
    EXPECT_EQ(CodeText(CodeOf(status)), "IND1102");
  }
  EXPECT_GE(heard, calls / 2);
}

// --- Threads ----------------------------------------------------------------

TEST_F(FakeTest, ManyThreadsUseOneExecutable) {
  const Client client = Client::Create(LoadFake()).value();
  const Executable run = client.CompileProgram(MakeProgram(1, 1)).value();
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&run, &good, t] {
      for (int i = 0; i < 20; ++i) {
        const float x = static_cast<float>(t * 100 + i);
        const absl::StatusOr<Literal> result =
            run.Run({Literal::Vector({x, 0})});
        if (result.ok() && result->elements()[0].AsDouble(0) == x) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
