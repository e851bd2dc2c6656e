//! From a configuration to the things that work: the service, an index run, the MCP server.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::cli::vaults::{Named, Vaults};
use crate::cli::{CliError, Context, models};
use crate::config::{Config, ConfigError, Overrides, TokenBook};
use crate::http::{self, ConsoleServer, HttpError, HttpServer, Listening, Reach, Tokens};
use crate::index::IndexError;
use crate::ledger::{Book, Ledger};
use crate::mcp::{self, Opening, ReindexAccess, ServerOptions};
use crate::ops::{Service, Settings};
use crate::sync::{Mode, Progress, SyncError, TreeSummary};
use crate::vault::{FixedRules, Profile, Rules, VaultError};

/// The operations over this vault for this profile.
pub(super) fn service(config: &Config, profile: Profile) -> Result<Service, CliError> {
    let settings = Settings {
        vault: config.vault.clone(),
        rules: Arc::clone(&config.rules),
        profile,
        data_dir: config.data_dir.clone(),
        models: models::by_profile(config),
        reranker: models::reranker(config, profile),
        meaning_weight: config.search.meaning_weight,
        allow_reindex: config.server.allow_reindex,
    };
    Service::open(settings).map_err(|error| vault_error(&error))
}

/// The operations over a vault under rules that are only tried: no index, no model.
pub(super) fn trial(context: &Context, vault: &Path, rules: Rules) -> Result<Service, CliError> {
    let settings = Settings {
        vault: vault.to_owned(),
        rules: Arc::new(FixedRules(Arc::new(rules))),
        profile: Profile::Full,
        data_dir: context.environment.data_dir().ok_or(ConfigError::NoHome)?,
        models: models::none(),
        reranker: None,
        meaning_weight: None,
        allow_reindex: false,
    };
    Service::open(settings).map_err(|error| vault_error(&error))
}

/// Builds the trees of these profiles or brings them up to date.
pub(super) fn run_index(
    config: &Config,
    profiles: &[Profile],
    mode: Mode,
    progress: &dyn Progress,
) -> Result<Vec<TreeSummary>, CliError> {
    service(config, Profile::Public)?.index(profiles, mode, progress).map_err(|error| sync_error(&error))
}

/// The operations, over an index that was brought up to date first.
pub(super) fn indexed_service(
    config: &Config,
    profile: Profile,
    progress: &dyn Progress,
) -> Result<(Service, TreeSummary), CliError> {
    let service = service(config, profile)?;
    let mut trees =
        service.index(&[profile], Mode::Incremental, progress).map_err(|error| sync_error(&error))?;
    Ok((service, trees.remove(0)))
}

/// The ledger of this configuration, ready to be written; none if the owner wants none.
pub(super) fn ledger(config: &Config, context: &Context) -> Result<Option<Arc<Ledger>>, CliError> {
    if !config.keeps_ledger {
        return Ok(None);
    }
    config.check_ledger(context.environment)?;
    let ledger = Ledger::open(&config.ledger).map_err(|error| ledger_error(&config.ledger, &error))?;
    Ok(Some(Arc::new(ledger)))
}

/// The ledger cannot be written or read.
pub(super) fn ledger_error(folder: &Path, error: &io::Error) -> ConfigError {
    let fix = "Check the permissions of the folder and the room on its disk";
    ConfigError::ledger(folder, &format!("cannot be written ({error})"), fix)
}

/// What a server offers, and what the configuration says about serving.
struct Serving {
    vaults: mcp::Vaults<Service>,
    options: ServerOptions,
}

/// The operations of each vault for this profile, their indexes being kept up to date. Of several, one that
/// cannot be opened now is opened once it is there; with the only one, or with all of them, it is an error.
fn serving(vaults: &Vaults, profile: Profile, context: &Context) -> Result<Serving, CliError> {
    let several = match vaults {
        Vaults::One(config) => {
            let vaults = mcp::Vaults::one(refreshed(service(config, profile)?));
            return Ok(Serving { vaults, options: options(config) });
        }
        Vaults::Several(several) => several,
    };
    let (mut offered, mut usable, mut refused) = (Vec::new(), None, None);
    for Named { name, config } in several {
        let opened = config.clone().map_err(CliError::from).and_then(|config| {
            let service = service(&config, profile)?;
            usable = Some(options(&config));
            Ok(refreshed(service))
        });
        let opened = opened.map_err(|error| refused = Some(error)).ok();
        let overrides = Overrides { vault_name: Some(name.clone()), ..context.overrides() };
        let environment = context.environment.clone();
        let open: Opening<Service> = Box::new(move || {
            let config = Config::resolve(&environment, &overrides).ok()?;
            service(&config, profile).ok().map(refreshed)
        });
        offered.push((name.clone(), opened, open));
    }
    match (usable, refused) {
        (Some(options), refused) => {
            if refused.is_some() {
                context.console.notice("A vault cannot be read now; the others are served.");
            }
            Ok(Serving { vaults: mcp::Vaults::several(offered), options })
        }
        (None, refused) => Err(refused.unwrap_or_else(|| ConfigError::NoHome.into())),
    }
}

