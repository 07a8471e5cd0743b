//! What must not be lost: the journal (the truth), the index over it, and what stands in the outbox.
//!
//! One transaction is one record in the journal, synced before anything is acknowledged; the index (sled) is
//! applied afterwards and can be made again from the journal at any time, so no defect of the index costs a turn.
//! The store knows nothing of games: a fold, given at opening, turns a [`Payload`] into changes of the index, and
//! the same fold runs in a commit, in a redo after a crash and in a rebuild.

mod backup;
mod checkpoint;
mod compact;
mod error;
pub mod fail;
mod files;
mod fold;
mod glance;
mod index;
mod journal;
mod lock;
pub mod outbox;
mod payload;
pub mod records;
mod room;
pub mod seen;
mod sending;
mod spool;
mod stage;
pub mod tally;
mod tree;
mod vault;
mod walk;

pub use backup::{Manifest, backup, restore};
pub use error::StoreError;
pub use files::{make_dir, remove, write_whole};
pub use fold::{Fold, no_fold};
pub use glance::Glance;
pub use index::FORM;
pub use journal::{Digest, Place, RECORD_BYTES_MAX, SEGMENT_BYTES, Tip};
pub use outbox::{Course, Fate, MailState, OutboxId, OutboxMark, OutboxRow, Queued};
pub use payload::{MailBytes, NewMail, Payload};
pub use spool::Spool;
pub use stage::Ticket;
pub use tally::Spend;
pub use tree::{Batch, Overlay, ReadIndex, Row, Tree, VALUE_BYTES_MAX, time_key};
pub use vault::{Checked, Opening, Settled, Store};
