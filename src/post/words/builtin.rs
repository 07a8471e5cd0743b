//! The templates that are built in: every file of `templates/en`, `help` and `rules`, listed by the build script.

/// Name and text of each built-in template; help topics begin with `help/`, rules with `rules/`.
pub const BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// Names of the built-in templates, in the order of the list.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}
