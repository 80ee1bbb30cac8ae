// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin that fails on demand, built as a library of its own
// (fake_plugin.cc). Its programs copy their inputs: result i of a device is its
// input i, or, where there are fewer, one of them again.
//
// It takes programs of the format "fake", whose code is the number of results,
// and "hlo", of one result; a module named fake_abort, fake_throw, fake_exit,
// fake_sleep or fake_refuse makes it do that when it compiles. Events end in
// threads of their own.

#ifndef INDIM_TESTS_RUN_FAKE_PLUGIN_H_
#define INDIM_TESTS_RUN_FAKE_PLUGIN_H_

namespace indim {

// What a test sees of it: the table behind the symbol kFakePluginControl.
struct FakePluginControl {
  // Call number `n`, counted from 1, fails; 0: none does. Starts counting
  // again. A call that destroys something does so all the same.
  void (*fail_at)(int n);
  // The calls since fail_at. Reading and freeing errors doesn't count.
  int (*calls)();
  // Whether call `n` was reached.
  bool (*failed)();
  // Objects that were made and not destroyed, errors included.
  int (*live)();
  // Waits for all threads.
  void (*finish)();
  // How many functions the table says that it has; 0: all.
  void (*set_function_count)(int count);
};

}  // namespace indim

#endif  // INDIM_TESTS_RUN_FAKE_PLUGIN_H_
