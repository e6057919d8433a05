"""What can go wrong inside an environment."""


class EnvError(RuntimeError):
    """An environment threw, or could not be built.

    The results of the other environments are kept, and the broken one works again after its next
    reset.

    Attributes:
        env_id: Which environment of the pool.
        message: What it said.

    >>> error = EnvError(3, "out of fuel")
    >>> str(error), error.env_id
    ('env 3: out of fuel', 3)
    """

    def __init__(self, env_id: int, message: str) -> None:
        super().__init__(env_id, message)
        self.env_id = env_id
        self.message = message

    def __str__(self) -> str:
        return f"env {self.env_id}: {self.message}"
