//! Operations over notes that do not exist. Their replies pass a real gate, over an empty folder.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::mcp::{Operations, Outcome};
use crate::ops::catalogue::Catalogue;
use crate::ops::guide::{FolderCount, GuideAnswer, GuideNote, GuideRequest, Hub};
use crate::ops::health::{Check, Count, Finding, HealthAnswer, HealthRequest};
use crate::ops::links::{LinkedNote, LinksAnswer, LinksRequest};
use crate::ops::list::{ListAnswer, ListRequest, ListedNote};
use crate::ops::pack::{PackAnswer, PackRequest, Window};
use crate::ops::read::{OutlineEntry, ReadAnswer, ReadRequest};
use crate::ops::read_many::{Found, Numbered, ReadManyAnswer, ReadManyRequest};
use crate::ops::reindex::{ReindexAnswer, ReindexRequest};
use crate::ops::search::{MatchedBy, Mode, Passage, SearchAnswer, SearchRequest};
use crate::ops::similar::{Candidate, Purpose, Reason, SimilarAnswer, SimilarRequest, TagProposal};
use crate::ops::status::{IndexState, StatusAnswer};
use crate::ops::suggest::{SuggestAnswer, SuggestRequest};
use crate::ops::tags::{TagCount, TagsAnswer, TagsRequest};
use crate::ops::verify::{Verdict, Verified, VerifyAnswer, VerifyRequest};
use crate::ops::{Caller, NearNote, OpError};
use crate::reply::Reply;
use crate::vault::{FixedRules, Profile, RuleText, Rules, Vault};

/// The first search word decides what happens: `panic`, `slow`, `outage`, `refuse`, anything else
/// is answered.
pub(super) struct Fake {
    vault: Vault,
    _folder: tempfile::TempDir,
    /// Calls that began.
    pub(super) started: AtomicUsize,
    /// Looks at the catalogue.
    pub(super) looks: AtomicUsize,
    /// Held by a test that wants searches for `wait` to wait.
    pub(super) gate: Mutex<()>,
}

impl Fake {
    pub(super) fn new() -> Arc<Self> {
        let folder = tempfile::tempdir().unwrap();
        let rules = Rules::compile(&RuleText::default()).unwrap();
        let vault = Vault::open(folder.path(), Box::new(FixedRules(Arc::new(rules)))).unwrap();
        Arc::new(Fake {
            vault,
            _folder: folder,
            started: AtomicUsize::new(0),
            looks: AtomicUsize::new(0),
            gate: Mutex::new(()),
        })
    }

    #[expect(clippy::unnecessary_wraps, reason = "every operation answers so")]
    fn reply<T>(&self, value: T) -> Outcome<T> {
        self.started.fetch_add(1, Ordering::SeqCst);
        let released = self
            .vault
            .request(Profile::Public, |session| Reply::new(session.gather::<()>(Vec::new()).map(|_| value)));
        Ok(released.unwrap())
    }
}

impl Operations for Fake {
    fn search(&self, request: &SearchRequest, _: &Caller<'_>) -> Outcome<SearchAnswer> {
        match request.query.as_str() {
            "panic" => panic!("the text of a note"),
            "slow" => std::thread::sleep(Duration::from_secs(1)),
            "wait" => drop(self.gate.lock()),
            "refuse" => return Err(OpError::InvalidArgument("the query has no words")),
            "outage" => {
                let log = "/home/somebody/index.db is broken".to_owned();
                return Err(OpError::Unavailable { client: "the index cannot be read", log });
            }
            _ => {}
        }
        self.reply(search_answer())
    }

    fn pack(&self, _: &PackRequest, _: &Caller<'_>) -> Outcome<PackAnswer> {
        self.reply(pack_answer())
    }

    fn read(&self, request: &ReadRequest, _: &Caller<'_>) -> Outcome<ReadAnswer> {
        if request.name == "missing" { Err(OpError::NotFound) } else { self.reply(read_answer()) }
    }

    fn read_many(&self, _: &ReadManyRequest, _: &Caller<'_>) -> Outcome<ReadManyAnswer> {
        self.reply(read_many_answer())
    }

    fn list(&self, _: &ListRequest, _: &Caller<'_>) -> Outcome<ListAnswer> {
        self.reply(list_answer())
    }

    fn tags(&self, _: &TagsRequest, _: &Caller<'_>) -> Outcome<TagsAnswer> {
        self.reply(tags_answer())
    }

    fn links(&self, _: &LinksRequest, _: &Caller<'_>) -> Outcome<LinksAnswer> {
        self.reply(links_answer())
    }

