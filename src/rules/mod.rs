//! What may be played.
