"""The paper, and nothing but the paper: one equation per file, and Algorithm 1 in `method.py`.

Eq. 1 (sentences into vectors) is `scstory.vectors`; Eqs. 2 to 4 are `attention.py`,
`indicative.py` and `pooling.py`, together M in `article_encoder.py`; Eq. 5 is `story_vectors.py`,
Eq. 6 `assignment.py`, Eq. 7 `replay.py`, Eq. 8 `augmentation.py`, Eq. 9 `training_samples.py` and
Eq. 10 `loss.py`.
"""
