//! What the daemon needs before the first letter: games, texts, keys, the state directory.

use std::path::Path;
use std::sync::Arc;

use super::Trouble;
use crate::config::Config;
use crate::edge::entropy;
use crate::post::address::{Addr, AddrError};
use crate::post::compose::{Alias, Instance};
use crate::post::mailing::Office;
use crate::post::words::Templates;
use crate::referee::state::{Allowance, House};
use crate::rules::Shelf;
use crate::store::records::{Desk, fold};
use crate::store::{Fold, Opening, Store};

/// All games: built in, then those of the Keeper.
///
/// # Errors
/// The first file that is wrong, with line and column.
pub fn shelf(config: &Config) -> Result<Shelf, Trouble> {
    let mut shelf = Shelf::builtin();
    for place in &config.games {
        for file in rulebook_files(place)? {
            let name = file.display();
            let text = std::fs::read_to_string(&file)
                .map_err(|e| Trouble::Setup(format!("{name}: {e}")))?;
            let id = file
                .file_stem()
                .and_then(|s| s.to_str())
                .unwrap_or_default()
                .to_ascii_lowercase();
            shelf
                .add_text(&id, &text)
                .map_err(|e| Trouble::Setup(format!("{name}: {e}")))?;
        }
    }
    Ok(shelf)
}

fn rulebook_files(place: &Path) -> Result<Vec<std::path::PathBuf>, Trouble> {
    if !place.is_dir() {
        return Ok(vec![place.to_owned()]);
    }
    let entries = std::fs::read_dir(place)
        .map_err(|e| Trouble::Setup(format!("{}: {e}", place.display())))?;
    let mut files: Vec<_> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "ron"))
        .collect();
    files.sort();
    Ok(files)
}

/// Texts, name and address of the referee. The key is filled in when the state is open.
///
/// # Errors
/// A template or an address that cannot be used.
pub fn office(config: &Config, key: [u8; 32]) -> Result<Office, Trouble> {
    let setup = |e: AddrError| Trouble::Setup(format!("referee.address: {e}"));
    let address = Addr::parse(&config.referee.address).map_err(setup)?;
    let templates =
        Templates::with(&overrides(config)?).map_err(|e| Trouble::Setup(e.to_string()))?;
    let instance = Instance::parse(address.host())
        .map_err(|e| Trouble::Setup(format!("referee.address: {e}")))?;
    Ok(Office {
        templates,
        name: Alias::parse(&config.referee.name)
            .map_err(|e| Trouble::Setup(format!("referee.name: {e}")))?,
        address,
        plus: config.identity.plus_addressing,
        instance,
        key,
    })
}

/// The Keeper's own texts: `en/x.txt` is the template `x`, `help/x.txt` is `help/x`, `rules/x.txt` are the rules of the game `x`.
fn overrides(config: &Config) -> Result<std::collections::BTreeMap<String, String>, Trouble> {
    let mut found = std::collections::BTreeMap::new();
    let Some(dir) = &config.templates else {
        return Ok(found);
    };
    let folders = [
        (config.language.as_str(), ""),
        ("help", "help/"),
        ("rules", "rules/"),
    ];
    for (folder, prefix) in folders {
        let Ok(entries) = std::fs::read_dir(dir.join(folder)) else {
            continue;
        };
        for path in entries.filter_map(|e| Some(e.ok()?.path())) {
            let Some(stem) = path
                .file_name()
                .and_then(|n| n.to_str())
                .and_then(|n| n.strip_suffix(".txt"))
            else {
                continue;
            };
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Trouble::Setup(format!("{}: {e}", path.display())))?;
            found.insert(format!("{prefix}{stem}"), text);
        }
    }
    Ok(found)
}

pub(super) fn open_store(config: &Config, opening: Opening) -> Result<(Arc<Desk>, Store), Trouble> {
    let desk = Arc::new(Desk::new(house(config, server_key(&config.state)?)));
    let store = Store::open_as(&config.state, the_fold(&desk), opening)?;
    Ok((desk, store))
}

/// What the Keeper settled for the referee, with that key.
pub fn house(config: &Config, key: [u8; 32]) -> House {
    House {
        key,
        strict: config.identity.strict,
        days: config.clocks.days,
        allowance: Allowance {
            orders: size(config.limits.orders),
            new_games: size(config.limits.new_games_per_day),
            invitations: size(config.limits.invitations_per_day),
        },
    }
}

/// A configured number as a count.
pub(super) fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The fold of the referee's events.
pub fn the_fold(desk: &Arc<Desk>) -> Fold {
    let desk = Arc::clone(desk);
    Arc::new(move |payload, index| fold(&desk, payload, index))
}

/// Makes the index again from the journal.
///
/// # Errors
/// A state that cannot be opened, or a damaged journal.
pub fn rebuild(config: &Config) -> Result<Store, Trouble> {
    let desk = Arc::new(Desk::new(house(config, server_key(&config.state)?)));
    Ok(Store::rebuild(&config.state, the_fold(&desk))?)
}

/// The server key, where there is one already.
///
/// # Errors
/// A file that cannot be read.
pub fn kept_key(state: &Path) -> Result<Option<[u8; 32]>, Trouble> {
    use std::io::{ErrorKind, Read as _};
    let path = state.join("keys").join("server");
    let trouble = |e: std::io::Error| Trouble::Setup(format!("{}: {e}", path.display()));
    let mut key = [0; 32];
    match std::fs::File::open(&path) {
        Ok(mut file) => file.read_exact(&mut key).map_err(trouble)?,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(trouble(e)),
    }
    Ok(Some(key))
}

/// The server key: 32 bytes of `keys/server`, made at the first start, readable by nobody else.
fn server_key(state: &Path) -> Result<[u8; 32], Trouble> {
    use std::io::{ErrorKind, Write as _};
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    let dir = state.join("keys");
    let path = dir.join("server");
    let trouble = |e: std::io::Error| Trouble::Setup(format!("{}: {e}", path.display()));
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&dir)
        .map_err(trouble)?;
    for _ in 0..2 {
        if let Some(key) = kept_key(state)? {
            return Ok(key);
        }
        // whole or not at all: another process may make it at the same moment
        let fresh = entropy::fresh().map_err(Trouble::Chance)?;
        let part = dir.join(format!("server.{}", std::process::id()));
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&part)
            .map_err(trouble)?;
        file.write_all(&fresh).map_err(trouble)?;
        file.sync_all().map_err(trouble)?;
        match std::fs::hard_link(&part, &path) {
            Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(trouble(e)),
            _ => {}
        }
        std::fs::remove_file(&part).map_err(trouble)?;
        std::fs::File::open(&dir)
            .and_then(|d| d.sync_all())
            .map_err(trouble)?;
    }
    Err(Trouble::Setup(format!("{} vanished", path.display())))
}
