"""What several tests share: random marts, their sources, and an engine to run programs on."""
