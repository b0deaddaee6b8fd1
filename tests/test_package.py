"""The wheel and the sdist: complete, described, and running outside of the checkout."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import scstory

ROOT = Path(__file__).parent.parent


def build(source: Path, target: Path, *kinds: str) -> list[Path]:
    """Build distributions of a source folder with the tools that are installed."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target), *kinds]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return sorted(target.iterdir())


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist of this checkout."""
    wheel, sdist = build(ROOT, tmp_path_factory.mktemp("dist"))
    assert (wheel.suffix, sdist.suffix) == (".whl", ".gz")
    return wheel, sdist


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(built):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    there = {path.removeprefix("src/") for path in listed.split() if (ROOT / path).is_file()}
    packed = {name for name in names(built[0]) if ".dist-info/" not in name}
    assert packed == there


def test_the_sdist_is_enough_to_build_the_same_wheel(built, tmp_path):
    wheel, sdist = built
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert (source / "Makefile").is_file()
    assert (source / "tests").is_dir()
    (again,) = build(source, tmp_path / "dist", "-t", "wheel")
    assert names(again) == names(wheel)


def test_the_metadata_is_what_an_index_shows(built):
    with zipfile.ZipFile(built[0]) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = message_from_bytes(archive.read(path))
        (path,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        assert "scstory = scstory.cli:main" in archive.read(path).decode()
    assert (metadata["Name"], metadata["Version"]) == ("scstory", scstory.__version__)
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    extras = set(metadata.get_all("Provides-Extra"))
    assert {"notebook", "postgres", "ray", "research", "warc"} <= extras
    needed = [r for r in metadata.get_all("Requires-Dist") if "extra ==" not in r]
    for library in ("matplotlib", "pandas", "polars", "ray", "psycopg", "mkdocs"):
        assert not any(requirement.startswith(library) for requirement in needed)
    assert metadata.get_payload().startswith("# scstory")


def test_the_installed_wheel_runs_in_an_empty_folder(built, tmp_path):
    """Its libraries are those of this environment; the package itself is the wheel's."""
    venv, folder = tmp_path / "venv", tmp_path / "empty"
    folder.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = venv / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    command = [*pip, "install", "--quiet", "--no-deps", "--no-index", str(built[0])]
    subprocess.run(command, check=True)
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PATH"] = f"{python.parent}:/usr/bin"

    def run(*command: str) -> str:
        options = {"capture_output": True, "text": True, "check": True}
        return subprocess.run(command, cwd=folder, env=environment, **options).stdout

    where = run("python", "-c", "import scstory; print(scstory.__file__)")
    assert Path(where.strip()).is_relative_to(packages)
    assert run("scstory", "--version") == f"scstory {scstory.__version__}\n"
    assert "Against the truth: 16 true stories" in run("scstory", "demo")
    assert {path.name for path in folder.iterdir()} == {"scstory-demo.db"}
    assert "active stor" in run("scstory", "stories", "--db", "scstory-demo.db")
