//! The same questions on the command line, whose texts are written by other code than the answers to
//! clients.

use super::masked;
use super::notes::{NAMES, sentence};
use super::vaults::Vault;
use crate::common::{Dice, Home};

const FIXED: [&str; 22] = [
    "list --json",
    "list",
    "list --folders --json",
    "list journal --json",
    "list work",
    "list people/",
    "list --tag private",
    "list --tag project --json",
    "tags",
    "tags --json",
    "tags private",
    "status",
    "status --json",
    "search --json --tag private river",
    "search --folder people river",
    "search --json --folder work stone lamp",
    "search qzcanary",
    "search --json -n 2 river stone",
    "search --full café 图书馆",
    "search --json \"bread lamp",
    "read nothing",
    "links nothing",
];

/// A few commands, other ones each time.
pub(crate) fn commands(dice: &mut Dice, vault: &Vault) -> Vec<Vec<String>> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut commands: Vec<Vec<String>> =
        (0..4).map(|_| words(&dice.choose(&FIXED).split(' ').collect::<Vec<_>>())).collect();
    commands.push(words(&["search", "--", &sentence(dice)]));
    commands.push(words(&["search", "--json", "-n", "2", "--expand-links", "--", &sentence(dice)]));
    let object = &vault.objects[dice.below(vault.objects.len())];
    let name = if dice.below(2) == 0 { &*object.path } else { dice.choose(&NAMES) };
    commands.push(words(&["read", name]));
    commands.push(words(&["read", dice.choose(&NAMES), name, "Jane", "--json"]));
    commands.push(words(&["links", name]));
    commands.push(words(&["list", "--sort", dice.choose(&["title", "modified"]), "-n", "5"]));
    commands.push(words(&["links", name, "--depth", "3", "--to", dice.choose(&NAMES)]));
    commands.push(words(&["list", "-n", "3", "--cursor", &format!("after:{}", object.path)]));
    commands
}

/// Everything the binary says, and how it ends.
pub(crate) fn answer(home: &Home, command: &[String]) -> String {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    masked(&home.run(&command).transcript())
}
