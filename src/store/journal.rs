//! The journal: appended, chained and synced records, in segments `journal.000001` and so on.
//!
//! A record is `len u32be | kind u8 | seq u64be | payload | check`, where the check is the first half of the SHA-256
//! over the check before and all of the record. Each segment begins with a record of kind 0 that names the check
//! with which the segment before ended. Room is written ahead as zeros, so that a sync need not change the size.
//!
//! A bad last record is a torn write: never acknowledged, set aside and cut off. A bad record with anything after it
//! is damage: nothing is guessed. Payloads are JSON, which has no control bytes, so a later header cannot be taken
//! for the inside of a torn one.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::{StoreError, Told};
use super::payload::hex;
use super::{fail, files};

/// A segment that has grown to this is followed by the next.
pub const SEGMENT_BYTES: u64 = 64 << 20;
/// The largest payload of one record.
pub const RECORD_BYTES_MAX: usize = 32 << 20;
/// Room written ahead; also the granularity of growth.
const AHEAD_BYTES: u64 = 1 << 20;
/// `len`, `kind` and `seq`.
const FRONT_BYTES: usize = 13;
/// Front and check.
const OVERHEAD: u64 = (FRONT_BYTES + 16) as u64;

/// Kind of the record that begins a segment.
const KIND_SEGMENT: u8 = 0;
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
    /// Bytes of its payload.
    pub len: u32,
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

#[derive(Serialize, Deserialize)]
struct Opening {
    segment: u32,
    after: String,
}

/// The open journal, at its end.
pub struct Journal {
    dir: PathBuf,
    file: File,
    tip: Tip,
    room: u64,
    broken: Option<String>,
}

fn segment_path(dir: &Path, segment: u32) -> PathBuf {
    dir.join(format!("journal.{segment:06}"))
}

/// The numbers of all segments present, which must be without a gap from 1.
fn segments(dir: &Path) -> Result<u32, StoreError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).told("read", dir)? {
        let name = entry.told("read", dir)?.file_name();
        let number = name
            .to_str()
            .and_then(|n| n.strip_prefix("journal."))
            .and_then(|n| n.parse::<u32>().ok());
        found.extend(number);
    }
    found.sort_unstable();
    for (at, number) in found.iter().enumerate() {
        if u32::try_from(at).ok().map(|a| a + 1) != Some(*number) {
            return Err(StoreError::Missing {
                what: "journal segment",
                name: format!("journal.{:06}", at + 1),
            });
        }
    }
    Ok(found.last().copied().unwrap_or(0))
}

fn frame(
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

fn chain(before: &Digest, record: &[u8]) -> Digest {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(record);
    let mut out = [0; 16];
    out.copy_from_slice(&hash.finalize()[..16]);
    out
}

fn front(bytes: &[u8]) -> Option<(u32, u8, u64)> {
    let len = u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?);
    let seq = u64::from_be_bytes(bytes.get(5..FRONT_BYTES)?.try_into().ok()?);
    Some((len, *bytes.get(4)?, seq))
}

/// One step of a [`Walk`].
enum Found {
    Record(u8, Place),
    End,
    Bad(String),
}

/// Reads one segment, record by record.
struct Walk {
    reader: BufReader<File>,
    path: PathBuf,
    file_len: u64,
    tip: Tip,
    record: Vec<u8>,
}

impl Walk {
    /// Begins at `from`, which lies in this segment.
    fn at(dir: &Path, from: Tip) -> Result<Self, StoreError> {
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

    fn payload(&self) -> &[u8] {
        self.record
            .get(FRONT_BYTES..self.record.len().saturating_sub(16))
            .unwrap_or_default()
    }

    /// Reads the record that begins the segment; the check it names must be `after`, if given.
    fn opening(&mut self) -> Result<Found, StoreError> {
        let mut start = self.tip;
        start.digest = [0; 16];
        self.tip = start;
        self.step(true).told("read", &self.path)
    }

    fn next(&mut self) -> Result<Found, StoreError> {
        self.step(false).told("read", &self.path)
    }

    fn step(&mut self, first: bool) -> io::Result<Found> {
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
            len,
        };
        self.tip.digest.copy_from_slice(check);
        self.tip.seq = seq;
        self.tip.end += u64::from(len) + OVERHEAD;
        Ok(Found::Record(kind, place))
    }

