//! Fetches a model from a hub that lays its files out as Hugging Face does:
//! `BASE/OWNER/MODEL/resolve/REVISION/FILE`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::{Response, header};
use ureq::{Agent, Body};

use super::{SUMS, UNFINISHED, hex, sha256};
use crate::embed::{GRAPHS, SETTINGS, TOKENIZER};

/// What to fetch.
#[derive(Debug, Clone)]
pub struct Pull {
    /// `owner/model`.
    pub name: String,
    /// Such as `https://huggingface.co`.
    pub base_url: String,
    /// A branch, tag or commit.
    pub revision: String,
    /// The graph, if not the first there is of the usual ones.
    pub graph: Option<String>,
}

/// Is told how it goes on.
pub trait Pulling {
    /// A file begins, of so many bytes (0: nobody knows) of which so many are there already.
    fn begin(&self, file: &str, bytes: u64, there: u64);
    /// So many more are there.
    fn advance(&self, bytes: u64);
    /// The file is there.
    fn end(&self);
}

/// Why a model was not fetched. What came so far stays and is gone on from.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// Not of the form `owner/model`.
    #[error("the name of a model is written as owner/model, not `{0}`")]
    Name(String),
    /// The hub cannot be reached.
    #[error("the hub {base_url} cannot be reached")]
    Offline {
        /// As given.
        base_url: String,
    },
    /// The hub has no such model, or no graph or tokenizer of it.
    #[error("the hub {base_url} has no {file} of {name}")]
    Missing {
        /// As given.
        base_url: String,
        /// The model.
        name: String,
        /// What was looked for.
        file: String,
    },
    /// The hub answered otherwise.
    #[error("the hub {base_url} answered with status {status}")]
    Refused {
        /// As given.
        base_url: String,
        /// Of HTTP.
        status: u16,
    },
    /// The connection broke.
    #[error("the connection broke in the middle of {0}")]
    Broken(String),
    /// A file came that is not the one that was announced.
    #[error("the file {0} is not what its sender says it is; it was removed")]
    Checksum(String),
    /// The disk.
    #[error(transparent)]
    Io(#[from] io::Error),
}

const MOST_REDIRECTS: usize = 5;
/// The hub's own checksum of large files.
const LINKED_ETAG: &str = "x-linked-etag";

/// Fetches a model into a folder of its name below `models`, which is returned.
pub fn pull(models: &Path, what: &Pull, progress: &dyn Pulling) -> Result<PathBuf, PullError> {
    if !is_name(&what.name) || what.graph.as_deref().is_some_and(|graph| !is_inside(graph)) {
        return Err(PullError::Name(what.graph.clone().unwrap_or_else(|| what.name.clone())));
    }
    let file_name = what.name.replace('/', "--");
    let (finished, folder) = (models.join(&file_name), models.join(format!("{file_name}{UNFINISHED}")));
    fs::create_dir_all(&folder)?;
    let hub = Hub::new(what);
    let mut names = vec![hub.fetch_graph(&folder, progress)?];
    if !hub.fetch(TOKENIZER, &folder, progress)? {
        return Err(hub.missing(TOKENIZER));
    }
    names.push(TOKENIZER.to_owned());
    for name in SETTINGS {
        if hub.fetch(name, &folder, progress)? {
            names.push(name.to_owned());
        }
    }
    let sums = names.iter().map(|name| Ok(format!("{}  {name}\n", sha256(&folder.join(name))?)));
    fs::write(folder.join(SUMS), sums.collect::<io::Result<String>>()?)?;
    if finished.exists() {
        fs::remove_dir_all(&finished)?;
    }
    fs::rename(&folder, &finished)?;
    Ok(finished)
}

/// A file below the model's folder.
pub(super) fn is_inside(name: &str) -> bool {
    let is_plain = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
    !name.is_empty() && Path::new(name).components().all(is_plain)
}

/// `owner/model` of letters, digits, `-`, `_` and `.`, neither part hidden.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.contains("--")
            && !part.ends_with(UNFINISHED)
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    name.split_once('/').is_some_and(|(owner, model)| is_part(owner) && is_part(model))
}

