"""The M that the default method starts with: the plain mean of the sentence vectors."""

import torch

from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.paper.article_encoder import ArticleEncoder


@torch.no_grad()
def mean_encoder(dim: int, settings: CalibratedSettings) -> ArticleEncoder:
    """Return an M that starts as the plain mean: no attention, W_c the identity, even pooling."""
    model = ArticleEncoder(
        dim,
        heads=settings.heads,
        width=settings.attention_width,
        pooling_width=0,
        seed=settings.seed,
    )
    model.attention.output.weight.zero_()
    model.indicative.linear.weight.copy_(settings.identity_scale * torch.eye(dim))
    model.indicative.linear.bias.zero_()
    return model
