"""Rewards, lives and ends are ALE's also in states of RAM that random play does not reach.

Bytes are changed in both emulators alike; what each then says must be the same.
"""

from collections.abc import Mapping

import ale_py
import pytest

from tests.atari_exact import make_pair

NOOP = 0
Outcome = tuple[int, int, bool]  # reward, lives, game over


class Both:
    """A game in both emulators, whose RAM can be changed. Addresses are the processor's."""

    def __init__(self, game: str) -> None:
        self.ours, self.ale = make_pair(game)
        self.changes: list[tuple[str, int]] = []
        self.reset()

    def reset(self) -> None:
        self.ours.reset()
        self.ale.reset_game()
        self.changes = []
        self.check((0, 0))

    def poke(self, bytes_: Mapping[int, int]) -> None:
        for address, value in bytes_.items():
            self.ours.set_ram(address & 0x7F, value)
            self.ale.setRAM(address & 0x7F, value)
            self.changes.append((f"{address:#x}", value))

    def act(self, action: int = NOOP) -> Outcome:
        self.changes.append(("action", action))
        return self.check((self.ours.act(action), self.ale.act(ale_py.Action(action))))

    def check(self, rewards: tuple[int, int]) -> Outcome:
        ours = (rewards[0], self.ours.lives, self.ours.game_over)
        ale = (rewards[1], self.ale.lives(), self.ale.game_over())
        assert ours == ale, self.changes
        return ale


# Bytes that end a game; they are set before each frame until it is over. Games that are not here
# put them right within the frame.
ENDS: dict[str, dict[int, int]] = {
    "adventure": {0xE0: 0x02},
    "air_raid": {0xA7: 0xFF},
    "alien": {0xC0: 0x00},
    "amidar": {0xD6: 0x80},
    "assault": {0xE5: 0x00},
    "asterix": {0xC7: 0x01, 0xD3: 0x01},
    "asteroids": {0xBC: 0x00},
    "backgammon": {**dict.fromkeys(range(0x80, 0x9C), 0), 0x80: 0xF1, 0x85: 15},
    "basic_math": {0x86: 0x01},
    "battle_zone": {0xBA: 0x00},
    "beam_rider": {0x85: 0xFF},
    "berzerk": {0xDA: 0xFF},
    "blackjack": {0x86: 0x10, 0x89: 0x00},
    "bowling": {0xA4: 0x11},
    "boxing": {0x92: 0xC0},
    "breakout": {0xB9: 0x00},
    "carnival": {0x83: 0x00},
    "casino": {0x95: 0x00, 0x8C: 0x00},
    "centipede": {0xA6: 0x40},
    "chopper_command": {0xE4: 0x00, 0xC2: 0x01},
    "crazy_climber": {0xAA: 0x00},
    "crossbow": {0xE7: 0x82},
    "darkchambers": {0xCA: 0x00},
    "defender": {0xC2: 0x00},
    "demon_attack": {0xF2: 0x00, 0xF1: 0xBD},
    "earthworld": {0xA7: 0x10},
    "elevator_action": {0x83: 0x00, 0x81: 0x01},
    "enduro": {0xAF: 0xFF},
    "entombed": {0xC7: 0x00},
    "et": {0xE5: 0xFF, 0x80: 0x08},
    "fishing_derby": {0xBD: 0x99},
    "flag_capture": {0xEB: 0x00},
    "frogger": {0xD0: 0xFF},
    "frostbite": {0xCC: 0x00, 0xF1: 0x80},
    "galaxian": {0xBF: 0x80},
    "gopher": {0xB4: 0x00},
    "gravitar": {0x81: 0x01},
    "hangman": {0xEB: 0x01},
    "haunted_house": {0x99: 0x44},
    "hero": {0xB3: 0x00},
    "human_cannonball": {0xB7: 0x07},
    "ice_hockey": {0x87: 0x00, 0x86: 0x00},
    "jamesbond": {0x86: 0x00, 0x8C: 0x68},
    "journey_escape": {0x95: 0x00, 0x96: 0x00},
    "kaboom": {0xA1: 0x00},
    "kangaroo": {0xAD: 0xFF},
    "keystone_kapers": {0x96: 0x00, 0x88: 0x00},
    "king_kong": {0xEE: 0x00},
    "klax": {0xA8: 0x04, **dict.fromkeys(range(0xB3, 0xB3 + 25), 1)},
    "koolaid": {0xD1: 0x80},
    "krull": {0x9F: 0x00, 0xA2: 0x03, 0x80: 0x80},
    "kung_fu_master": {0x9D: 0xFF},
    "laser_gates": {0x83: 0x00},
    "lost_luggage": {0xCA: 0x00, 0xC8: 0x0A, 0xA5: 0x00, 0xA9: 0x00},
    "mario_bros": {0x87: 0x00},
    "mr_do": {0xDA: 0x40},
    "name_this_game": {0xC7: 0x00},
    "othello": {0xC0: 0x00},
    "pacman": {0x98: 0x00, 0xE4: 0x3F},
    "phoenix": {0xCC: 0x80},
    "pitfall": {0x80: 0x00, 0x9E: 0x01},
    "pitfall2": {0xC7: 0x19, 0xC8: 0x90, 0xC9: 0x00},
    "pong": {0x8D: 21},
    "pooyan": {0x96: 0x00, 0x98: 0x05},
    "qbert": {0x88: 0xFE},
    "robotank": {0xA8: 0x00, 0xB4: 0xFF},
    "seaquest": {0xA3: 0x01},
    "sir_lancelot": {0xA9: 0x00, 0xA7: 0xA0},
    "skiing": {0x91: 0xFF},
    "solaris": {0xD9: 0x00},
    "space_invaders": {0xC9: 0x00},
    "space_war": {0x80: 0x00},
    "star_gunner": {0x87: 0x00},
    "superman": {0x9F: 0x40, 0x80: 0xAC, 0x81: 0xF2, 0xE2: 0x12, 0xE3: 0x34},
    "surround": {0xF7: 0x10},
    "tennis": {0xC7: 7},
    "tetris": {0xF3: 0x80},
    "tic_tac_toe_3d": dict.fromkeys(range(0x9A, 0xDA), 8),
    "time_pilot": {0xA0: 0x01},
    "trondead": {0xC8: 0x05},
    "turmoil": {0xB9: 0x00, 0xC5: 0x01},
    "tutankham": {0x9E: 0x00, 0x81: 0x85},
    "venture": {0xC6: 0x00, 0xCD: 0xFF, 0xBF: 0x80},
    "video_checkers": dict.fromkeys(range(0x80, 0xA3), 0),
    "video_cube": dict.fromkeys(range(0xA0, 0xD6), 3),
    "video_pinball": {0xAF: 0x01},
    "wizard_of_wor": {0x8D: 0x00, 0xF4: 0xF8},
    "word_zapper": {0xDE: 0x00},
    "yars_revenge": {0x9E: 0x00},
    "zaxxon": {0xEA: 0x00},
}


