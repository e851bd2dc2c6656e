//! `obsearch model`: the models inside, and those in folders.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::render::escape;
use crate::cli::{CliError, Context, Exit, console, open, progress, vaults};
use crate::config::{ModelFolder, models_dir};
use crate::embed::BuiltinModel;
use crate::hub::{self, Fetched, Pull, PullError, State, Verdict};

const EXAMPLES: &str = "\
Examples:
  obsearch model list
  obsearch model pull intfloat/multilingual-e5-base
  obsearch model verify";

/// List, fetch and check models
///
/// The models inside need nothing. Another one is fetched once, by `pull`, and used with backend = \"local\" and its
/// name under [embeddings] or [rerank]. Nothing is ever fetched while indexing or serving.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ModelArgs {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ModelCommand {
    /// List the models inside and those that were fetched
    #[command(after_help = EXAMPLES)]
    List {
        /// Print the answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model with an ONNX graph; an interrupted one is gone on with
    #[command(after_help = EXAMPLES)]
    Pull(PullArgs),
    /// Read every byte of the models and compare it with what was fetched
    #[command(after_help = EXAMPLES)]
    Verify {
        /// Only this one
        name: Option<String>,
        /// Print the answer as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct PullArgs {
    /// As `owner/model`
    name: String,
    /// The hub, or a mirror of it
    #[arg(long, value_name = "URL", default_value = "https://huggingface.co")]
    from: String,
    /// A branch, a tag or a commit
    #[arg(long, default_value = "main")]
    revision: String,
    /// The ONNX graph, such as `onnx/model.onnx` [default: the first of the usual ones, quantised ones first]
    #[arg(long, value_name = "FILE")]
    graph: Option<String>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// A model, as it is listed.
#[derive(Serialize)]
struct Listed {
    name: String,
    #[serde(rename = "where")]
    place: String,
    bytes: u64,
    state: State,
}

/// A model, as it was checked.
#[derive(Serialize)]
struct Checked {
    name: String,
    verdict: Verdict,
}

pub(super) fn run(args: &ModelArgs, context: &Context) -> Result<Exit, CliError> {
    let models = models_dir(context.environment).ok_or(crate::config::ConfigError::NoHome)?;
    match &args.command {
        ModelCommand::List { json } => list(&models, *json, context),
        ModelCommand::Pull(args) => pull(&models, args, context),
        ModelCommand::Verify { name, json } => verify(&models, name.as_deref(), *json, context),
    }
}

fn fetched(models: &Path) -> Result<Vec<Fetched>, CliError> {
    hub::list(models).map_err(|error| unreadable(models, &error))
}

fn unreadable(folder: &Path, error: &std::io::Error) -> CliError {
    CliError::Failed {
        message: format!("The folder {} cannot be read ({error}).", folder.display()),
        hint: "Check the permissions of the folder.".to_owned(),
    }
}

fn list(models: &Path, is_json: bool, context: &Context) -> Result<Exit, CliError> {
    let inside = BuiltinModel::ALL.into_iter().map(|model| Listed {
        name: model.info().name.to_owned(),
        place: "inside".to_owned(),
        bytes: model.bytes(),
        state: State::Present,
    });
    let in_folders = fetched(models)?.into_iter().map(|model| Listed {
        name: model.name,
        place: model.folder.display().to_string(),
        bytes: model.bytes,
        state: model.state,
    });
    let all: Vec<Listed> = inside.chain(in_folders).collect();
    if is_json {
        console::json(&all)?;
        return Ok(Exit::Done);
    }
    let mut out = context.console.out();
    for Listed { name, place, bytes, state } in &all {
        let state = match state {
            State::Present => "",
            State::Unfinished => "  (unfinished: `obsearch model pull` goes on)",
            State::Incomplete => "  (incomplete: model.onnx or tokenizer.json is missing)",
        };
        writeln!(
            out,
            "{:5} MB  {}  {}{state}",
            bytes.div_ceil(1_000_000),
            escape::line(name),
            escape::line(place)
        )?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn pull(models: &Path, args: &PullArgs, context: &Context) -> Result<Exit, CliError> {
    let into_vault = vaults::any(context).is_ok_and(|config| config.is_in_vault(models, context.environment));
    if into_vault {
        return Err(CliError::Failed {
            message: format!("The folder {} lies in the vault, where nothing is written.", models.display()),
            hint: "Set XDG_CACHE_HOME to a folder outside of it.".to_owned(),
        });
    }
    let shown = if args.quiet { progress::none() } else { progress::choose(context.console) };
    let what = Pull {
        name: args.name.clone(),
        base_url: args.from.clone(),
        revision: args.revision.clone(),
        graph: args.graph.clone(),
    };
    let folder = hub::pull(models, &what, &shown).map_err(|error| pull_error(&error, models, args))?;
    if !args.quiet {
        context.console.message(format_args!("{} is in {}.", args.name, folder.display()));
        let section = format!("backend = \"local\", model = \"{}\"", args.name);
        context.console.notice(&format!("Write {section} under [embeddings], or [rerank] for a reranker."));
    }
    Ok(Exit::Done)
}

fn pull_error(error: &PullError, models: &Path, args: &PullArgs) -> CliError {
    let folder: PathBuf = models.join(args.name.replace('/', "--"));
    let hint = match error {
        PullError::Name(_) => "Such as intfloat/multilingual-e5-base.".to_owned(),
        PullError::Offline { .. } => format!(
            "Without a network, copy an ONNX graph (as model.onnx), tokenizer.json and the .json files beside them \
             into {}.",
            folder.display()
        ),
        PullError::Missing { .. } => {
            "See what files the model has, and name its graph with --graph.".to_owned()
        }
        PullError::Refused { status: 401 | 403, .. } => {
            "The model is not free for everybody; fetch it by hand and name its folder.".to_owned()
        }
        PullError::Refused { .. } | PullError::Broken(_) => "Run it again; it goes on from there.".to_owned(),
        PullError::Checksum(_) => "Run it again, or fetch it from somewhere else with --from.".to_owned(),
        PullError::Io(_) => format!("Check the disk and the permissions of {}.", models.display()),
    };
    CliError::Failed { message: open::sentence(error), hint }
}

fn verify(models: &Path, name: Option<&str>, is_json: bool, context: &Context) -> Result<Exit, CliError> {
    let checked = match name {
        Some(name) => check_named(name, context)?.into_iter().collect(),
        None => check_all(models)?,
    };
    if checked.is_empty() {
        context.console.message("There is no such model.");
        return Ok(Exit::NothingFound);
    }
    let is_changed = checked.iter().any(|model| matches!(model.verdict, Verdict::Changed(_)));
    if is_json {
        console::json(&checked)?;
    } else {
        let mut out = context.console.out();
        for Checked { name, verdict } in &checked {
            let verdict = match verdict {
                Verdict::Intact => "intact".to_owned(),
                Verdict::Unknown => "nothing says what its files should be".to_owned(),
                Verdict::Changed(files) => format!("changed or missing: {}", files.join(", ")),
            };
            writeln!(out, "{}  {}", escape::line(name), escape::line(&verdict))?;
        }
        out.flush()?;
    }
    if is_changed {
        return Err(CliError::Failed {
            message: "A model is not what was fetched.".to_owned(),
            hint: "Remove its folder and run `obsearch model pull` again.".to_owned(),
        });
    }
    Ok(Exit::Done)
}

fn check_all(models: &Path) -> Result<Vec<Checked>, CliError> {
    let mut checked: Vec<Checked> = BuiltinModel::ALL.into_iter().map(check_builtin).collect();
    for model in fetched(models)?.into_iter().filter(|model| model.state != State::Unfinished) {
        checked.push(check_folder(model.name, &model.folder)?);
    }
    Ok(checked)
}

fn check_named(name: &str, context: &Context) -> Result<Option<Checked>, CliError> {
    if let Some(model) = BuiltinModel::ALL.into_iter().find(|model| model.info().name == name) {
        return Ok(Some(check_builtin(model)));
    }
    let found = ModelFolder::find(name, context.environment).filter(|model| model.folder.is_dir());
    found.map(|model| check_folder(model.name, &model.folder)).transpose()
}

fn check_builtin(model: BuiltinModel) -> Checked {
    let verdict =
        if model.is_intact() { Verdict::Intact } else { Verdict::Changed(vec!["inside".to_owned()]) };
    Checked { name: model.info().name.to_owned(), verdict }
}

fn check_folder(name: String, folder: &Path) -> Result<Checked, CliError> {
    let verdict = hub::verify(folder).map_err(|error| unreadable(folder, &error))?;
    Ok(Checked { name, verdict })
}
