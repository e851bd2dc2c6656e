//! The files of the install routes: they can be read, say the version of this crate, and name what is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::Home;

#[expect(clippy::disallowed_methods, reason = "the files of the project are no vault")]
fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn workflow() -> Value {
    serde_saphyr::from_str(&file(".github/workflows/release.yml")).unwrap()
}

/// The systems that `cargo deny` looks at are those that are built for.
fn targets() -> BTreeSet<String> {
    let deny: toml::Table = toml::from_str(&file("deny.toml")).unwrap();
    let targets = deny["graph"]["targets"].as_array().unwrap();
    targets.iter().map(|target| target.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_release_builds_for_every_system_and_no_other() {
    let workflow = workflow();
    let jobs = &workflow["jobs"];
    let matrix = jobs["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    let built = matrix.iter().map(|row| row["target"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(built, targets());
    let formula = file("packaging/homebrew/obsearch.rb");
    let draft = serde_json::to_string(&jobs["draft"]).unwrap();
    for target in targets() {
        assert!(draft.contains(&target), "the formula is filled in for {target}");
        assert!(formula.contains(&format!("obsearch-{target}.tar.gz\"")), "{target}");
        assert!(formula.contains(&format!("sha256 \"__SHA256_{target}__\"")), "{target}");
    }
    assert_eq!(workflow["permissions"]["contents"], "read", "only the draft may write");
    assert_eq!(jobs["draft"]["permissions"]["contents"], "write");
}

#[test]
fn every_route_says_the_version_of_the_crate() {
    let version = env!("CARGO_PKG_VERSION");
    let manifest: Value = serde_json::from_str(&file("packaging/mcpb/manifest.json")).unwrap();
    assert_eq!(manifest["version"], version);
    assert!(file("packaging/homebrew/obsearch.rb").contains(&format!("version \"{version}\"\n")));
    let rust = env!("CARGO_PKG_RUST_VERSION");
    assert!(file("Dockerfile").contains(&format!("FROM rust:{rust}-bookworm AS build\n")));
}

#[test]
fn the_bundle_starts_the_server_and_serves_nothing_without_rules() {
    let manifest: Value = serde_json::from_str(&file("packaging/mcpb/manifest.json")).unwrap();
    assert_eq!(manifest["manifest_version"], "0.3");
    let server = &manifest["server"];
    let entry_point = server["entry_point"].as_str().unwrap();
    assert_eq!(server["mcp_config"]["command"], format!("${{__dirname}}/{entry_point}"));
    let home = Home::new();
    let config = home.path("missing.toml").display().to_string();
    let arguments: Vec<String> = server["mcp_config"]["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|argument| argument.as_str().unwrap().replace("${user_config.config}", &config))
        .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = home.run(&arguments);
    assert!(output.stderr.contains("There is no configuration file"), "{output:?}");
    assert_eq!((output.code, manifest["user_config"]["config"]["required"].as_bool()), (Some(2), Some(true)));
}

#[test]
fn the_image_holds_the_binary_and_nothing_else_and_is_not_root() {
    let dockerfile = file("Dockerfile");
    let last = dockerfile.rsplit("\nFROM ").next().unwrap();
    assert!(last.starts_with("gcr.io/distroless/cc-debian12:nonroot\n"), "{last}");
    assert!(last.contains("\nUSER nonroot:nonroot\n"), "{last}");
    let copied: Vec<&str> = last.lines().filter(|line| line.starts_with("COPY")).collect();
    assert_eq!(copied, ["COPY --from=build /src/target/release/obsearch /usr/local/bin/obsearch"]);
    let ignored = file("Dockerfile.dockerignore");
    let mut rules = ignored.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(rules.next(), Some("*"), "what is not named is not sent");
    for rule in rules {
        let name = rule.strip_prefix('!').expect("only what is sent is named");
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists(), "{name}");
    }
}
