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
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{StoreError, Told};
use super::payload::hex;
pub use super::walk::{Digest, KIND_MANY, KIND_ONE, Place, RECORD_BYTES_MAX, Tip};
use super::walk::{FRONT_BYTES, Found, KIND_SEGMENT, Walk, chain, frame, front, segment_path};
use super::{fail, files};

/// A segment that has grown to this is followed by the next.
pub const SEGMENT_BYTES: u64 = 64 << 20;
/// Room written ahead; also the granularity of growth.
const AHEAD_BYTES: u64 = 1 << 20;
/// The same for a process that writes a letter or two: what it does not need it must write and take back.
const AHEAD_QUICK_BYTES: u64 = 64 << 10;
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
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
    /// Room is written ahead up to a multiple of this.
    ahead: u64,
    broken: Option<String>,
    /// Synced only at the end of a segment: for a copy that nobody relies on yet.
    lazy: bool,
}

/// The numbers of all segments present, which must be without a gap from 1.
pub(super) fn segments(dir: &Path) -> Result<u32, StoreError> {
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
            ahead: match careful {
                true => AHEAD_BYTES,
                false => AHEAD_QUICK_BYTES,
            },
            broken: None,
            lazy: false,
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
            ahead: AHEAD_BYTES,
            broken: None,
            lazy: false,
        })
    }

    /// Syncs no more after each record, only where a segment ends and at [`Journal::close`].
    pub(super) fn unsynced(self) -> Self {
        Self { lazy: true, ..self }
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

    /// Says where the next record will lie, beginning the next segment if this one is full.
    pub fn prepare(&mut self) -> Result<Place, StoreError> {
        self.ready()?;
        if self.tip.end >= SEGMENT_BYTES {
            let end = self.tip.end;
            self.or_break(|j| j.file.set_len(end).and_then(|()| j.file.sync_all()))?;
            match Self::begin(&self.dir, self.tip) {
                Ok(next) => {
                    let (lazy, ahead) = (self.lazy, self.ahead);
                    *self = next;
                    (self.lazy, self.ahead) = (lazy, ahead);
                }
                Err(e) => {
                    self.broken = Some(e.to_string());
                    return Err(StoreError::Broken(e.to_string()));
                }
            }
        }
        Ok(Place {
            segment: self.tip.segment,
            offset: self.tip.end,
        })
    }

    /// Appends one record at its prepared place and syncs it; when this returns, it is on the disk.
    ///
    /// After a failed sync nobody knows what is on the disk, so every further call is refused.
    pub fn append(&mut self, kind: u8, payload: &[u8], place: Place) -> Result<(), StoreError> {
        self.ready()?;
        if place.segment != self.tip.segment || place.offset != self.tip.end {
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
        if !self.lazy {
            self.or_break(|j| fail::point("C7").and_then(|()| j.file.sync_data()))?;
        }
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
        self.file.write_all_at(bytes, offset)?;
        if end <= self.room {
            return Ok(());
        }
        let room = end.next_multiple_of(self.ahead);
        let mut at = end;
        while at < room {
            let piece = ZEROS
                .len()
                .min(usize::try_from(room - at).unwrap_or(ZEROS.len()));
            self.file.write_all_at(&ZEROS[..piece], at)?;
            at += piece as u64;
        }
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
        let cut_short = |e: io::Error| match e.kind() {
            io::ErrorKind::UnexpectedEof => damaged("it is cut short"),
            _ => StoreError::Io {
                what: "read",
                path: path.clone(),
                source: e,
            },
        };
        let mut head = [0; FRONT_BYTES];
        file.read_exact_at(&mut head, place.offset)
            .map_err(cut_short)?;
        let len = front(&head).map_or(0, |(len, _, _)| len as usize);
        let (Some(start), true) = (place.offset.checked_sub(16), len <= RECORD_BYTES_MAX) else {
            return Err(damaged("no record can be here"));
        };
        let mut bytes = vec![0; len + FRONT_BYTES + 32];
        file.read_exact_at(&mut bytes, start).map_err(cut_short)?;
        let mut before = [0; 16];
        before.copy_from_slice(&bytes[..16]);
        let body = &bytes[16..bytes.len() - 16];
        if chain(&before, body) != bytes[bytes.len() - 16..] {
            return Err(damaged("the check is wrong"));
        }
        Ok((body[4], body[FRONT_BYTES..].to_vec()))
    }

    /// Is there a record that ends at `tip` with this check?
    pub(super) fn is_at(dir: &Path, tip: Tip) -> Result<(), StoreError> {
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
            None => Self::enter(&self.dir, 1, Tip::default())?,
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
            walk = Self::enter(&self.dir, walk.tip.segment + 1, walk.tip)?;
        }
        if walk.tip == self.tip {
            Ok(())
        } else {
            Err(walk.damaged("records are missing at the end".to_owned()))
        }
    }

    /// The beginning of a segment, which must follow `before`.
    pub(super) fn enter(dir: &Path, segment: u32, before: Tip) -> Result<Walk, StoreError> {
        let mut walk = Walk::at(
            dir,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(
        journal: &Journal,
        from: Option<Tip>,
    ) -> Result<Vec<(u64, u32, usize)>, StoreError> {
        let mut all = Vec::new();
        journal.each_after(from, |tip, place, _, bytes| {
            assert_eq!(journal.read(place)?.1, bytes);
            all.push((tip.seq, place.segment, bytes.len()));
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn segments_follow_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let (path, aside) = (dir.path(), dir.path().join("aside"));
        files::make_dir(&aside).unwrap();
        let mut journal = Journal::open(path, &aside, None, true).unwrap();
        let payload = vec![b'x'; 15 << 20];
        let mut tips = vec![journal.tip()];
        for _ in 0..6 {
            let place = journal.prepare().unwrap();
            journal.append(KIND_ONE, &payload, place).unwrap();
            tips.push(journal.tip());
        }
        let all = read_all(&journal, None).unwrap();
        assert_eq!(
            all.iter().map(|r| r.1).collect::<Vec<_>>(),
            [1, 1, 1, 1, 1, 2]
        );
        for (n, tip) in tips.iter().enumerate().skip(1) {
            assert_eq!(read_all(&journal, Some(*tip)).unwrap(), all[n..]);
        }
        let tip = journal.tip();
        drop(journal);
        assert_eq!(
            Journal::open(path, &aside, Some(tips[6]), false)
                .unwrap()
                .tip(),
            tip
        );
        assert_eq!(
            Journal::open(path, &aside, Some(tips[2]), false)
                .unwrap()
                .tip(),
            tip
        );

        // A third segment that was only begun is removed.
        for begun in [&b""[..], &b"\0\0\0\x10"[..], &[0; 100][..]] {
            fs::write(segment_path(path, 3), begun).unwrap();
            assert_eq!(Journal::open(path, &aside, None, true).unwrap().tip(), tip);
            assert!(!segment_path(path, 3).exists());
        }
        // Damage in an earlier segment, and a missing one.
        let first = segment_path(path, 1);
        let file = files::open_private(&first).unwrap();
        file.set_len(tips[5].end - 1).unwrap();
        let journal = Journal::open(path, &aside, None, true).unwrap();
        assert!(matches!(
            read_all(&journal, None),
            Err(StoreError::Damaged { .. })
        ));
        file.set_len(tips[4].end).unwrap();
        assert!(matches!(
            read_all(&journal, None),
            Err(StoreError::Damaged { .. })
        ));
        fs::remove_file(&first).unwrap();
        assert!(matches!(
            Journal::open(path, &aside, None, true),
            Err(StoreError::Missing { .. })
        ));
    }
}
