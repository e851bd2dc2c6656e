//! The tests of the wall, tested: with one layer of it broken on purpose (`src/failpoint.rs`), a test
//! that is named here must fail; that it passes with none broken is what the rest of a run shows. Runs with the
//! feature `failpoints`: `cargo test --features failpoints --test it`.
#![expect(clippy::disallowed_methods, reason = "a test runs other tests of this binary")]

use std::process::Command;

use crate::common::at_once;

/// Read by the binary under test, and passed on to it by `Home`.
pub(crate) const VARIABLE: &str = "OBSEARCH_FAILPOINT";

/// Each layer with tests that must notice that it is broken.
const LAYERS: [(&str, &[&str]); 8] = [
    (
        "SkipRevalidation",
        &[
            "referee::private_notes_change_no_answer",
            "flips::a_running_server_knows_at_once_that_a_note_turned_private",
            "privacy::a_proof_passes_tells_figures_and_leaves_nothing_behind",
        ],
    ),
    // To the referee a note that turned private and one that was deleted leave the same gap.
    ("FilterAfterRanking", &["review::public_passages_are_found_behind_any_number_that_turned_private"]),
    (
        "FollowLinks",
        &[
            "flips::a_running_server_knows_at_once_that_a_note_turned_private",
            "privacy::a_proof_passes_tells_figures_and_leaves_nothing_behind",
        ],
    ),
    ("CacheVerdicts", &["flips::a_running_server_knows_at_once_that_a_note_turned_private"]),
    ("OpenFullTree", &["system_calls::the_public_server_stays_in_its_own_store"]),
    (
        "EchoNames",
        &[
            "canary::refusals_do_not_repeat_what_was_asked",
            "rest::a_private_note_is_like_none_by_every_route_and_spelling",
        ],
    ),
    ("CountHidden", &["referee::private_notes_change_no_answer"]),
    (
        "ServeOldText",
        &[
            "flips::a_running_server_knows_at_once_that_a_note_turned_private",
            "privacy::a_proof_passes_tells_figures_and_leaves_nothing_behind",
        ],
    ),
];

/// Runs one test of this binary with this layer broken: does it pass?
fn passes(test: &str, layer: &str) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output =
        command.args(["--exact", test]).env(VARIABLE, layer).env("OBSEARCH_TEST_SEEDS", "4").output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("running 1 test"), "{test}: {said}");
    output.status.success()
}

#[test]
fn every_broken_layer_is_noticed() {
    let pairs = LAYERS.iter().flat_map(|(layer, tests)| tests.iter().map(move |test| (*layer, *test)));
    at_once(3, pairs, |(layer, test)| {
        assert!(!passes(test, layer), "{test} does not notice that {layer} breaks the wall");
    });
}
