"""From a Cell's construct to a Graph: rewriting, recording, and the stages that follow."""