@pytest.mark.parametrize("game", ENDS)
def test_an_end_is_ales(game: str) -> None:
    both = Both(game)
    for _ in range(30):
        both.act()
    for _ in range(600):
        both.poke(ENDS[game])
        if both.act()[2]:
            break
    assert both.ale.game_over(), "these bytes do not end the game"
    assert both.act()[0] == 0
    both.reset()


# The score just before it goes round and just after; or, where it may really fall, a fall.
SCORES = {
    "asteroids": ({0xBE: 0x99, 0xBD: 0x99}, {0xBE: 0x01, 0xBD: 0x00}, 20),
    "galaxian": ({0xAE: 0x90, 0xAD: 0x99, 0xAC: 0x99}, {0xAE: 0x10, 0xAD: 0, 0xAC: 0}, 20),
    "space_invaders": ({0xE8: 0x95, 0xE6: 0x99}, {0xE8: 0x05, 0xE6: 0x00}, 10),
    "centipede": ({0xF6: 0x50, 0xF5: 0, 0xF4: 0}, {0xF6: 0, 0xF5: 0, 0xF4: 0}, 0),
    "seaquest": ({0xBA: 0x40, 0xB9: 0, 0xB8: 0}, {0xBA: 0x20, 0xB9: 0, 0xB8: 0}, -20),
}


@pytest.mark.parametrize("game", SCORES)
def test_a_falling_score_is_ales(game: str) -> None:
    before, after, reward = SCORES[game]
    both = Both(game)
    both.poke(before)
    both.act()
    both.poke(after)
    assert both.act()[0] == reward


@pytest.mark.parametrize(
    ("game", "bytes_", "lives"),
    [
        ("seaquest", {0xBB: 5}, 6),
        ("asteroids", {0xBC: 0x60}, 6),
        ("ms_pacman", {0xFB: 4}, 5),
        ("beam_rider", {0x85: 5}, 6),
        ("wizard_of_wor", {0x8D: 2, 0xD7: 0}, 2),
    ],
)
def test_lives_that_come_back_are_ales(game: str, bytes_: dict[int, int], lives: int) -> None:
    both = Both(game)
    both.poke(bytes_)
    assert both.act()[1] == lives
