"""DirectML's face: descriptors, compiled operators and flat buffers against the slow twins."""
