//! One vault, one profile, one index: what a transport talks to.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::refresh::{self, Refresher};
use super::trees::Trees;
use super::{
    Caller, OpError, browse, catalogue, doctor, freshness, guide, health, links, list, pack, privacy,
    questions, read, read_many, reindex, search, similar, status, suggest, tags, verify,
};
use crate::embed::{Models, Reranker};
use crate::index::{Store, Tree};
use crate::reply::Reply;
use crate::sync::{Job, Mode, ModelsByProfile, Progress, SyncError, TreeSummary};
use crate::vault::{Profile, RulesSource, Session, Vault, VaultError};

/// What a service is made of.
pub struct Settings {
    /// The vault.
    pub vault: PathBuf,
    /// Who may see what.
    pub rules: Arc<dyn RulesSource>,
    /// Who asks.
    pub profile: Profile,
    /// Holds the indexes.
    pub data_dir: PathBuf,
    /// Where vectors come from.
    pub models: ModelsByProfile,
    /// What looks at the best passages of a search again.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// How much meaning counts beside words, 0 to 1; `None`: as suits the model.
    pub meaning_weight: Option<f64>,
    /// Clients may bring the index up to date.
    pub allow_reindex: bool,
}

/// The operations. Every call is one request: it opens one session, and nothing of a note outlives
/// it but the [`Reply`].
pub struct Service {
    pub(super) vault: Vault,
    pub(super) profile: Profile,
    /// Those of this profile.
    pub(super) models: Arc<dyn Models>,
    models_by_profile: ModelsByProfile,
    pub(super) reranker: Option<Arc<dyn Reranker>>,
    pub(super) meaning_weight: Option<f64>,
    pub(super) allow_reindex: bool,
    pub(super) data_dir: PathBuf,
    trees: Trees,
    pub(super) refresher: Refresher,
    is_indexing: AtomicBool,
    /// One run at a time in this process; the lock of the index keeps others away.
    runs: Mutex<()>,
}

impl Service {
    /// Opens the vault; neither the index nor a model is touched.
    pub fn open(settings: Settings) -> Result<Service, VaultError> {
        let vault = Vault::open(&settings.vault, Box::new(settings.rules))?;
        let trees = Trees::new(settings.data_dir.clone(), vault.path().to_owned(), settings.profile);
        Ok(Service {
            vault,
            profile: settings.profile,
            models: Arc::clone(settings.models.of(settings.profile)),
            models_by_profile: settings.models,
            reranker: settings.reranker,
            meaning_weight: settings.meaning_weight,
            allow_reindex: settings.allow_reindex,
            data_dir: settings.data_dir,
            trees,
            refresher: Refresher::default(),
            is_indexing: AtomicBool::new(false),
            runs: Mutex::new(()),
        })
    }

