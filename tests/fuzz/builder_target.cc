// Random calls of builders, misuse included. Whatever is called: no crash, an
// error or a module; and what was built is a module like any other.

#include <iterator>
#include <string>

#include "indim/tests/fuzz/fuzz_target.h"
#include "indim/tests/fuzz/player.h"

namespace indim {

std::string CheckBuilder(absl::string_view program) {
  constexpr int kMaxSteps = 200;
  using Control = void (Player::*)();
  constexpr Control kControls[] = {
      &Player::NewBuilder,  &Player::NewSubBuilder, &Player::SwitchBuilder,
      &Player::MoveBuilder, &Player::AssignBuilder, &Player::DestroyBuilder,
      &Player::Finish,      &Player::FinishCallee,  &Player::Ask,
  };
  const std::vector<Step>& steps = BuilderSteps();
  Player player(program);
  for (int i = 0; i < kMaxSteps && !player.done(); ++i) {
    const uint8_t kind = player.Byte();
    if (kind >= 240) {
      (player.*kControls[kind % std::size(kControls)])();
    } else {
      // A byte can't count to all of them.
      steps[(kind % 2 * 256u + player.Byte()) % steps.size()](player);
    }
  }
  player.Finish();
  return player.complaint();
}

}  // namespace indim
