"""Makes the scripts of activated skills importable: `from skills.<name>.scripts import …`. They are in memory, so nothing changes them."""

import importlib.abc
import importlib.util
import linecache
import posixpath
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

ROOT = "skills"


def install(skills: dict[str, dict[str, str]]) -> None:
    """`skills`: for each skill its files below scripts/, by path. Hyphens in names are underscores in Python."""
    finder = _Finder()
    finder.package(ROOT, ROOT)
    for skill, files in skills.items():
        finder.package(f"{ROOT}.{_identifier(skill)}", f"{ROOT}/{skill}")
        finder.package(f"{ROOT}.{_identifier(skill)}.scripts", f"{ROOT}/{skill}/scripts")
        for path, text in files.items():
            finder.add(f"{ROOT}/{skill}/scripts/{path}", text)
    sys.meta_path.insert(0, finder)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    def __init__(self):
        self._modules: dict[str, tuple[str, str, bool]] = {}
        self._texts: dict[str, str] = {}

    def package(self, name: str, directory: str) -> None:
        self._modules.setdefault(name, (f"{directory}/__init__.py", "", True))

    def add(self, path: str, text: str) -> None:
        self._texts[path] = text
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        if not path.endswith(".py"):
            return
        *folders, file = path.split("/")
        for depth in range(4, len(folders) + 1):
            self.package(_module_name(folders[:depth]), "/".join(folders[:depth]))
        if file == "__init__.py":
            self._modules[_module_name(folders)] = (path, text, True)
        else:
            self._modules[_module_name([*folders, file[: -len(".py")]])] = (path, text, False)

    def find_spec(self, fullname: str, path=None, target=None) -> ModuleSpec | None:
        if fullname not in self._modules:
            return None
        origin, _, is_package = self._modules[fullname]
        spec = ModuleSpec(fullname, self, origin=origin, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [posixpath.dirname(origin)]
        return spec

    def is_package(self, fullname: str) -> bool:
        return self._modules[fullname][2]

    def get_source(self, fullname: str) -> str:
        return self._modules[fullname][1]

    def exec_module(self, module: ModuleType) -> None:
        origin, text, _ = self._modules[module.__name__]
        exec(compile(text, origin, "exec", dont_inherit=True), module.__dict__)

    def get_data(self, path: str) -> bytes:
        """For pkgutil.get_data: the other files of a skill."""
        try:
            return self._texts[posixpath.normpath(path)].encode()
        except KeyError:
            raise FileNotFoundError(path) from None


def _module_name(parts: list[str]) -> str:
    return ".".join(_identifier(part) for part in parts)


def _identifier(name: str) -> str:
    return name.replace("-", "_")
