//! Disks that are full, and data folders that cannot be written.
#![expect(clippy::disallowed_methods, reason = "a test makes folders unwritable on purpose")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{assert_right, home};
use crate::common::{Home, is_root, names_in, paths};

/// Takes a file system away again, even when a test fails.
struct Mounted<'h>(&'h Home, &'static str);

impl<'h> Mounted<'h> {
    /// A file system of so many KiB at a folder of the home; `None`, with a message, where that is
    /// not allowed.
    fn new(home: &'h Home, folder: &'static str, kib: usize) -> Option<Self> {
        fs::create_dir_all(home.path(folder)).unwrap();
        let size = format!("size={kib}k,mode=700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(home.path(folder));
        let is_mounted = is_root() && mount.output().is_ok_and(|output| output.status.success());
        if !is_mounted {
            eprintln!("skipped: a small file system cannot be mounted here");
        }
        is_mounted.then(|| Mounted(home, folder))
    }

    fn used_kib(&self) -> u64 {
        let state = rustix::fs::statvfs(self.0.path(self.1)).unwrap();
        (state.f_blocks - state.f_bfree) * state.f_frsize / 1024
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        let status = mount.args(["-o", &format!("remount,{options}")]).arg(self.0.path(self.1)).status();
        assert!(status.unwrap().success(), "{options}");
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path(self.1)).status();
    }
}

const DATA: &str = ".local/share";

#[test]
fn a_disk_without_room_for_a_first_index() {
    for kib in [4, 8, 16, 28, 40, 60, 80, 100, 120, 140, 160, 200, 240, 320] {
        let home = home();
        let Some(disk) = Mounted::new(&home, DATA, kib) else { return };
        let output = home.run(&["index", "--quiet"]);
        if output.code != Some(0) {
            output.assert_refused();
            assert!(output.stderr.contains("isk is full"), "{kib}: {output:?}");
        }
        // Words are found with what there is, or note by note.
        let output = home.run(&["search", "anise"]);
        if output.code != Some(0) {
            output.assert_refused();
            assert!(output.stderr.contains("isk is full"), "{kib}: {output:?}");
        }
        let data = home.path(".local/share/obsearch");
        let left = if data.is_dir() { names_in(&data) } else { Vec::new() };
        assert!(!left.iter().any(|name| name.starts_with("key.")), "{left:?}");
        disk.remount("size=8m");
        home.index();
        assert_right(&home, "anise", "room again");
        let identity = fs::read_to_string(home.tree("public").ancestors().nth(2).unwrap().join("identity"));
        assert_eq!(identity.unwrap().lines().count(), 2, "{kib}");
    }
}

#[test]
fn a_disk_without_room_for_more() {
    for kib in [4, 12, 40, 90, 150, 220] {
        let home = home();
        let Some(disk) = Mounted::new(&home, DATA, 8192) else { return };
        home.index();
        disk.remount(&format!("size={}k", disk.used_kib() + kib));
        for arguments in [&["index", "--quiet", "--rebuild"][..], &["index", "--quiet"]] {
            home.write_note("new.md", &"zebra and more words ".repeat(4000));
            let output = home.run(arguments);
            if output.code != Some(0) {
                output.assert_refused();
                assert!(output.stderr.contains("isk is full"), "{kib}: {output:?}");
            }
            assert_right(&home, "anise", &format!("{kib} KiB of room"));
        }
        disk.remount("size=8m");
        home.index();
        assert_eq!(home.found("zebra", &[])[0], "new.md", "{kib} KiB, room again");
    }
}

#[test]
fn a_data_folder_that_cannot_be_written() {
    let home = home();
    home.index();
    let before = home.json(&["search", "anise"]);
    let Some(disk) = Mounted::new(&home, "read-only", 8192) else { return };
    let copied = Command::new("cp")
        .arg("-a")
        .arg(home.path(".local/share/obsearch"))
        .arg(home.path("read-only"))
        .status();
    assert!(copied.unwrap().success());
    disk.remount("ro");
    let run = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        home.output(command.env("XDG_DATA_HOME", home.path("read-only")))
    };
    assert_eq!(run(&["search", "anise", "--json"]).json(), before);
    assert_eq!(run(&["status"]).code, Some(0));
    run(&["index", "--quiet"]).assert_refused();
}

#[test]
fn a_data_folder_that_may_not_be_written() {
    let home = home();
    let Some(mut command) = home.command_of_plain_user(&["index", "--json"]) else { return };
    assert_eq!(home.output(&mut command).code, Some(0));
    let folders = ["public", "full"].map(|profile| home.tree(profile).parent().unwrap().to_owned());
    for file in home.tree_files("public") {
        if file.to_string_lossy().ends_with("-shm") || file.to_string_lossy().ends_with("-wal") {
            fs::remove_file(file).unwrap();
        }
    }
    let forbid = |mode: u32| {
        for folder in &folders {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    forbid(0o500);
    let run = |arguments: &[&str]| home.output(&mut home.command_of_plain_user(arguments).unwrap());
    assert_eq!(paths(&run(&["search", "anise", "--json"]).json())[0], "anise.md");
    home.write_note("new.md", "zebra");
    run(&["index", "--quiet"]).assert_refused();
    assert_eq!(paths(&run(&["search", "anise", "--json"]).json())[0], "anise.md");
    forbid(0o700);
    assert_eq!(run(&["index", "--quiet"]).code, Some(0));
    assert_eq!(paths(&run(&["search", "zebra", "--json"]).json()), ["new.md"]);
}
