//! Checked arguments -> what the operations take. The only knowledge here is which argument means
//! what; ranges and types were checked before.

use super::arguments::{Arguments, BadArguments};
use super::tools::ToolName;
use crate::ops::Conditions;
use crate::ops::guide::GuideRequest;
use crate::ops::health::HealthRequest;
use crate::ops::links::{Direction, LinksRequest};
use crate::ops::list::{ListRequest, Sort};
use crate::ops::pack::PackRequest;
use crate::ops::read::{Part, ReadRequest};
use crate::ops::read_many::ReadManyRequest;
use crate::ops::reindex::{ReindexMode, ReindexRequest};
use crate::ops::search::{Detail, Mode, SearchRequest};
use crate::ops::similar::{Purpose, SimilarRequest};
use crate::ops::tags::TagsRequest;
use crate::ops::verify::VerifyRequest;

/// A call as the operations understand it.
#[derive(Debug)]
pub(super) enum Request {
    Search(SearchRequest),
    Pack(PackRequest),
    Read(ReadRequest),
    ReadMany(ReadManyRequest),
    List(ListRequest),
    Tags(TagsRequest),
    Links(LinksRequest),
    Verify(VerifyRequest),
    Similar(SimilarRequest),
    Health(HealthRequest),
    Guide(GuideRequest),
    Status,
    Reindex(ReindexRequest),
}

/// The request that these arguments of this tool make.
pub(super) fn request(tool: ToolName, arguments: Arguments) -> Result<Request, BadArguments> {
    Ok(match tool {
        ToolName::SearchVault => Request::Search(search(arguments)?),
        ToolName::ContextPack => Request::Pack(pack(arguments)),
        ToolName::ReadNote => read(arguments)?,
        ToolName::ListNotes => Request::List(list(arguments)),
        ToolName::ListTags => Request::Tags(tags(arguments)),
        ToolName::VaultGuide => Request::Guide(guide(arguments)),
        ToolName::NoteLinks => Request::Links(links(arguments)),
        ToolName::FindSimilar => Request::Similar(similar(arguments)?),
        ToolName::VaultHealth => Request::Health(health(arguments)),
        ToolName::VerifyCitation => Request::Verify(verify(arguments)),
        ToolName::IndexStatus => Request::Status,
        ToolName::ReindexVault => Request::Reindex(reindex(arguments)),
    })
}

fn search(mut arguments: Arguments) -> Result<SearchRequest, BadArguments> {
    let default = SearchRequest::default();
    let limit = match (arguments.integer("limit"), arguments.integer("top_k")) {
        (Some(_), Some(_)) => return Err(BadArguments("give `limit` or `top_k`, not both".to_owned())),
        (limit, top_k) => limit.or(top_k),
    };
    let mut folders = arguments.texts("folders");
    folders.extend(arguments.text("folder"));
    Ok(SearchRequest {
        query: arguments.text("query").unwrap_or_default(),
        hypothetical: arguments.text("hypothetical"),
        mode: match arguments.choice("mode") {
            Some("semantic") => Mode::Semantic,
            Some("keyword") => Mode::Keyword,
            _ => Mode::Hybrid,
        },
        limit: size(limit, default.limit),
        folders,
        tags: arguments.texts("tags"),
        conditions: conditions(&mut arguments),
        max_per_note: size(arguments.integer("max_per_note"), default.max_per_note),
        expand_links: arguments.flag("expand_links"),
        rerank: default.rerank,
        detail: if arguments.flag("verbose") { Detail::Full } else { Detail::Excerpt },
        max_bytes: size(arguments.integer("max_bytes"), default.max_bytes),
    })
}

fn conditions(arguments: &mut Arguments) -> Conditions {
    Conditions {
        properties: arguments.texts("where"),
        since: arguments.text("since"),
        until: arguments.text("until"),
    }
}

fn pack(mut arguments: Arguments) -> PackRequest {
    PackRequest {
        question: arguments.text("question").unwrap_or_default(),
        hypothetical: arguments.text("hypothetical"),
        folders: arguments.texts("folders"),
        tags: arguments.texts("tags"),
        conditions: conditions(&mut arguments),
        max_bytes: size(arguments.integer("max_bytes"), PackRequest::default().max_bytes),
    }
}

