"""Everything a memory is kept in, without a database and without a disk: for simulations and for tests."""
