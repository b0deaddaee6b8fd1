"""How fast it is, measured: `make bench`, or `python -m benchmarks NAME…` for single parts."""
