"""What the engine does, and the command line: the only package that talks to people."""
