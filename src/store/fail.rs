//! Named crash points: no effect unless a test installs a hook on its own thread.
//!
//! The names are those of the reliability page: C5 before the journal, C6 half a record, C7 written but not synced,
//! C8 synced but not in the index, C9 and C10 around the index, C11 before the source is told, C13 `sending` is
//! durable, C16 sent but not yet noted, C17 in a rebuild.

use std::cell::RefCell;
use std::io;

/// What a hook panics with to be a crash: nothing between it and the test may catch it.
pub struct Crash;

type Hook = Box<dyn FnMut(&str) -> io::Result<()>>;

thread_local! {
    static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
}

/// Installs a hook for this thread; it may panic (a crash) or return an error (a bad disk).
pub fn install(hook: impl FnMut(&str) -> io::Result<()> + 'static) {
    HOOK.with(|h| *h.borrow_mut() = Some(Box::new(hook)));
}

/// Removes the hook of this thread.
pub fn clear() {
    HOOK.with(|h| *h.borrow_mut() = None);
}

/// Is a hook installed on this thread?
pub fn armed() -> bool {
    HOOK.with(|h| h.borrow().is_some())
}

/// The crash point `name` is reached. A hook that panics here is gone afterwards.
pub fn point(name: &str) -> io::Result<()> {
    let Some(mut hook) = HOOK.with(|h| h.borrow_mut().take()) else {
        return Ok(());
    };
    let answer = hook(name);
    HOOK.with(|h| {
        let mut h = h.borrow_mut();
        if h.is_none() {
            *h = Some(hook);
        }
    });
    answer
}
