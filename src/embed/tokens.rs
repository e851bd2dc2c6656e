//! Text -> the tokens that a network sees: at most as many as its window holds.

use serde::Deserialize;
use tokenizers::{
    DecoderWrapper, EncodeInput, Encoding, Model, ModelWrapper, NormalizerWrapper, PostProcessorWrapper,
    PreTokenizerWrapper, TokenizerImpl,
};

use super::EmbedError;
use super::network::Tokens;
use super::unigram::Unigram;

/// More text than this per token of the window is not read at all: ordinary text has 2 to 6 bytes per
/// token, and tokenizing a megabyte to keep its first 512 tokens would be a gift to whoever sends it.
const MAX_BYTES_PER_TOKEN: usize = 64;

/// A tokenizer and the window of its network.
pub(super) struct WindowedTokenizer {
    tokenizer: Tokenizer,
    window_tokens: usize,
}

enum Tokenizer {
    /// With our model in the place of the library's.
    Unigram(Box<TokenizerWith<Unigram>>),
    /// Any other.
    Other(Box<TokenizerWith<ModelWrapper>>),
}

pub(super) type TokenizerWith<M> =
    TokenizerImpl<M, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

impl WindowedTokenizer {
    /// Unpacks a `tokenizer.json`, without the truncation and padding it may ask for. The error is what the
    /// library said.
    pub(super) fn load(description: &[u8], window_tokens: usize) -> Result<Self, String> {
        let tokenizer = match unpack(description) {
            Ok(tokenizer) => Tokenizer::Unigram(Box::new(tokenizer)),
            Err(_) => Tokenizer::Other(Box::new(unpack(description)?)),
        };
        Ok(Self { tokenizer, window_tokens })
    }

    /// Length of a text in tokens, special ones included, however long it is.
    pub(super) fn count(&self, text: &str) -> Result<usize, EmbedError> {
        self.encode(text).map(|encoding| encoding.len())
    }

    /// A text. What the window cuts off is replaced by the closing special token.
    pub(super) fn single(&self, text: &str) -> Result<Tokens, EmbedError> {
        Ok(self.in_window(&self.encode(self.bounded(text))?))
    }

    /// Two texts, one after the other; what does not fit is cut off the second.
    pub(super) fn pair(&self, first: &str, second: &str) -> Result<Tokens, EmbedError> {
        Ok(self.in_window(&self.encode((self.bounded(first), self.bounded(second)))?))
    }

    fn bounded<'t>(&self, text: &'t str) -> &'t str {
        &text[..text.floor_char_boundary(self.window_tokens * MAX_BYTES_PER_TOKEN)]
    }

    fn in_window(&self, encoding: &Encoding) -> Tokens {
        let signed = |ids: &[u32]| ids.iter().map(|&id| id.cast_signed()).collect::<Vec<i32>>();
        let (mut ids, mut types) = (signed(encoding.get_ids()), signed(encoding.get_type_ids()));
        if ids.len() > self.window_tokens {
            for numbers in [&mut ids, &mut types] {
                let closing = numbers.pop().unwrap_or_default();
                numbers.truncate(self.window_tokens - 1);
                numbers.push(closing);
            }
        }
        Tokens { ids, types }
    }

    fn encode<'t>(&self, text: impl Into<EncodeInput<'t>>) -> Result<Encoding, EmbedError> {
        let encoding = match &self.tokenizer {
            Tokenizer::Unigram(tokenizer) => tokenizer.encode_fast(text, true),
            Tokenizer::Other(tokenizer) => tokenizer.encode_fast(text, true),
        };
        encoding.map_err(|error| EmbedError::Run(error.to_string()))
    }
}

fn unpack<'d, M: Model + Deserialize<'d>>(description: &'d [u8]) -> Result<TokenizerWith<M>, String> {
    let mut tokenizer: TokenizerWith<M> =
        serde_json::from_slice(description).map_err(|error| error.to_string())?;
    tokenizer.with_truncation(None).map_err(|error| error.to_string())?.with_padding(None);
    // A note that says "[SEP]" or "</s>" means these characters.
    tokenizer.set_encode_special_tokens(true);
    Ok(tokenizer)
}
