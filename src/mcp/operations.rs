//! What the server needs of [`Service`]: the seam at which a test puts another vault in.

use crate::ops::catalogue::Catalogue;
use crate::ops::guide::{GuideAnswer, GuideRequest};
use crate::ops::health::{HealthAnswer, HealthRequest};
use crate::ops::links::{LinksAnswer, LinksRequest};
use crate::ops::list::{ListAnswer, ListRequest};
use crate::ops::pack::{PackAnswer, PackRequest};
use crate::ops::read::{ReadAnswer, ReadRequest};
use crate::ops::read_many::{ReadManyAnswer, ReadManyRequest};
use crate::ops::reindex::{ReindexAnswer, ReindexRequest};
use crate::ops::search::{SearchAnswer, SearchRequest};
use crate::ops::similar::{SimilarAnswer, SimilarRequest};
use crate::ops::status::StatusAnswer;
use crate::ops::suggest::{SuggestAnswer, SuggestRequest};
use crate::ops::tags::{TagsAnswer, TagsRequest};
use crate::ops::verify::{VerifyAnswer, VerifyRequest};
use crate::ops::{Caller, OpError, Service};
use crate::reply::Reply;

/// What an operation gives: an answer that passed the wall, or why there is none.
pub type Outcome<T> = Result<Reply<T>, OpError>;

/// The operations a client can call. Each is one synchronous request.
#[expect(missing_docs, reason = "as documented on `Service`")]
pub trait Operations: Send + Sync + 'static {
    fn search(&self, request: &SearchRequest, caller: &Caller<'_>) -> Outcome<SearchAnswer>;
    fn pack(&self, request: &PackRequest, caller: &Caller<'_>) -> Outcome<PackAnswer>;
    fn read(&self, request: &ReadRequest, caller: &Caller<'_>) -> Outcome<ReadAnswer>;
    fn read_many(&self, request: &ReadManyRequest, caller: &Caller<'_>) -> Outcome<ReadManyAnswer>;
    fn list(&self, request: &ListRequest, caller: &Caller<'_>) -> Outcome<ListAnswer>;
    fn tags(&self, request: &TagsRequest, caller: &Caller<'_>) -> Outcome<TagsAnswer>;
    fn links(&self, request: &LinksRequest, caller: &Caller<'_>) -> Outcome<LinksAnswer>;
    fn verify(&self, request: &VerifyRequest, caller: &Caller<'_>) -> Outcome<VerifyAnswer>;
    fn similar(&self, request: &SimilarRequest, caller: &Caller<'_>) -> Outcome<SimilarAnswer>;
    fn health(&self, request: &HealthRequest, caller: &Caller<'_>) -> Outcome<HealthAnswer>;
    fn guide(&self, request: &GuideRequest, caller: &Caller<'_>) -> Outcome<GuideAnswer>;
    fn suggest(&self, request: &SuggestRequest, caller: &Caller<'_>) -> Outcome<SuggestAnswer>;
    fn catalogue(&self) -> Result<Option<Catalogue>, OpError>;
    fn status(&self, caller: &Caller<'_>) -> Outcome<StatusAnswer>;
    fn reindex(&self, request: &ReindexRequest, caller: &Caller<'_>) -> Outcome<ReindexAnswer>;
}

impl Operations for Service {
    fn search(&self, request: &SearchRequest, caller: &Caller<'_>) -> Outcome<SearchAnswer> {
        Service::search(self, request, caller)
    }

    fn pack(&self, request: &PackRequest, caller: &Caller<'_>) -> Outcome<PackAnswer> {
        Service::pack(self, request, caller)
    }

    fn read(&self, request: &ReadRequest, caller: &Caller<'_>) -> Outcome<ReadAnswer> {
        Service::read(self, request, caller)
    }

    fn read_many(&self, request: &ReadManyRequest, caller: &Caller<'_>) -> Outcome<ReadManyAnswer> {
        Service::read_many(self, request, caller)
    }

    fn list(&self, request: &ListRequest, caller: &Caller<'_>) -> Outcome<ListAnswer> {
        Service::list(self, request, caller)
    }

    fn tags(&self, request: &TagsRequest, caller: &Caller<'_>) -> Outcome<TagsAnswer> {
        Service::tags(self, request, caller)
    }

    fn links(&self, request: &LinksRequest, caller: &Caller<'_>) -> Outcome<LinksAnswer> {
        Service::links(self, request, caller)
    }

    fn verify(&self, request: &VerifyRequest, caller: &Caller<'_>) -> Outcome<VerifyAnswer> {
        Service::verify(self, request, caller)
    }

    fn similar(&self, request: &SimilarRequest, caller: &Caller<'_>) -> Outcome<SimilarAnswer> {
        Service::similar(self, request, caller)
    }

    fn health(&self, request: &HealthRequest, caller: &Caller<'_>) -> Outcome<HealthAnswer> {
        Service::health(self, request, caller)
    }

    fn guide(&self, request: &GuideRequest, caller: &Caller<'_>) -> Outcome<GuideAnswer> {
        Service::guide(self, request, caller)
    }

    fn suggest(&self, request: &SuggestRequest, caller: &Caller<'_>) -> Outcome<SuggestAnswer> {
        Service::suggest(self, request, caller)
    }

    fn catalogue(&self) -> Result<Option<Catalogue>, OpError> {
        Service::catalogue(self)
    }

    fn status(&self, caller: &Caller<'_>) -> Outcome<StatusAnswer> {
        Service::status(self, caller)
    }

    fn reindex(&self, request: &ReindexRequest, caller: &Caller<'_>) -> Outcome<ReindexAnswer> {
        Service::reindex(self, request, caller)
    }
}
