"""Prints oracles.h: numbers from NumPy and Gymnasium that the C++ tests compare with.

Run it again as `python tests/cpp/oracles.py > tests/cpp/oracles.h`.
"""

from collections.abc import Iterable

import gymnasium
import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

SEEDS: list[tuple[int, tuple[int, ...]]] = [
    (0, ()),
    (1, ()),
    (2**32, ()),
    (2**64 - 1, ()),
    (7, (0,)),
    (7, (3,)),
    (2**40, (4, 2**32 - 1)),
]
# Around each width at which the algorithm changes.
RANGES = [
    (0, 1),
    (-5, 5),
    (0, 3),
    (0, 2**31),
    (-(2**31), 2**31),
    (0, 2**32 - 1),
    (0, 2**32),
    (0, 2**32 + 1),
    (0, 3 * 2**30),
    (-7, 2**40),
    (0, 2**62 + 1),
    (-(2**62) - 2**61, 2**62 + 2**61),
    (0, 2**63 - 1),
    (-(2**63), 2**63 - 1),
    (-(2**63) + 1, 2**63 - 1),
]


def c_int64(value: int) -> str:
    return "INT64_MIN" if value == -(2**63) else f"{value}LL"


def braces(items: Iterable[object]) -> str:
    return "{" + ", ".join(map(str, items)) + "}"


def print_rng() -> None:
    print("// numpy.random.SeedSequence(entropy, spawn_key=key).generate_state(4, numpy.uint64)")
    print("using Four = std::array<uint64_t, 4>;")
    print("struct Words { uint64_t entropy; std::vector<uint32_t> key; Four words; };")
    print("inline const Words kWords[] = {")
    for entropy, key in SEEDS:
        words = SeedSequence(entropy, spawn_key=key).generate_state(4, np.uint64)
        keys = braces(f"{k}u" for k in key)
        print(f"    {{{entropy}u, {keys}, {{{braces(f'{w}u' for w in words)}}}}},")
    print("};\n")

    print("// Generator(PCG64(entropy)): four of random(), then four of uniform(-3, 5).")
    print("struct Reals { uint64_t entropy; std::array<double, 8> values; };")
    print("inline const Reals kReals[] = {")
    for entropy, key in SEEDS:
        if key:
            continue
        rng = Generator(PCG64(entropy))
        values = [*rng.random(4), *rng.uniform(-3, 5, 4)]
        print(f"    {{{entropy}u, {{{braces(float(v).hex() for v in values)}}}}},")
    print("};\n")

    print("// Generator(PCG64(12345)).integers(low, high): five numbers, after two a random().")
    print("struct Integers { int64_t low, high; std::array<int64_t, 5> values; };")
    print("inline const Integers kIntegers[] = {")
    for low, high in RANGES:
        rng = Generator(PCG64(12345))
        values = []
        for i in range(5):
            if i == 2:
                rng.random()
            values.append(int(rng.integers(low, high)))
        print(f"    {{{c_int64(low)}, {c_int64(high)}, {{{braces(map(c_int64, values))}}}}},")
    print("};\n")

    print("// The sum of 1000 such numbers below 3 * 2**30, and below 3 * 2**61, modulo 2**64: one")
    print("// in four is drawn twice.")
    for name, high in (("kSumOfRejected32", 3 * 2**30), ("kSumOfRejected64", 3 * 2**61)):
        rng = Generator(PCG64(12345))
        total = sum(int(rng.integers(0, high)) for _ in range(1000)) % 2**64
        print(f"inline constexpr uint64_t {name} = {total}u;")
    print()


def print_cartpole() -> None:
    print("// gymnasium.make('CartPole-v1'): step i pushes right where 'i % 3 == 0 or i % 7 == 1';")
    print(
        "// `rows` are the observations after the reset, after the first step, and after the last."
    )
    print("using Observation = std::array<float, 4>;")
    print("struct CartPoleRun { uint64_t seed; int length; std::array<Observation, 3> rows; };")
    print("inline const CartPoleRun kCartPole[] = {")
    for seed in range(8):
        env = gymnasium.make("CartPole-v1").unwrapped
        observation, _ = env.reset(seed=seed)
        rows = [observation]
        length, terminated = 0, False
        while not terminated:
            push = length % 3 == 0 or length % 7 == 1
            observation, _, terminated, _, _ = env.step(int(push))
            length += 1
            if length == 1:
                rows.append(observation)
        rows.append(observation)
        text = ", ".join(braces(float(v).hex() + "f" for v in row) for row in rows)
        print(f"    {{{seed}u, {length}, {{{{{text}}}}}}},")
    print("};")


if __name__ == "__main__":
    print("// Made by oracles.py: numbers from NumPy and Gymnasium.")
    print("// clang-format off")
    print("#ifndef POOLKIT_TESTS_ORACLES_H_\n#define POOLKIT_TESTS_ORACLES_H_\n")
    print("#include <array>\n#include <cstdint>\n#include <vector>\n\nnamespace poolkit::tests {\n")
    print_rng()
    print_cartpole()
    print("\n}  // namespace poolkit::tests\n\n#endif  // POOLKIT_TESTS_ORACLES_H_")
