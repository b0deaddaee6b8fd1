"""Whatever OpenAPI allows, and much it does not, is answered, and as OpenAPI says."""

import shutil

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from scstory.serve import Service, make_app
from scstory.store.store_reader import SharedReader
from tests.fuzz.inputs import MINUTES
from tests.serve.conftest import AUTHORISED, listening, writing

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(make_app(Service(SharedReader("no such file"))).openapi())
# The stream of events has no end; its own tests read it.
OPERATIONS = [
    found.ok() for found in SCHEMA.get_all_operations() if found.ok().path != "/api/events"
]


@pytest.fixture(scope="module")
def served(told, tmp_path_factory):
    path = tmp_path_factory.mktemp("schema") / "copy.db"
    shutil.copy(told, path)
    with writing(str(path)) as service, listening(service) as address:
        yield address


@pytest.mark.hypothesis
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_operation(operation, mode, served):
    @given(data=st.data())
    @settings(
        max_examples=100 if MINUTES else 10,
        deadline=None,
        database=None,
        derandomize=not MINUTES,
        suppress_health_check=list(HealthCheck),
    )
    def ask(data):
        case = data.draw(operation.as_strategy(generation_mode=mode))
        case.call_and_validate(
            base_url=served, headers=AUTHORISED, checks=CHECKS, timeout=30, allow_redirects=False
        )

    try:
        ask()
    except Unsatisfiable:
        pytest.skip("nothing about this operation can be asked wrongly")
