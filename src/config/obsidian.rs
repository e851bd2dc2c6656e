//! The vaults that Obsidian knows, from its own list: only to be offered. The list is never written, and what
//! cannot be read in it is left out.

use std::path::PathBuf;

use serde_json::Value;

use crate::config::{Environment, disk};

/// The list, below each of the folders in which Obsidian may keep its settings.
const LIST: &str = "obsidian/obsidian.json";
/// These folders below the home folder, besides the one that applications keep their settings in: of the
/// Flatpak and of the Snap.
const SANDBOXES: [&str; 2] = [".var/app/md.obsidian.Obsidian/config", "snap/obsidian/current/.config"];

/// The real folders of the vaults that are there: those that are open first, then those opened last.
pub fn known_vaults(environment: &Environment) -> Vec<PathBuf> {
    let sandboxes = SANDBOXES.iter().filter_map(|folder| Some(environment.home.as_ref()?.join(folder)));
    let lists = environment.settings_dir().into_iter().chain(sandboxes).map(|folder| folder.join(LIST));
    let read = lists.filter_map(|list| disk::read(&list).ok().flatten());
    let mut vaults = Vec::new();
    for vault in read.flat_map(|read| listed(&read.bytes)) {
        if let Ok(real) = disk::listable_folder(&vault)
            && !vaults.contains(&real)
        {
            vaults.push(real);
        }
    }
    vaults
}

/// The paths of a list, in the order in which they are offered.
fn listed(list: &[u8]) -> Vec<PathBuf> {
    let list: Value = serde_json::from_slice(list).unwrap_or_default();
    let entries = list["vaults"].as_object().into_iter().flat_map(|vaults| vaults.values());
    let mut vaults: Vec<(bool, u64, &str)> = entries
        .filter_map(|entry| {
            let is_open = entry["open"].as_bool().unwrap_or(false);
            Some((is_open, entry["ts"].as_u64().unwrap_or(0), entry["path"].as_str()?))
        })
        .collect();
    vaults.sort_by_key(|(is_open, opened, path)| (!is_open, std::cmp::Reverse(*opened), *path));
    vaults.into_iter().map(|(_, _, path)| PathBuf::from(path)).filter(|path| path.is_absolute()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vaults_come_in_the_order_of_their_use() {
        let rows: [(&str, &[&str]); 5] = [
            (
                r#"{"vaults": {"a": {"path": "/old", "ts": 1}, "b": {"path": "/new", "ts": 3},
                    "c": {"path": "/open", "ts": 2, "open": true}, "d": {"path": "/never"}}}"#,
                &["/open", "/new", "/old", "/never"],
            ),
            (r#"{"vaults": {"a": {"path": "relative"}, "b": {"ts": 1}, "c": 1}}"#, &[]),
            (r#"{"vaults": []}"#, &[]),
            ("[", &[]),
            ("", &[]),
        ];
        for (list, expected) in rows {
            assert_eq!(listed(list.as_bytes()), expected.iter().map(PathBuf::from).collect::<Vec<_>>());
        }
    }
}
