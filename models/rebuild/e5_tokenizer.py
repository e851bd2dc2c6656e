"""Writes `tokenizer.json` for the trimmed vocabulary: a unigram model behind NFKC."""

import json

SPACE = 0x20
SPECIAL_TOKENS = ["<s>", "<pad>", "</s>", "<unk>"]
WORD_MARK = "\u2581"


def write_tokenizer(path, container, kept):
    """Writes the tokenizer of the pieces whose ids are in `kept` to `path`."""
    with open(path, "w", encoding="utf8") as file:
        json.dump(describe(container, kept), file, ensure_ascii=False, separators=(",", ":"))


def describe(container, kept):
    """The whole description, in the order in which it is written."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(i, text) for i, text in enumerate(SPECIAL_TOKENS)],
        "normalizer": normalizer(container.replacements),
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "WhitespaceSplit"}, word_marks()],
        },
        "post_processor": post_processor(),
        "decoder": word_marks(),
        "model": {
            "type": "Unigram",
            "unk_id": 3,
            "byte_fallback": False,
            "vocab": [[container.pieces[i], round(float(container.scores[i]), 5)] for i in kept],
        },
    }


def added_token(token_id, text):
    """A special token, matched as it stands."""
    return {
        "id": token_id,
        "content": text,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def normalizer(replacements):
    """Control characters go, kinds of space become a space, NFKC does the rest."""
    removed = [point for point, target in replacements.items() if target == ()]
    spaces = [point for point, target in replacements.items() if target == (SPACE,) and point != SPACE]
    return {
        "type": "Sequence",
        "normalizers": [
            replace(character_class(removed), ""),
            replace(character_class(spaces), " "),
            {"type": "NFKC"},
            replace(" {2,}", " "),
        ],
    }


def replace(pattern, content):
    """One regular-expression step of the normaliser."""
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def character_class(code_points):
    """`[…]` of code points in hexadecimal."""
    return "[" + "".join(f"\\x{{{point:x}}}" for point in code_points) + "]"


def word_marks():
    """The mark that stands for the space before a word."""
    return {"type": "Metaspace", "replacement": WORD_MARK, "prepend_scheme": "always", "split": True}


def post_processor():
    """<s> text </s>, and <s> a </s> </s> b </s> for pairs."""
    start, end = special("<s>"), special("</s>")
    return {
        "type": "TemplateProcessing",
        "single": [start, sequence("A"), end],
        "pair": [start, sequence("A"), end, end, sequence("B"), end],
        "special_tokens": {
            text: {"id": text, "ids": [token_id], "tokens": [text]}
            for text, token_id in (("<s>", 0), ("</s>", 2))
        },
    }


def special(text):
    """A special token in a template."""
    return {"SpecialToken": {"id": text, "type_id": 0}}


def sequence(name):
    """A text in a template."""
    return {"Sequence": {"id": name, "type_id": 0}}
