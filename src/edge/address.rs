//! The last look at an address before it reaches a server or a command line.

/// Longest address, RFC 5321 section 4.5.3.1.3 less the angle brackets.
pub const ADDRESS_BYTES_MAX: usize = 254;

/// Whether `text` is a plain address that means the same to every program: dot-atom at host name, ASCII, no leading `-`
/// (security.md 4; quoted local parts and address literals are refused although RFC 5321 knows them).
pub fn is_plain(text: &str) -> bool {
    if text.len() > ADDRESS_BYTES_MAX || text.starts_with('-') {
        return false;
    }
    let Some((user, host)) = text.rsplit_once('@') else {
        return false;
    };
    let atom = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&b);
    let user_ok = user.len() <= 64
        && user
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(atom));
    let label = |part: &str| {
        !part.is_empty()
            && part.len() <= 63
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    user_ok && host.split('.').all(label)
}

/// Whether every line of a mail ends in CRLF and no CR or LF stands alone: such a mail cannot be split into two by
/// servers that disagree about line ends (SMTP smuggling, RUSTSEC-2026-0561).
pub fn has_clean_lines(mail: &[u8]) -> bool {
    let mut before = 0u8;
    for &byte in mail {
        if (byte == b'\n') != (before == b'\r') || byte == 0 {
            return false;
        }
        before = byte;
    }
    before != b'\r'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_addresses_only() {
        for good in ["a@b", "ref+b.7.k3@pbem.test", "o'neill@x-y.example.org"] {
            assert!(is_plain(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            "-oQ/x@example.com",
            "a b@c",
            "\"a\"@b",
            "a@[1.2.3.4]",
            "a@b\r\nc",
            "a..b@c",
            ".a@b",
            "a@-b",
            "a@b@c",
            "ä@b",
            "<a@b>",
            "a@b.",
            "a@b,c@d",
        ] {
            assert!(!is_plain(bad), "{bad}");
        }
    }

    #[test]
    fn lonely_line_ends_are_seen() {
        assert!(has_clean_lines(b"a: b\r\n\r\nhello\r\n"));
        assert!(has_clean_lines(b""));
        for bad in [
            &b"a\n"[..],
            b"a\r",
            b"a\rb\r\n",
            b"\n.\n",
            b"a\r\r\n",
            b"\r\n.\n",
            b"a\0b\r\n",
        ] {
            assert!(!has_clean_lines(bad), "{bad:?}");
        }
    }
}
