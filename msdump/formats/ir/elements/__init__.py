"""Each element of the language: how it is parsed and how it is printed, side by side."""
