//! What well-known models want before their texts: without it they find noticeably less.
//!
//! Each row from the model's own card (named at the row).

/// What comes before a query and before a passage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Prefixes {
    pub(super) query: String,
    pub(super) passage: String,
}

/// Part of a name in lower case, query prefix, passage prefix. The first that fits counts.
const KNOWN: [(&str, &str, &str); 9] = [
    // nomic-ai/nomic-embed-text-v1.5
    ("nomic-embed", "search_query: ", "search_document: "),
    // google/embeddinggemma-300m
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    // Qwen/Qwen3-Embedding-0.6B
    (
        "qwen3-embedding",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
        "",
    ),
    // intfloat/multilingual-e5-large-instruct
    (
        "e5-large-instruct",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
        "",
    ),
    // intfloat/multilingual-e5-base and its kin
    ("e5-", "query: ", "passage: "),
    // mixedbread-ai/mxbai-embed-large-v1
    ("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    // BAAI/bge-base-en-v1.5 and its kin; bge-m3 wants none
    ("bge-m3", "", ""),
    ("bge-", "Represent this sentence for searching relevant passages: ", ""),
    // Snowflake/snowflake-arctic-embed-l-v2.0
    ("snowflake-arctic-embed2", "query: ", ""),
];

/// What the model of this name wants, nothing if it is not known.
pub(super) fn prefixes_of(name: &str) -> Prefixes {
    let name = name.to_lowercase();
    let known = KNOWN.iter().find(|(part, _, _)| name.contains(part));
    known.map_or_else(Prefixes::default, |(_, query, passage)| Prefixes {
        query: (*query).to_owned(),
        passage: (*passage).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_with_their_tags_and_owners() {
        for (name, query, passage) in [
            ("nomic-embed-text:latest", "search_query: ", "search_document: "),
            ("nomic-ai/Nomic-Embed-Text-v1.5", "search_query: ", "search_document: "),
            ("multilingual-e5-base", "query: ", "passage: "),
            ("bge-m3:567m", "", ""),
            ("snowflake-arctic-embed2", "query: ", ""),
            ("text-embedding-3-small", "", ""),
            ("", "", ""),
        ] {
            let prefixes = prefixes_of(name);
            assert_eq!((&*prefixes.query, &*prefixes.passage), (query, passage), "{name}");
        }
    }
}
