"""Pictures are what ale-py and OpenCV make of the same frames, to the bit."""

from collections.abc import Iterator
from pathlib import Path

import ale_py
import cv2
import numpy as np
import pytest
from ale_py import roms
from numpy.typing import NDArray
from poolkit._core import Preprocessor

Pixels = NDArray[np.uint8]

KERNELS = pytest.mark.parametrize("portable", [False, True], ids=["best", "portable"])
GAMES = (
    "pong",
    "breakout",
    "space_invaders",
    "seaquest",
    "qbert",
    "ms_pacman",
    "enduro",
    "freeway",
)


def area_resized(image: Pixels, height: int, width: int) -> Pixels:
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)


def levels(*, pal: bool = False) -> Pixels:
    """The gray of each palette number."""
    frame = np.resize(np.arange(256, dtype=np.uint8), (2, 160))
    unchanged = Preprocessor(2, 2, 160, pal=pal, portable=True)
    return unchanged.run(frame, frame).reshape(-1)[:256]


def random_frames(seed: int, height: int = 210) -> Iterator[Pixels]:
    """Noise; noise of two colours, for sums that are half way; and rows that repeat."""
    random = np.random.default_rng(seed)
    even = np.arange(0, 256, 2, dtype=np.uint8)
    yield random.choice(even, (height, 160))
    yield random.choice(random.choice(even, 2), (height, 160))
    rows = np.sort(random.integers(0, 12, height))
    yield random.choice(random.choice(even, 3), (12, 160))[rows]


def played_frames(game: str, count: int) -> Iterator[ale_py.ALEInterface]:
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.loadROM(roms.get_rom_path(game))
    random = np.random.default_rng(1)
    for _ in range(count):
        if ale.game_over():
            ale.reset_game()
        ale.act(random.choice(ale.getMinimalActionSet()))
        yield ale


def painter(top: int, visible: int) -> bytes:
    """A cartridge that paints each line in the next colour."""
    program = bytes.fromhex(
        "78 d8 a2 ff 9a"  # sei; cld; ldx #ff; txs
        "a9 00 a2 80 95 00 e8 d0 fb"  # clear RAM
        "a9 02 85 02 85 00 85 02 85 02 85 02 a9 00 85 00"  # three lines of VSYNC
        f"a9 00 85 01 a2 {top:02x} 85 02 ca d0 fb"  # VBLANK off; wait `top` lines
        f"a0 00 a2 {visible:02x}"  # ldy #0; ldx #visible
        "84 09 c8 c8 85 02 ca d0 f7"  # sty COLUBK; iny; iny; sta WSYNC; dex; bne
        "4c 0e f0"  # the next frame
    )
    return program.ljust(0xFFC, b"\0") + bytes.fromhex("00 f0 00 f0")


def painted_screens(folder: Path, programs: list[bytes]) -> Iterator[ale_py.ALEInterface]:
    """Screens of unknown cartridges: ALE goes by the file's name."""
    file = folder / "seaquest.bin"
    for program in programs:
        file.write_bytes(program)
        ale = ale_py.ALEInterface()
        ale.loadROM(file)
        for _ in range(3):
            ale.act(ale_py.Action.NOOP)
            yield ale


# An odd number of lines lets a PAL television lose its colours.
@pytest.mark.parametrize(
    ("pal", "programs", "numbers"),
    [
        (False, [painter(top=30, visible=228)], 128),
        (True, [painter(top=50, visible=255), painter(top=51, visible=255)], 256),
    ],
    ids=["ntsc", "pal"],
)
def test_palettes_are_ales(tmp_path: Path, pal: bool, programs: list[bytes], numbers: int) -> None:
    height = 250 if pal else 210
    gray = Preprocessor(height, height, 160, pal=pal)
    colour = Preprocessor(height, height, 160, pal=pal, gray=False)
    seen: set[int] = set()
    for ale in painted_screens(tmp_path, programs):
        screen = ale.getScreen()
        seen |= set(screen.flat)
        np.testing.assert_array_equal(gray.run(screen, screen)[0], ale.getScreenGrayscale())
        np.testing.assert_array_equal(
            colour.run(screen, screen), np.moveaxis(ale.getScreenRGB(), 2, 0)
        )
    assert len(seen) == numbers


@KERNELS
@pytest.mark.parametrize("game", [*GAMES, "air_raid"])
def test_played_frames_are_seen_as_through_ale_and_opencv(game: str, portable: bool) -> None:
    pal = game == "air_raid"
    height = 250 if pal else 210
    gray = Preprocessor(height, 84, 84, pal=pal, portable=portable)
    colour = Preprocessor(height, 84, 84, gray=False, pal=pal, portable=portable)
    before: tuple[Pixels, Pixels, Pixels] | None = None
    for ale in played_frames(game, 200):
        now = ale.getScreen(), ale.getScreenGrayscale(), ale.getScreenRGB()
        if before is not None:
            expected = area_resized(np.maximum(before[1], now[1]), 84, 84)
            np.testing.assert_array_equal(gray.run(before[0], now[0])[0], expected)
            expected = area_resized(np.maximum(before[2], now[2]), 84, 84)
            np.testing.assert_array_equal(
                colour.run(before[0], now[0]), np.moveaxis(expected, 2, 0)
            )
        before = now


@KERNELS
@pytest.mark.parametrize("seed", range(50))
def test_84_by_84_is_opencvs_for_any_frame(seed: int, portable: bool) -> None:
    preprocessor = Preprocessor(portable=portable)
    for frame in random_frames(seed):
        expected = area_resized(levels()[frame], 84, 84)
        np.testing.assert_array_equal(preprocessor.run(frame, frame)[0], expected)


@KERNELS
@pytest.mark.parametrize("seed", range(20))
def test_the_brighter_of_two_frames_is_seen(seed: int, portable: bool) -> None:
    unchanged = Preprocessor(210, 210, 160, portable=portable)
    for frame, other in zip(random_frames(seed), random_frames(seed + 1), strict=True):
        moved = np.where(np.arange(160) < 8 * seed, other, frame)
        expected = np.maximum(levels()[frame], levels()[moved])
        np.testing.assert_array_equal(unchanged.run(frame, moved)[0], expected)


@KERNELS
def test_odd_palette_numbers_are_seen(portable: bool) -> None:
    random = np.random.default_rng(0)
    frame = random.integers(0, 256, (250, 160), dtype=np.uint8)
    frame[::3] &= 0xFE
    unchanged = Preprocessor(250, 250, 160, pal=True, portable=portable)
    np.testing.assert_array_equal(unchanged.run(frame, frame)[0], levels(pal=True)[frame])


@pytest.mark.parametrize("side", range(1, 301))
def test_any_size_is_opencvs(side: int) -> None:
    height = (250, 230, 220, 214)[side % 4]
    other_side = 1 + side * 97 % 300
    for screen_height, *size in ((210, side, side), (height, side, other_side)):
        preprocessor = Preprocessor(screen_height, *size)
        for frame in random_frames(side, screen_height):
            expected = area_resized(levels()[frame], *size)
            np.testing.assert_array_equal(preprocessor.run(frame, frame)[0], expected)


def test_frames_of_another_height_are_refused() -> None:
    frame = np.zeros((210, 160), np.uint8)
    with pytest.raises(ValueError, match="height"):
        Preprocessor(250).run(frame, frame)


def test_pictures_without_pixels_are_refused() -> None:
    with pytest.raises(ValueError, match="without pixels"):
        Preprocessor(210, 0, 84)