struct Hub<'a> {
    agent: Agent,
    what: &'a Pull,
}

/// What the hub says of a file before its bytes.
struct Announced {
    response: Response<Body>,
    /// SHA-256 in hexadecimal digits, if the hub knows it.
    checksum: Option<String>,
}

impl<'a> Hub<'a> {
    fn new(what: &'a Pull) -> Self {
        let config = Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(15)))
            .timeout_recv_response(Some(Duration::from_secs(30)))
            .timeout_per_read(Some(Duration::from_mins(1)))
            .user_agent(concat!("obsearch/", env!("CARGO_PKG_VERSION")))
            .build();
        Hub { agent: config.into(), what }
    }

    fn missing(&self, file: &str) -> PullError {
        let Pull { base_url, name, .. } = self.what;
        PullError::Missing { base_url: base_url.clone(), name: name.clone(), file: file.to_owned() }
    }

    /// Fetches the graph and gives its name.
    fn fetch_graph(&self, folder: &Path, progress: &dyn Pulling) -> Result<String, PullError> {
        let usual = GRAPHS.map(str::to_owned).to_vec();
        let wanted = self.what.graph.as_ref().map_or(usual, |graph| vec![graph.clone()]);
        for name in wanted {
            if self.fetch(&name, folder, progress)? {
                return Ok(name);
            }
        }
        Err(self.missing(self.what.graph.as_deref().unwrap_or("ONNX graph")))
    }

    /// Fetches a file, or the rest of it. Tells whether there is such a file.
    fn fetch(&self, name: &str, folder: &Path, progress: &dyn Pulling) -> Result<bool, PullError> {
        let target = folder.join(name);
        if target.is_file() {
            return Ok(true);
        }
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        let part = folder.join(format!("{name}{UNFINISHED}"));
        let there = fs::metadata(&part).map_or(0, |metadata| metadata.len());
        let Announced { response, checksum } = self.ask(name, there)?;
        let status = response.status().as_u16();
        // What goes on elsewhere than asked, or is said to be whole and is not, is begun anew by the next pull.
        let is_other_part = match status {
            206 => range_of(&response).is_none_or(|(start, _)| start != there),
            416 => there > 0 && range_of(&response).is_none_or(|(_, length)| length != there),
            _ => false,
        };
        if is_other_part {
            fs::remove_file(&part)?;
            return Err(PullError::Broken(name.to_owned()));
        }
        match status {
            404 => return Ok(false),
            200 | 206 => receive(name, response, &part, there, progress)?,
            // Everything was there.
            416 if there > 0 => {}
            _ => return Err(PullError::Refused { base_url: self.what.base_url.clone(), status }),
        }
        if checksum.is_some_and(|expected| sha256(&part).is_ok_and(|found| found != expected)) {
            fs::remove_file(&part)?;
            return Err(PullError::Checksum(name.to_owned()));
        }
        fs::rename(&part, &target)?;
        Ok(true)
    }

    /// Asks for a file from this byte on, wherever the hub sends the request.
    fn ask(&self, name: &str, from: u64) -> Result<Announced, PullError> {
        let Pull { base_url, name: model, revision, .. } = self.what;
        let base_url = base_url.trim_end_matches('/');
        let mut url = format!("{base_url}/{model}/resolve/{revision}/{name}");
        let mut checksum = None;
        for _ in 0..=MOST_REDIRECTS {
            let mut request = self.agent.get(&url);
            if from > 0 {
                request = request.header("range", format!("bytes={from}-"));
            }
            let offline = |_| PullError::Offline { base_url: base_url.to_owned() };
            let response = request.call().map_err(offline)?;
            let stated = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            checksum = checksum.or_else(|| stated(LINKED_ETAG).and_then(as_sha256));
            match stated("location").filter(|_| response.status().is_redirection()) {
                Some(next) if next.starts_with("https://") || is_same_origin(next, base_url) => {
                    next.clone_into(&mut url);
                }
                Some(next) if next.starts_with('/') => url = format!("{}{next}", origin(base_url)),
                _ => return Ok(Announced { response, checksum }),
            }
        }
        Err(PullError::Refused { base_url: base_url.to_owned(), status: 310 })
    }
}

