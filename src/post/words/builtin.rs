//! The templates that are built in. A new file under `templates/` needs a line here.

macro_rules! list {
    (mails: $($mail:literal)* ; help: $($help:literal)*) => {
        /// Name and text of each built-in template.
        pub const BUILTIN: &[(&str, &str)] = &[
            $(($mail, include_str!(concat!("../../../templates/en/", $mail, ".txt"))),)*
            $((concat!("help/", $help), include_str!(concat!("../../../templates/help/", $help, ".txt"))),)*
        ];
    };
}

list! {
    mails:
        "_board"
        "_footer"
    ;
    help:
        "boards"
        "clock"
        "draw"
        "help"
        "moves"
        "names"
        "notation-maces"
        "pick"
        "start"
        "verify"
}

/// Names of the built-in templates, in the order of the list.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}
