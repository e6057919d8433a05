// poolkit._core.envs: the built-in environments, as any other module would hand them over.
#include <nanobind/nanobind.h>

#include "atari/env.h"
#include "atari/rom.h"
#include "atari/rules.h"
#include "bindings.h"
#include "classic/acrobot.h"
#include "classic/cartpole.h"
#include "classic/mountain_car.h"
#include "classic/pendulum.h"
#include "debug/bit_flip.h"
#include "debug/counter.h"
#include "debug/every_dtype.h"
#include "debug/failing.h"
#include "debug/farm.h"
#include "debug/slow.h"
#include "poolkit/module.h"
#include "toy_text/blackjack.h"
#include "toy_text/cliff_walking.h"
#include "toy_text/frozen_lake.h"
#include "toy_text/taxi.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

nb::list atari_games() {
  nb::list games;
  for (const atari::Rules* rules : atari::all_rules())
    if (atari::find_hardware(rules->name))
      games.append(nb::str(rules->name.data(), rules->name.size()));
  return games;
}

}  // namespace

void bind_envs(nb::module_& m) {
  nb::module_ envs = m.def_submodule("envs", "Capsules for poolkit.register.");
  Module module(envs.ptr());
  module.add<classic::CartPole>("CartPole", "A pole on a cart, as in Gymnasium.");
  module.add<classic::Pendulum>("Pendulum", "A rod to be held upright, as in Gymnasium.");
  module.add<classic::Acrobot>("Acrobot", "Two links to be swung up, as in Gymnasium.");
  module.add<classic::MountainCar>("MountainCar", "A weak car in a valley, as in Gymnasium.");
  module.add<classic::MountainCarContinuous>(
      "MountainCarContinuous", "A weak car in a valley, whose force costs, as in Gymnasium.");
  module.add<toy_text::FrozenLake>("FrozenLake", "A walk over slippery ice, as in Gymnasium.");
  module.add<toy_text::Taxi>("Taxi", "A taxi fetches a passenger, as in Gymnasium.");
  module.add<toy_text::CliffWalking>("CliffWalking", "A walk along a cliff, as in Gymnasium.");
  module.add<toy_text::Blackjack>("Blackjack", "Cards against a dealer, as in Gymnasium.");
  module.add<atari::AtariEnv>("Atari", "A game of the Atari 2600, as in ALE.");
  module.add<debug::BitFlip>("debug_bit_flip");
  module.add<debug::Counter>("debug_counter");
  module.add<debug::EveryDtype>("debug_every_dtype");
  module.add<debug::Failing>("debug_failing");
  module.add<debug::Farm>("debug_farm");
  module.add<debug::Slow>("debug_slow");
  if (module.failed()) throw nb::python_error();

  m.def("atari_games", &atari_games,
        "The games that envs.Atari plays, by the names of their ROMs.");
}

}  // namespace poolkit
