"""One file a release: what its text does differently from the one before."""
