"""Pure verbs of a question: route, fuse, weigh, diversify, cut, pack. Arithmetic on columns, no I/O."""
