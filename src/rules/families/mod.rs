//! The list of families. What data cannot say is a family: one file, one trait, one line here.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::kit::Kit;
use super::play::Play;
use super::rulebook::SpecError;
use super::table::{Rules, compile};

macro_rules! families {
    ($($(#[$doc:meta])* $name:ident => $ty:ty),* $(,)?) => {
        /// Family of rules with its settings, as the rulebook file names it.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum Family {
            $($(#[$doc])* $name(<$ty as Play>::Spec)),*
        }
        impl Family {
            /// Compiles the rules for a kit.
            ///
            /// # Errors
            /// A spec that makes no sense.
            pub fn compile(&self, kit: Kit) -> Result<Arc<dyn Rules>, SpecError> {
                match self { $(Family::$name(spec) => compile::<$ty>(spec, kit)),* }
            }
        }
    };
}

pub mod chaturaji;
pub mod chess;
pub mod chieftain;
pub mod hydra;
pub mod maces;

families! {
    /// Plain games of two sides and one step a turn.
    Chess => chess::Chess,
    /// Maces, Horse-apults, Tulpas, Shields.
    Maces => maces::Maces,
    /// Chieftain Chess, Superchief, Overlord.
    Chieftain => chieftain::Chieftain,
    /// Hydra-Vari Chess, loop and no loop.
    Hydra => hydra::Hydra,
    /// Martian Chaturaji.
    Chaturaji => chaturaji::Chaturaji,
}
