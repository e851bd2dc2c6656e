//! Wikilinks, embeds, tags and comments inside the text of a note.
