//! Seals, dice, ledger: pure.
pub mod token;
