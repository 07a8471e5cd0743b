//! Seals, dice, ledger: pure.
