"""The bundled sample with its true stories, in a store of each kind."""

import pytest

from scstory.store.store_reader import SharedReader
from tests.store.search.sample_store import write_sample


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("sample") / "sample.db")
    write_sample(path)
    return path


@pytest.fixture(scope="session")
def sample_server(postgres):
    address = postgres.make()
    write_sample(address)
    return address


@pytest.fixture(scope="session")
def file_reader(sample_file):
    reader = SharedReader(sample_file)
    yield reader
    reader.close()


@pytest.fixture(scope="session")
def server_reader(sample_server):
    reader = SharedReader(sample_server)
    yield reader
    reader.close()


@pytest.fixture(params=["file", "server"])
def reader(request):
    return request.getfixturevalue(f"{request.param}_reader")
