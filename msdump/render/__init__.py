"""From data to what a person or a script reads: text, JSON, HTML."""
