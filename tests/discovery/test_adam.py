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
        loss = sum(((p - step) ** 4).sum() for p in found)
        optimiser.step(torch.autograd.grad(loss, found))


def test_it_is_torchs():
    ours, theirs = parameters(), parameters()
    descend(Adam(ours, 0.01), ours, 50)
    reference = torch.optim.Adam(theirs, lr=0.01)
    for step in range(50):
        reference.zero_grad()
        torch.autograd.backward(sum(((p - step) ** 4).sum() for p in theirs))
        reference.step()
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


def test_nobody_waits_for_torchs_compiler():
    code = (
        "import sys; from scstory import StoryDiscovery; "
        "from scstory.vectors.hashing import HashingEncoder; "
        "StoryDiscovery(encoder=HashingEncoder(dim=16)); "
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
