//! Tokens for clients that reach the server over a network: made once, shown once, kept as hashes in a
//! file beside the configuration. Read again whenever the file changed, so that a revoked token is void
//! from the next request on.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::disk::{self, Existing, Stamp};
use super::{ConfigError, Environment, trust};
use crate::vault::Profile;

const FILE_NAME: &str = "tokens.toml";
/// Tells a token of ours from other secrets, for people and for secret scanners.
const PREFIX: &str = "obsearch_";
/// 256 bits.
const SECRET_BYTES: usize = 32;
/// A token from the environment must not be guessable either.
const MIN_TOKEN_CHARS: usize = 32;
const READABLE_BY_OTHERS: u32 = 0o077;

/// A token as its owner knows it; its text is nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenEntry {
    /// Given by the owner.
    pub name: String,
    /// `public` or `full`.
    pub profile: TokenProfile,
    /// RFC 3339.
    pub created: String,
    /// BLAKE3 of the token, in hex: the token is random, so no slow hash is needed.
    #[serde(rename = "blake3")]
    hash: String,
}

/// What a client with this token may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenProfile {
    /// Public notes.
    Public,
    /// Every note.
    Full,
}

impl From<TokenProfile> for Profile {
    fn from(profile: TokenProfile) -> Profile {
        match profile {
            TokenProfile::Public => Profile::Public,
            TokenProfile::Full => Profile::Full,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TokenFile {
    token: Vec<TokenEntry>,
}

/// The tokens of this user.
pub struct TokenBook {
    path: PathBuf,
    user_id: u32,
    /// From the environment; for the public profile.
    extra: Option<[u8; 32]>,
    known: Mutex<Option<(Stamp, Vec<TokenEntry>)>>,
}

impl TokenBook {
    /// The book of this user, which need not exist.
    pub fn open(environment: &Environment) -> Result<TokenBook, ConfigError> {
        let folder = environment.config_file().and_then(|file| file.parent().map(Path::to_owned));
        let path = folder.ok_or(ConfigError::NoHome)?.join(FILE_NAME);
        let extra = environment.token.as_ref().map(|token| token.hash_if_strong(&path)).transpose()?;
        let book = TokenBook { path, user_id: environment.user_id, extra, known: Mutex::new(None) };
        book.list()?;
        Ok(book)
    }

    /// The tokens of the file.
    pub fn list(&self) -> Result<Vec<TokenEntry>, ConfigError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let current = disk::stamp(&self.path).ok().flatten();
        if let Some((stamp, entries)) = known.as_ref()
            && Some(*stamp) == current
            && stamp.is_settled(SystemTime::now())
        {
            return Ok(entries.clone());
        }
        *known = None;
        let Some(file) = trust::read_file(&self.path, self.user_id)? else { return Ok(Vec::new()) };
        if file.access.mode & READABLE_BY_OTHERS != 0 {
            let fix = format!("Run `chmod 600 {}`.", super::shell_quoted(&self.path.to_string_lossy()));
            return Err(self.refused("can be read by other users", fix));
        }
        let text = String::from_utf8_lossy(&file.bytes);
        let parsed: TokenFile = toml::from_str(&text).map_err(|_| {
            self.refused(
                "is not a list of tokens",
                "Remove it and make new ones: `obsearch token new NAME`.".to_owned(),
            )
        })?;
        *known = Some((file.stamp, parsed.token.clone()));
        Ok(parsed.token)
    }

    /// Is there any token that a client could have?
    pub fn has_tokens(&self) -> Result<bool, ConfigError> {
        Ok(self.extra.is_some() || !self.list()?.is_empty())
    }

    /// The profile of a token. A book that cannot be read knows none.
    pub fn profile_of(&self, token: &str) -> Option<Profile> {
        let hash = *blake3::hash(token.as_bytes()).as_bytes();
        let entries = self.list().unwrap_or_default();
        let known = entries.iter().filter_map(|entry| Some((decoded(&entry.hash)?, entry.profile)));
        let extra = self.extra.map(|hash| (hash, TokenProfile::Public));
        // Every token is compared, whichever it is, so that the time tells nothing.
        let mut found = 0_u8;
        for (candidate, profile) in known.chain(extra) {
            let number = match profile {
                TokenProfile::Public => 1,
                TokenProfile::Full => 2,
            };
            let is_equal: Choice = candidate.ct_eq(&hash);
            found = u8::conditional_select(&found, &number, is_equal);
        }
        match found {
            1 => Some(Profile::Public),
            2 => Some(Profile::Full),
            _ => None,
        }
    }

    /// Makes a token and returns its text, which is kept nowhere.
    pub fn add(&self, name: &str, profile: TokenProfile) -> Result<String, ConfigError> {
        let mut tokens = self.list()?;
        if tokens.iter().any(|entry| entry.name == name) {
            let fix = format!(
                "Choose another name, or revoke it: `obsearch token revoke {}`.",
                super::shell_quoted(name)
            );
            return Err(self.refused(&format!("has a token of the name `{name}` already"), fix));
        }
        let token = fresh_token().map_err(|error| self.not_written(&error))?;
        let created = humantime::format_rfc3339_seconds(SystemTime::now().max(UNIX_EPOCH)).to_string();
        let hash = encoded(blake3::hash(token.as_bytes()).as_bytes());
        tokens.push(TokenEntry { name: name.to_owned(), profile, created, hash });
        self.write(tokens)?;
        Ok(token)
    }

    /// Makes a token void; tells whether there was one of this name.
    pub fn revoke(&self, name: &str) -> Result<bool, ConfigError> {
        let mut tokens = self.list()?;
        let before = tokens.len();
        tokens.retain(|entry| entry.name != name);
        let is_known = tokens.len() < before;
        if is_known {
            self.write(tokens)?;
        }
        Ok(is_known)
    }

    fn write(&self, token: Vec<TokenEntry>) -> Result<(), ConfigError> {
        let text = toml::to_string(&TokenFile { token }).unwrap_or_default();
        let text =
            format!("# Tokens of obsearch, as hashes: `obsearch token` makes and revokes them.\n\n{text}");
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        disk::create_private_folder(folder)
            .and_then(|()| disk::write_private_file(&self.path, &text, Existing::Replace))
            .map_err(|error| self.not_written(&error))
    }

    fn not_written(&self, error: &io::Error) -> ConfigError {
        self.refused(
            &format!("cannot be written ({error})"),
            "Check the permissions of its folder.".to_owned(),
        )
    }

    fn refused(&self, problem: &str, fix: String) -> ConfigError {
        ConfigError::File { file: self.path.clone(), problem: problem.to_owned(), fix }
    }
}

/// The text of a token that nobody knows yet.
pub fn fresh_token() -> io::Result<String> {
    disk::random::<SECRET_BYTES>().map(|bytes| format!("{PREFIX}{}", encoded(&bytes)))
}

/// A token from the environment. It cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub(super) fn new(text: String) -> Secret {
        Secret(text)
    }

