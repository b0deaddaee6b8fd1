"""The default method: several features of article and story, and a confidence fitted to the stream.

Start with `method.py`; `features.py` says what is compared, `posterior.py` how much it tells.
"""
