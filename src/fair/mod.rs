//! LAYER 2: dice, sealed cards and a signed ledger that anybody can check (trust.md).
//!
//! Pure, with a small vocabulary of its own: a match is a `gid`, seats and places count from 1, everything that is hashed is
//! one printable [`mod@line`], so that a player needs no more than `printf`, `sha256sum` and `openssl`.

pub mod chain;
pub mod dice;
pub mod entropy;
pub mod fold;
pub mod head;
pub mod ledger;
pub mod line;
pub mod seal;
pub mod token;
pub mod verify;
