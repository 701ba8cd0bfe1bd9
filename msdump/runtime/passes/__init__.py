"""The stages of compilation: each a function from a Graph to a Graph that means the same."""
