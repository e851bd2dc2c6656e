//! What the server needs of [`Service`]: the seam at which a test puts another vault in.

use crate::ops::links::{LinksAnswer, LinksRequest};
use crate::ops::list::{ListAnswer, ListRequest};
use crate::ops::read::{ReadAnswer, ReadRequest};
use crate::ops::reindex::{ReindexAnswer, ReindexRequest};
use crate::ops::search::{SearchAnswer, SearchRequest};
use crate::ops::status::StatusAnswer;
use crate::ops::tags::{TagsAnswer, TagsRequest};
use crate::ops::{OpError, Service};
use crate::reply::Reply;

/// What an operation gives: an answer that passed the wall, or why there is none.
pub type Outcome<T> = Result<Reply<T>, OpError>;

/// The operations a client can call. Each is one synchronous request.
#[expect(missing_docs, reason = "as documented on `Service`")]
pub trait Operations: Send + Sync + 'static {
    fn search(&self, request: &SearchRequest) -> Outcome<SearchAnswer>;
    fn read(&self, request: &ReadRequest) -> Outcome<ReadAnswer>;
    fn list(&self, request: &ListRequest) -> Outcome<ListAnswer>;
    fn tags(&self, request: &TagsRequest) -> Outcome<TagsAnswer>;
    fn links(&self, request: &LinksRequest) -> Outcome<LinksAnswer>;
    fn status(&self) -> Outcome<StatusAnswer>;
    fn reindex(&self, request: &ReindexRequest) -> Outcome<ReindexAnswer>;
}

impl Operations for Service {
    fn search(&self, request: &SearchRequest) -> Outcome<SearchAnswer> {
        Service::search(self, request)
    }

    fn read(&self, request: &ReadRequest) -> Outcome<ReadAnswer> {
        Service::read(self, request)
    }

    fn list(&self, request: &ListRequest) -> Outcome<ListAnswer> {
        Service::list(self, request)
    }

    fn tags(&self, request: &TagsRequest) -> Outcome<TagsAnswer> {
        Service::tags(self, request)
    }

    fn links(&self, request: &LinksRequest) -> Outcome<LinksAnswer> {
        Service::links(self, request)
    }

    fn status(&self) -> Outcome<StatusAnswer> {
        Service::status(self)
    }

    fn reindex(&self, request: &ReindexRequest) -> Outcome<ReindexAnswer> {
        Service::reindex(self, request)
    }
}
