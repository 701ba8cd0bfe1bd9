"""From a Document to a Graph and its layout."""
