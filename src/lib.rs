//! tulpa: a referee for games played by e-mail.
//!
//! # The journey of one letter
//!
//! ```text
//! edge     a letter lies in the mailbox (Maildir, IMAP, pipe)
//! daemon   was it seen before?  ................................ store: seen keys
//! post     bytes -> text -> orders            letter, quote, machine, orders, reader
//! referee  whose turn, what follows            decide(registry, shelf, command, now, entropy)
//! rules      is it legal, and then?            Table::act: a whole order or nothing
//! fair       seals, dice, the ledger's lines     scribe writes them while events are folded
//! post     notices + templates -> mails        words, board, compose
//! store    events, mails and keys in ONE record, synced: the commit point -> `Settled`
//! edge     the letter is marked as done        Inbox::settle(Settled)
//! store    what is due in the outbox -> `Queued`
//! edge     one mail to one recipient           Carrier::send(&Queued)
//! ```
//!
//! # Layers
//!
//! | layer | room | knows |
//! |---|---|---|
//! | 1 | [`rules`] | boards, pieces, games; no people, no mail, no time |
//! | 2 | [`referee`] | players, matches, deadlines; decides, never does |
//! | 2 | [`fair`] | seals, dice, ledger, signatures, verification: what lets nobody need to trust us |
//! | 3 | [`post`] | words in, words out |
//! | 4 | [`store`] | the journal (truth) and the index over it |
//! | 4 | [`edge`] | the world, one file for each thing that fails by itself |
//! | 4 | [`config`] | what the Keeper settled |
//! | 5 | [`daemon`] | the loop |
//! | 6 | [`cli`] | one file for each subcommand |
//!
//! A layer imports only layers with a lower number; `tests/layers.rs` holds that, and that layers
//! 1 to 3 contain no clock, no chance, no file, no socket, no float and no unordered map.
//!
//! # Invariants
//!
//! - An order is played completely or not at all, and answered exactly once.
//! - Only the store makes a `Queued` (all that a carrier sends) and a `Settled` (all that an inbox marks done): nothing
//!   unkept is sent, no letter is forgotten unkept.
//! - Events carry outcomes, not chances: a replay throws no die.
//! - `apply` takes only steps that `legal steps` made; there is no second rule book in a parser.
//! - A face-down card is in no table, snapshot, view, mail or log line but its owner's receipt until all cards are in.

pub mod cli;
pub mod config;
pub mod daemon;
pub mod edge;
pub mod fair;
pub mod post;
pub mod referee;
pub mod rules;
pub mod store;
