"""Settings: read once, frozen, passed as values. Unknown keys are refused."""
