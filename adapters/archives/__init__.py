"""Archives as they come from outside: what one may hold, how it is unpacked, and whether it agrees with itself."""
