"""The command line, as one types it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import poolkit
import pygame
import pytest
from imageio_ffmpeg import count_frames_and_secs
from poolkit.cli import main

TO_A_FILE = ("--video", "/no/x.mp4")  # it is not come to


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_list_has_the_names_that_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert capsys.readouterr().out.split() == poolkit.list_all_envs()
    assert main(["list", "ALE/P*"]) == 0
    assert "ALE/Pong-v5" in capsys.readouterr().out.split()
    assert main(["list", "pong"]) == 0
    assert capsys.readouterr().out.split() == ["ALE/Pong-v5", "Pong-v5"]


def test_info_tells_what_the_spec_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "Taxi-v4"]) == 0
    out = capsys.readouterr().out
    for part in ("Discrete(500)", "action_mask, prob", "200 steps", "fickle_probability", "0.3"):
        assert part in out
    assert main(["info", "Pong-v5", "--json", "-o", "stack_num=2"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["observation_space"] == "Box(0, 255, (2, 84, 84), uint8)"
    assert facts["max_episode_steps"] == 27000
    options = {option["name"]: option["default"] for option in facts["options"]}
    assert (options["frame_skip"], options["stack_num"]) == (4, 2)


@pytest.mark.parametrize("batch_size", [[], ["--batch-size", "2"]])
def test_bench_counts_what_it_receives(
    batch_size: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["bench", "CartPole-v1", "--num-envs", "4", "--seconds", "0.05", *batch_size]
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["steps"] % result["batch_size"] == 0
    assert result["batch_size"] == (2 if batch_size else 4)
    assert result["steps_per_second"] == pytest.approx(
        result["steps"] / result["seconds"], rel=0.02
    )
    assert main(arguments) == 0
    assert "steps_per_second" in capsys.readouterr().out


def test_play_shows_random_episodes_in_a_window(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")
    pygame.display.init()  # as another environment in this process may have done
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    assert main(["play", "CartPole-v1", "--steps", "40"]) == 0
    assert "return" in capsys.readouterr().out


def test_play_follows_a_policy_into_a_video(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    class Right(torch.nn.Module):
        def forward(self, obs: torch.Tensor) -> torch.Tensor:
            return torch.stack([obs[:, 0] * 0, obs[:, 0] * 0 + 1], dim=1)

    policy, video = tmp_path / "right.pt2", tmp_path / "right.mp4"
    torch.export.save(torch.export.export(Right(), (torch.zeros(1, 4),)), policy)
    command = ["play", "CartPole-v1", "--policy", str(policy), "--video", str(video)]
    assert main([*command, "--steps", "12"]) == 0
    out = capsys.readouterr().out
    assert "right.mp4: 13 pictures" in out
    assert count_frames_and_secs(str(video))[0] == 13
    with poolkit.make("CartPole-v1", seed=0) as envs:  # it always goes right
        envs.reset()
        length = next(k for k in range(1, 99) if envs.step([1])[2][0])
    assert f"episode of {length} steps" in out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["info", "Pongg-v5"], "unknown environment 'Pongg-v5'; did you mean 'Pong-v5'"),
        (["info", "Taxi-v4", "-o", "rainy=1"], "Taxi-v4 has no option 'rainy'"),
        (["info", "Taxi-v4", "-o", "is_rainy=maybe"], "is_rainy: must be bool, not str"),
        (["bench", "CartPole-v1", "--seconds", "0"], "--seconds: 0.0 must be above 0"),
        (["bench", "CartPole-v1", "--num-envs", "0"], "num_envs: 0 must be in 1 .."),
        (["list", "nothing"], "no environment is called 'nothing'"),
        (["play", "CartPole-v1", "--video", "x.gif"], "--video: 'x.gif' must end in .mp4"),
        (["play", "CartPole-v1", "--video", "/no/x.mp4"], "[Errno 2] No such file or directory"),
        (["play", "CartPole-v1", "--steps", "0"], "--steps: 0 must be at least 1"),
        (["play", "debug/Slow-v0"], "debug/Slow-v0 has no pictures to show"),
        (["play", "CartPole-v1", "--policy", "/no/x.pt2", *TO_A_FILE], "[Errno 2] No such file"),
        (["play", "CartPole-v1", "--policy", __file__, *TO_A_FILE], f"--policy: {__file__} is not"),
        (
            ["play", "Blackjack-v1", "--policy", "x.pt2", *TO_A_FILE],
            "--policy: knows Discrete and Box observations, not Tuple",
        ),
    ],
)
def test_wrong_input_is_one_line(
    command: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"poolkit: {message}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("is_rainy", "'is_rainy' must be NAME=VALUE"),
        ("=1", "'=1' must be NAME=VALUE"),
        ("num_envs=2", "num_envs is not the environment's; see --help"),
        ("env_type=dm", "env_type is not the environment's; see --help"),
    ],
)
def test_wrong_option_is_told(
    option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "Taxi-v4", "-o", option])
    assert message in capsys.readouterr().err


def test_state_dict_of_a_network_is_no_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    import torch

    checkpoint = tmp_path / "checkpoint.pt"
    torch.save(torch.nn.Linear(4, 2).state_dict(), checkpoint)
    assert main(["play", "CartPole-v1", "--policy", str(checkpoint), *TO_A_FILE]) == 1
    assert capsys.readouterr().err.endswith("is not a file that torch.export.save wrote\n")
    assert not caplog.records


def test_play_needs_a_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pygame

    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    assert main(["play", "CartPole-v1"]) == 1
    assert "there is no screen" in capsys.readouterr().err


def test_interrupted_video_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    video = tmp_path / "short.mp4"
    steps, step = [], poolkit.GymnasiumVectorEnv.step

    def third_is_interrupted(self: Any, action: Any) -> Any:
        steps.append(step(self, action))
        if len(steps) == 3:
            signal.raise_signal(signal.SIGINT)
        return steps[-1]

    monkeypatch.setattr(poolkit.GymnasiumVectorEnv, "step", third_is_interrupted)
    assert main(["play", "Pong-v5", "--video", str(video)]) == 130
    assert "short.mp4: 4 pictures" in capsys.readouterr().out
    assert count_frames_and_secs(str(video)) == (4, pytest.approx(4 / 15, abs=0.05))


def test_interrupt_and_closed_pipe_are_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(poolkit.GymnasiumVectorEnv, "step", interrupted)
    assert main(["bench", "CartPole-v1"]) == 130
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "poolkit", "list"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_nothing_is_left_out_where_there_is_no_room(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    main(["info", "Pong-v5"])
    out = capsys.readouterr().out
    assert out.isascii()
    assert "…" not in out


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"poolkit {poolkit.__version__}\n"


def test_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "poolkit", "list", "Acrobot*"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Acrobot-v1\n"


def test_output_in_the_docs_is_what_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    main(["info", "Pong-v5"])
    shown = Path(__file__).parents[2] / "docs/results/info_pong.txt"
    assert capsys.readouterr().out == shown.read_text(), "make cli-output"


def test_rate_in_the_docs_is_of_the_table_that_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    main(["bench", "CartPole-v1", "--seconds", "0.01"])
    headers, values = capsys.readouterr().out.splitlines()
    shown = (Path(__file__).parents[2] / "docs/results/bench_cartpole.txt").read_text()
    assert shown.splitlines()[0].split() == headers.split(), "make cli-output"
    assert shown.splitlines()[1].split()[:3] == values.split()[:3]
