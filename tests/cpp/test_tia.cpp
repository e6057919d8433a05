// The TIA draws late, and in frames without pixels hardly at all. Nobody can tell: neither pictures
// nor collisions depend on when it is made to catch up, or on which frames have pixels.
#include <memory>
#include <random>

#include "atari/tia.h"
#include "check.h"

namespace poolkit::atari {
namespace {

constexpr int kFrames = 3;

struct Access {
  int32_t cycle;  // of the frame
  uint8_t reg;    // written, or the latch read
  uint8_t value;
  bool reads;
};
using Program = std::array<std::vector<Access>, kFrames>;

// Many writes or few, of any value or mostly of zeros, often at the start of a line.
Program random_program(std::mt19937& random) {
  constexpr std::array<uint8_t, 36> kRegisters = {
      WSYNC, VBLANK, NUSIZ0, NUSIZ1, COLUP0, COLUP1, COLUPF, COLUBK, CTRLPF, REFP0, REFP1, PF0,
      PF1,   PF2,    RESP0,  RESP1,  RESM0,  RESM1,  RESBL,  GRP0,   GRP1,   ENAM0, ENAM1, ENABL,
      HMP0,  HMM0,   HMBL,   VDELP0, VDELP1, VDELBL, RESMP0, RESMP1, HMOVE,  HMCLR, CXCLR, CXCLR};
  const auto pick = [&](int below) { return static_cast<int>(random() % below); };
  const int most = 3 + pick(300);
  const int kind = pick(4);
  Program program;
  for (std::vector<Access>& frame : program) {
    for (int32_t cycle = pick(kCyclesPerLine); cycle < 262 * kCyclesPerLine;) {
      const uint8_t reg = kRegisters[pick(kRegisters.size())];
      uint8_t value = static_cast<uint8_t>(random());
      if (kind == 1) value &= static_cast<uint8_t>(random());
      if (kind == 2) value &= 0x12;
      if (kind == 3 && pick(2)) value = 0;
      if (reg == VBLANK) value = pick(4) ? 0 : 2;
      const bool reads = pick(12) == 0;
      frame.push_back({cycle, static_cast<uint8_t>(reads ? pick(8) : reg), value, reads});
      cycle += 3 + pick(most);
      if (pick(6) == 0) cycle += cycles_left_in_line(cycle);
    }
  }
  return program;
}

struct Seen {
  std::vector<uint8_t> read;
  std::vector<std::vector<uint8_t>> pictures;  // those of hidden frames are empty
};

Seen run(const Program& program, std::mt19937& random, bool looks, bool hides) {
  const Display display;
  const auto pixels = std::make_unique<FrameBuffer>();
  const auto tia = std::make_unique<Tia>();
  tia->show_on(pixels.get(), &display);
  tia->reset();
  Seen seen;
  for (int frame = 0; frame < kFrames; ++frame) {
    tia->start_frame(program[frame].front().cycle);
    const bool hidden = hides && random() % 2;
    tia->show_on(hidden ? nullptr : pixels.get(), &display);
    for (const Access& access : program[frame]) {
      if (access.reads) {
        seen.read.push_back(tia->read(access.reg, 0, access.cycle, {}));
      } else if (!tia->write_idle(access.reg, access.value, access.cycle)) {
        tia->write(access.reg, access.value, access.cycle);
      }
      if (looks && random() % 4 == 0) tia->catch_up();
    }
    tia->end_frame(program[frame].back().cycle);
    seen.pictures.emplace_back();
    if (!hidden) seen.pictures.back().assign(pixels->begin(), pixels->end());
  }
  return seen;
}

void check_same(bool looks, bool hides) {
  constexpr int kPrograms = 200;
  std::mt19937 random(1);
  for (int i = 0; i < kPrograms; ++i) {
    const Program program = random_program(random);
    const Seen expected = run(program, random, false, false);
    const Seen seen = run(program, random, looks, hides);
    CHECK(seen.read == expected.read);
    for (int frame = 0; frame < kFrames; ++frame) {
      const std::vector<uint8_t>& picture = seen.pictures[frame];
      CHECK(picture.empty() || picture == expected.pictures[frame]);
    }
  }
}

TEST(a_picture_is_the_same_when_it_was_looked_at_in_between) { check_same(true, false); }
TEST(hidden_frames_change_nothing_that_is_seen) { check_same(false, true); }
TEST(hidden_frames_change_nothing_when_looked_at) { check_same(true, true); }

}  // namespace
}  // namespace poolkit::atari
