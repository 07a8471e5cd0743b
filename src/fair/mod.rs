//! Seals, dice, ledger: pure.
pub mod seal;
pub mod token;
