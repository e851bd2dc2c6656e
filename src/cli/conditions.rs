//! The flags that narrow what is looked at by properties and dates, for every command that has them.

use crate::ops::Conditions;

#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct ConditionArgs {
    /// Only notes with such a property: `status = done`, `rating >= 4`, `people contains Jo`, `due exists`; may be
    /// given several times
    #[arg(long = "where", value_name = "CONDITION")]
    properties: Vec<String>,
    /// Only notes of this day or later: by their property `date` or `created`, the day their name begins with, or
    /// their last change
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<String>,
    /// Only notes of this day or earlier
    #[arg(long, value_name = "YYYY-MM-DD")]
    until: Option<String>,
}

impl From<&ConditionArgs> for Conditions {
    fn from(args: &ConditionArgs) -> Conditions {
        Conditions {
            properties: args.properties.clone(),
            since: args.since.clone(),
            until: args.until.clone(),
        }
    }
}
