//! Tests of the note parser as a whole: kinds of notes that broke other tools, arbitrary text, and
//! hostile text.
mod bugs;
mod hostile;
mod properties;
