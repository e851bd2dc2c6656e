//! What `[embeddings]` and `[rerank]` may say, and what each refusal tells.

use expect_test::{Expect, expect};

use crate::config::Environment;
use crate::config::file::ConfigFile;

/// What each text is understood as, or why it is refused.
#[track_caller]
fn check(texts: &[&str], expected: &Expect) {
    let told: Vec<String> = texts.iter().map(|text| told(text)).collect();
    expected.assert_eq(&told.join("\n"));
}

fn told(text: &str) -> String {
    let environment = Environment { home: Some("/home/ada".into()), ..Environment::default() };
    let file = ConfigFile::parse(text.as_bytes()).expect("it is TOML with known keys");
    let embeddings = file.embeddings.resolve(text.as_bytes(), &environment);
    let reranking = file.rerank.resolve(text.as_bytes(), &environment);
    match (embeddings, reranking) {
        (Ok(embeddings), Ok(reranking)) => format!("{embeddings:?}, {reranking:?}\n"),
        (Err(refusal), _) | (_, Err(refusal)) => {
            format!("{}: {}: {}\n   {}\n", refusal.line, refusal.problem, refusal.text, refusal.fix)
        }
    }
}

#[test]
fn models_and_servers_are_understood() {
    check(
        &[
            "[vault]",
            "[embeddings]\nbackend = \"none\"",
            "[embeddings]\nmodel = \"english\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"nomic-embed-text\"",
            "[embeddings]\nbackend = \"openai\"\nmodel = \"m\"\nbase_url = \"http://[::1]:8080/v1\"\nquery_prefix = \"q: \"",
            "[embeddings]\nbackend = \"openai\"\nmodel = \"m\"\nbase_url = \"https://api.example.com/v1\"\nallow_remote = true",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://gpu:11434\"\nallow_remote = true\nallow_remote_full = true",
            "[embeddings]\nbackend = \"local\"\nmodel = \"~/models/mine\"\n[rerank]\nbackend = \"local\"\nmodel = \"owner/reranker\"",
            "[embeddings]\nbackend = \"fastembed\"\nmodel = \"/m\"\nruntime = \"~/libonnxruntime.so\"\n[rerank]\nbackend = \"fastembed\"\nmodel = \"/r\"",
            "[rerank]\nbackend = \"http\"\nbase_url = \"http://LOCALHOST:8081/v1/rerank\"\nmodel = \"r\"",
        ],
        &expect![[r#"
            Builtin(Auto), None

            None, None

            Builtin(English), None

            Server { protocol: Ollama, server: ModelServer { base_url: "http://127.0.0.1:11434", key: None, is_here: true, may_see_private: true }, model: "nomic-embed-text", query_prefix: None, passage_prefix: None }, None

            Server { protocol: OpenAi, server: ModelServer { base_url: "http://[::1]:8080/v1", key: None, is_here: true, may_see_private: true }, model: "m", query_prefix: Some("q: "), passage_prefix: None }, None

            Server { protocol: OpenAi, server: ModelServer { base_url: "https://api.example.com/v1", key: None, is_here: false, may_see_private: false }, model: "m", query_prefix: None, passage_prefix: None }, None

            Server { protocol: Ollama, server: ModelServer { base_url: "http://gpu:11434", key: None, is_here: false, may_see_private: true }, model: "m", query_prefix: None, passage_prefix: None }, None

            Local { model: ModelFolder { runtime: Inside, name: "~/models/mine", folder: "/home/ada/models/mine" }, query_prefix: None, passage_prefix: None }, Some(Local(ModelFolder { runtime: Inside, name: "owner/reranker", folder: "/home/ada/.cache/obsearch/models/owner--reranker" }))

            Local { model: ModelFolder { runtime: OnnxRuntime(Some("/home/ada/libonnxruntime.so")), name: "/m", folder: "/m" }, query_prefix: None, passage_prefix: None }, Some(Local(ModelFolder { runtime: OnnxRuntime(None), name: "/r", folder: "/r" }))

            Builtin(Auto), Some(Server { server: ModelServer { base_url: "http://LOCALHOST:8081/v1/rerank", key: None, is_here: true, may_see_private: true }, model: Some("r") })
        "#]],
    );
}

#[test]
fn what_would_send_texts_elsewhere_or_nowhere_is_refused() {
    check(
        &[
            "[embeddings]\nmodel = \"minilm\"",
            "[embeddings]\nbase_url = \"http://localhost:1\"",
            "[embeddings]\nbackend = \"ollama\"",
            "[embeddings]\nbackend = \"openai\"\nmodel = \"m\"",
            "[embeddings]\nbackend = \"openai\"\nmodel = \"m\"\nbase_url = \"api.example.com\"",
            "[embeddings]\nbackend = \"openai\"\nmodel = \"m\"\nbase_url = \"ftp://localhost/\"",
            "[embeddings]\nbackend = \"openai\"\nmodel = \"m\"\nbase_url = \"http://key@localhost/\"",
            "[embeddings]\nbackend = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1.example.com/\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://[127.0.0.1].example.com\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://[::1].example.com:9\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://[localhost]\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1#@example.com\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://192.168.1.5:11434\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://0.0.0.0:11434\"",
            "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://gpu\"\nallow_remote_full = true",
            "[embeddings]\nbackend = \"local\"",
            "[embeddings]\nbackend = \"local\"\nmodel = \"~ada/model\"",
            "[rerank]\nbackend = \"local\"\nmodel = \"\"",
            "[rerank]\nbackend = \"http\"",
            "[rerank]\nbackend = \"http\"\nbase_url = \"https://api.example.com/rerank\"",
        ],
        &expect![[r#"
            2: there is no such model inside: model = "minilm"
               Write model = "auto", "multilingual" or "english", or another backend.

            2: the models inside need no server: base_url = "http://localhost:1"
               Remove the line, or write backend = "ollama" or "openai".

            1: [embeddings] needs a `model`: [embeddings]
               Write it like this: model = "nomic-embed-text".

            1: [embeddings] needs a `base_url`: [embeddings]
               Write it like this: base_url = "http://127.0.0.1:8080/v1".

            4: it is no address of a server: base_url = "api.example.com"
               Write it like "http://127.0.0.1:8080/v1".

            4: it is no address of a server: base_url = "ftp://localhost/"
               Write it like "http://127.0.0.1:8080/v1".

            4: it is no address of a server: base_url = "http://key@localhost/"
               Write it like "http://127.0.0.1:8080/v1".

            4: texts of your notes would leave this machine: base_url = "http://127.0.0.1.example.com/"
               Name a server on this machine, or add allow_remote = true if the public notes may go there.

            4: it is no address of a server: base_url = "http://[127.0.0.1].example.com"
               Write it like "http://127.0.0.1:8080/v1".

            4: it is no address of a server: base_url = "http://[::1].example.com:9"
               Write it like "http://127.0.0.1:8080/v1".

            4: it is no address of a server: base_url = "http://[localhost]"
               Write it like "http://127.0.0.1:8080/v1".

            4: it is no address of a server: base_url = "http://127.0.0.1#@example.com"
               Write it like "http://127.0.0.1:8080/v1".

            4: texts of your notes would leave this machine: base_url = "http://192.168.1.5:11434"
               Name a server on this machine, or add allow_remote = true if the public notes may go there.

            4: texts of your notes would leave this machine: base_url = "http://0.0.0.0:11434"
               Name a server on this machine, or add allow_remote = true if the public notes may go there.

            4: texts of your notes would leave this machine: base_url = "http://gpu"
               Name a server on this machine, or add allow_remote = true if the public notes may go there.

            1: [embeddings] needs a `model`: [embeddings]
               Write it like this: model = "~/models/bge-small".

            3: there can be no such folder: model = "~ada/model"
               Write the whole path of its folder, or a name that `obsearch model list` shows.

            1: [rerank] needs a `model`: [rerank]
               Write it like this: model = "~/models/bge-small".

            1: [rerank] needs a `base_url`: [rerank]
               Write it like this: base_url = "http://127.0.0.1:8080/v1".

            3: texts of your notes would leave this machine: base_url = "https://api.example.com/rerank"
               Name a server on this machine, or add allow_remote = true if the public notes may go there.
        "#]],
    );
}
