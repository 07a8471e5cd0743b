//! Greetings and farewells: lines that nobody needs to be told are no commands.

/// Words of greetings and farewells; a line made of one of these and at most [`COURTESY_NAMES_MAX`] others is courtesy.
const COURTESY: [&str; 40] = [
    "hi",
    "hello",
    "hey",
    "hallo",
    "dear",
    "moin",
    "servus",
    "ciao",
    "hola",
    "salut",
    "bonjour",
    "good morning",
    "good afternoon",
    "good evening",
    "good day",
    "greetings",
    "guten tag",
    "guten morgen",
    "guten abend",
    "cheers",
    "thanks",
    "thank you",
    "many thanks",
    "thx",
    "regards",
    "best",
    "best regards",
    "kind regards",
    "warm regards",
    "best wishes",
    "all the best",
    "yours",
    "sincerely",
    "yours sincerely",
    "bye",
    "see you",
    "take care",
    "gruss",
    "viele gruesse",
    "lg",
];
/// `Hello Bob Smith`; more words say something.
pub(super) const COURTESY_NAMES_MAX: usize = 2;

/// A greeting or a farewell: `Hi,`, `Hello Bob`, `Best regards`. Nobody needs to be told that it is no command.
pub(super) fn is_courtesy(line: &str) -> bool {
    if line.contains('?') {
        return false;
    }
    let line = line
        .trim()
        .trim_end_matches([',', '.', '!', ' '])
        .to_lowercase();
    COURTESY.iter().any(|words| {
        line.strip_prefix(words).is_some_and(|rest| {
            (rest.is_empty() || rest.starts_with([' ', ',']))
                && rest.split_whitespace().count() <= COURTESY_NAMES_MAX
        })
    })
}