    fn rest_is_zero(&mut self) -> io::Result<bool> {
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
    fn more_follows(&self) -> Result<bool, StoreError> {
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

    fn damaged(&self, why: String) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            offset: self.tip.end,
            why,
        }
    }
}

impl Journal {
    /// Opens at its end, or makes the first segment. The last segment is read from `known` on if that lies in it and
    /// `careful` is false, else from its beginning. A torn last record goes to `aside` and is cut off.
    pub fn open(
        dir: &Path,
        aside: &Path,
        known: Option<Tip>,
        careful: bool,
    ) -> Result<Self, StoreError> {
        let last = segments(dir)?;
        if last == 0 {
            return Self::begin(dir, Tip::default());
        }
        let known = known.filter(|k| !careful && k.segment == last && k.seq > 0);
        let mut walk = match known {
            Some(tip) => {
                Self::is_at(dir, tip)?;
                Walk::at(dir, tip)?
            }
            None => {
                let mut walk = Walk::at(
                    dir,
                    Tip {
                        segment: last,
                        ..Tip::default()
                    },
                )?;
                if let Found::Bad(why) = walk.opening()? {
                    if walk.more_follows()? {
                        return Err(walk.damaged(why));
                    }
                    return Self::without_last(dir, aside, last, known);
                }
                walk
            }
        };
        loop {
            match walk.next()? {
                Found::Record(..) => {}
                Found::End => break,
                Found::Bad(why) => {
                    if walk.more_follows()? {
                        return Err(walk.damaged(why));
                    }
                    tracing::warn!(
                        "torn record after transaction {} cut off `{}`: {why}",
                        walk.tip.seq,
                        walk.path.display()
                    );
                    cut(&walk.path, walk.tip.end, aside)?;
                    break;
                }
            }
        }
        let path = walk.path;
        let file = files::open_private(&path).told("open", &path)?;
        let room = file.metadata().told("read", &path)?.len();
        Ok(Self {
            dir: dir.to_path_buf(),
            file,
            tip: walk.tip,
            room,
            broken: None,
        })
    }

    /// The last segment was being made when the process stopped: nothing in it was ever acknowledged.
    fn without_last(
        dir: &Path,
        aside: &Path,
        last: u32,
        known: Option<Tip>,
    ) -> Result<Self, StoreError> {
        let path = segment_path(dir, last);
        tracing::warn!("unfinished segment `{}` removed", path.display());
        cut(&path, 0, aside)?;
        files::remove(&path)?;
        files::sync_dir(dir)?;
        Self::open(dir, aside, known, true)
    }

    fn begin(dir: &Path, before: Tip) -> Result<Self, StoreError> {
        let segment = before.segment + 1;
        let path = segment_path(dir, segment);
        let opening = Opening {
            segment,
            after: hex(&before.digest),
        };
        let payload =
            serde_json::to_vec(&opening).map_err(|e| StoreError::Broken(e.to_string()))?;
        let (bytes, digest) = frame(KIND_SEGMENT, before.seq, &payload, &[0; 16])?;
        let file = files::open_private(&path).told("create", &path)?;
        file.write_all_at(&bytes, 0)
            .and_then(|()| file.sync_all())
            .told("write", &path)?;
        files::sync_dir(dir)?;
        let end = bytes.len() as u64;
        let tip = Tip {
            seq: before.seq,
            segment,
            end,
            digest,
        };
        Ok(Self {
            dir: dir.to_path_buf(),
            file,
            tip,
            room: end,
            broken: None,
        })
    }

    /// How far it goes.
    pub fn tip(&self) -> Tip {
        self.tip
    }

