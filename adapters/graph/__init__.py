"""Graph engines: on the CPU, on a GPU, and whether both agree."""