    fn verify(&self, _: &VerifyRequest, _: &Caller<'_>) -> Outcome<VerifyAnswer> {
        self.reply(verify_answer())
    }

    fn similar(&self, _: &SimilarRequest, _: &Caller<'_>) -> Outcome<SimilarAnswer> {
        self.reply(similar_answer())
    }

    fn health(&self, _: &HealthRequest, _: &Caller<'_>) -> Outcome<HealthAnswer> {
        self.reply(health_answer())
    }

    fn guide(&self, _: &GuideRequest, _: &Caller<'_>) -> Outcome<GuideAnswer> {
        self.reply(guide_answer())
    }

    fn suggest(&self, _: &SuggestRequest, _: &Caller<'_>) -> Outcome<SuggestAnswer> {
        self.reply(SuggestAnswer { paths: vec!["Projects/Boat.md".to_owned()], has_more: false })
    }

    fn catalogue(&self) -> Result<Option<Catalogue>, OpError> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        Ok(None)
    }

    fn status(&self, _: &Caller<'_>) -> Outcome<StatusAnswer> {
        self.reply(status_answer())
    }

    fn reindex(&self, _: &ReindexRequest, _: &Caller<'_>) -> Outcome<ReindexAnswer> {
        self.reply(reindex_answer())
    }
}

pub(super) fn passage(rank: usize, path: &str, heading: &str, text: &str) -> Passage {
    Passage {
        rank,
        path: path.to_owned(),
        title: "Boat".to_owned(),
        citation: format!("{path}#{heading}"),
        heading_path: vec![heading.to_owned()],
        line_start: 12,
        line_end: 20,
        text: text.to_owned(),
        highlights: Vec::new(),
        score: 0.8125,
        matched_by: vec![MatchedBy::Keyword, MatchedBy::Semantic],
        standings: [None; 2],
        via: None,
    }
}

pub(super) fn search_answer() -> SearchAnswer {
    SearchAnswer {
        mode: Mode::Hybrid,
        notices: vec!["The index is still being built."],
        indexed_at: Some("2026-01-02T03:04:05Z".to_owned()),
        truncated: true,
        likely: true,
        reranked: false,
        passages: vec![passage(1, "Projects/Boat.md", "Mast", "The mast is **spruce**.\n")],
    }
}

pub(super) fn pack_answer() -> PackAnswer {
    let text = "The mast is **spruce**.\n\nIt is oiled.\n".to_owned();
    PackAnswer {
        mode: Mode::Hybrid,
        notices: vec!["The index is still being built."],
        indexed_at: Some("2026-01-02T03:04:05Z".to_owned()),
        enough: true,
        truncated: true,
        bytes: text.len(),
        windows: vec![Window {
            path: "Projects/Boat.md".to_owned(),
            title: "Boat".to_owned(),
            citation: "Projects/Boat.md#Mast".to_owned(),
            heading_path: vec!["Mast".to_owned()],
            line_start: 12,
            line_end: 20,
            text,
        }],
    }
}

pub(super) fn read_answer() -> ReadAnswer {
    let heading = |level, heading: &str, line| OutlineEntry { level, heading: heading.to_owned(), line };
    let property = ("status".to_owned(), serde_json::json!(["afloat", null]));
    ReadAnswer {
        path: "Projects/Boat.md".to_owned(),
        title: "Boat".to_owned(),
        aliases: vec!["Cutter".to_owned()],
        tags: vec!["project/boat".to_owned()],
        properties: [property].into_iter().collect(),
        outline: vec![heading(1, "Boat", 5), heading(2, "Mast", 8)],
        text: "# Boat\nBuilt of larch.\n\n## Mast\n".to_owned(),
        line_start: 5,
        line_end: 8,
        line_count: 40,
        next_line: Some(9),
        line_cut: true,
    }
}

pub(super) fn read_many_answer() -> ReadManyAnswer {
    let whole = ReadAnswer { next_line: None, line_cut: false, aliases: Vec::new(), ..read_answer() };
    let found = [
        Found::Note(whole),
        Found::Refused { error: OpError::NotFound.to_string() },
        Found::Note(read_answer()),
    ];
    let notes = found.into_iter().zip(1..).map(|(found, number)| Numbered { number, found });
    ReadManyAnswer { notes: notes.collect(), not_shown: vec![4, 5] }
}

pub(super) fn list_answer() -> ListAnswer {
    ListAnswer {
        notes: vec![ListedNote { path: "Projects/Boat.md".to_owned(), title: "Boat".to_owned() }],
        folders: Vec::new(),
        next_cursor: Some("b64".to_owned()),
    }
}

pub(super) fn tags_answer() -> TagsAnswer {
    TagsAnswer { tags: vec![TagCount { tag: "project".to_owned(), notes: 2 }] }
}