    fn ready(&self) -> Result<(), StoreError> {
        self.broken
            .as_ref()
            .map_or(Ok(()), |why| Err(StoreError::Broken(why.clone())))
    }

    /// Says where a record of `len` payload bytes will lie, beginning the next segment if this one is full.
    pub fn prepare(&mut self, len: usize) -> Result<Place, StoreError> {
        self.ready()?;
        if self.tip.end >= SEGMENT_BYTES {
            let end = self.tip.end;
            self.or_break(|j| j.file.set_len(end).and_then(|()| j.file.sync_all()))?;
            match Self::begin(&self.dir, self.tip) {
                Ok(next) => *self = next,
                Err(e) => {
                    self.broken = Some(e.to_string());
                    return Err(StoreError::Broken(e.to_string()));
                }
            }
        }
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        Ok(Place {
            segment: self.tip.segment,
            offset: self.tip.end,
            len,
        })
    }

    /// Appends one record at its prepared place and syncs it; when this returns, it is on the disk.
    ///
    /// After a failed sync nobody knows what is on the disk, so every further call is refused.
    pub fn append(&mut self, kind: u8, payload: &[u8], place: Place) -> Result<(), StoreError> {
        self.ready()?;
        if place.segment != self.tip.segment
            || place.offset != self.tip.end
            || place.len as usize != payload.len()
        {
            return Err(StoreError::Broken(
                "a record was prepared for another place".to_owned(),
            ));
        }
        let (bytes, digest) = frame(kind, self.tip.seq + 1, payload, &self.tip.digest)?;
        let offset = self.tip.end;
        let end = offset + bytes.len() as u64;
        if let Err(e) = self.write(&bytes, offset, end) {
            if e.kind() == io::ErrorKind::StorageFull && self.file.set_len(offset).is_ok() {
                self.room = offset;
                return Err(StoreError::Full(self.dir.clone()));
            }
            let _ = self.file.set_len(offset);
            return Err(self.stop(&e));
        }
        self.or_break(|j| fail::point("C7").and_then(|()| j.file.sync_data()))?;
        self.tip = Tip {
            seq: self.tip.seq + 1,
            segment: self.tip.segment,
            end,
            digest,
        };
        Ok(())
    }

    fn write(&mut self, bytes: &[u8], offset: u64, end: u64) -> io::Result<()> {
        if fail::armed() {
            let half = bytes.len() / 2;
            self.file.write_all_at(&bytes[..half], offset)?;
            fail::point("C6")?;
        }
        if end <= self.room {
            return self.file.write_all_at(bytes, offset);
        }
        let room = end.next_multiple_of(AHEAD_BYTES);
        let mut ahead = Vec::with_capacity(usize::try_from(room - offset).unwrap_or(0));
        ahead.extend_from_slice(bytes);
        ahead.resize(usize::try_from(room - offset).unwrap_or(bytes.len()), 0);
        self.file.write_all_at(&ahead, offset)?;
        self.room = room;
        Ok(())
    }

    fn or_break(
        &mut self,
        what: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        what(self).map_err(|e| self.stop(&e))
    }

    fn stop(&mut self, e: &io::Error) -> StoreError {
        let why = format!(
            "cannot write `{}`: {e}",
            segment_path(&self.dir, self.tip.segment).display()
        );
        self.broken = Some(why.clone());
        StoreError::Broken(why)
    }

