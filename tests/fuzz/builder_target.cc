// SPDX-License-Identifier: Apache-2.0
// Random calls of builders, misuse included. Whatever is called: no crash, an
// error or a module; and what was built is a module like any other.

#include <iterator>
#include <string>

#include "indim/tests/fuzz/fuzz_target.h"
#include "indim/tests/fuzz/player.h"

namespace indim {
namespace {

constexpr int kMaxBuilderSteps = 200;
// Bytes from here on are no calls of operations.
constexpr uint8_t kControl = 240;
// Those from here on, below kControl, are calls as their rows declare them.
constexpr uint8_t kDeclared = 60;

void PlayControl(uint8_t kind, Player* player) {
  using Control = void (Player::*)();
  constexpr Control kControls[] = {
      &Player::NewBuilder,  &Player::NewSubBuilder, &Player::SwitchBuilder,
      &Player::MoveBuilder, &Player::AssignBuilder, &Player::DestroyBuilder,
      &Player::Finish,      &Player::FinishCallee,  &Player::Ask,
  };
  (player->*kControls[kind % std::size(kControls)])();
}

void PlayAnyStep(uint8_t kind, Player* player) {
  const std::vector<Step>& steps = BuilderSteps();
  // A byte can't count to all of them.
  steps[(kind % 2 * 256u + player->Byte()) % steps.size()](*player);
}

}  // namespace

std::string CheckBuilder(absl::string_view program) {
  Player player(program);
  for (int i = 0; i < kMaxBuilderSteps && !player.done(); ++i) {
    const uint8_t kind = player.Byte();
    kind >= kControl ? PlayControl(kind, &player) : PlayAnyStep(kind, &player);
  }
  player.Finish();
  return player.complaint();
}

std::string PlayDeclaredCalls(absl::string_view program, Player::Tally* tally) {
  Player player(program);
  player.set_tally(tally);
  player.set_careful(true);
  for (int i = 0; i < kMaxBuilderSteps && !player.done(); ++i) {
    const uint8_t kind = player.Byte();
    if (kind >= kControl) {
      PlayControl(kind, &player);
    } else if (kind >= kDeclared) {
      player.CallDeclared();
    } else {
      PlayAnyStep(kind, &player);
    }
  }
  player.Finish();
  return player.complaint();
}

std::string CheckDeclaredCalls(absl::string_view program) {
  return PlayDeclaredCalls(program, nullptr);
}

}  // namespace indim
