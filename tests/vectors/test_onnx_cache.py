"""Built files: made once, whole or not at all, made again when damaged."""

import subprocess
import sys
from pathlib import Path

import pytest

from scstory.errors import EncoderError
from scstory.vectors.onnx_cache import load_or_build


def load(path):
    content = Path(path).read_bytes()
    if not content.startswith(b"good"):
        raise RuntimeError("damaged\nand more")
    return content


def test_a_file_is_built_once_and_a_new_key_builds_its_own(tmp_path):
    built = []

    def get(key):
        return load_or_build("m", key, lambda: built.append(key) or b"good", load, folder=tmp_path)

    assert [get("1"), get("1"), get("2"), get("1")] == [b"good"] * 4
    assert built == ["1", "2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m-1.onnx", "m-2.onnx"]


def test_a_damaged_file_is_built_again(tmp_path):
    (tmp_path / "m-1.onnx").write_bytes(b"go")
    assert load_or_build("m", "1", lambda: b"good", load, folder=tmp_path) == b"good"


def test_a_build_that_fails_leaves_nothing(tmp_path):
    def build():
        raise EncoderError("no weights")

    with pytest.raises(EncoderError, match="no weights"):
        load_or_build("m", "1", build, load, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_loaded_or_written_is_one_line(tmp_path):
    with pytest.raises(EncoderError, match=r"m-1.onnx: cannot be loaded \(damaged\)$"):
        load_or_build("m", "1", lambda: b"bad", load, folder=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(EncoderError, match="cannot be written .* set SCSTORY_CACHE"):
        load_or_build("m", "1", lambda: b"good", load, folder=tmp_path / "file" / "deeper")


def test_processes_that_start_at_once_all_get_a_whole_file(tmp_path):
    code = (
        "import sys, time; from pathlib import Path\n"
        "from scstory.vectors.onnx_cache import load_or_build\n"
        "content = b'good' * 1_000_000\n"
        "build = lambda: time.sleep(0.2) or content\n"
        "read = lambda path: Path(path).read_bytes()\n"
        "found = load_or_build('m', '1', build, read, folder=Path(sys.argv[1]))\n"
        "sys.exit(found != content)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["m-1.onnx"]
