//! What obsearch can do, one operation per file: protocol-free, synchronous, plain data in and
//! out. Transports convert; they never read a note.

pub mod links;
pub mod list;
pub mod read;
pub mod reindex;
pub mod search;
pub mod status;
pub mod tags;

mod error;

pub use error::OpError;

use crate::reply::Reply;

/// One vault, one profile, one index: what a transport talks to. Every call is one request: it
/// opens one session, and nothing of a note outlives it but the [`Reply`].
pub struct Service {}

impl Service {
    /// Ranked passages with citations.
    pub fn search(&self, request: &search::SearchRequest) -> Result<Reply<search::SearchAnswer>, OpError> {
        let _ = request;
        Err(OpError::NotFound)
    }

    /// A note, or a part of it.
    pub fn read(&self, request: &read::ReadRequest) -> Result<Reply<read::ReadAnswer>, OpError> {
        let _ = request;
        Err(OpError::NotFound)
    }

    /// Notes or folders, page by page.
    pub fn list(&self, request: &list::ListRequest) -> Result<Reply<list::ListAnswer>, OpError> {
        let _ = request;
        Err(OpError::NotFound)
    }

    /// Tags with counts.
    pub fn tags(&self, request: &tags::TagsRequest) -> Result<Reply<tags::TagsAnswer>, OpError> {
        let _ = request;
        Err(OpError::NotFound)
    }

    /// Links both ways.
    pub fn links(&self, request: &links::LinksRequest) -> Result<Reply<links::LinksAnswer>, OpError> {
        let _ = request;
        Err(OpError::NotFound)
    }

    /// The state of the index.
    pub fn status(&self) -> Result<Reply<status::StatusAnswer>, OpError> {
        Err(OpError::NotFound)
    }

    /// Brings the index of this profile up to date, if the owner allows it.
    pub fn reindex(
        &self,
        request: &reindex::ReindexRequest,
    ) -> Result<Reply<reindex::ReindexAnswer>, OpError> {
        let _ = request;
        Err(OpError::NotFound)
    }
}
