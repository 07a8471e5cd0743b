//! Signed heads: the referee's word that the ledger up to here is this and no other (trust.md 5; Ed25519, RFC 8032).

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use super::line::{Hash, hex, is_gid, line_mac, number, unhash};

/// The referee's signing key; wiped from memory when dropped.
pub struct HeadKey(SigningKey);

impl std::fmt::Debug for HeadKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl HeadKey {
    /// From its 32 secret bytes.
    pub fn new(secret: &[u8; 32]) -> HeadKey {
        HeadKey(SigningKey::from_bytes(secret))
    }
    /// The key of an installation, made of its server key: a thief of the store alone cannot sign.
    pub fn of_server(key: &[u8; 32]) -> HeadKey {
        HeadKey::new(&line_mac(key, "tulpa1/sign"))
    }
    /// The public half.
    pub fn public(&self) -> Hash {
        self.0.verifying_key().to_bytes()
    }
    /// Signs the ledger of `gid` up to entry `seq`.
    pub fn sign(&self, gid: &str, seq: u64, h: &Hash) -> Head {
        let signed = head_line(gid, seq, h);
        Head {
            gid: gid.to_owned(),
            seq,
            h: *h,
            signature: self.0.sign(signed.as_bytes()).to_bytes(),
        }
    }
}

/// What is signed.
pub fn head_line(gid: &str, seq: u64, h: &Hash) -> String {
    format!("tulpa1/head {gid} {seq} {}", hex(h))
}

/// A signed head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// Of which match.
    pub gid: String,
    /// Number of the last entry it covers.
    pub seq: u64,
    /// h of that entry.
    pub h: Hash,
    /// R and S.
    pub signature: [u8; 64],
}

impl Head {
    /// What is random to look at in it: h, R and S.
    pub fn values(&self) -> [Hash; 3] {
        let mut halves = [[0; 32]; 2];
        for (half, bytes) in halves.iter_mut().zip(self.signature.chunks_exact(32)) {
            half.copy_from_slice(bytes);
        }
        [self.h, halves[0], halves[1]]
    }

    /// The line of the ledger: `head <gid> <seq> <h> <R> <S>`.
    pub fn text(&self) -> String {
        format!(
            "head {} {} {} {} {}",
            self.gid,
            self.seq,
            hex(&self.h),
            hex(&self.signature[..32]),
            hex(&self.signature[32..])
        )
    }

    /// Reads [`Head::text`]; nothing else is a head.
    pub fn parse(line: &str) -> Option<Head> {
        let tokens: Vec<&str> = line.split(' ').collect();
        let ["head", gid, seq, h, r, s] = tokens[..] else {
            return None;
        };
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&unhash(r)?);
        signature[32..].copy_from_slice(&unhash(s)?);
        Some(Head {
            gid: is_gid(gid).then(|| gid.to_owned())?,
            seq: number(seq)?,
            h: unhash(h)?,
            signature,
        })
    }

    /// Did this key sign it? Strictly: one signature has one form.
    pub fn is_signed_by(&self, key: &Hash) -> bool {
        let Ok(key) = VerifyingKey::from_bytes(key) else {
            return false;
        };
        let signed = head_line(&self.gid, self.seq, &self.h);
        key.verify_strict(signed.as_bytes(), &Signature::from_bytes(&self.signature))
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_good_for_its_match_entry_and_key_only() {
        let key = HeadKey::new(&[5; 32]);
        let head = key.sign("k7q2m5x4d3", 57, &[9; 32]);
        assert!(head.is_signed_by(&key.public()));
        assert_eq!(Head::parse(&head.text()), Some(head.clone()));
        assert!(!head.is_signed_by(&HeadKey::new(&[6; 32]).public()));
        for change in [
            |h: &mut Head| h.seq += 1,
            |h: &mut Head| h.gid = "k7q2m5x4d2".to_owned(),
            |h: &mut Head| h.h[0] ^= 1,
            |h: &mut Head| h.signature[0] ^= 1,
            |h: &mut Head| h.signature[63] ^= 1,
        ] {
            let mut other = head.clone();
            change(&mut other);
            assert!(!other.is_signed_by(&key.public()));
        }
        assert_eq!(Head::parse(&head.text().to_uppercase()), None);
        assert_eq!(Head::parse(&format!("{} ", head.text())), None);
        assert_eq!(format!("{key:?}"), "***");
    }
}
