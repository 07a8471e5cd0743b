//! Raw letters that must be kept: held ones, and those set aside.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::error::{StoreError, Told};
use super::files;
use super::payload::{hex, unhex};

/// A directory of letters named by their SHA-256, each complete or not there.
pub struct Spool {
    dir: PathBuf,
}

impl Spool {
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        files::make_dir(dir)?;
        Ok(Self {
            dir: dir.to_path_buf(),
        })
    }

    fn path(&self, id: &str) -> Result<PathBuf, StoreError> {
        match unhex(id) {
            Some(bytes) if bytes.len() == 32 && !id.contains(char::is_uppercase) => {
                Ok(self.dir.join(format!("{id}.eml")))
            }
            _ => Err(StoreError::Missing {
                what: "letter",
                name: id.to_owned(),
            }),
        }
    }

    /// Keeps a letter durably and returns its id; keeping it twice is keeping it once.
    pub fn keep(&self, raw: &[u8]) -> Result<String, StoreError> {
        let id = hex(&Sha256::digest(raw));
        let path = self.path(&id)?;
        if fs::metadata(&path).is_ok_and(|m| m.len() == raw.len() as u64) {
            return Ok(id);
        }
        files::write_whole(&self.dir, &format!("{id}.eml"), raw)?;
        Ok(id)
    }

    /// The letter again, and certainly the same.
    pub fn read(&self, id: &str) -> Result<Vec<u8>, StoreError> {
        let path = self.path(id)?;
        let raw = fs::read(&path).told("read", &path)?;
        if hex(&Sha256::digest(&raw)) == id {
            Ok(raw)
        } else {
            Err(StoreError::Damaged {
                path,
                offset: 0,
                why: "these are not the bytes that were kept".to_owned(),
            })
        }
    }

    /// Moves a letter to another spool.
    pub fn hand_over(&self, id: &str, to: &Spool) -> Result<(), StoreError> {
        let (from, target) = (self.path(id)?, to.path(id)?);
        fs::rename(&from, &target).told("move", &from)?;
        files::sync_dir(&to.dir)?;
        files::sync_dir(&self.dir)
    }

    /// Removes a letter that is settled.
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        files::remove(&self.path(id)?)
    }

    /// Removes what was cut off the journal and kept to be looked at.
    pub fn clear_torn(&self) -> Result<(), StoreError> {
        for entry in fs::read_dir(&self.dir).told("read", &self.dir)? {
            let path = entry.told("read", &self.dir)?.path();
            if path.extension().is_some_and(|x| x == "torn") {
                files::remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes letters that have been here for longer.
    pub fn forget(&self, after: std::time::Duration) -> Result<(), StoreError> {
        for id in self.ids()? {
            let path = self.path(&id)?;
            let age = fs::metadata(&path)
                .and_then(|m| m.modified())
                .ok()
                .and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > after) {
                files::remove(&path)?;
            }
        }
        Ok(())
    }

    /// The ids of all letters here, in order.
    pub fn ids(&self) -> Result<Vec<String>, StoreError> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.dir).told("read", &self.dir)? {
            let name = entry.told("read", &self.dir)?.file_name();
            let id = name
                .to_str()
                .and_then(|n| n.strip_suffix(".eml"))
                .filter(|id| self.path(id).is_ok());
            ids.extend(id.map(str::to_owned));
        }
        ids.sort();
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_kept_and_checked() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(&dir.path().join("spool")).unwrap();
        let aside = Spool::open(&dir.path().join("aside")).unwrap();
        let id = spool.keep(b"hello").unwrap();
        assert_eq!(spool.keep(b"hello").unwrap(), id);
        assert_eq!(spool.read(&id).unwrap(), b"hello");
        spool.hand_over(&id, &aside).unwrap();
        assert!(spool.read(&id).is_err());
        assert_eq!(aside.ids().unwrap(), std::slice::from_ref(&id));
        fs::write(dir.path().join("aside").join(format!("{id}.eml")), b"hellO").unwrap();
        assert!(matches!(aside.read(&id), Err(StoreError::Damaged { .. })));
        assert!(spool.read("../../etc/passwd").is_err());
        aside.remove(&id).unwrap();
        assert!(aside.ids().unwrap().is_empty());
    }
}