    /// Its text, to be sent to a server.
    pub fn expose(&self) -> &str {
        &self.0
    }

    fn hash_if_strong(&self, book: &Path) -> Result<[u8; 32], ConfigError> {
        if self.0.chars().count() < MIN_TOKEN_CHARS {
            return Err(ConfigError::File {
                file: book.to_owned(),
                problem: format!(
                    "is not asked: OBSEARCH_TOKEN has fewer than {MIN_TOKEN_CHARS} characters and could be guessed"
                ),
                fix: "Take one that `obsearch token new NAME` makes.".to_owned(),
            });
        }
        Ok(*blake3::hash(self.0.as_bytes()).as_bytes())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

fn encoded(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn decoded(hex: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at the file")]
mod tests {
    use super::*;

    fn environment(home: &Path, token: Option<&str>) -> Environment {
        Environment {
            home: Some(home.to_owned()),
            token: token.map(|token| Secret::new(token.to_owned())),
            user_id: rustix::process::getuid().as_raw(),
            ..Environment::default()
        }
    }

    #[test]
    fn tokens_are_made_known_and_revoked() {
        let home = tempfile::tempdir().unwrap();
        let book = TokenBook::open(&environment(home.path(), None)).unwrap();
        assert!(!book.has_tokens().unwrap());
        let agent = book.add("agent", TokenProfile::Public).unwrap();
        let own = book.add("own", TokenProfile::Full).unwrap();
        assert!(agent.starts_with(PREFIX) && agent.len() == PREFIX.len() + 64 && agent != own);
        assert_eq!(book.profile_of(&agent), Some(Profile::Public));
        assert_eq!(book.profile_of(&own), Some(Profile::Full));
        for wrong in ["", "obsearch_", &agent[..agent.len() - 1], &format!("{agent} "), &agent.to_uppercase()]
        {
            assert_eq!(book.profile_of(wrong), None, "{wrong}");
        }
        assert!(book.add("agent", TokenProfile::Full).is_err());
        let file = std::fs::read_to_string(home.path().join(".config/obsearch/tokens.toml")).unwrap();
        assert!(!file.contains(&agent[PREFIX.len()..]) && !file.contains(&own[PREFIX.len()..]));
        assert_eq!((book.revoke("agent").unwrap(), book.revoke("agent").unwrap()), (true, false));
        assert_eq!((book.profile_of(&agent), book.profile_of(&own)), (None, Some(Profile::Full)));
    }

    #[test]
    fn a_token_of_the_environment_is_public_and_must_be_long() {
        let home = tempfile::tempdir().unwrap();
        let long = "x".repeat(MIN_TOKEN_CHARS);
        let book = TokenBook::open(&environment(home.path(), Some(&long))).unwrap();
        assert!(book.has_tokens().unwrap());
        assert_eq!(book.profile_of(&long), Some(Profile::Public));
        assert!(TokenBook::open(&environment(home.path(), Some("short"))).is_err());
        assert_eq!(format!("{:?}", Secret::new(long)), "Secret");
    }

    #[test]
    fn a_book_that_others_could_read_or_write_knows_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let book = TokenBook::open(&environment(home.path(), None)).unwrap();
        let token = book.add("a", TokenProfile::Full).unwrap();
        let path = home.path().join(".config/obsearch/tokens.toml");
        for mode in [0o644, 0o620, 0o666] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert!(book.list().is_err() && book.profile_of(&token).is_none(), "{mode:o}");
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(book.profile_of(&token), Some(Profile::Full));
    }
}
