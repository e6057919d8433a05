"""What a pool has done, to see where its time goes."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PoolStats:
    """Counts and times since a pool was made; times in seconds.

    Attributes:
        steps: Results of envs: steps and resets, errors too.
        errors: Those that were errors.
        batches: That were received.
        caller_wait: Of callers with nothing to do but wait for a batch, all together. About as
            much as the program ran: the environments are slower than the trainer.
        worker_busy: Of all workers together. Far less than num_threads times what the program ran:
            the trainer is slower than the environments.
        queue_wait: Between a send and the start of its work, on average, from a sample.
        buffers: Arrays that exist: memory for results, which is used again and again.
        buffers_out: Those that the caller, or batches that are being filled, hold.
    """

    steps: int
    errors: int
    batches: int
    caller_wait: float
    worker_busy: float
    queue_wait: float
    buffers: int
    buffers_out: int