    /// Reads a record back; it must still be what was written.
    pub fn read(&self, place: Place) -> Result<(u8, Vec<u8>), StoreError> {
        let path = segment_path(&self.dir, place.segment);
        let other;
        let file = if place.segment == self.tip.segment {
            &self.file
        } else {
            other = File::open(&path).told("open", &path)?;
            &other
        };
        let damaged = |why: &str| StoreError::Damaged {
            path: path.clone(),
            offset: place.offset,
            why: why.to_owned(),
        };
        let (Some(start), true) = (
            place.offset.checked_sub(16),
            place.len as usize <= RECORD_BYTES_MAX,
        ) else {
            return Err(damaged("no record can be here"));
        };
        let mut bytes = vec![0; place.len as usize + FRONT_BYTES + 32];
        match file.read_exact_at(&mut bytes, start) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(damaged("it is cut short"));
            }
            other => other.told("read", &path)?,
        }
        let mut before = [0; 16];
        before.copy_from_slice(&bytes[..16]);
        let body = &bytes[16..bytes.len() - 16];
        if chain(&before, body) != bytes[bytes.len() - 16..] {
            return Err(damaged("the check is wrong"));
        }
        Ok((body[4], body[FRONT_BYTES..].to_vec()))
    }

    /// Is there a record that ends at `tip` with this check?
    fn is_at(dir: &Path, tip: Tip) -> Result<(), StoreError> {
        let path = segment_path(dir, tip.segment);
        let file = File::open(&path).told("open", &path)?;
        let mut check = [0; 16];
        let read = tip
            .end
            .checked_sub(16)
            .map(|at| file.read_exact_at(&mut check, at));
        if matches!(read, Some(Ok(()))) && check == tip.digest {
            return Ok(());
        }
        let why = format!("transaction {} is not where the index has it", tip.seq);
        Err(StoreError::Damaged {
            path,
            offset: tip.end,
            why,
        })
    }

    /// Calls `each` for every record after `from` (all of them when `None`), in order; each is checked.
    pub fn each_after(
        &self,
        from: Option<Tip>,
        mut each: impl FnMut(Tip, Place, u8, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut walk = match from.filter(|f| f.segment > 0) {
            Some(tip) => {
                Self::is_at(&self.dir, tip)?;
                Walk::at(&self.dir, tip)?
            }
            None => self.enter(1, Tip::default())?,
        };
        loop {
            while walk.tip.segment < self.tip.segment || walk.tip.end < self.tip.end {
                match walk.next()? {
                    Found::Record(kind, place) => each(walk.tip, place, kind, walk.payload())?,
                    Found::End => break,
                    Found::Bad(why) => return Err(walk.damaged(why)),
                }
            }
            if walk.tip.segment >= self.tip.segment {
                break;
            }
            walk = self.enter(walk.tip.segment + 1, walk.tip)?;
        }
        if walk.tip == self.tip {
            Ok(())
        } else {
            Err(walk.damaged("records are missing at the end".to_owned()))
        }
    }

    fn enter(&self, segment: u32, before: Tip) -> Result<Walk, StoreError> {
        let mut walk = Walk::at(
            &self.dir,
            Tip {
                segment,
                ..Tip::default()
            },
        )?;
        if let Found::Bad(why) = walk.opening()? {
            return Err(walk.damaged(why));
        }
        let follows = serde_json::from_slice::<Opening>(walk.payload())
            .is_ok_and(|o| o.segment == segment && o.after == hex(&before.digest));
        if follows && walk.tip.seq == before.seq {
            Ok(walk)
        } else {
            Err(walk.damaged("this segment does not follow the one before".to_owned()))
        }
    }

    /// Gives back the room written ahead.
    pub fn close(self) -> Result<(), StoreError> {
        let path = segment_path(&self.dir, self.tip.segment);
        if self.broken.is_some() {
            return Ok(());
        }
        self.file
            .set_len(self.tip.end)
            .and_then(|()| self.file.sync_all())
            .told("write", &path)
    }
}

/// Keeps what is cut off, for the keeper to look at, then cuts.
fn cut(path: &Path, end: u64, aside: &Path) -> Result<(), StoreError> {
    let mut file = files::open_private(path).told("open", path)?;
    let mut torn = Vec::new();
    file.seek(SeekFrom::Start(end))
        .and_then(|_| file.read_to_end(&mut torn))
        .told("read", path)?;
    let used = torn.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    if used > 0 {
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or("journal");
        files::write_whole(aside, &format!("{name}.{end}.torn"), &torn[..used])?;
    }
    file.set_len(end)
        .and_then(|()| file.sync_all())
        .told("cut", path)
}
