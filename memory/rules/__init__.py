"""Pure verbs of a lifetime: decay, tiers, resolution, revision, decide."""
