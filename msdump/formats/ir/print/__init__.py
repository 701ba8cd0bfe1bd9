"""From a Graph and its layout to text."""