    /// Ranked passages with citations.
    pub fn search(
        &self,
        request: &search::SearchRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<search::SearchAnswer>, OpError> {
        search::run(self, request, caller)
    }

    /// What the notes say about a question, within a budget.
    pub fn pack(
        &self,
        request: &pack::PackRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<pack::PackAnswer>, OpError> {
        pack::run(self, request, caller)
    }

    /// A note, or a part of it.
    pub fn read(
        &self,
        request: &read::ReadRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<read::ReadAnswer>, OpError> {
        read::run(self, request, caller)
    }

    /// Several notes under one budget.
    pub fn read_many(
        &self,
        request: &read_many::ReadManyRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<read_many::ReadManyAnswer>, OpError> {
        read_many::run(self, request, caller)
    }

    /// Notes or folders, page by page.
    pub fn list(
        &self,
        request: &list::ListRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<list::ListAnswer>, OpError> {
        list::run(self, request, caller)
    }

    /// Tags with counts.
    pub fn tags(
        &self,
        request: &tags::TagsRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<tags::TagsAnswer>, OpError> {
        tags::run(self, request, caller)
    }

    /// Paths that what was typed may become.
    pub fn suggest(
        &self,
        request: &suggest::SuggestRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<suggest::SuggestAnswer>, OpError> {
        suggest::run(self, request, caller)
    }

    /// What the index lists, if there is one; changes show in it soon after somebody looked.
    pub fn catalogue(&self) -> Result<Option<catalogue::Catalogue>, OpError> {
        catalogue::look(self)
    }

    /// Links both ways.
    pub fn links(
        &self,
        request: &links::LinksRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<links::LinksAnswer>, OpError> {
        links::run(self, request, caller)
    }

    /// Whether cited words still stand where they did.
    pub fn verify(
        &self,
        request: &verify::VerifyRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<verify::VerifyAnswer>, OpError> {
        verify::run(self, request, caller)
    }

    /// Notes like a note or a text, and what follows from that.
    pub fn similar(
        &self,
        request: &similar::SimilarRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<similar::SimilarAnswer>, OpError> {
        similar::run(self, request, caller)
    }

    /// What a keeper of notes would mend.
    pub fn health(
        &self,
        request: &health::HealthRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<health::HealthAnswer>, OpError> {
        health::run(self, request, caller)
    }

    /// How the owner keeps the vault.
    pub fn guide(
        &self,
        request: &guide::GuideRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<guide::GuideAnswer>, OpError> {
        guide::run(self, request, caller)
    }

    /// The state of the index.
    pub fn status(&self, caller: &Caller<'_>) -> Result<Reply<status::StatusAnswer>, OpError> {
        status::run(self, caller)
    }

    /// Brings the index of this profile up to date, if the owner allows it.
    pub fn reindex(
        &self,
        request: &reindex::ReindexRequest,
        caller: &Caller<'_>,
    ) -> Result<Reply<reindex::ReindexAnswer>, OpError> {
        reindex::run(self, request, caller)
    }

    /// How much meaning counts beside words: as configured, or as suits the model of the index; `None` where
    /// there are no vectors.
    pub fn meaning_weight(&self) -> Result<Option<f64>, OpError> {
        let model = self.with_tree(|tree| Ok(tree.and_then(|tree| tree.header().model.clone())))?;
        let embedder = model.and_then(|model| self.models.embedder(&model));
        Ok(embedder.map(|embedder| self.meaning_weight.unwrap_or_else(|| embedder.weight())))
    }

    /// Lets meaning count so much from now on, 0 to 1.
    pub fn set_meaning_weight(&mut self, weight: f64) {
        self.meaning_weight = Some(weight);
    }

    /// Questions made from the notes, to measure the search with; for the owner.
    pub fn make_questions(&self, caller: &Caller<'_>) -> Result<Reply<questions::QuestionsAnswer>, OpError> {
        questions::run(self, caller)
    }

    /// Why a note is private or public; for the owner.
    pub fn explain_privacy(&self, name: &str) -> Result<privacy::Explained, OpError> {
        privacy::explain(self, name)
    }

    /// The same for several notes, each named by its path, in one request; for the owner.
    pub fn explain_each(&self, paths: &[String]) -> Result<Vec<privacy::PrivacyAnswer>, OpError> {
        privacy::explain_each(self, paths)
    }

    /// What is in a folder of the vault, `""` for the top, with at most `most` of its notes from number `first`
    /// on; for the owner.
    pub fn browse(&self, folder: &str, first: usize, most: usize) -> Result<browse::FolderAnswer, OpError> {
        browse::run(self, folder, first, most)
    }

    /// How far the index is behind the vault, if there is one; for the owner.
    pub fn freshness(&self, caller: &Caller<'_>) -> Result<Option<freshness::Freshness>, OpError> {
        freshness::run(self, caller)
    }

    /// Names and rules, for a proof of the wall; for the owner.
    pub fn privacy_shape(&self, most_names: usize) -> Result<privacy::Shape, OpError> {
        privacy::shape(self, most_names)
    }

    /// What is wrong with the vault and its indexes; for the owner. `other_vaults` have indexes beside them, rightly.
    pub fn diagnose(
        &self,
        thoroughness: doctor::Thoroughness,
        other_vaults: &[PathBuf],
    ) -> Result<Vec<doctor::Finding>, OpError> {
        doctor::run(self, thoroughness, other_vaults)
    }

    /// The private notes by rule; for the owner.
    pub fn list_privacy(&self) -> Result<privacy::PrivacyList, OpError> {
        privacy::list(self)
    }

    /// Brings these trees up to date; for the owner, who sees what was left out.
    pub fn index(
        &self,
        profiles: &[Profile],
        mode: Mode,
        progress: &dyn Progress,
    ) -> Result<Vec<TreeSummary>, SyncError> {
        let _run = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let root_id = self.vault.root_id().map_err(SyncError::Vault)?;
        let store = Store::find_or_create(&self.data_dir, self.vault.path(), root_id)?;
        let job = Job { vault: &self.vault, store: &store, profiles, models: &self.models_by_profile, mode };
        crate::sync::run(&job, progress)
    }

    /// Keeps this profile's tree up to date from now on, on a thread of its own.
    pub fn refresh_in_background(self: &Arc<Self>) {
        let service = Arc::clone(self);
        service.is_indexing.store(true, Ordering::SeqCst);
        std::thread::spawn(move || refresh::run(&service));
    }

    pub(super) fn first_run_is_over(&self) {
        self.is_indexing.store(false, Ordering::SeqCst);
    }

    /// Loads the model of the tree, if it has one, so that the first query does not wait for it.
    /// Tells whether there is a tree.
    pub(super) fn load_model(&self) -> bool {
        let header = self.trees.with_tree(|tree| Ok(tree.map(|tree| tree.header().clone())));
        let Ok(Some(header)) = header else { return false };
        let embedder = header.model.and_then(|model| self.models.embedder(&model));
        // A failure is told by the query that needs the model.
        let _ = embedder.map(|embedder| embedder.embed_query("warm"));
        true
    }

    /// The models of either profile; for the owner.
    pub(super) fn models_of(&self, profile: Profile) -> &dyn Models {
        &**self.models_by_profile.of(profile)
    }

    /// Is a background run going on in this process?
    pub(super) fn is_indexing(&self) -> bool {
        self.is_indexing.load(Ordering::SeqCst)
    }

    /// Looks at the tree of this profile without a request for notes.
    pub(super) fn with_tree<R>(
        &self,
        look: impl FnOnce(Option<&Tree>) -> Result<R, OpError>,
    ) -> Result<R, OpError> {
        self.trees.with_tree(look)
    }

    /// Runs one request, with the tree of this profile if there is one, over one snapshot of it. Nothing
    /// comes of it if the caller went away meanwhile.
    pub(super) fn request<R>(
        &self,
        caller: &Caller<'_>,
        run: impl for<'s> FnOnce(&Session<'s>, Option<&Tree>) -> Result<R, OpError>,
    ) -> Result<R, OpError> {
        self.trees.with_tree(|tree| {
            let answered = self.vault.request_while(self.profile, caller.as_wanting(), |session| {
                let answered = run(session, tree.filter(|tree| self.may_use(session, tree)));
                if !session.is_wanted() {
                    return Err(OpError::Cancelled);
                }
                if let Some(tree) = tree {
                    self.refresher.look_at(session, tree);
                }
                answered
            });
            answered.map_err(OpError::from)?
        })
    }

    /// What a public tree counted under other rules, words and passages of notes that are private by now are in. Until it
    /// is brought up to date, or while somebody with other rules writes it, there is none.
    fn may_use(&self, session: &Session<'_>, tree: &Tree) -> bool {
        self.profile == Profile::Full || tree.header().rules == session.rules_fingerprint()
    }
}
