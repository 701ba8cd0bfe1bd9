"""The runtime: the context, the Print operator, and networks that run on numpy."""
