"""The committed _core.pyi says what the compiled module has."""

import ast
import inspect
import re
from pathlib import Path

import poolkit
from poolkit import _core

STUB = ast.parse((Path(poolkit.__file__).parent / "_core.pyi").read_text())


def public(namespace: object) -> set[str]:
    return {name for name in vars(namespace) if not name.startswith("_")}


def declared(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    names: dict[str, ast.stmt] = {}
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names[statement.name] = statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names[statement.target.id] = statement
    return {name: node for name, node in names.items() if not name.startswith("_")}


def test_names_are_those_of_the_module() -> None:
    assert set(declared(STUB.body)) == public(_core)


def test_members_are_those_of_the_classes() -> None:
    for name, node in declared(STUB.body).items():
        if isinstance(node, ast.ClassDef):
            assert set(declared(node.body)) == public(getattr(_core, name)), name


def test_parameters_are_those_of_the_functions() -> None:
    for name, node in declared(STUB.body).items():
        if isinstance(node, ast.ClassDef):
            for method, definition in declared(node.body).items():
                if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
                    continue
                compiled = getattr(getattr(_core, name), method)
                assert parameters(definition) == signature(compiled), f"{name}.{method}"
        elif isinstance(node, ast.FunctionDef):
            assert parameters(node) == signature(getattr(_core, name)), name


def parameters(node: ast.FunctionDef) -> list[str]:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [argument.arg for argument in arguments]


def signature(compiled: object) -> list[str]:
    """The parameters in the line that nanobind puts before the docstring."""
    text = (inspect.getdoc(compiled) or "").splitlines()[0]
    while "[" in text:
        text = re.sub(r"\[[^][]*\]", "", text)
    inside = text[text.index("(") + 1 : text.rindex(")")]
    names = [re.split("[:=]", part)[0].strip() for part in inside.split(",") if part]
    return [name for name in names if name != "*"]
