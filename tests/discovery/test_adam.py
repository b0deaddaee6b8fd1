"""Adam, against the one that comes with torch."""

import subprocess
import sys

import pytest
import torch

from scstory.discovery.adam import Adam


def parameters():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator, requires_grad=True) for shape in [(4, 3), (5,)]]


def descend(optimiser, found, steps):
    for step in range(steps):
        optimiser.zero_grad()
        loss = sum(((p - step) ** 4).sum() for p in found)
        torch.autograd.backward(loss)
        optimiser.step()


def test_it_is_torchs():
    ours, theirs = parameters(), parameters()
    descend(Adam(ours, 0.01), ours, 50)
    descend(torch.optim.Adam(theirs, lr=0.01), theirs, 50)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize("steps", [0, 7])
def test_what_was_saved_goes_on_as_if_nothing_had_happened(steps):
    found = parameters()
    one = Adam(found, 0.01)
    descend(one, found, steps)
    copies = [p.detach().clone().requires_grad_() for p in found]
    other = Adam(copies, 0.01)
    descend(other, copies, 3)  # something else
    for copy, parameter in zip(copies, found, strict=True):
        copy.data.copy_(parameter.data)
    other.restore({name: value.clone() for name, value in one.state().items()})
    descend(one, found, 5)
    descend(other, copies, 5)
    assert all(torch.equal(a, b) for a, b in zip(found, copies, strict=True))


def test_a_parameter_without_a_gradient_stays():
    moved, still = parameters()
    before = still.detach().clone()
    optimiser = Adam([moved, still], 0.01)
    torch.autograd.backward(moved.sum())
    optimiser.step()
    assert torch.equal(still, before)


def test_nobody_waits_for_torchs_compiler():
    code = (
        "import sys; from scstory import StoryDiscovery; "
        "from scstory.vectors.hashing import HashingEncoder; "
        "StoryDiscovery(encoder=HashingEncoder(dim=16)); "
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
