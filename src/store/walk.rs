//! The form of a journal record, and reading a segment record by record.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::{StoreError, Told};

/// The largest payload of one record.
pub const RECORD_BYTES_MAX: usize = 32 << 20;
/// `len`, `kind` and `seq`.
pub(super) const FRONT_BYTES: usize = 13;
/// Front and check.
pub(super) const OVERHEAD: u64 = (FRONT_BYTES + 16) as u64;

/// Kind of the record that begins a segment.
pub(super) const KIND_SEGMENT: u8 = 0;
/// Kind of a record that holds one payload.
pub const KIND_ONE: u8 = 1;
/// Kind of a record that holds a list of payloads which share one sync.
pub const KIND_MANY: u8 = 2;

/// Half a SHA-256.
pub type Digest = [u8; 16];

/// Where a record lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// Segment number, from 1.
    pub segment: u32,
    /// First byte of the record.
    pub offset: u64,
}

/// How far the journal goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tip {
    /// The last transaction, 0 when there is none.
    pub seq: u64,
    /// Segment in which it lies.
    pub segment: u32,
    /// First byte after it.
    pub end: u64,
    /// Its check.
    pub digest: Digest,
}

pub(super) fn segment_path(dir: &Path, segment: u32) -> PathBuf {
    dir.join(format!("journal.{segment:06}"))
}

pub(super) fn frame(
    kind: u8,
    seq: u64,
    payload: &[u8],
    before: &Digest,
) -> Result<(Vec<u8>, Digest), StoreError> {
    let too_big = || StoreError::TooBig {
        bytes: payload.len(),
        most: RECORD_BYTES_MAX,
    };
    if payload.len() > RECORD_BYTES_MAX {
        return Err(too_big());
    }
    let len = u32::try_from(payload.len()).map_err(|_| too_big())?;
    let mut bytes = Vec::with_capacity(payload.len() + FRONT_BYTES + 16);
    bytes.extend_from_slice(&len.to_be_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(&seq.to_be_bytes());
    bytes.extend_from_slice(payload);
    let check = chain(before, &bytes);
    bytes.extend_from_slice(&check);
    Ok((bytes, check))
}

pub(super) fn chain(before: &Digest, record: &[u8]) -> Digest {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(record);
    let mut out = [0; 16];
    out.copy_from_slice(&hash.finalize()[..16]);
    out
}

pub(super) fn front(bytes: &[u8]) -> Option<(u32, u8, u64)> {
    let len = u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?);
    let seq = u64::from_be_bytes(bytes.get(5..FRONT_BYTES)?.try_into().ok()?);
    Some((len, *bytes.get(4)?, seq))
}

/// One step of a [`Walk`].
pub(super) enum Found {
    Record(u8, Place),
    End,
    Bad(String),
}

/// Reads one segment, record by record.
pub(super) struct Walk {
    pub(super) reader: BufReader<File>,
    pub(super) path: PathBuf,
    pub(super) file_len: u64,
    pub(super) tip: Tip,
    pub(super) record: Vec<u8>,
}

impl Walk {
    /// Begins at `from`, which lies in this segment.
    pub(super) fn at(dir: &Path, from: Tip) -> Result<Self, StoreError> {
        let path = segment_path(dir, from.segment);
        let mut file = File::open(&path).told("open", &path)?;
        let file_len = file.metadata().told("read", &path)?.len();
        file.seek(SeekFrom::Start(from.end)).told("read", &path)?;
        Ok(Self {
            reader: BufReader::with_capacity(1 << 16, file),
            path,
            file_len,
            tip: from,
            record: Vec::new(),
        })
    }

    pub(super) fn payload(&self) -> &[u8] {
        self.record
            .get(FRONT_BYTES..self.record.len().saturating_sub(16))
            .unwrap_or_default()
    }

    /// Reads the record that begins the segment; the check it names must be `after`, if given.
    pub(super) fn opening(&mut self) -> Result<Found, StoreError> {
        let mut start = self.tip;
        start.digest = [0; 16];
        self.tip = start;
        self.step(true).told("read", &self.path)
    }

    pub(super) fn next(&mut self) -> Result<Found, StoreError> {
        self.step(false).told("read", &self.path)
    }

    pub(super) fn step(&mut self, first: bool) -> io::Result<Found> {
        let left = self.file_len.saturating_sub(self.tip.end);
        if left == 0 {
            return Ok(if first {
                Found::Bad("it is empty".to_owned())
            } else {
                Found::End
            });
        }
        self.record.resize(
            usize::try_from(left.min(FRONT_BYTES as u64)).unwrap_or(0),
            0,
        );
        self.reader.read_exact(&mut self.record)?;
        if self.record.iter().all(|b| *b == 0) {
            return Ok(match (first, self.rest_is_zero()?) {
                (false, true) => Found::End,
                _ => Found::Bad("zeros where a record should begin".to_owned()),
            });
        }
        let Some((len, kind, seq)) = front(&self.record) else {
            return Ok(Found::Bad("a record is cut short".to_owned()));
        };
        if len as usize > RECORD_BYTES_MAX {
            return Ok(Found::Bad(format!("a record of {len} bytes")));
        }
        if u64::from(len) + OVERHEAD > left {
            return Ok(Found::Bad("a record is cut short".to_owned()));
        }
        self.record.resize(len as usize + FRONT_BYTES + 16, 0);
        self.reader.read_exact(&mut self.record[FRONT_BYTES..])?;
        let (bytes, check) = self.record.split_at(self.record.len() - 16);
        if chain(&self.tip.digest, bytes) != check {
            return Ok(Found::Bad("the check is wrong".to_owned()));
        }
        let right = if first {
            kind == KIND_SEGMENT
        } else {
            kind != KIND_SEGMENT && seq == self.tip.seq + 1
        };
        if !right {
            return Ok(Found::Bad(format!(
                "record {seq} of kind {kind} does not follow {}",
                self.tip.seq
            )));
        }
        let place = Place {
            segment: self.tip.segment,
            offset: self.tip.end,
        };
        self.tip.digest.copy_from_slice(check);
        self.tip.seq = seq;
        self.tip.end += u64::from(len) + OVERHEAD;
        Ok(Found::Record(kind, place))
    }

    pub(super) fn rest_is_zero(&mut self) -> io::Result<bool> {
        let mut piece = [0; 4096];
        loop {
            match self.reader.read(&mut piece)? {
                0 => return Ok(true),
                n if piece[..n].iter().any(|b| *b != 0) => return Ok(false),
                _ => {}
            }
        }
    }

    /// Is there, after the bad record at the tip, the beginning of a later one?
    pub(super) fn more_follows(&self) -> Result<bool, StoreError> {
        let mut file = File::open(&self.path).told("open", &self.path)?;
        let mut rest = Vec::new();
        file.seek(SeekFrom::Start(self.tip.end))
            .and_then(|_| file.read_to_end(&mut rest))
            .told("read", &self.path)?;
        let expected = self.tip.seq + 1;
        Ok((1..rest.len()).any(|at| {
            let head = &rest[at..];
            front(head).is_some_and(|(len, kind, seq)| {
                (kind == KIND_ONE || kind == KIND_MANY)
                    && seq > expected
                    && seq - expected < 1 << 24
                    && len > 1
                    && len as usize <= RECORD_BYTES_MAX
                    && matches!(head.get(FRONT_BYTES), None | Some(b'{' | b'['))
            })
        }))
    }

    pub(super) fn damaged(&self, why: String) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            offset: self.tip.end,
            why,
        }
    }
}
