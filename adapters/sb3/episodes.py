"""What Stable-Baselines3's `Monitor` around each env would tell of its episodes."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stable_baselines3.common.monitor import Monitor, ResultsWriter


class Episodes:
    """Makes the records of ended episodes, and writes them to files where there is a folder."""

    def __init__(
        self,
        num_envs: int,
        env_id: str | None,
        folder: str | os.PathLike[str] | None,
        override_existing: bool,
        info_keywords: Sequence[str],
    ) -> None:
        self._start = time.time()
        self._writers: list[ResultsWriter] = []
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
            paths = [Path(folder) / f"{env}.{Monitor.EXT}" for env in range(num_envs)]
            self._writers = [
                ResultsWriter(
                    str(path),
                    header={"t_start": self._start, "env_id": str(env_id)},
                    extra_keys=tuple(info_keywords),
                    # SB3's writer gives a file that it only adds to no header.
                    override_existing=override_existing or not path.exists(),
                )
                for path in paths
            ]

    def end(self, env: int, total: float, length: int, extra: dict[str, Any]) -> dict[str, Any]:
        """The record: return, length, seconds since the start, and `extra`."""
        record = {
            "r": round(total, 6),
            "l": length,
            "t": round(time.time() - self._start, 6),
            **extra,
        }
        if self._writers:
            self._writers[env].write_row(record)
        return record

    def close(self) -> None:
        """Close the files; idempotent."""
        for writer in self._writers:
            writer.close()
        self._writers = []
