//! Keeps account of what the operations answer while one request is worked on: which notes and lines are in it. All
//! that the server answers about notes passes here, and an operation without a word on what it shows does not compile.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::operations::{Operations, Outcome};
use crate::ledger::{Asked, Book};
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
use crate::ops::shown::{Shown, Shows};
use crate::ops::similar::{SimilarAnswer, SimilarRequest};
use crate::ops::status::StatusAnswer;
use crate::ops::suggest::{SuggestAnswer, SuggestRequest};
use crate::ops::tags::{TagsAnswer, TagsRequest};
use crate::ops::verify::{VerifyAnswer, VerifyRequest};
use crate::ops::{Caller, OpError};

/// What is shown in the answer to one request, of each vault by its number.
#[derive(Clone)]
pub(super) struct Account(Arc<Mutex<BTreeMap<usize, Shown>>>);

impl Account {
    /// Of a request for this vault.
    pub(super) fn of(vault: usize) -> Account {
        Account(Arc::new(Mutex::new(BTreeMap::from([(vault, Shown::default())]))))
    }

    /// The answer goes out: what it shows is recorded before.
    pub(super) fn close(&self, book: &Book, asked: &Asked) {
        let shown = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (vault, shown) in shown {
            book.enter(asked.clone(), vault, shown);
        }
    }
}

/// The operations for one request.
pub(super) struct Accounted<O> {
    operations: Arc<O>,
    account: Account,
    vault: usize,
}

impl<O: Operations> Accounted<O> {
    pub(super) fn new(operations: Arc<O>, account: &Account, vault: usize) -> Self {
        Accounted { operations, account: account.clone(), vault }
    }

    fn kept<T: Shows>(&self, outcome: Outcome<T>) -> Outcome<T> {
        if let Ok(reply) = &outcome {
            let mut shown = self.account.0.lock().unwrap_or_else(PoisonError::into_inner);
            reply.get().tell(shown.entry(self.vault).or_default());
        }
        outcome
    }
}

impl<O: Operations> Operations for Accounted<O> {
    fn search(&self, request: &SearchRequest, caller: &Caller<'_>) -> Outcome<SearchAnswer> {
        self.kept(self.operations.search(request, caller))
    }

    fn pack(&self, request: &PackRequest, caller: &Caller<'_>) -> Outcome<PackAnswer> {
        self.kept(self.operations.pack(request, caller))
    }

    fn read(&self, request: &ReadRequest, caller: &Caller<'_>) -> Outcome<ReadAnswer> {
        self.kept(self.operations.read(request, caller))
    }

    fn read_many(&self, request: &ReadManyRequest, caller: &Caller<'_>) -> Outcome<ReadManyAnswer> {
        self.kept(self.operations.read_many(request, caller))
    }

    fn list(&self, request: &ListRequest, caller: &Caller<'_>) -> Outcome<ListAnswer> {
        self.kept(self.operations.list(request, caller))
    }

    fn tags(&self, request: &TagsRequest, caller: &Caller<'_>) -> Outcome<TagsAnswer> {
        self.kept(self.operations.tags(request, caller))
    }

    fn links(&self, request: &LinksRequest, caller: &Caller<'_>) -> Outcome<LinksAnswer> {
        self.kept(self.operations.links(request, caller))
    }

    fn verify(&self, request: &VerifyRequest, caller: &Caller<'_>) -> Outcome<VerifyAnswer> {
        self.kept(self.operations.verify(request, caller))
    }

    fn similar(&self, request: &SimilarRequest, caller: &Caller<'_>) -> Outcome<SimilarAnswer> {
        self.kept(self.operations.similar(request, caller))
    }

    fn health(&self, request: &HealthRequest, caller: &Caller<'_>) -> Outcome<HealthAnswer> {
        self.kept(self.operations.health(request, caller))
    }

    fn guide(&self, request: &GuideRequest, caller: &Caller<'_>) -> Outcome<GuideAnswer> {
        self.kept(self.operations.guide(request, caller))
    }

    fn suggest(&self, request: &SuggestRequest, caller: &Caller<'_>) -> Outcome<SuggestAnswer> {
        self.kept(self.operations.suggest(request, caller))
    }

    /// For telling of changes alone: no answer is made of it.
    fn catalogue(&self) -> Result<Option<Catalogue>, OpError> {
        self.operations.catalogue()
    }

    fn status(&self, caller: &Caller<'_>) -> Outcome<StatusAnswer> {
        self.kept(self.operations.status(caller))
    }

    fn reindex(&self, request: &ReindexRequest, caller: &Caller<'_>) -> Outcome<ReindexAnswer> {
        self.kept(self.operations.reindex(request, caller))
    }
}
