//! The program as its Keeper meets it: the real binary in directories of its own, its whole output compared.

mod cli {
    pub mod common;
    mod daily;
    mod keep;
    mod ledger;
    mod records;
    mod setup;
}
