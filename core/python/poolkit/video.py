"""Pictures of an environment into a file."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .window import Image


class Recorder:
    """Writes pictures into an .mp4 file as they come: those of a long game need gigabytes.

    Raises:
        OSError: For a file that cannot be written.
        ModuleNotFoundError: Where imageio-ffmpeg is missing; tells what to install.
    """

    def __init__(self, path: str, fps: int) -> None:
        try:
            from imageio_ffmpeg import write_frames
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "videos need imageio-ffmpeg: pip install 'poolkit[render]'", name="imageio_ffmpeg"
            ) from error
        with Path(path).open("ab"):  # what is wrong with it is said now, and in one line
            pass
        self.pictures = 0
        self._open: Any = partial(write_frames, path, fps=fps, macro_block_size=2)
        self._frames: Any = None

    def add(self, image: Image) -> None:
        """Append a picture; all have the size of the first."""
        if self._frames is None:
            self._frames = self._open(size=(image.shape[1], image.shape[0]))
            self._frames.send(None)
        self._frames.send(np.ascontiguousarray(image))
        self.pictures += 1

    def close(self) -> None:
        """Finish the file; idempotent."""
        if self._frames is not None:
            self._frames.close()
