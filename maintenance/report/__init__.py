"""What the commands say: documents made from plans."""
