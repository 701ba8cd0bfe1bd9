"""Text only: lines, brackets, the parts of a file. Loses nothing."""
