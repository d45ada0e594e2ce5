"""Named sets of settings: what each founding design asks for, laid over the defaults."""
