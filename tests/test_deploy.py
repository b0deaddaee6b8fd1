"""What runs scstory elsewhere: the image, compose, systemd and Kubernetes.

No container engine is needed. Linters and schemas check the files, and the command, variables and
health check of the image run as a process of this machine.
"""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from scstory.cli.settings_file import command_settings
from scstory.config import Settings, load_settings
from scstory.vectors.disk_cache import cache_folder

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
TOOLS = Path(sys.executable).parent
VARIABLES = {f"SCSTORY_{setting.name.upper()}" for setting in command_settings(Settings)}


def check(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def instructions(name: str) -> list[str]:
    """Return the arguments of an instruction of the Dockerfile, wherever it is used."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{name} +(.*)$", joined, re.MULTILINE)


# -- the image ------------------------------------------------------------------------------------


def test_the_image_passes_the_linters():
    check(str(TOOLS / "hadolint"), "--failure-threshold", "style", "Dockerfile")
    check(str(TOOLS / "shellcheck"), "deploy/entrypoint.sh")


def test_the_image_is_built_from_files_that_are_sent_to_the_engine():
    ignored = (ROOT / ".dockerignore").read_text().split("\n")
    sent = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = set()
    for line in instructions("COPY"):
        words = [word for word in line.split() if not word.startswith("--")]
        if "--from=" not in line:
            copied |= set(words[:-1])
    assert copied == sent
    assert all((ROOT / path).exists() for path in copied)


def test_the_image_has_the_versions_that_are_tested():
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    (build_tools,) = (line for line in instructions("RUN") if "hatchling==" in line)
    assert re.search(r"hatchling==[\d.]+", build_tools)[0] in pinned
    (install,) = (line for line in instructions("RUN") if "uv pip install" in line)
    assert "--constraint constraints.txt" in install
    assert "--torch-backend cpu" in install
    # The image reads every kind of file.
    assert {"parquet", "warc"} <= set(re.search(r"scstory\[([\w,]+)\]", install)[1].split(","))
    assert instructions("USER") == ["10001"]


def test_the_variables_of_the_image_are_settings():
    given = dict(re.findall(r"(SCSTORY_\w+)=(\S+)", " ".join(instructions("ENV"))))
    assert set(given) - {"SCSTORY_CACHE"} <= VARIABLES
    settings = Settings(**{k[8:].lower(): v for k, v in given.items() if k != "SCSTORY_CACHE"})
    assert (settings.host, settings.port, settings.db) == ("0.0.0.0", 8765, "/data/scstory.db")


@pytest.fixture
def path_with_command(tmp_path):
    """A folder with a command `scstory`, as the image has it, in front of the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "scstory"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scstory "$@"\n')
    command.chmod(0o755)
    return f"{folder}:{TOOLS}:{os.environ['PATH']}"


def test_what_the_image_starts_becomes_healthy_and_ends_when_told_to(path_with_command, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    environment = {
        "PATH": path_with_command,
        "PYTHONPATH": str(ROOT / "src"),
        "SCSTORY_CACHE": str(cache_folder()),
        "SCSTORY_DB": str(tmp_path / "data.db"),
        "SCSTORY_HOST": "127.0.0.1",
        "SCSTORY_PORT": port,
        "SCSTORY_TOKEN": "a-long-secret",
        "OMP_NUM_THREADS": "1",
    }
    (healthcheck,) = instructions("HEALTHCHECK")
    code = healthcheck.partition("CMD ")[2]
    command = [part.strip() for part in re.findall(r'"([^"]*)"', code)]
    assert command[:2] == ["python", "-c"]
    healthy = [sys.executable, *command[1:]]
    started = [str(DEPLOY / "entrypoint.sh"), *re.findall(r'"(\w+)"', instructions("CMD")[0])]
    assert started[1:] == ["serve"]
    options = {"env": environment, "cwd": tmp_path, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(started, **options) as process:
        try:
            deadline = time.monotonic() + 120
            while subprocess.run(healthy, **options).returncode:
                assert process.poll() is None, "the service ended"
                assert time.monotonic() < deadline
                time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert (tmp_path / "data.db").is_file()


# -- compose --------------------------------------------------------------------------------------

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


def test_compose_follows_its_specification():
    check(
        str(TOOLS / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec", "compose.yaml"
    )


def test_the_services_of_compose_fit_together():
    services = COMPOSE["services"]
    assert set(services) == {"scstory", "encoder", "postgres"}
    assert services["encoder"]["profiles"] == ["ray"]
    assert services["encoder"]["command"] == ["cluster", "join", "scstory:6379"]
    assert (
        services["scstory"]["environment"]["SCSTORY_DB"] == "postgresql://scstory@postgres/scstory"
    )
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in COMPOSE["volumes"]
        variables = {name for name in service["environment"] if name.startswith("SCSTORY_")}
        assert variables <= VARIABLES
    assert services["scstory"]["ports"] == ["127.0.0.1:8765:8765"]  # not open to the network


def test_every_secret_of_compose_must_be_given():
    text = (ROOT / "compose.yaml").read_text("utf-8")
    for name in ("POSTGRES_PASSWORD", "SCSTORY_TOKEN"):
        assert re.findall(rf"\$\{{{name}(.)", text) == [":"] * text.count(f"${{{name}")
        assert f"${{{name}:-" not in text


# -- systemd --------------------------------------------------------------------------------------

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


@needs_systemd
def test_the_unit_is_valid(path_with_command, tmp_path):
    text = (DEPLOY / "scstory.service").read_text("utf-8")
    unit = tmp_path / "scstory.service"
    unit.write_text(text.replace("/opt/scstory/bin/scstory", str(tmp_path / "bin" / "scstory")))
    done = check("systemd-analyze", "verify", str(unit))
    assert done.stdout + done.stderr == ""


@needs_systemd
def test_the_unit_is_hardened():
    check(
        "systemd-analyze",
        "security",
        "--offline=yes",
        "--threshold=20",  # 2.0 of 10
        str(DEPLOY / "scstory.service"),
    )


def test_the_variables_of_the_unit_are_settings():
    text = (DEPLOY / "scstory.service").read_text("utf-8")
    given = set(re.findall(r"^Environment=(SCSTORY_\w+)=", text, re.MULTILINE))
    assert given - {"SCSTORY_CACHE"} <= VARIABLES


# -- Kubernetes -----------------------------------------------------------------------------------

KUBERNETES = DEPLOY / "kubernetes"


def resources() -> list[dict[str, Any]]:
    listed = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"]
    assert set(listed) == {path.name for path in KUBERNETES.iterdir()} - {"kustomization.yaml"}
    return [r for name in listed for r in yaml.safe_load_all((KUBERNETES / name).read_text())]


def workloads() -> list[dict[str, Any]]:
    return [r for r in resources() if r["kind"] in ("Deployment", "StatefulSet")]


def test_there_are_one_writer_some_readers_and_a_server():
    found = {w["metadata"]["name"]: w["spec"] for w in workloads()}
    assert set(found) == {"scstory-writer", "scstory", "postgres"}
    arguments = {
        name: spec["template"]["spec"]["containers"][0].get("args") for name, spec in found.items()
    }
    assert arguments["scstory-writer"] == ["serve"]
    assert arguments["scstory"] == ["serve", "--read-only"]
    assert found["scstory-writer"]["replicas"] == 1
    assert found["scstory"]["replicas"] > 1


def test_services_find_their_pods_and_ports():
    pods = [w["spec"]["template"] for w in workloads()]
    for workload in workloads():
        labels = workload["spec"]["template"]["metadata"]["labels"]
        assert workload["spec"]["selector"]["matchLabels"].items() <= labels.items()
    services = [r for r in resources() if r["kind"] == "Service"]
    assert len(services) == 3
    for service in services:
        selector = service["spec"]["selector"].items()
        (pod,) = (pod for pod in pods if selector <= pod["metadata"]["labels"].items())
        ports = {port["name"] for port in pod["spec"]["containers"][0]["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports


@pytest.mark.parametrize("workload", workloads(), ids=lambda w: w["metadata"]["name"])
def test_pods_have_what_they_name_and_no_more_rights_than_they_need(workload):
    pod = workload["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    # Kubernetes would set SCSTORY_PORT=tcp://… for the service named scstory.
    assert pod["enableServiceLinks"] is False
    claims = workload["spec"].get("volumeClaimTemplates", [])
    volumes = {v["name"] for v in pod.get("volumes", [])} | {c["metadata"]["name"] for c in claims}
    (container,) = pod["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert "readinessProbe" in container
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}
    ports = {port["name"] for port in container["ports"]}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if "httpGet" in container.get(probe, {}):
            assert container[probe]["httpGet"]["port"] in ports


def test_the_variables_of_pods_are_settings(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for workload in workloads():
        variables = workload["spec"]["template"]["spec"]["containers"][0]["env"]
        ours = {v["name"]: v for v in variables if v["name"].startswith("SCSTORY_")}
        assert set(ours) <= VARIABLES
        with monkeypatch.context() as patch:
            for name, variable in ours.items():
                patch.setenv(name, variable.get("value", "a-long-secret"))
            settings = load_settings()
        if ours:
            assert settings.db == "postgresql://scstory@postgres/scstory"
            assert workload["metadata"]["name"] in settings.allow_hosts


def test_the_secrets_of_pods_are_those_that_the_docs_create():
    texts = "".join(path.read_text() for path in KUBERNETES.glob("*.yaml"))
    used = set(re.findall(r"name: (\w+)\n\s+key: ([\w-]+)", texts))
    page = (ROOT / "docs" / "kubernetes.md").read_text("utf-8")
    assert used == {("scstory", key) for key in re.findall(r"--from-literal=([\w-]+)=", page)}
