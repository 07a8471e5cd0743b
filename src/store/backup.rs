//! A copy of the truth that is right even while the referee writes, and the way back.
//!
//! The journal is only ever appended to, so its first N records are a consistent state for every N. A backup holds them,
//! and a manifest with the check of the N-th. A restore believes nothing that the manifest does not vouch for.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::{StoreError, Told};
use super::files;
use super::glance::each_sound;
use super::payload::hex;
use super::walk::segment_path;

/// Largest manifest read.
const MANIFEST_BYTES_MAX: u64 = 1 << 20;
/// Its name.
const MANIFEST: &str = "MANIFEST.json";

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always `tulpa`.
    pub of: String,
    /// Content of the `FORMAT` file.
    pub format: String,
    /// The last transaction.
    pub seq: u64,
    /// Its check, hexadecimal.
    pub head: String,
    /// When, RFC 3339.
    pub made: String,
    /// Whether the server's keys are in it.
    pub keys: bool,
    /// Files with their sizes and SHA-256, in hexadecimal.
    pub files: Vec<(String, u64, String)>,
}

fn copy(from: &Path, to: &Path, bytes: Option<u64>) -> io::Result<(u64, String)> {
    let mut source = File::open(from)?.take(bytes.unwrap_or(u64::MAX));
    let mut target = files::open_private(to)?;
    target.set_len(0)?;
    let (mut hash, mut size) = (Sha256::new(), 0);
    let mut piece = vec![0; 1 << 16];
    loop {
        let n = source.read(&mut piece)?;
        if n == 0 {
            break;
        }
        hash.update(&piece[..n]);
        target.write_all(&piece[..n])?;
        size += n as u64;
    }
    target.sync_all()?;
    Ok((size, hex(&hash.finalize())))
}

/// Copies the journal of `state` up to its last sound record into `to`, a new or empty directory, with `extra` files
/// (name in the backup, path). Takes no lock.
///
/// # Errors
/// A damaged journal, or files that cannot be read or written.
pub fn backup(
    state: &Path,
    to: &Path,
    extra: &[(&str, &Path)],
    made: String,
) -> Result<Manifest, StoreError> {
    if to.exists() && fs::read_dir(to).told("read", to)?.next().is_some() {
        return Err(StoreError::NotEmpty(to.to_path_buf()));
    }
    let format = state.join("FORMAT");
    let format_text = fs::read_to_string(&format).told("read", &format)?;
    files::make_dir(to)?;
    let tip = each_sound(state, |_, _, _, _| Ok(()))?;
    let mut list = Vec::new();
    for segment in 1..=tip.segment {
        let from = segment_path(state, segment);
        let name = format!("journal.{segment:06}");
        let bytes = (segment == tip.segment).then_some(tip.end);
        let (size, hash) = copy(&from, &to.join(&name), bytes).told("copy", &from)?;
        list.push((name, size, hash));
    }
    let mut keys = false;
    for (name, path) in extra {
        let (size, hash) = copy(path, &to.join(name), None).told("copy", path)?;
        keys |= *name == "keys.server";
        list.push(((*name).to_owned(), size, hash));
    }
    let manifest = Manifest {
        of: "tulpa".to_owned(),
        format: format_text.trim().to_owned(),
        seq: tip.seq,
        head: hex(&tip.digest),
        made,
        keys,
        files: list,
    };
    let mut text = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    text.push(b'\n');
    // last of all: a backup without it is none
    files::write_whole(to, MANIFEST, &text)?;
    Ok(manifest)
}

/// Puts a backup into `state`, which must not hold a journal, and checks every byte against the manifest. The caller then
/// rebuilds the index.
///
/// # Errors
/// A backup that is incomplete or changed, or a state directory in use.
pub fn restore(from: &Path, state: &Path) -> Result<Manifest, StoreError> {
    let path = from.join(MANIFEST);
    let damaged = |path: &Path, why: String| StoreError::Damaged {
        path: path.to_path_buf(),
        offset: 0,
        why,
    };
    let mut text = String::new();
    File::open(&path)
        .and_then(|f| f.take(MANIFEST_BYTES_MAX).read_to_string(&mut text))
        .told("read", &path)?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|e| damaged(&path, e.to_string()))?;
    if manifest.of != "tulpa" {
        return Err(damaged(&path, "this is no backup of tulpa".to_owned()));
    }
    if state.exists() && state.join("journal.000001").exists() {
        return Err(StoreError::NotEmpty(state.to_path_buf()));
    }
    files::make_dir(state)?;
    let journal = |name: &str| {
        name.strip_prefix("journal.")
            .is_some_and(|n| n.len() == 6 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    for (name, size, hash) in &manifest.files {
        let target = if journal(name) {
            // under its own name only once all are there
            state.join(format!(".{name}.restored"))
        } else if name == "keys.server" {
            files::make_dir(&state.join("keys"))?;
            state.join("keys").join("server")
        } else {
            continue;
        };
        let source = from.join(name);
        let (have, digest) = copy(&source, &target, None).told("copy", &source)?;
        if have != *size || digest != *hash {
            return Err(damaged(
                &source,
                "it is not what the manifest says".to_owned(),
            ));
        }
    }
    files::write_whole(state, "FORMAT", format!("{}\n", manifest.format).as_bytes())?;
    for (name, _, _) in manifest.files.iter().filter(|(n, _, _)| journal(n)) {
        let part = state.join(format!(".{name}.restored"));
        fs::rename(&part, state.join(name)).told("rename", &part)?;
    }
    files::sync_dir(state)?;
    let tip = each_sound(state, |_, _, _, _| Ok(()))?;
    if tip.seq != manifest.seq || hex(&tip.digest) != manifest.head {
        return Err(damaged(
            &path,
            format!("the journal ends at {}, not at {}", tip.seq, manifest.seq),
        ));
    }
    Ok(manifest)
}
