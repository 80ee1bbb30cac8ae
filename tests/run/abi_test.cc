// SPDX-License-Identifier: Apache-2.0
// Our declarations of the C ABI (run/abi/abi.def) beside two that others made:
// XLA's header of version 0.81 in the package xla-cpu-pjrt, asked through g++,
// and the layouts of version 0.114 in pypjrt, asked through Python. bazelw
// installs both into .pjrt, which INDIM_PJRT_PACKAGES names.

#include "indim/run/abi/abi.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "indim/run/abi/buffer_type.h"
#include "indim/run/abi/ffi.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace pjrt {
namespace {

struct Field {
  std::string name;
  size_t offset;
};

// A struct by XLA's name.
struct Layout {
  std::string name;
  size_t size;
  std::vector<Field> fields;
};

struct Slot {
  std::string function;
  size_t offset;
};

std::vector<Layout> Layouts() {
  std::vector<Layout> layouts;
#define INDIM_PJRT_STRUCT(name, xla) \
  {                                  \
    using Struct = abi::name;        \
    layouts.push_back({xla, Struct::Size(), {}});
#define INDIM_PJRT_FUNCTION(slot, name, xla) \
  {                                          \
    using Struct = abi::name##Args;          \
    layouts.push_back({absl::StrCat(xla, "_Args"), Struct::Size(), {}});
#define INDIM_PJRT_FIELD(type, name, xla) \
  layouts.back().fields.push_back({xla, offsetof(Struct, name)});
#define INDIM_PJRT_END(name, last) }
#include "indim/run/abi/abi.def"
#undef INDIM_PJRT_STRUCT
#undef INDIM_PJRT_FUNCTION
#undef INDIM_PJRT_FIELD
#undef INDIM_PJRT_END
  return layouts;
}

// Those of custom calls, which the header doesn't have.
std::vector<Layout> FfiLayouts() {
  std::vector<Layout> layouts;
#define INDIM_FFI_STRUCT(name, xla) \
  {                                 \
    using Struct = abi::name;       \
    layouts.push_back({xla, Struct::Size(), {}});
#define INDIM_FFI_PLAIN_STRUCT INDIM_FFI_STRUCT
#define INDIM_FFI_FIELD(type, name, xla) \
  layouts.back().fields.push_back({xla, offsetof(Struct, name)});
#define INDIM_FFI_END(name, last) }
#include "indim/run/abi/ffi.def"
#undef INDIM_FFI_STRUCT
#undef INDIM_FFI_PLAIN_STRUCT
#undef INDIM_FFI_FIELD
#undef INDIM_FFI_END
  return layouts;
}

std::vector<Slot> Slots() {
  return {
#define INDIM_PJRT_STRUCT(name, xla)
#define INDIM_PJRT_FUNCTION(slot, name, xla) {xla, abi::EndOfFunctions(slot)},
#define INDIM_PJRT_FIELD(type, name, xla)
#define INDIM_PJRT_END(name, last)
#include "indim/run/abi/abi.def"
#undef INDIM_PJRT_STRUCT
#undef INDIM_PJRT_FUNCTION
#undef INDIM_PJRT_FIELD
#undef INDIM_PJRT_END
  };
}

struct NumberRow {
  std::string name;
  int number;
};

// XLA's enumerators, by the names that our tables give.
std::vector<NumberRow> BufferTypes() {
  std::vector<NumberRow> rows;
  for (const ElementTypeInfo& info : AllElementTypes()) {
    const int number = BufferType(info.type);
    if (number == 0) continue;
    rows.push_back(
        {absl::StrCat("PJRT_Buffer_Type_", absl::AsciiStrToUpper(info.name)),
         number});
  }
  return rows;
}

std::vector<NumberRow> OtherNumbers() {
  return {
      {"PJRT_NamedValue_kString", abi::kString},
      {"PJRT_NamedValue_kInt64", abi::kInt64},
      {"PJRT_NamedValue_kInt64List", abi::kInt64List},
      {"PJRT_NamedValue_kFloat", abi::kFloat},
      {"PJRT_NamedValue_kBool", abi::kBool},
      {"PJRT_HostBufferSemantics_kImmutableOnlyDuringCall", abi::kDuringCall},
      {"PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes",
       abi::kUntilTransferred},
      {"PJRT_HostBufferSemantics_kImmutableZeroCopy", abi::kZeroCopy},
      {"PJRT_HostBufferSemantics_kMutableZeroCopy", abi::kMutableZeroCopy},
      {"PJRT_Extension_Type_FFI", 5},
      {"PJRT_Error_Code_INTERNAL", 13},
  };
}

std::string Packages() {
  const char* const folder = std::getenv("INDIM_PJRT_PACKAGES");
  return folder == nullptr ? "" : folder;
}

// Writes `text` and runs the command on the file, whose output is shown.
int RunOn(const std::string& command, const std::string& name,
          const std::string& text) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/", name);
  std::ofstream(path) << text;
  return std::system(absl::StrCat(command, " ", path).c_str());
}

TEST(AbiTest, TheTableIsLarge) {
  EXPECT_GE(Slots().size(), 44u);
  size_t fields = 0;
  for (const Layout& layout : Layouts()) fields += layout.fields.size();
  EXPECT_GE(fields, 150u);
  EXPECT_EQ(BufferTypes().size(), 28u);
}

TEST(AbiTest, IsThatOfTheHeader) {
  ASSERT_FALSE(Packages().empty())
      << "INDIM_PJRT_PACKAGES names no folder; ./bazelw test //tests/run "
         "sets it where INDIM_PJRT_PLUGINS isn't set";
  std::string text =
      "#include <cstddef>\n#include \"pjrt_c_api.h\"\n"
      "static_assert(PJRT_API_MAJOR == 0 && PJRT_API_MINOR == 81);\n";
  for (const Layout& layout : Layouts()) {
    absl::StrAppend(&text, "static_assert(", layout.name,
                    "_STRUCT_SIZE == ", layout.size, ");\n");
    for (const Field& field : layout.fields) {
      if (field.name.empty()) continue;
      absl::StrAppend(&text, "static_assert(offsetof(", layout.name, ", ",
                      field.name, ") == ", field.offset, ");\n");
    }
  }
  for (const Slot& slot : Slots()) {
    absl::StrAppend(&text, "static_assert(offsetof(PJRT_Api, ", slot.function,
                    ") == ", slot.offset, ");\n");
  }
  for (const NumberRow& row : BufferTypes()) {
    absl::StrAppend(&text, "static_assert(", row.name, " == ", row.number,
                    ");\n");
  }
  for (const NumberRow& row : OtherNumbers()) {
    absl::StrAppend(&text, "static_assert(", row.name, " == ", row.number,
                    ");\n");
  }
  EXPECT_EQ(RunOn(absl::StrCat("/usr/bin/g++ -std=c++17 -fsyntax-only -I",
                               Packages(), "/xla_plugins/xla_cpu_pjrt/include"),
                  "header.cc", text),
            0);
}

// Structs may have grown; what we have of them is where it was.
TEST(AbiTest, IsThatOfPypjrt) {
  ASSERT_FALSE(Packages().empty());
  const char* const python = std::getenv("INDIM_XLA_PYTHON");
  std::string text = absl::StrCat(
      "import ctypes, importlib.util, sys\n"
      "spec = importlib.util.spec_from_file_location('abi', '",
      Packages(),
      "/pypjrt/_abi/pjrt_0_114.py')\n"
      "abi = importlib.util.module_from_spec(spec)\n"
      "spec.loader.exec_module(abi)\n"
      "assert abi.PJRT_API_MINOR == 114\n"
      "wrong = []\n"
      "def same(what, theirs, ours):\n"
      "  if theirs != ours: wrong.append((what, theirs, ours))\n"
      "def least(what, theirs, ours):\n"
      "  if theirs < ours: wrong.append((what, theirs, ours))\n");
  std::vector<Layout> layouts = Layouts();
  for (const Layout& layout : FfiLayouts()) layouts.push_back(layout);
  for (const Layout& layout : layouts) {
    absl::StrAppend(&text, "least('", layout.name, "', ctypes.sizeof(abi.",
                    layout.name, "), ", layout.size, ")\n");
    for (const Field& field : layout.fields) {
      if (field.name.empty()) continue;
      absl::StrAppend(&text, "same('", layout.name, ".", field.name, "', abi.",
                      layout.name, ".", field.name, ".offset, ", field.offset,
                      ")\n");
    }
  }
  for (const Slot& slot : Slots()) {
    absl::StrAppend(&text, "same('", slot.function,
                    "', abi.VTABLE_OFFSET + 8 * abi.SLOT['", slot.function,
                    "'], ", slot.offset, ")\n");
  }
  for (const NumberRow& row : BufferTypes()) {
    absl::StrAppend(&text, "same('", row.name, "', abi.", row.name, ", ",
                    row.number, ")\n");
  }
  // Extensions have other spellings there: Gpu_Custom_Call, RawBuffer.
  absl::StrAppend(&text,
                  "theirs = {v: k[20:].replace('_', '').lower() for k, v in "
                  "vars(abi).items() if k.startswith('PJRT_Extension_Type_')}\n"
                  "ours = {");
#define INDIM_PJRT_EXTENSION(number, name) \
  absl::StrAppend(&text, #number ": '", name, "', ");
#include "indim/run/abi/extensions.def"
#undef INDIM_PJRT_EXTENSION
  absl::StrAppend(&text,
                  "}\n"
                  "same('extensions', theirs, {k: v.replace('_', '') for k, v "
                  "in ours.items()})\n"
                  "sys.exit('\\n'.join(map(str, wrong)) or 0)\n");
  EXPECT_EQ(RunOn(python == nullptr ? "/usr/bin/python3" : python, "layouts.py",
                  text),
            0);
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
