//! What a proof found.

use std::collections::HashSet;

use serde::Serialize;

use super::ProveError;
use super::home::Home;
use super::plant::MadeUpNote;

/// At most so many pieces of evidence are kept of a phase.
const MAX_EVIDENCE: usize = 20;
/// An inverted index leaves out the letters that a word shares with the one before it.
const SHARED_LETTERS: usize = 3;

/// The outcome.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Nothing was found.
    pub passed: bool,
    /// Notes in the throw-away vault.
    pub notes: usize,
    /// Private ones among them.
    pub private: usize,
    /// Public notes that were made private while the server ran.
    pub flipped: usize,
    /// Words that stand in private notes only.
    pub canaries: usize,
    /// What was done, in order.
    pub phases: Vec<Phase>,
    /// Bytes of log lines that were looked at.
    pub log_bytes: usize,
    /// Private words in log lines.
    pub log_leaks: Vec<Evidence>,
    /// Rules for which no example could be made up.
    pub not_exercised: Vec<String>,
}

/// A round of requests, and a look at the index after it.
#[derive(Debug, Serialize)]
pub struct Phase {
    /// When it was.
    pub name: &'static str,
    /// Requests asked.
    pub requests: usize,
    /// Answers compared between the two vaults.
    pub compared: usize,
    /// Bytes of the public index that were looked at.
    pub index_bytes: usize,
    /// Private words in answers or in the index.
    pub leaks: Vec<Evidence>,
    /// Answers that differ between the two vaults.
    pub differences: Vec<Evidence>,
}

/// Something that should not be.
#[derive(Debug, Serialize)]
pub struct Evidence {
    /// The request, or the file.
    pub place: String,
    /// What is wrong.
    pub found: String,
}

impl Report {
    pub(super) fn new(not_exercised: Vec<String>) -> Report {
        Report {
            passed: true,
            notes: 0,
            private: 0,
            flipped: 0,
            canaries: 0,
            phases: Vec::new(),
            log_bytes: 0,
            log_leaks: Vec::new(),
            not_exercised,
        }
    }

    pub(super) fn scan_log(&mut self, server: &str, log: &[u8], canaries: &[String]) {
        self.log_bytes += log.len();
        for canary in found_in(log, canaries) {
            self.log_leaks
                .push(Evidence { place: format!("log of the server {server} private notes"), found: canary });
        }
    }

    /// Settles the verdict.
    #[must_use]
    pub(super) fn judged(mut self) -> Report {
        let is_clean = |phase: &Phase| phase.leaks.is_empty() && phase.differences.is_empty();
        // A proof that asked nothing, or planted nothing, proves nothing.
        let is_real = self.phases.iter().all(|phase| phase.requests > 0) && self.canaries > 0;
        self.passed = is_real && self.log_leaks.is_empty() && self.phases.iter().all(is_clean);
        self
    }
}

impl Phase {
    pub(super) fn new(name: &'static str) -> Phase {
        Phase { name, requests: 0, compared: 0, index_bytes: 0, leaks: Vec::new(), differences: Vec::new() }
    }

    /// Every rule must hide the notes that were planted under it. A proof that asked only the judge which notes
    /// are private would not notice a rule that hides none.
    pub(super) fn expect_hidden(&mut self, planted: &[MadeUpNote], public: &[MadeUpNote]) {
        let public: HashSet<&str> = public.iter().map(|note| &*note.path).collect();
        let served = planted.iter().filter(|note| public.contains(&*note.path));
        let evidence = served.filter_map(|note| {
            let rule = note.planted_under.clone()?;
            Some(Evidence { place: rule, found: format!("the note {} is public", note.path) })
        });
        self.differences.extend(evidence);
        self.differences.truncate(MAX_EVIDENCE);
    }

    /// Looks for private words in an answer.
    pub(super) fn scan(&mut self, place: &str, answer: &str, canaries: &[String]) {
        for canary in found_in(answer.as_bytes(), canaries) {
            self.leaks.push(Evidence { place: place.to_owned(), found: canary });
        }
        self.leaks.truncate(MAX_EVIDENCE);
    }

    pub(super) fn compare(&mut self, place: &str, with: &str, without: &str) {
        self.compared += 1;
        if with != without && self.differences.len() < MAX_EVIDENCE {
            let found = format!("with private notes: {} / without: {}", shortened(with), shortened(without));
            self.differences.push(Evidence { place: place.to_owned(), found });
        }
    }

    /// Looks for private words in the ledger, and holds it against that of the vault without them. Notes that turn
    /// private later stay in it: they were served.
    pub(super) fn look_at_ledgers(
        &mut self,
        with: &Home,
        without: &Home,
        canaries: &[String],
    ) -> Result<(), ProveError> {
        let [with, without] = [with.ledger()?, without.ledger()?];
        self.scan("the ledger", &with, canaries);
        self.compare("the ledger", &with, &without);
        Ok(())
    }

    /// Looks for private words in every byte of the public index.
    pub(super) fn with_bytes(mut self, home: &Home, canaries: &[String]) -> Result<Phase, ProveError> {
        for (name, bytes) in home.public_files()? {
            self.index_bytes += bytes.len();
            for canary in found_in(&bytes, canaries) {
                self.leaks.push(Evidence { place: name.clone(), found: canary });
            }
        }
        self.leaks.truncate(MAX_EVIDENCE);
        Ok(self)
    }
}

/// The words that stand in these bytes, in any case, their first letters aside.
fn found_in(bytes: &[u8], canaries: &[String]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    canaries.iter().filter(|canary| text.contains(&canary[SHARED_LETTERS..])).cloned().collect()
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(300)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_and_a_private_word_fail_the_proof() {
        let canaries = ["abcdefghij".to_owned()];
        let phase = || {
            let mut phase = Phase::new("x");
            phase.requests = 1;
            phase
        };
        let verdict = |phase: Phase| {
            let mut report = Report::new(Vec::new());
            report.canaries = 1;
            report.phases.push(phase);
            report.judged().passed
        };
        assert!(verdict(phase()));
        let mut differing = phase();
        differing.compare("a", "1", "2");
        assert!(!verdict(differing));
        let mut leaking = phase();
        leaking.scan("a", "xxDEFGHIJ", &canaries);
        assert!(!verdict(leaking));
        assert!(!verdict(Phase::new("nothing was asked")));
        let planted = |rule: Option<&str>| {
            let (path, text, planted_under) = ("a.md".to_owned(), String::new(), rule.map(str::to_owned));
            [MadeUpNote { path, text, public_text: None, canaries: Vec::new(), planted_under }]
        };
        for (rule, public, passes) in
            [(Some("tags"), true, false), (Some("tags"), false, true), (None, true, true)]
        {
            let (planted, mut phase) = (planted(rule), phase());
            phase.expect_hidden(&planted, if public { &planted } else { &[] });
            assert_eq!(verdict(phase), passes, "{rule:?}");
        }
        let mut report = Report::new(Vec::new());
        report.canaries = 1;
        report.phases.push(phase());
        report.scan_log("with", b"defghij", &canaries);
        assert!(!report.judged().passed);
    }
}
