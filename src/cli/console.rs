//! The two output streams: colours, width, and what is a terminal. The only code that looks at
//! the terminal.

use std::fmt::Display;
use std::io::{self, BufRead, BufWriter, IsTerminal, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::cli::Color;
use crate::cli::render::{escape, style};

/// Narrower terminals are written to as if they were this wide, in columns.
const MIN_WIDTH: usize = 40;
/// Lines longer than this are hard to read, in columns.
const MAX_WIDTH: usize = 100;

/// Standard output and standard error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Console {
    color: Color,
}

/// Standard output, buffered; colours are dropped where they are not wanted.
pub(super) type Out = BufWriter<AutoStream<StdoutLock<'static>>>;

impl Console {
    pub(super) fn new(color: Color) -> Self {
        Console { color }
    }

    /// Where results go. To be flushed, so that a full disk or a closed pipe is noticed.
    pub(super) fn out(self) -> Out {
        let stdout = io::stdout();
        let choice = self.choice(AutoStream::choice(&stdout));
        BufWriter::new(AutoStream::new(stdout.lock(), choice))
    }

    /// An error: what is wrong, and what to do next.
    pub(super) fn error(self, message: &str, hint: &str) {
        let label = style::ERROR;
        self.message(format_args!("{label}error:{label:#} {}", escape::line(message)));
        if !hint.is_empty() {
            self.message(escape::line(hint));
        }
    }

    /// Something the reader should know besides the result.
    pub(super) fn notice(self, text: &str) {
        let label = style::DIM;
        self.message(format_args!("{label}note:{label:#} {}", escape::line(text)));
    }

    /// A line on standard error. Where even that cannot be written, nobody is left to tell.
    pub(super) fn message(self, text: impl Display) {
        let stderr = io::stderr();
        let choice = self.choice(AutoStream::choice(&stderr));
        let _ = writeln!(AutoStream::new(stderr.lock(), choice), "{text}");
    }

    /// Asks for a line on standard error and reads it from standard input, without blanks around it; none
    /// after Ctrl-D.
    pub(super) fn ask(self, question: impl Display) -> io::Result<Option<String>> {
        let stderr = io::stderr();
        let choice = self.choice(AutoStream::choice(&stderr));
        let _ = write!(AutoStream::new(stderr.lock(), choice), "{question} ");
        let mut line = Vec::new();
        if io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
            self.message("");
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
    }

    /// Asks for yes or no until it is one of them; nothing typed means `default`, Ctrl-D means no.
    pub(super) fn confirm(self, question: &str, default: Answer) -> io::Result<bool> {
        let choices = if default == Answer::Yes { "[Y/n]" } else { "[y/N]" };
        loop {
            let Some(answer) = self.ask(format_args!("{question} {choices}"))? else { return Ok(false) };
            match Answer::parse(&answer, default) {
                Some(answer) => return Ok(answer == Answer::Yes),
                None => self.message("Please type y or n."),
            }
        }
    }

    fn choice(self, automatic: ColorChoice) -> ColorChoice {
        match self.color {
            Color::Auto => automatic,
            Color::Always => ColorChoice::AlwaysAnsi,
            Color::Never => ColorChoice::Never,
        }
    }
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
}

impl Answer {
    /// What was typed, if it is one of the two; nothing typed means `default`.
    pub(super) fn parse(typed: &str, default: Answer) -> Option<Answer> {
        match typed.to_lowercase().as_str() {
            "" => Some(default),
            "y" | "yes" => Some(Answer::Yes),
            "n" | "no" => Some(Answer::No),
            _ => None,
        }
    }
}

/// Writes a result as JSON, byte for byte: nothing is taken for a colour.
pub(super) fn json<T: Serialize>(value: &T) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}

/// Columns to wrap text at; none where the output is not a terminal.
pub(super) fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col).clamp(MIN_WIDTH, MAX_WIDTH))
}

/// Whether someone can answer a question.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether standard input is a terminal rather than a client.
pub(super) fn is_typed() -> bool {
    io::stdin().is_terminal()
}

/// Whether a progress bar can be drawn.
pub(super) fn can_draw() -> bool {
    io::stderr().is_terminal()
}