/// Writes what comes to the end of what is there, or over it if the hub begins anew.
fn receive(
    name: &str,
    response: Response<Body>,
    part: &Path,
    there: u64,
    progress: &dyn Pulling,
) -> Result<(), PullError> {
    let goes_on = response.status().as_u16() == 206;
    let there = if goes_on { there } else { 0 };
    let length = response.headers().get(header::CONTENT_LENGTH);
    let coming: Option<u64> = length.and_then(|value| value.to_str().ok()?.parse().ok());
    progress.begin(name, coming.map_or(0, |coming| there + coming), there);
    let mut file = if goes_on { OpenOptions::new().append(true).open(part)? } else { File::create(part)? };
    let mut reader = response.into_body().into_reader();
    let mut buffer = vec![0; 1 << 16];
    let mut received = 0;
    loop {
        let read = reader.read(&mut buffer).map_err(|_| PullError::Broken(name.to_owned()))?;
        if read == 0 {
            break;
        }
        file.write_all(&buffer[..read])?;
        received += read as u64;
        progress.advance(read as u64);
    }
    // Without a length an answer that was cut off looks whole.
    if coming.is_none_or(|coming| coming != received) {
        return Err(PullError::Broken(name.to_owned()));
    }
    file.sync_all()?;
    progress.end();
    Ok(())
}

/// Where a part begins and how long the whole is: `bytes 100-199/200`, `bytes */200`.
fn range_of(response: &Response<Body>) -> Option<(u64, u64)> {
    let range = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (part, length) = range.strip_prefix("bytes ")?.split_once('/')?;
    let start = part.split('-').next()?.parse().unwrap_or_default();
    Some((start, length.parse().ok()?))
}

/// Scheme, host and port alike, and nothing before the host.
fn is_same_origin(one: &str, other: &str) -> bool {
    let parse = |url: &str| url.parse::<ureq::http::Uri>().ok();
    let (Some(one), Some(other)) = (parse(one), parse(other)) else { return false };
    one.scheme() == other.scheme() && one.authority().is_some() && one.authority() == other.authority()
}

/// A checksum in quotes, if it is a SHA-256 and not one of another kind.
fn as_sha256(etag: &str) -> Option<String> {
    let digits = etag.trim_start_matches("W/").trim_matches('"').to_lowercase();
    let is_hex = digits.len() == hex(&[0; 32]).len() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then_some(digits)
}

/// `https://host/path` -> `https://host`.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    url[host..].find('/').map_or(url, |end| &url[..host + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_two_plain_parts() {
        for (name, expected) in [
            ("intfloat/multilingual-e5-base", true),
            ("BAAI/bge-small-en-v1.5", true),
            ("model", false),
            ("../model", false),
            ("a/..", false),
            ("a/b/c", false),
            ("a/b c", false),
            ("/a", false),
            ("a/", false),
        ] {
            assert_eq!(is_name(name), expected, "{name}");
        }
    }

    #[test]
    fn only_a_sha256_is_a_checksum() {
        let digits = "ab".repeat(32);
        for (etag, expected) in [
            (format!("\"{digits}\""), true),
            (format!("W/\"{}\"", digits.to_uppercase()), true),
            (format!("\"{}\"", "ab".repeat(20)), false),
            (format!("\"{}\"", "zz".repeat(32)), false),
            (String::new(), false),
        ] {
            assert_eq!(as_sha256(&etag), expected.then(|| digits.clone()), "{etag}");
        }
    }

    #[test]
    fn an_origin_is_scheme_and_host() {
        for (url, expected) in [("https://a.b/c/d", "https://a.b"), ("http://a:1", "http://a:1")] {
            assert_eq!(origin(url), expected);
        }
    }
}
