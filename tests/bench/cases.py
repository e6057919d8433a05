"""What is measured: each case runs the same work in several libraries."""

from dataclasses import dataclass, field, replace

ATARI_TARGETS = {"envpool": 4.0, "ale-py": 4.0}
FASTEST_TARGETS = {"envpool": 4.0, "envpool-fast": 4.0, "ale-py": 4.0}
"""With EnvPool's faster resizing (use_inter_area_resize=False), which its defaults do without."""

TEN_GAMES = (
    "Pong", "Breakout", "SpaceInvaders", "Seaquest", "Qbert",
    "MsPacman", "Enduro", "Freeway", "Boxing", "MontezumaRevenge",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Case:
    """One kind of work. `targets` has, for each peer, the least ratio to it that we accept."""

    task: str
    num_envs: int
    batch_size: int
    targets: dict[str, float] = field(default_factory=dict)
    others: tuple[str, ...] = ()  # sides that have no target
    num_threads: int = 2
    trainer: str = ""  # whose vector environments are compared; none: the bare libraries
    group: str = ""  # of cases whose geometric mean is told

    @property
    def name(self) -> str:
        how = "" if self.batch_size == self.num_envs else f", async {self.batch_size}"
        work = f"{self.task.rpartition('-')[0]} x {self.num_envs}{how}"
        return f"{self.trainer} {work}" if self.trainer else work

    @property
    def sides(self) -> list[str]:
        return ["poolkit", *self.targets, *self.others]

    @property
    def num_actions(self) -> int:
        if self.trainer == "Python":
            return 2
        import poolkit

        return int(poolkit.make_spec(self.task).action_space.n)

    def as_taken_by(self, side: str) -> "Case":
        """`poolkit, async` and the like take the quarter of the envs that finishes first."""
        quarter = max(1, self.num_envs // 4)
        return replace(self, batch_size=quarter) if side.endswith(", async") else self


def lockstep(task: str, num_envs: int, **targets: float) -> Case:
    names = {name.replace("_", "-"): least for name, least in targets.items()}
    return Case(task=task, num_envs=num_envs, batch_size=num_envs, targets=names)


def sb3(task: str, num_envs: int, *, dummy: float = 1.0, subproc: float = 1.0) -> Case:
    targets = {"DummyVecEnv": dummy, "SubprocVecEnv": subproc}
    return Case(task=task, num_envs=num_envs, batch_size=num_envs, targets=targets, trainer="SB3")


def tianshou(task: str, num_envs: int, batch_size: int) -> Case:
    """A collect. EnvPool has no place under Tianshou's asynchronous collector."""
    peers = ["SubprocVectorEnv", "ShmemVectorEnv"]
    if batch_size == num_envs:
        peers.append("envpool")
    targets = dict.fromkeys(peers, 1.0)
    return Case(
        task=task, num_envs=num_envs, batch_size=batch_size, targets=targets, trainer="Tianshou"
    )


def python(
    task: str, num_envs: int, batch_size: int | None = None, *, workers: int = 2, **targets: float
) -> Case:
    """Environments in Python: the bare vector environments. See python_sides.py."""
    names = {name.replace("_", "-"): least for name, least in targets.items()}
    return Case(
        task=task,
        num_envs=num_envs,
        batch_size=batch_size or num_envs,
        num_threads=workers,
        targets=names,
        trainer="Python",
    )


CASES = [
    *(
        Case(task=task, num_envs=num_envs, batch_size=batch_size, targets=ATARI_TARGETS)
        for task in ("Pong-v5", "Breakout-v5")
        for num_envs, batch_size in ((8, 8), (64, 64), (64, 16))
    ),
    *(
        Case(
            task=f"{game}-v5",
            num_envs=num_envs,
            batch_size=16,
            targets=FASTEST_TARGETS,
            group=f"ten games x {num_envs}" + (", async 16" if num_envs > 16 else ""),
        )
        for num_envs in (16, 32)
        for game in TEN_GAMES
    ),
    *(
        lockstep("CartPole-v1", n, envpool=least, gymnasium=1.0, SyncVectorEnv=1.0)
        for n, least in ((1, 4.0), (8, 4.0), (64, 10.0), (1024, 10.0), (16384, 10.0))
    ),
    Case(task="CartPole-v1", num_envs=64, batch_size=16, targets={"envpool": 4.0}),
    sb3("CartPole-v1", 1),
    sb3("CartPole-v1", 8),
    sb3("CartPole-v1", 64, dummy=3.0),
    *(sb3("Pong-v5", n, subproc=5.0) for n in (8, 64)),
    tianshou("CartPole-v1", 64, 64),
    tianshou("Pong-v5", 64, 64),
    tianshou("Pong-v5", 64, 16),
    *(
        python(
            "CartPole-v1",
            num_envs,
            DummyVecEnv=1.0,
            SubprocVecEnv=6.0,
            AsyncVectorEnv=6.0,
            ShmemVectorEnv=6.0,
        )
        for num_envs in (8, 64)
    ),
    # 0.9 of what two cores can do.
    python("Busy1ms-v0", 16, SyncVectorEnv=1.8),
    python("Latency5ms-v0", 64, 16, workers=64, poolkit_lockstep=1.5),
]
