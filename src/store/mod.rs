//! Journal and index.
