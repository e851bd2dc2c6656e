//! The rules of every vault and those of one, as one text: what a vault's own section says only hides more, and what
//! could show more is refused.

use super::{RuleError, RuleText, Standing, fold};

/// The rules of both sections in one list each, those of `general` first.
pub(super) fn text(general: &RuleText, own: &RuleText) -> Result<RuleText, RuleError> {
    let both = |general: &[String], own: &[String]| [general, own].concat();
    let hides_by_default = general.default == Standing::Private;
    if hides_by_default {
        refuse_permissions_beyond(own)?;
    }
    let allowing = if hides_by_default { general } else { own };
    Ok(RuleText {
        folders: both(&general.folders, &own.folders),
        tags: both(&general.tags, &own.tags),
        frontmatter_flag: one_flag(general, own)?,
        strict: general.strict || own.strict,
        default: allowing.default,
        allow_folders: allowing.allow_folders.clone(),
        allow_tags: allowing.allow_tags.clone(),
        allow_flag: allowing.allow_flag.clone(),
        redact_patterns: both(&general.redact_patterns, &own.redact_patterns),
        ignore_patterns: own.ignore_patterns.clone(),
        max_note_bytes: own.max_note_bytes,
    })
}

/// What every vault keeps private unless something allows it, the section of one vault cannot allow.
fn refuse_permissions_beyond(own: &RuleText) -> Result<(), RuleError> {
    let allowed = own.allow_folders.iter().chain(&own.allow_tags).chain(&own.allow_flag).next();
    allowed.map_or(Ok(()), |rule| {
        Err(RuleError {
            rule: rule.clone(),
            reason:
                "a vault's own section only hides more, and [privacy] makes every note private that it does \
                     not allow itself; write default = \"private\" in the vaults' own sections instead"
                    .to_owned(),
        })
    })
}

/// Two flags would leave a reader of the notes guessing.
fn one_flag(general: &RuleText, own: &RuleText) -> Result<Option<String>, RuleError> {
    match (&general.frontmatter_flag, &own.frontmatter_flag) {
        (Some(general), Some(own)) if fold(general.trim()) != fold(own.trim()) => Err(RuleError {
            rule: own.clone(),
            reason: format!(
                "[privacy] has the flag `{general}` for every vault; take this one out, or name the flags in the \
                 vaults' own sections alone"
            ),
        }),
        (general, own) => Ok(general.clone().or_else(|| own.clone())),
    }
}
