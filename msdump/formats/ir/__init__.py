"""The .ir text format: lines, tokens, Document, Graph, and back."""
