//! Kinds of input that broke tools of this sort, one small vault each, through the real program.
//! The vaults and what is expected of them lie outside the project; skipped where they are absent.
//!
//! Left to the tests of `serve`: 42 (watching), 45 (a server that starts without an index) and 46
//! (nothing but the protocol on standard output).

mod expectations;
mod steps;

use expectations::{Case, check};

/// One test for each case: its vault, prepared, indexed by words, and all its expectations.
macro_rules! cases {
    ($($test:ident: $folder:literal,)*) => {
        $(#[test]
        fn $test() {
            let Some(case) = Case::open($folder) else { return };
            case.set_up();
            check(&case);
        })*
    };
}

cases! {
    hyphens_in_queries: "01-fts-hyphen",
    quotes_in_queries: "03-fts-quotes",
    dates_and_versions_in_queries: "04-fts-dates-versions",
    words_inside_cjk_text: "06-cjk-substring",
    part_of_a_cjk_query: "07-cjk-partial",
    names_in_decomposed_form: "09-nfd-names",
    dates_in_properties: "12-yaml-dates",
    marks_and_line_ends: "13-bom-crlf",
    templates_in_properties: "15-templates-in-yaml",
    shapes_of_tags: "16-tag-shapes",
    tags_in_code: "18-tags-in-code",
    nested_tags: "19-nested-tags",
    duplicate_names: "21-duplicate-basenames",
    embeds_in_a_circle: "22-embed-cycle",
    anchors_of_headings: "24-heading-anchors",
    references_to_blocks: "25-block-refs",
    names_that_look_alike: "27-lossy-paths",
    folders_with_the_name_of_a_note: "28-md-directory",
    empty_and_tiny_notes: "30-empty-tiny",
    very_large_notes: "31-very-large",
    links_out_of_the_vault: "33-symlink-escape",
    paths_out_of_the_vault: "34-path-traversal",
    private_folders_and_tags: "36-private-folder",
    backslashes_and_blanks: "48-windows-paths",
    comments: "52-comments",
    hazards_in_yaml: "55-yaml-hazards",
}
