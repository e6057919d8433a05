"""Batches of observations on their way to the GPU."""

from typing import Any

import torch
from numpy.typing import NDArray


class Upload:
    """Brings arrays to a device: on a GPU through pinned memory, without waiting for the copy.

    On a CPU the tensor is the array itself.

    >>> import numpy as np
    >>> upload = Upload(torch.device("cpu"))
    >>> upload(np.zeros((2, 3), np.uint8)).shape
    torch.Size([2, 3])
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._pinned: torch.Tensor | None = None
        self._copied: Any = torch.Event(device) if device.type == "cuda" else None

    def __call__(self, batch: NDArray[Any]) -> torch.Tensor:
        """The array's values, as a tensor on the device."""
        tensor = torch.from_numpy(batch)
        if self._copied is None:
            return tensor
        if self._pinned is None or len(self._pinned) < len(tensor):
            self._pinned = torch.empty_like(tensor, pin_memory=True)
        self._copied.synchronize()  # the batch before has left the pinned memory
        pinned = self._pinned[: len(tensor)].copy_(tensor)
        on_device = pinned.to(self._device, non_blocking=True)
        self._copied.record()
        return on_device
