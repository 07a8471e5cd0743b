//! A copy of the index in one file, so that a rebuild need not begin with the first letter ever received.
//!
//! Rows as the index stores them, `key length u32be | key | row length u32be | row`, the head last (its key is the
//! greatest), then the SHA-256 of all that. Before them stands the form of the rows, under an empty key. A checkpoint that is
//! damaged, of another form, or does not fit the journal is ignored.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::error::{StoreError, Told};
use super::files;
use super::index::{Index, form_bytes};
use super::journal::Tip;
use super::tree::Row;

pub(super) const NAME: &str = "checkpoint";
const HASH_BYTES: u64 = 32;
/// Rows put into a new index at once.
const LOAD_ROWS: usize = 256;

/// Writes the checkpoint; the old one stays until the new one is complete.
pub fn write(dir: &Path, index: &Index) -> Result<(), StoreError> {
    let tmp = dir.join(".checkpoint.tmp");
    files::remove(&tmp)?;
    let mut out = BufWriter::new(files::open_private(&tmp).told("create", &tmp)?);
    let mut hash = Sha256::new();
    let mut put = |key: &[u8], row: &[u8]| {
        for part in [key, row] {
            let length = u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes();
            for bytes in [&length[..], part] {
                hash.update(bytes);
                out.write_all(bytes).told("write", &tmp)?;
            }
        }
        Ok(())
    };
    put(b"", &form_bytes())?;
    index.each_raw(put)?;
    out.write_all(&hash.finalize())
        .and_then(|()| out.flush())
        .told("write", &tmp)?;
    out.get_ref().sync_all().told("sync", &tmp)?;
    let to = dir.join(NAME);
    fs::rename(&tmp, &to).told("rename", &to)?;
    files::sync_dir(dir)
}

/// Fills an empty index; says whether there was a sound checkpoint. `fits` judges where it ends.
pub fn load(
    dir: &Path,
    index: &mut Index,
    fits: impl FnOnce(Tip) -> bool,
) -> Result<bool, StoreError> {
    let path = dir.join(NAME);
    let Ok(length) = fs::metadata(&path).map(|m| m.len()) else {
        return Ok(false);
    };
    let Some(body) = length.checked_sub(HASH_BYTES).filter(|b| *b > 0) else {
        return Ok(false);
    };
    if !is_sound(&path, body).told("read", &path)? {
        tracing::warn!("`{}` is damaged and not used", path.display());
        return Ok(false);
    }
    let mut reader = BufReader::new(File::open(&path).told("open", &path)?.take(body));
    let first = next_row(&mut reader).told("read", &path)?;
    if first != Some((Vec::new(), form_bytes().to_vec())) {
        tracing::warn!(
            "`{}` is of another version of this program and not used",
            path.display()
        );
        return Ok(false);
    }
    let mut rows = Vec::new();
    while let Some(row) = next_row(&mut reader).told("read", &path)? {
        rows.push(row);
        if rows.len() >= LOAD_ROWS {
            index.put_raw(std::mem::take(&mut rows))?;
        }
    }
    index.put_raw(rows)?;
    Ok(fits(index.head().tip))
}

fn is_sound(path: &Path, body: u64) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    io::copy(&mut (&mut file).take(body), &mut hash)?;
    let mut kept = [0; HASH_BYTES as usize];
    file.read_exact(&mut kept)?;
    Ok(hash.finalize()[..] == kept)
}

fn next_row(reader: &mut impl Read) -> io::Result<Option<Row>> {
    Ok(match next_part(reader)? {
        None => None,
        Some(key) => Some((key, next_part(reader)?.ok_or(io::ErrorKind::UnexpectedEof)?)),
    })
}

fn next_part(reader: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match reader.read(&mut length[..1])? {
        0 => return Ok(None),
        _ => reader.read_exact(&mut length[1..])?,
    }
    let length = u64::from(u32::from_be_bytes(length));
    let mut part = Vec::new();
    if reader.take(length).read_to_end(&mut part)? as u64 == length {
        Ok(Some(part))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
