//! `obsearch console`: who is let in, what its pages say, and that no text of a note becomes markup.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::common::Home;
use crate::http::{Answer, ask};
use crate::server::Server;
use crate::terminal::dialogue;

/// A console that runs.
struct Console {
    child: Child,
    port: u16,
    token: String,
}

impl Console {
    fn start(home: &Home) -> Console {
        let mut child =
            home.command(&["console"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        errors.read_line(&mut said).unwrap();
        let link = said.trim().strip_prefix("Your console: http://127.0.0.1:");
        let (port, token) = link.and_then(|link| link.split_once("/#")).unwrap_or_else(|| panic!("{said}"));
        std::thread::spawn(move || errors.lines().for_each(drop));
        Console { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    /// Asks as the page does.
    fn get(&self, route: &str) -> Answer {
        let (host, token) = (format!("127.0.0.1:{}", self.port), format!("Bearer {}", self.token));
        ask(self.port, "GET", route, &[("Host", &host), ("Authorization", &token)], "")
    }

    /// The HTML of a view, which must be well-behaved.
    #[track_caller]
    fn view(&self, view: &str) -> String {
        let answer = self.get(&format!("/view/{view}"));
        assert_eq!(answer.status, 200, "{view}: {answer:?}");
        assert!(answer.head.contains("content-type: text/html; charset=utf-8"), "{answer:?}");
        assert_only_own_markup(&answer.body);
        answer.body
    }

    fn end(mut self) -> Option<i32> {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const TAGS: &[&str] = &[
    "article", "button", "code", "dd", "details", "div", "dl", "dt", "h1", "h2", "h3", "kbd", "li", "mark",
    "ol", "p", "path", "pre", "rect", "section", "span", "strong", "summary", "svg", "table", "tbody", "td",
    "th", "thead", "tr", "ul",
];
const ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "class",
    "d",
    "data-back",
    "data-column",
    "data-get",
    "data-into",
    "data-item",
    "data-load",
    "data-said",
    "data-view",
    "height",
    "id",
    "preserveAspectRatio",
    "role",
    "scope",
    "tabindex",
    "title",
    "type",
    "viewBox",
    "width",
];

/// Every tag and attribute is one that the templates have; addresses are the page's own.
#[track_caller]
fn assert_only_own_markup(html: &str) {
    let mut rest = html;
    let mut open = Vec::new();
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{html}");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(TAGS.contains(&name.trim_end_matches('/')), "<{tag}>");
        if !tag.ends_with('/') {
            open.push(name);
        }
        // Values stand in quotes and hold none: every other part is a value.
        for (number, part) in attributes.trim_end_matches('/').split('"').enumerate() {
            if number % 2 == 1 {
                assert!(!part.contains(['<', '>']), "<{tag}>");
                continue;
            }
            for attribute in part.split_whitespace() {
                assert!(ATTRIBUTES.contains(&attribute.trim_end_matches('=')), "{attribute} in <{tag}>");
            }
        }
        for value in tag.split("data-get=\"").skip(1).chain(tag.split("data-load=\"").skip(1)) {
            assert!(value.starts_with("/view/"), "<{tag}>");
        }
    }
    assert_eq!(open, [""; 0], "{html}");
}

const RULES: &str = "folders = [\"journal\"]\ntags = [\"secret\"]\nfrontmatter_flag = \"private\"";

const NOTES: &[(&str, &str)] = &[
    ("Boat.md", "# Boat\n\nThe varnish of the hull must dry for nine hours. See [[Mast]] and [[day]].\n"),
    ("Mast.md", "# Mast\n\nThe mast has a coat of varnish too. [[Nowhere]]\n"),
    ("Parts.md", "# Parts\n\nSeen varnish.\n\n%%private%%quelmbrick%%/private%%\n"),
    ("journal/day.md", "# A day\n\nBought varnish, glumfeather. [[Boat]]\n"),
    ("tagged.md", "# Tagged\n\nThe varnish again. #secret\n"),
];

fn home() -> Home {
    let home = Home::words_only(NOTES, RULES);
    home.index();
    home
}

/// A named part of a page.
#[track_caller]
fn part<'h>(html: &'h str, class: &str) -> &'h str {
    let start = html.find(&format!("class=\"{class}\"")).unwrap_or_else(|| panic!("no {class}: {html}"));
    let rest = &html[start..];
    &rest[..rest.find("</section>").unwrap()]
}

/// Text that stands for it in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[test]
fn whoever_is_not_let_in_gets_the_same_answer_whatever_was_asked() {
    let home = home();
    let console = Console::start(&home);
    let port = console.port;
    let (host, right) = (format!("127.0.0.1:{port}"), format!("Bearer {}", console.token));
    let (own, near) = (format!("http://127.0.0.1:{port}"), right[..right.len() - 1].to_owned());
    let (other_port, foreign) =
        (format!("127.0.0.1:{}", port.wrapping_add(1)), format!("http://evil.example:{port}"));
    let refused: &[&[(&str, &str)]] = &[
        &[("Host", &host)],
        &[("Host", &host), ("Authorization", &near)],
        &[("Host", &host), ("Authorization", &console.token)],
        &[("Host", &host), ("Authorization", "Bearer ")],
        &[("Host", &host), ("Authorization", &right), ("Authorization", &right)],
        &[("Host", &other_port), ("Authorization", &right)],
        &[("Host", "evil.example"), ("Authorization", &right)],
        &[("Authorization", &right)],
        &[("Host", &host), ("Authorization", &right), ("Origin", &foreign)],
        &[("Host", &host), ("Authorization", &right), ("Origin", "null")],
        &[("Host", &host), ("Authorization", &right), ("Sec-Fetch-Site", "cross-site")],
        &[("Host", &host), ("Authorization", &right), ("Sec-Fetch-Site", "same-site")],
    ];
    let without_date = |answer: &Answer| -> (u16, Vec<String>, String) {
        let head = answer.head.lines().filter(|line| !line.starts_with("date:")).map(str::to_owned).collect();
        (answer.status, head, answer.body.clone())
    };
    let routes = [
        "/view/overview",
        "/view/rules",
        "/view/search?q=varnish",
        "/view/vault",
        "/view/folder?path=journal",
        "/view/note?path=Boat.md",
        "/view/note?path=journal/day.md",
        "/view/note?path=missing.md",
        "/view/calls",
        "/view/none",
        "/none",
    ];
    let constant = without_date(&ask(port, "GET", "/view/overview", &[("Host", &host)], ""));
    assert_eq!((constant.0, constant.2.as_str()), (403, "refused\n"));
    for headers in refused {
        for route in routes {
            let answer = ask(port, "GET", route, headers, "");
            assert_eq!(without_date(&answer), constant, "{route} {headers:?}");
        }
    }
    let good: &[(&str, &str)] = &[("Host", &host), ("Authorization", &right), ("Origin", &own)];
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(without_date(&ask(port, method, "/view/overview", good, "{}")), constant, "{method}");
    }
    for route in ["/view/none", "/none", "/view/note?path=%FF", "/key"] {
        assert_eq!(without_date(&ask(port, "GET", route, good, "")), constant, "{route}");
    }
    assert_eq!(ask(port, "GET", "/view/overview", good, "").status, 200);
    assert_eq!(console.end(), Some(0));
}

#[test]
fn every_answer_has_the_headers_and_the_shell_knows_nothing() {
    let home = home();
    let console = Console::start(&home);
    let host = format!("127.0.0.1:{}", console.port);
    let csp = "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types fragments";
    let headers = [
        csp,
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-opener-policy: same-origin",
        "cross-origin-resource-policy: same-origin",
    ];
    let shell = ["/", "/console.js", "/console.css", "/icon.svg"];
    for route in shell.iter().chain(&["/none", "/view/overview"]) {
        let answer = ask(console.port, "GET", route, &[("Host", &host)], "");
        assert_eq!(answer.status, if shell.contains(route) { 200 } else { 403 }, "{route}");
        for header in headers {
            assert!(answer.head.lines().any(|line| line == header), "{route}: {header}: {}", answer.head);
        }
        assert!(!answer.head.contains("access-control"), "{route}");
        for word in ["Notes", "Boat", "journal", "varnish", &console.token] {
            assert!(!answer.body.contains(word), "{route}: {word}");
        }
        // Nothing from anywhere else, nothing inline.
        let elsewhere = ["http://", "https://", "style=", "<style", "onclick", "eval("];
        let is_icon = *route == "/icon.svg";
        for outside in elsewhere.iter().filter(|_| !is_icon) {
            assert!(!answer.body.contains(outside), "{route}: {outside}");
        }
    }
    for headers in [&[("Host", "evil.example")][..], &[("Host", &host), ("Sec-Fetch-Site", "cross-site")]] {
        assert_eq!(ask(console.port, "GET", "/", headers, "").status, 403);
    }
    assert!(console.get("/view/overview").head.lines().any(|line| line == csp));
}

#[test]
fn both_sides_of_a_search_are_told_apart_and_explained() {
    let home = home();
    let console = Console::start(&home);
    let html = console.view("search?q=varnish&mode=hybrid");
    let (public, full) = (part(&html, "column public"), part(&html, "column full"));
    for (name, in_public) in
        [("Boat.md", true), ("Mast.md", true), ("journal/day.md", false), ("tagged.md", false)]
    {
        assert_eq!(public.contains(name), in_public, "{name}: {public}");
        assert!(full.contains(name), "{name}: {full}");
    }
    for word in ["glumfeather", "private", "quelmbrick"] {
        assert!(!public.contains(word), "{word}: {public}");
    }
    let day = &full[full.find("journal/day.md").unwrap()..];
    let day = &day[..day.find("</li>").unwrap()];
    assert!(day.contains(r#"<span class="mark private">private</span>"#), "{day}");
    assert!(day.contains(&escaped("folders = \"journal\" (line 4 of the configuration)")), "{day}");
    assert!(day.contains("<mark>varnish</mark>") && !day.contains("by meaning"), "{day}");
    assert!(day.contains("words no. ") && day.contains("BM25"), "{day}");
    assert!(public.contains("yours no. ") && full.contains("agent no. "), "{html}");
    assert!(public.contains("Where the time went") && public.contains("<td>rank</td>"), "{public}");
    let nothing = console.view("search?q=zzyzx");
    assert_eq!(nothing.matches("Nothing found.").count(), 2, "{nothing}");
    assert!(console.view("search?q=+").contains("the query is empty"));
    let linked = console.view("search?q=nine+hours&links=on");
    assert!(part(&linked, "column public").contains("<td>follow links</td>"), "{linked}");
}

#[test]
fn the_column_of_the_agent_is_the_same_without_the_private_notes() {
    let columns = |home: &Home| -> Vec<String> {
        home.index();
        let console = Console::start(home);
        let queries = ["varnish", "glumfeather", "quelmbrick", "nine+hours&links=on", "day"];
        let of_searches = queries.iter().map(|query| {
            let html = console.view(&format!("search?q={query}"));
            let column = part(&html, "column public").to_owned();
            let column = column.split("<details class=\"times\"").next().unwrap().to_owned();
            // Where the same passage stands among the owner's is the owner's.
            without(&without(&column, r#"<p class="marks">"#, "</p>"), "index of", "</p>")
        });
        let notes = ["Boat.md", "Mast.md", "Parts.md", "journal/day.md", "tagged.md"];
        let of_notes = notes.iter().map(|path| {
            let html = console.view(&format!("note?path={path}"));
            if html.contains("card agent") { part(&html, "card agent").to_owned() } else { absent() }
        });
        of_searches.collect::<Vec<_>>().into_iter().chain(of_notes).collect()
    };
    let with = columns(&Home::words_only(NOTES, RULES));
    let public: Vec<(&str, &str)> =
        NOTES.iter().copied().filter(|(name, _)| !["journal/day.md", "tagged.md"].contains(name)).collect();
    assert_eq!(with, columns(&Home::words_only(&public, RULES)));
}

/// What an agent gets of a note that is not there.
fn absent() -> String {
    "class=\"card agent\"><h2>What an agent gets</h2><p class=\"absent\"><code>note not found</code></p>\
     <p class=\"quiet\">The same as for a note that does not exist.</p>"
        .to_owned()
}

/// The text without what stands between these.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut parts = text.split(from);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once(to).map_or("", |(_, rest)| rest))
}

#[test]
fn the_tree_marks_every_note_and_names_the_rule() {
    let home = home();
    let console = Console::start(&home);
    let top = console.view("vault");
    let row = |html: &str, name: &str| {
        let start = html.find(&format!(">{name}<")).unwrap_or_else(|| panic!("{name}: {html}"));
        html[start..].split("</li>").next().unwrap().to_owned()
    };
    assert!(row(&top, "Boat.md").contains("mark public"));
    assert!(
        row(&top, "Parts.md").contains("public in parts") && row(&top, "Parts.md").contains("without line 5")
    );
    let tagged = row(&top, "tagged.md");
    assert!(tagged.contains("mark private"), "{tagged}");
    assert!(
        tagged.contains(&escaped("tags = \"secret\" (line 5 of the configuration): line 3 of the note")),
        "{tagged}"
    );
    let journal = row(&top, "journal");
    assert!(
        journal.contains("mark private") && journal.contains("(line 4 of the configuration)"),
        "{journal}"
    );
    assert!(!top.contains("day.md"), "folders are read when they are opened");
    let inside = console.view("folder?path=journal");
    assert!(row(&inside, "day.md").contains("mark private"), "{inside}");
    let rules = console.view("rules");
    assert!(rules.contains("2 of 5 notes private"), "{rules}");
    assert!(rules.contains("It matches nothing in this vault"), "the flag: {rules}");
}

#[test]
fn of_a_private_note_only_its_name_and_the_reasons_are_shown() {
    let home = home();
    let console = Console::start(&home);
    let day = console.view("note?path=journal/day.md");
    assert!(part(&day, "card agent").contains("note not found"), "{day}");
    assert!(day.contains("mark private") && day.contains("move journal/day.md elsewhere"), "{day}");
    assert!(!day.contains("glumfeather"), "{day}");
    let parts = console.view("note?path=Parts.md");
    assert!(parts.contains("Seen varnish.") && !parts.contains("quelmbrick"), "{parts}");
    let boat = console.view("note?path=Boat.md");
    assert!(part(&boat, "card agent").contains("must dry for nine hours"), "{boat}");
    let links = part(&boat, "card links");
    assert!(links.contains("Linked from") && links.contains("journal/day.md"), "{links}");
    assert!(links.contains("mark private") && links.contains("Mast"), "{links}");
    assert!(console.view("note?path=Mast.md").contains("<li>Nowhere</li>"));
    assert!(console.view("note?path=missing.md").contains("note not found"));
}

#[test]
fn rules_hold_from_the_next_page_on_and_a_stale_index_is_shown_as_stale() {
    let home = home();
    let console = Console::start(&home);
    let fresh = console.view("overview");
    assert_eq!(fresh.matches("<strong>Fresh</strong>").count(), 2, "{fresh}");
    home.write_note("Boat.md", "---\nprivate: true\n---\n# Boat\n\nvarnish\n");
    home.write_note("New.md", "varnish\n");
    assert!(part(&console.view("note?path=Boat.md"), "card agent").contains("note not found"));
    let stale = console.view("overview");
    assert!(part(&stale, "card public").contains("1 note new, 1 note gone or hidden by now"), "{stale}");
    assert!(part(&stale, "card full").contains("1 note new, 1 note changed"), "{stale}");
    assert_eq!(stale.matches("Run <code>obsearch index</code>").count(), 2, "{stale}");
    home.index();
    assert_eq!(console.view("overview").matches("<strong>Fresh</strong>").count(), 2);
    home.configure(
        "[vault]\npath = \"~/Notes\"\n[privacy]\ntags = [\"other\"]\n[embeddings]\nbackend = \"none\"\n",
    );
    assert!(console.view("overview").contains("the privacy rules changed"));
    home.index();
    assert!(part(&console.view("note?path=journal/day.md"), "card agent").contains("glumfeather"));
    home.configure("[vault]\npath = \"~/Notes\"\n[privacy]\ntagz = [\"other\"]\n");
    let broken = console.view("vault");
    assert!(broken.contains("class=\"problem\"") && broken.contains("nothing is served"), "{broken}");
}

#[test]
fn without_an_index_it_says_so() {
    let home = Home::words_only(NOTES, RULES);
    let console = Console::start(&home);
    let overview = console.view("overview");
    assert_eq!(overview.matches("<strong>No index</strong>").count(), 2, "{overview}");
    let search = console.view("search?q=varnish");
    assert!(
        search.contains("there is no index under these rules yet") && search.contains("Boat.md"),
        "{search}"
    );
    assert!(console.view("note?path=Boat.md").contains("links are looked up in it"));
}

#[test]
fn what_was_served_is_listed_with_what_is_private_by_now() {
    let home = home();
    let console = Console::start(&home);
    assert!(console.view("calls").contains("Nothing was served so far."));
    let mut server = Server::start_stdio(&home);
    server.call("read_note", &serde_json::json!({ "path": "Boat.md" }));
    server.call("search_vault", &serde_json::json!({ "query": "mast", "mode": "keyword" }));
    server.end();
    let calls = console.view("calls");
    assert!(
        calls.find("search_vault").unwrap() < calls.find("read_note").unwrap(),
        "the newest first: {calls}"
    );
    assert!(calls.contains("Boat.md") && calls.contains("test 0 over stdio"), "{calls}");
    assert!(!calls.contains("mark private"), "{calls}");
    // Looking at the page is no answer to an agent.
    console.view("note?path=Boat.md");
    assert_eq!(console.view("calls"), calls);
    home.write_note("Boat.md", "# Boat\n\n#secret\n");
    assert!(console.view("calls").contains("mark private"));
    let text = home.read(".config/obsearch/config.toml");
    drop(console);
    home.configure(&format!("{text}\n[ledger]\nenabled = false\n"));
    assert!(Console::start(&home).view("calls").contains("The ledger is off"));
}

/// Names and texts that would be markup, scripts or tricks if they were not shown as text.
#[test]
fn hostile_notes_are_shown_as_text() {
    let script = "<script>fetch('//evil.example')</script>";
    let names = [
        "</title><svg onload=alert(1)>.md",
        "\" autofocus onfocus=\"alert(1).md",
        "' onclick='x'.md",
        "a\u{202e}fdp.md",
        "&lt;b&gt;.md",
        "<img src=x onerror=alert(1)>/{}.md",
    ];
    let text = format!(
        "---\ntitle: {script}\naliases: ['\"><b>']\n\"<i>\": \"</pre>{script}\"\n---\n# {script}\n\nvarnish {script}\n\
         <img src=x onerror=alert(1)> [x](javascript:alert(1)) </pre></title><!-- \u{202e}gnp\u{1b}[2J &amp; {{}}\n\
         [[</button><script>x</script>]] [[Boat]]\n"
    );
    let home = Home::words_only(&[("Boat.md", "varnish")], "tags = [\"<b>\"]\nfolders = [\"<u>\"]");
    for name in names {
        home.write_note(name, &text);
    }
    home.write_note("<u>/x.md", "varnish [[Boat]]");
    home.index();
    let console = Console::start(&home);
    let encoded = |name: &str| name.bytes().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"));
    let mut pages = vec![
        console.view("overview"),
        console.view("rules"),
        console.view("vault"),
        console.view("search?q=varnish&links=on"),
        console.view(&format!("search?q={}", encoded(script))),
        console.view(&format!("folder?path={}", encoded("<img src=x onerror=alert(1)>"))),
        console.view(&format!("folder?path={}", encoded(script))),
        console.view(&format!("note?path={}", encoded(script))),
        console.view("note?path=Boat.md"),
    ];
    for name in names {
        let page = console.view(&format!("note?path={}", encoded(name)));
        assert!(
            page.contains(&escaped("varnish <script>fetch('//evil.example')</script>")),
            "{name}: {page}"
        );
        assert!(page.contains(&escaped("[x](javascript:alert(1))")), "{name}: {page}");
        pages.push(page);
    }
    for page in &pages {
        for trick in ["<script", "<img", "<b>", "<!--", "\u{202e}", "\u{1b}", "javascript:alert(1)\""] {
            assert!(!page.contains(trick), "{trick}: {page}");
        }
    }
    let all = pages.concat();
    for name in names {
        let shown = escaped(name.rsplit('/').next().unwrap()).replace('\u{202e}', r"\u{202e}");
        assert!(all.contains(&shown), "{shown}");
    }
}

/// The files below a folder, with their bytes.
#[expect(clippy::disallowed_methods, reason = "a test looks at what the console left alone")]
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn it_changes_nothing() {
    let home = home();
    home.write_note("New.md", "varnish\n");
    home.write_note("Mast.md", "#secret\n");
    let before = files(&home.path(""));
    let console = Console::start(&home);
    for view in
        ["overview", "rules", "vault", "folder?path=journal", "note?path=Boat.md", "note?path=Mast.md"]
    {
        console.view(view);
    }
    console.view("search?q=varnish&links=on");
    assert_eq!(console.end(), Some(0));
    let mut after = files(&home.path(""));
    // Whoever reads a tree leaves files of SQLite's beside it, in which nothing is written.
    let is_beside = |name: &str| name.ends_with(".db-shm") || name.ends_with(".db-wal");
    after.retain(|name, bytes| !is_beside(name) || (name.ends_with("-wal") && !bytes.is_empty()));
    let changed: Vec<&String> =
        after.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)).map(|(name, _)| name).collect();
    assert_eq!(changed, [""; 0]);
    assert_eq!(before.len(), after.len());
}

#[test]
fn keys_differ_from_run_to_run_and_tokens_of_clients_open_nothing() {
    let home = home();
    let of_client = crate::http::token(&home, "own", "full");
    let (first, second) = (Console::start(&home), Console::start(&home));
    assert_ne!(first.token, second.token);
    assert!(first.token.len() > 60);
    let host = format!("127.0.0.1:{}", first.port);
    for token in [&second.token, &of_client] {
        let headers = [("Host", &*host), ("Authorization", &format!("Bearer {token}"))];
        assert_eq!(ask(first.port, "GET", "/view/overview", &headers, "").status, 403);
    }
    let taken = second.port.to_string();
    home.run(&["console", "--port", &taken]).assert_refused();
}

/// In the place of the desktop's: asks for the key twice, then for a page, and ends the console.
const BROWSER: &str = r##"#!/usr/bin/env python3
import json, os, signal, sys, urllib.error, urllib.request
base, ticket = sys.argv[1].split("#once-")
def get(route, key):
    asked = urllib.request.Request(base + route, headers={"Authorization": "Bearer " + key})
    try:
        with urllib.request.urlopen(asked) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
first, second = get("key", ticket), get("key", ticket)
pages = [get("view/overview", key)[0] for key in (ticket, first[1])]
with open(os.environ["HOME"] + "/told", "w") as file:
    json.dump({"keys": [first[0], second], "key": first[1], "ticket": ticket, "pages": pages}, file)
os.kill(os.getppid(), signal.SIGINT)
"##;

#[test]
fn a_browser_that_is_started_gets_a_ticket_for_one_use() {
    let mut home = home();
    for name in ["bin/xdg-open", "bin/open"] {
        home.write(name, BROWSER);
        home.set_mode(name, 0o755);
    }
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", home.path("bin").display());
    home.set_variables(&[("PATH", &path)]);
    let Some(output) = dialogue(&home, &["console"], &[]) else { return };
    assert_eq!(output.code, Some(0), "{output:?}");
    let told: serde_json::Value = serde_json::from_str(&home.read("told")).unwrap();
    assert_eq!(told["keys"], serde_json::json!([200, [403, "refused\n"]]), "{told}");
    assert_eq!(told["pages"], serde_json::json!([403, 200]), "{told}");
    let (key, ticket) = (told["key"].as_str().unwrap(), told["ticket"].as_str().unwrap());
    assert!(output.stdout.contains(&format!("/#{key}\n")), "the key is printed: {output:?}");
    assert!(!output.stdout.contains(ticket), "the ticket is not: {output:?}");
}
