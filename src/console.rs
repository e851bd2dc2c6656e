//! The owner's console: what an agent can see of the vault, beside what the owner can. A view and its parameters
//! -> a piece of HTML that the page in the browser swaps in.
//!
//! Invariants: it changes nothing; what it says an agent gets comes from a [`Service`] of the public profile and
//! from nothing else, asked anew for every page; text of notes becomes HTML in [`html`] alone. It knows nothing
//! of sockets, tokens or browsers. Since it shows private names, whoever serves it must know who asks.

mod browse;
mod calls;
mod html;
mod links;
mod note;
mod overview;
mod privacy;
mod search;

use std::sync::Mutex;

pub use calls::Recorded;
use html::{Html, html};

use crate::ops::{Caller, IsWanted, OpError, Service, Silent};

/// A file of the page that the browser loads, the same for everybody.
pub struct Asset {
    /// Where the browser finds it.
    pub path: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// What it holds.
    pub text: &'static str,
}

/// The page without anything of the vault in it.
pub static SHELL: [Asset; 4] = [
    Asset {
        path: "/",
        content_type: "text/html; charset=utf-8",
        text: include_str!("console/assets/index.html"),
    },
    Asset {
        path: "/console.js",
        content_type: "text/javascript; charset=utf-8",
        text: include_str!("console/assets/console.js"),
    },
    Asset {
        path: "/console.css",
        content_type: "text/css; charset=utf-8",
        text: include_str!("console/assets/console.css"),
    },
    Asset { path: "/icon.svg", content_type: "image/svg+xml", text: include_str!("console/assets/icon.svg") },
];

/// Where the time of a search went: one stage.
pub struct Stage {
    /// What was done.
    pub name: &'static str,
    /// In all; stages inside others count in both.
    pub milliseconds: f64,
    /// What it came out with, if it counts something.
    pub count: Option<u64>,
}

/// The line of the configuration file on which a rule stands, as the file is now: key, rule.
pub type RuleLines = Box<dyn Fn(&str, &str) -> Option<usize> + Send + Sync>;
/// The last answers of servers, at most so many.
pub type Ledger = Box<dyn Fn(usize) -> Recorded + Send + Sync>;
/// The stages since it was asked last.
pub type Stages = Box<dyn Fn() -> Vec<Stage> + Send + Sync>;

/// What the console shows, and from where.
pub struct Console {
    /// Of the public profile: what an agent gets.
    pub public: Service,
    /// Of the full profile: what the owner gets.
    pub full: Service,
    /// For people.
    pub vault_name: String,
    /// Where rules stand.
    pub rule_lines: RuleLines,
    /// What was served to whom.
    pub recorded: Ledger,
    /// Where the time goes.
    pub stages: Stages,
    /// One search at a time: the stages of two would be told together.
    pub searching: Mutex<()>,
}

/// A piece of HTML, or why there is none.
type Page = Result<Html, OpError>;

impl Console {
    /// The page of a view; none if there is no such view. An operation that fails is told on the page.
    pub fn page(&self, view: &str, parameters: &[(String, String)], is_wanted: IsWanted) -> Option<String> {
        let asked = Asked { parameters, caller: Caller::new(is_wanted, &Silent) };
        let page = match view {
            "overview" => Ok(overview::page(self, &asked)),
            "rules" => privacy::rules(self),
            "search" => search::page(self, &asked),
            "vault" => browse::page(self),
            "folder" => browse::folder(self, &asked),
            "note" => note::page(self, &asked),
            "calls" => calls::page(self),
            _ => return None,
        };
        Some(page.unwrap_or_else(|error| failure(&error)).into_string())
    }

    fn line_of(&self, key: &str, rule: &str) -> Option<usize> {
        (self.rule_lines)(key, rule)
    }
}

/// A page as asked for.
struct Asked<'a> {
    parameters: &'a [(String, String)],
    caller: Caller<'a>,
}

impl Asked<'_> {
    /// The text of a parameter, empty if it was not given.
    fn text(&self, name: &str) -> &str {
        self.parameters.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value.as_str())
    }
}

/// What is wrong and what to do, as a page of its own.
pub fn problem(what: &str, fix: &str) -> String {
    told(what, fix).into_string()
}

fn told(what: &str, fix: &str) -> Html {
    html(
        r#"<section class="problem" role="alert" data-said="{}"><h1 tabindex="-1">{}</h1><p>{}</p></section>"#,
        &[&what, &what, &fix],
    )
}

/// The owner is told all there is to tell, an outage above all: it must not look like "nothing found".
fn failure(error: &OpError) -> Html {
    let fix = match error {
        OpError::Unavailable { log, .. } => log.as_str(),
        OpError::NotFound => "There is no such note, or nobody may read it; look at the vault again.",
        _ => "",
    };
    told(&error.to_string(), fix)
}
