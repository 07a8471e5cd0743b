//! Files and directories that only the referee may read, and that are on the disk when a call returns.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use super::error::{StoreError, Told};

/// Directories are for the referee's own user only.
const DIR_MODE: u32 = 0o700;
/// So are files: the journal holds addresses, seeds and openings.
const FILE_MODE: u32 = 0o600;

/// Makes `path` (and nothing above it but what is missing) with mode 0700.
pub fn make_dir(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        let mode = fs::metadata(path).told("read", path)?.permissions().mode();
        if mode & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(DIR_MODE))
                .told("protect", path)?;
        }
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(DIR_MODE)
        .create(path)
        .told("create", path)?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_dir(parent),
        _ => Ok(()),
    }
}

/// Opens for reading and writing, made with mode 0600 when missing.
pub fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(FILE_MODE)
        .open(path)
}

/// Puts the names in a directory on the disk.
pub fn sync_dir(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|d| d.sync_all())
        .told("sync", path)
}

/// Writes a whole file so that it is either complete under its name or not there: temporary name, sync, rename,
/// sync of the directory (the discipline of maildir).
pub fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let tmp = dir.join(format!(".{name}.tmp"));
    let to = dir.join(name);
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(FILE_MODE)
        .open(&tmp)
        .told("create", &tmp)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .told("write", &tmp)?;
    fs::rename(&tmp, &to).told("rename", &to)?;
    sync_dir(dir)
}

/// Removes a file or a whole directory; nothing there is no error.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    let done = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match done {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.told("remove", path),
    }
}
