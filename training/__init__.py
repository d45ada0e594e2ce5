"""Teaching the encoder on invented talk; never imported when Memoray runs."""