fn read(mut arguments: Arguments) -> Result<Request, BadArguments> {
    let (path, paths) = (arguments.text("path"), arguments.texts("paths"));
    let part = part(&mut arguments)?;
    let (first_line, line_limit) = (arguments.integer("offset"), arguments.integer("limit"));
    let max_bytes = size(arguments.integer("max_bytes"), ReadRequest::default().max_bytes);
    let is_from_the_top =
        matches!(part, Part::Whole | Part::Outline) && first_line.is_none() && line_limit.is_none();
    match path {
        Some(_) if !paths.is_empty() => Err(BadArguments("give `path` or `paths`, not both".to_owned())),
        Some(name) => {
            let default = ReadRequest::default();
            Ok(Request::Read(ReadRequest { name, part, first_line, line_limit, max_bytes, ..default }))
        }
        None if paths.is_empty() => {
            Err(BadArguments("`path` is missing: give a note, or several with `paths`".to_owned()))
        }
        None if !is_from_the_top => Err(BadArguments(
            "`section`, `block`, `offset` and `limit` are for one `path`, not for `paths`".to_owned(),
        )),
        None => Ok(Request::ReadMany(ReadManyRequest { names: paths, part, max_bytes })),
    }
}

fn part(arguments: &mut Arguments) -> Result<Part, BadArguments> {
    let section = arguments.text("section").map(Part::Section);
    let block = arguments.text("block").map(Part::Block);
    let outline = arguments.flag("outline").then_some(Part::Outline);
    let mut parts = [section, block, outline].into_iter().flatten();
    let part = parts.next().unwrap_or_default();
    match parts.next() {
        None => Ok(part),
        Some(_) => Err(BadArguments("give only one of `section`, `block` and `outline`".to_owned())),
    }
}

fn list(mut arguments: Arguments) -> ListRequest {
    ListRequest {
        folder: arguments.text("folder"),
        tags: arguments.texts("tags"),
        conditions: conditions(&mut arguments),
        sort: match arguments.choice("sort") {
            Some("title") => Sort::Title,
            Some("modified") => Sort::Modified,
            _ => Sort::Path,
        },
        cursor: arguments.text("cursor"),
        limit: size(arguments.integer("limit"), ListRequest::default().limit),
        folders_only: arguments.flag("folders_only"),
    }
}

fn tags(mut arguments: Arguments) -> TagsRequest {
    TagsRequest { prefix: arguments.text("prefix") }
}

fn links(mut arguments: Arguments) -> LinksRequest {
    LinksRequest {
        name: arguments.text("path").unwrap_or_default(),
        direction: match arguments.choice("direction") {
            Some("outgoing") => Direction::Outgoing,
            Some("backlinks") => Direction::Backlinks,
            _ => Direction::Both,
        },
        depth: arguments.integer("depth").unwrap_or(1),
        to: arguments.text("to"),
    }
}

fn verify(mut arguments: Arguments) -> VerifyRequest {
    VerifyRequest { citations: arguments.texts("citations") }
}

fn similar(mut arguments: Arguments) -> Result<SimilarRequest, BadArguments> {
    let default = SimilarRequest::default();
    let (path, text) = (arguments.text("path"), arguments.text("text"));
    if path.is_some() && text.is_some() {
        return Err(BadArguments("give `path` or `text`, not both".to_owned()));
    }
    Ok(SimilarRequest {
        path,
        text,
        purpose: match arguments.choice("purpose") {
            Some("link") => Purpose::Link,
            Some("duplicate") => Purpose::Duplicate,
            Some("tag") => Purpose::Tag,
            _ => Purpose::Related,
        },
        limit: size(arguments.integer("limit"), default.limit),
        max_bytes: size(arguments.integer("max_bytes"), default.max_bytes),
    })
}

fn health(mut arguments: Arguments) -> HealthRequest {
    HealthRequest {
        checks: arguments.texts("checks"),
        cursor: arguments.text("cursor"),
        limit: size(arguments.integer("limit"), HealthRequest::default().limit),
    }
}

fn guide(mut arguments: Arguments) -> GuideRequest {
    GuideRequest { max_bytes: size(arguments.integer("max_bytes"), GuideRequest::default().max_bytes) }
}

fn reindex(mut arguments: Arguments) -> ReindexRequest {
    let mode = match arguments.choice("mode") {
        Some("full") => ReindexMode::Full,
        _ => ReindexMode::Incremental,
    };
    ReindexRequest { mode }
}

fn size(given: Option<u32>, default: usize) -> usize {
    given.and_then(|number| usize::try_from(number).ok()).unwrap_or(default)
}