pub(super) fn links_answer() -> LinksAnswer {
    let linked = |path: &str, title: &str| LinkedNote { path: path.to_owned(), title: title.to_owned() };
    LinksAnswer {
        path: "Projects/Boat.md".to_owned(),
        title: "Boat".to_owned(),
        outgoing: vec![linked("People/Jo.md", "Jo Example")],
        backlinks: vec![linked("Home.md", "Home")],
        unresolved: vec!["Sails".to_owned()],
        near: Some(vec![NearNote {
            path: "People/Ann.md".to_owned(),
            title: "Ann".to_owned(),
            distance: 2,
            via: "People/Jo.md".to_owned(),
        }]),
        route: Some(vec![linked("Projects/Boat.md", "Boat"), linked("Home.md", "Home")]),
        truncated: true,
    }
}

pub(super) fn verify_answer() -> VerifyAnswer {
    let stands = Verified {
        number: 1,
        status: Verdict::Unchanged,
        citation: Some("Projects/Boat.md#Mast".to_owned()),
        note: Some("Projects/Boat.md".to_owned()),
        line_start: Some(12),
        line_end: Some(13),
        text: None,
    };
    let changed = Verified {
        number: 2,
        status: Verdict::Changed,
        text: Some("The mast is **pine**.".to_owned()),
        ..stands.clone()
    };
    let gone = Verified {
        number: 3,
        status: Verdict::Gone,
        citation: None,
        note: None,
        line_start: None,
        line_end: None,
        text: None,
    };
    VerifyAnswer { citations: vec![stands, changed, gone] }
}

pub(super) fn similar_answer() -> SimilarAnswer {
    let mention = Candidate {
        path: "People/Jo.md".to_owned(),
        title: "Jo Example".to_owned(),
        reason: Reason::Mention,
        score: 1.0,
        citation: Some("Projects/Boat.md#Mast".to_owned()),
        line_start: 12,
        line_end: 12,
        text: "Jo oiled it.".to_owned(),
        link: Some("[[Jo]]".to_owned()),
    };
    SimilarAnswer {
        asked: Some("Projects/Boat.md".to_owned()),
        purpose: Purpose::Link,
        mode: Mode::Hybrid,
        notices: vec!["The index is still being built."],
        candidates: vec![mention],
        tags: vec![TagProposal { tag: "boat".to_owned(), score: 0.5, notes: vec!["Home.md".to_owned()] }],
        patch: Some("--- a/x.md\n+++ b/x.md\n@@ -1,1 +1,1 @@\n-Jo\n+[[Jo]]\n".to_owned()),
        truncated: true,
    }
}

pub(super) fn health_answer() -> HealthAnswer {
    let link = Finding {
        check: Check::Links,
        path: Some("Projects/Boat.md".to_owned()),
        line: Some(4),
        name: Some("Mats".to_owned()),
        nearest: Some("Mast.md".to_owned()),
        others: Vec::new(),
    };
    let tag = Finding {
        check: Check::Tags,
        path: None,
        line: None,
        name: Some("boat (2)".to_owned()),
        nearest: None,
        others: vec!["Boats (1)".to_owned()],
    };
    HealthAnswer {
        notes: 2,
        counts: vec![Count { check: Check::Links, findings: 1 }, Count { check: Check::Tags, findings: 1 }],
        findings: vec![link, tag],
        next_cursor: Some("finding:2".to_owned()),
    }
}

pub(super) fn guide_answer() -> GuideAnswer {
    GuideAnswer {
        guides: vec![GuideNote {
            path: "README.md".to_owned(),
            text: "Boats and **bread**.".to_owned(),
            lines: (1, 1),
        }],
        folders: vec![FolderCount { folder: "Projects".to_owned(), notes: 2 }],
        tags: vec![TagCount { tag: "project".to_owned(), notes: 2 }],
        hubs: vec![Hub { path: "Home.md".to_owned(), title: "Home".to_owned(), links: 7 }],
        truncated: true,
    }
}

pub(super) fn status_answer() -> StatusAnswer {
    StatusAnswer {
        state: IndexState::Embedding,
        notes: 2,
        chunks: 9,
        pending_vectors: 4,
        model: Some("multilingual".to_owned()),
        indexed_at: Some("2026-01-02T03:04:05Z".to_owned()),
        notices: vec!["Meanings are still being learnt."],
    }
}

pub(super) fn reindex_answer() -> ReindexAnswer {
    ReindexAnswer { notes: 2, added: 1, changed: 0, removed: 3, pending_vectors: 1, seconds: 0.25 }
}
