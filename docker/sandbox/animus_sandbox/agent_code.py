"""Compiles the agent's code: `return` and `await` work outside functions, everything else means what it means in a module."""

import ast
import importlib
import inspect
import linecache
import types
from collections.abc import Callable
from typing import Any

FILE = "<code>"
_STAR = "__animus_import_all__"
_MAIN = "__animus_main__"


def compile_code(source: str, namespace: dict[str, Any]) -> Callable[[], Any]:
    """
    A function that runs the code in `namespace` and returns what it returns. Raises SyntaxError.
    Names that the code binds are global, so its functions see them as they would in a module.
    """
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    tree = ast.parse(source, FILE)
    futures = _futures(tree)
    tree = _TopLevel().visit(tree)
    namespace[_STAR] = lambda name: _import_all(name, namespace)
    body = tree.body or [ast.Pass()]
    names = _bound(_module(body, [], futures))
    code = _module(body, names, futures)
    is_async = bool(_main_of(code).co_flags & inspect.CO_COROUTINE)
    exec(_named(code), namespace)
    main = namespace.pop(_MAIN)
    return (lambda: _run_async(main)) if is_async else main


def returns(source: str) -> bool:
    """Whether the code has a `return` of its own."""
    finder = _ReturnFinder()
    finder.visit(ast.parse(source))
    return finder.found


class _OwnStatements(ast.NodeTransformer):
    """Visits what belongs to the code itself, not to functions and classes in it."""

    def _stay(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _stay


class _TopLevel(_OwnStatements):
    """Writes what is not possible in a function in another way."""

    def visit_AnnAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_ImportFrom(self, node):
        if node.level or [each.name for each in node.names] != ["*"]:
            return node
        call = ast.Call(ast.Name(_STAR, ast.Load()), [ast.Constant(node.module)], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


class _ReturnFinder(_OwnStatements):
    found = False

    def visit_Return(self, node):
        self.found = True
        return node


def _futures(tree: ast.Module) -> list[ast.stmt]:
    """Takes the imports from __future__ out: they have to stand at the beginning of the module."""
    found = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    tree.body = [node for node in tree.body if node not in found]
    return found


def _module(body: list[ast.stmt], names: list[str], futures: list[ast.stmt]) -> types.CodeType:
    declared: list[ast.stmt] = [ast.Global(names)] if names else []
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    kind = ast.AsyncFunctionDef if _awaits(body) else ast.FunctionDef
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    main = kind(name=_MAIN, args=nothing, body=[*declared, *body], decorator_list=[], returns=None, type_params=[])
    module = ast.fix_missing_locations(ast.Module([*futures, main], []))
    code = compile(module, FILE, "exec", flags=flags, dont_inherit=True)
    if _main_of(code).co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
        raise SyntaxError("'yield' outside function", (FILE, 1, 1, None))
    return code


def _awaits(body: list[ast.stmt]) -> bool:
    """Whether the code itself uses await, async for or async with, comprehensions included."""
    found = False

    class Finder(_OwnStatements):
        def _see(self, node):
            nonlocal found
            found = True
            return node

        visit_Await = visit_AsyncFor = visit_AsyncWith = _see

        def visit_comprehension(self, node):
            nonlocal found
            found = found or bool(node.is_async)
            return self.generic_visit(node)

    for statement in body:
        Finder().visit(statement)
    return found


def _main_of(code: types.CodeType) -> types.CodeType:
    return next(each for each in code.co_consts if isinstance(each, types.CodeType) and each.co_name == _MAIN)


def _bound(code: types.CodeType) -> list[str]:
    """The names that the code binds."""
    main = _main_of(code)
    names = {*main.co_varnames, *main.co_cellvars}
    return sorted(name for name in names if name.isidentifier() and not name.startswith("."))


def _named(code: types.CodeType) -> types.CodeType:
    """Tracebacks call the code a module, as they would without the function around it."""
    main = _main_of(code)
    renamed = main.replace(co_name="<module>", co_qualname="<module>")
    return code.replace(co_consts=tuple(renamed if each is main else each for each in code.co_consts))


def _import_all(name: str, namespace: dict[str, Any]) -> None:
    module = importlib.import_module(name)
    public = getattr(module, "__all__", [each for each in vars(module) if not each.startswith("_")])
    namespace.update({each: getattr(module, each) for each in public})


def _run_async(main: Callable[[], Any]) -> Any:
    import asyncio

    return asyncio.run(main())
