"""A window on the screen, for render_mode="human"."""

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""RGB, uint8[height, width, 3]."""


def tiled(images: Sequence[Image]) -> Image:
    """Pictures of one size as one, in rows of a square that grows to the right.

    >>> tiled([np.full((2, 3, 3), k, np.uint8) for k in range(3)])[:, :, 0]
    array([[0, 0, 0, 1, 1, 1],
           [0, 0, 0, 1, 1, 1],
           [2, 2, 2, 0, 0, 0],
           [2, 2, 2, 0, 0, 0]], dtype=uint8)
    """
    columns = math.ceil(math.sqrt(len(images)))
    rows = math.ceil(len(images) / columns)
    height, width, channels = images[0].shape
    whole = np.zeros((rows, columns, height, width, channels), np.uint8)
    for k, image in enumerate(images):
        whole[k // columns, k % columns] = image
    return whole.swapaxes(1, 2).reshape(rows * height, columns * width, channels)


class Window:
    """Shows pictures at a rate that a human can follow.

    Small ones are enlarged, by whole numbers, to at least 400 pixels of height.

    Raises:
        ModuleNotFoundError: Where pygame is missing; tells what to install.
        RuntimeError: From `show`, where there is no screen.
    """

    def __init__(self, caption: str, fps: int) -> None:
        try:
            import pygame
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "render_mode='human' needs pygame: pip install 'poolkit[render]'", name="pygame"
            ) from error
        self._pygame: Any = pygame
        self._caption = caption
        self._fps = fps
        self._screen: Any = None
        self._clock = pygame.time.Clock()

    def show(self, images: Sequence[Image]) -> None:
        """Show the envs' pictures side by side, and wait until it is time for the next."""
        pygame = self._pygame
        picture = tiled(images).swapaxes(0, 1)  # pygame counts columns first
        scale = max(1, math.ceil(400 / picture.shape[1]))
        size = (picture.shape[0] * scale, picture.shape[1] * scale)
        if self._screen is None or self._screen.get_size() != size:
            pygame.display.init()
            driver, unseen = pygame.display.get_driver(), ("dummy", "offscreen")
            if driver in unseen and os.environ.get("SDL_VIDEODRIVER") not in unseen:
                pygame.display.quit()
                raise RuntimeError(
                    "render_mode='human': there is no screen; 'rgb_array' gives pictures, as "
                    f"`poolkit play --video` does, and SDL_VIDEODRIVER={driver} runs unseen"
                )
            pygame.display.set_caption(self._caption)
            self._screen = pygame.display.set_mode(size)
        surface = pygame.surfarray.make_surface(picture)
        self._screen.blit(pygame.transform.scale(surface, size), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Take the window away; idempotent."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None
