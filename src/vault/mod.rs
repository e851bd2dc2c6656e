//! THE WALL: the only code that reads the vault.
