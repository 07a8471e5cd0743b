//! Passwords and keys that cannot be printed by mistake (security.md 6).

use std::fmt;

use zeroize::Zeroize;

/// A value that no log, error or debug print shows and that is wiped from memory when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Hides a value.
    pub fn new(value: T) -> Secret<T> {
        Secret(value)
    }

    /// The value, at the one place that needs it.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Asked for the password at every login, so that a changed file or a fresh token is seen without a restart.
pub type PasswordSource = Box<dyn FnMut() -> Result<Secret<String>, String> + Send>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed() {
        let secret = Secret::new(String::from("sesame"));
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "*** Some(***)");
        assert_eq!(secret.reveal(), "sesame");
    }
}
