"""What memory is: nouns, laws and use cases. No Ray, no driver, no clock below `memory.services`."""