fn refreshed(service: Service) -> Arc<Service> {
    let service = Arc::new(service);
    service.refresh_in_background();
    service
}

/// Serves one client on standard input and output until it goes away. The model and the index are
/// seen to meanwhile, so that the handshake waits for neither.
pub(super) fn serve_stdio(
    vaults: &Vaults,
    context: &Context,
    ledger: Option<Arc<Ledger>>,
) -> Result<(), CliError> {
    let profile = context.profile();
    let named = vaults.names();
    let Serving { vaults, options } = serving(vaults, profile, context)?;
    let book = Book::new(ledger, profile, named);
    mcp::serve_stdio(vaults, options, book).map_err(|error| CliError::Failed {
        message: sentence(&error),
        hint: "Register `obsearch serve` with an MCP client; `obsearch setup` shows how.".to_owned(),
    })
}

/// How to serve over HTTP.
pub(super) struct HttpSetup {
    pub(super) listening: Listening,
    pub(super) sse: bool,
    /// Some token is for the full profile.
    pub(super) has_full: bool,
}

/// The owner's tokens, as the door asks for them.
pub(super) struct FileTokens(pub(super) TokenBook);

impl Tokens for FileTokens {
    fn profile_of(&self, token: &str) -> Option<Profile> {
        self.0.profile_of(token)
    }
}

/// Serves any number of clients over HTTP until the process is told to end.
pub(super) fn serve_http(
    vaults: &Vaults,
    context: &Context,
    setup: HttpSetup,
    ledger: Option<Arc<Ledger>>,
    announce: impl FnOnce(&Reach),
) -> Result<(), CliError> {
    let Serving { vaults: public, options } = serving(vaults, Profile::Public, context)?;
    let full = setup.has_full.then(|| serving(vaults, Profile::Full, context)).transpose()?;
    let full = full.map(|full| full.vaults);
    let HttpSetup { listening, sse, .. } = setup;
    let server = HttpServer { public, full, options, ledger, vault_names: vaults.names(), sse, listening };
    http::serve(server, announce).map_err(|error| http_error(&error))
}

/// Serves the owner's console until the process is told to end; `announce` hears its address.
pub(super) fn serve_console(server: ConsoleServer, announce: impl FnOnce(&str)) -> Result<(), CliError> {
    http::serve_console(server, announce).map_err(|error| http_error(&error))
}

fn http_error(error: &HttpError) -> CliError {
    let hint = match error {
        HttpError::Listen { .. } => "Choose another `--port` or `--host`; `--port 0` takes any free port.",
        HttpError::SocketInUse(_) => "Stop that server, or choose another `--socket`.",
        HttpError::NotASocket(_) => "Choose another path; nothing is overwritten.",
        HttpError::Threads(_) => "See whether the machine has threads and memory left.",
    };
    CliError::Failed { message: sentence(error), hint: hint.to_owned() }
}

fn options(config: &Config) -> ServerOptions {
    let reindex = if config.server.allow_reindex { ReindexAccess::Allowed } else { ReindexAccess::Refused };
    ServerOptions { reindex }
}

fn vault_error(error: &VaultError) -> CliError {
    let hint = match error {
        VaultError::Missing(_) => "Check the path: `[vault] path` in the configuration file, or `--vault`.",
        VaultError::NotAFolder(_) => "The vault is the folder that holds your notes.",
        VaultError::Denied(_) => "Give your user the right to read and enter the folder.",
        VaultError::Io { .. } => "Look whether the disk is there and mounted.",
    };
    CliError::Failed { message: sentence(error), hint: hint.to_owned() }
}

fn sync_error(error: &SyncError) -> CliError {
    let hint = match error {
        SyncError::Rules(_) => {
            "Nothing is indexed without valid rules; `obsearch status` says when they are."
        }
        SyncError::Abandoned => "Run it again; it goes on from there.",
        SyncError::Vault(_) => "Look whether the vault is still there and mounted.",
        SyncError::EmptyVault { .. } => {
            "If the vault is not mounted, mount it. If it is really empty now, run `obsearch index --rebuild`."
        }
        SyncError::Model(error) => error.fix(),
        SyncError::Index(error) => index_hint(error),
    };
    CliError::Failed { message: sentence(error), hint: hint.to_owned() }
}

fn index_hint(error: &IndexError) -> &'static str {
    match error {
        IndexError::Locked => {
            "Wait until it is done (a running `obsearch serve` indexes too), then try again."
        }
        IndexError::Busy => "Try again in a moment.",
        IndexError::DiskFull => "Make room on the disk; the index that was there before still works.",
        IndexError::Corrupt(_) | IndexError::Foreign(_) | IndexError::OtherFormat { .. } => {
            "Run `obsearch index --rebuild`; your notes are not touched."
        }
        IndexError::Io { .. } | IndexError::Sql(_) => {
            "Check the data folder: it must be yours, and writable."
        }
    }
}

/// The error as a sentence.
pub(super) fn sentence(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}
