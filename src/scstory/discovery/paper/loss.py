"""Eq. 10: the contrastive loss, which pulls articles towards their stories and away from others.

    L = − Σ_((d, S) ∈ B) log( exp(cos(R_d, R_S)/τ) / Σ_S' exp(cos(R_d, R_S')/τ) )

S' runs over the stories active in the window. Their vectors are held fixed during an update.
"""

from torch import Tensor
from torch.nn import functional


def contrastive_loss(
    articles: Tensor, stories: Tensor, target: Tensor, *, tau: float, times: Tensor | None = None
) -> Tensor:
    """Return the summed InfoNCE loss of article vectors against all story vectors.

    `times` says how often each article is in the batch: once unless it is given.
    """
    cosines = functional.normalize(articles, dim=-1) @ functional.normalize(stories, dim=-1).T
    losses = functional.cross_entropy(cosines / tau, target, reduction="none")
    return (losses if times is None else losses * times).sum()
