//! Generated vaults as values: every object with what makes it private, so that the same vault can be
//! written with its private objects, without them, and with others in their place.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use super::notes::{self, KINDS_BY_TEXT, Kind, NAMES, OBSIDIAN_SETTINGS, PUBLIC_FOLDERS};
use crate::common::{Dice, Home};

/// A name in the vault.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) path: String,
    pub(crate) what: What,
    /// Why the public profile must not know of it; none for what everybody may know.
    pub(crate) hidden: Option<Kind>,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    File(Vec<u8>),
    /// A symbolic link with this target.
    Link(String),
    /// Another name of the file at this path of the vault.
    HardLink(String),
    /// A note that is public but for a part: with the part, and without it.
    Partly([Vec<u8>; 2]),
    /// A file with a second name outside the vault.
    FileWithNameOutside(Vec<u8>),
    EmptyFolder,
    Pipe,
}

/// Some forty names, about half of them private.
#[derive(Debug, Clone)]
pub(crate) struct Vault {
    pub(crate) objects: Vec<Object>,
}

impl Vault {
    /// The vault of a seed.
    pub(crate) fn new(seed: u64) -> Vault {
        let mut maker = Maker { dice: Dice::new(seed), objects: Vec::new() };
        for _ in 0..18 {
            let folder = maker.dice.choose(&PUBLIC_FOLDERS);
            maker.note(folder, None);
        }
        for _ in 0..5 {
            maker.partly_private();
        }
        for kind in KINDS_BY_TEXT {
            let folder = maker.dice.choose(&PUBLIC_FOLDERS);
            maker.note(folder, Some(kind));
        }
        for _ in 0..2 {
            maker.in_private_folders();
        }
        let structures: [fn(&mut Maker); 6] = [
            Maker::links_from_private_folders,
            Maker::folder_link_from_private_folder,
            Maker::links_to_private,
            Maker::hard_links,
            Maker::attachments,
            Maker::no_files,
        ];
        for structure in structures {
            if maker.dice.below(3) > 0 {
                structure(&mut maker);
            }
        }
        maker.links_between_public();
        Vault { objects: maker.objects }
    }

    /// The same vault with other private notes: other texts and times, other names, some more.
    pub(crate) fn with_other_secrets(&self, seed: u64) -> Vault {
        let mut dice = Dice::new(seed ^ 0x5eed);
        let mut objects = self.objects.clone();
        for (number, object) in objects.iter_mut().enumerate() {
            if let What::Partly([whole, _]) = &mut object.what {
                *whole = notes::with_another_word(whole);
            }
            let Some(kind) = object.hidden else { continue };
            if let What::File(bytes) | What::FileWithNameOutside(bytes) = &mut object.what {
                *bytes = notes::note(&mut dice, 200 + number, Some(kind));
            }
            if kind == Kind::Folder && dice.below(2) == 0 {
                object.path = object.path.replace(".md", &format!(" {number}.md"));
            }
        }
        let mut maker = Maker { dice, objects };
        for _ in 0..2 {
            maker.in_private_folders();
            let kind = maker.dice.choose(&KINDS_BY_TEXT);
            maker.note("archive/", Some(kind));
        }
        Vault { objects: maker.objects }
    }

    /// Notes that everybody may see.
    pub(crate) fn public_notes(&self) -> impl Iterator<Item = &Object> {
        let is_note = |object: &&Object| {
            let is_file = matches!(object.what, What::File(_) | What::Partly(_) | What::HardLink(_));
            object.hidden.is_none() && is_file
        };
        self.objects.iter().filter(is_note)
    }

    /// Writes it, or what of it is public, into a home's vault.
    pub(crate) fn write(&self, home: &Home, extent: Extent) {
        home.write_note(".obsidian/app.json", OBSIDIAN_SETTINGS);
        let is_wanted = |object: &&Object| extent == Extent::Whole || object.hidden.is_none();
        for object in self.objects.iter().filter(is_wanted) {
            object.write(home, extent).unwrap_or_else(|error| panic!("{}: {error}", object.path));
        }
        self.settle_times_of_public_files(home);
    }

    /// A vault has the same times wherever it is written.
    fn settle_times_of_public_files(&self, home: &Home) {
        let first = SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 21_915);
        for (number, object) in self.public_notes().enumerate() {
            let file = fs::File::options().write(true).open(home.vault().join(&object.path)).unwrap();
            file.set_modified(first + Duration::from_hours(37 * (number as u64 * 7 % 23))).unwrap();
        }
    }

    /// Gives private files times that differ from those of the public ones, in both directions.
    pub(crate) fn shift_times_of_private_files(&self, home: &Home) {
        let hidden = self.objects.iter().filter(|object| object.hidden.is_some());
        for (number, object) in hidden.filter(|object| matches!(object.what, What::File(_))).enumerate() {
            let file = fs::File::options().write(true).open(home.vault().join(&object.path)).unwrap();
            let days = Duration::from_hours(24 * number as u64);
            let now = SystemTime::now();
            file.set_modified(if number % 2 == 0 { now - days } else { now + days }).unwrap();
        }
    }
}

/// How much of a vault is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// Without private notes and private parts.
    Public,
}

impl Object {
    fn write(&self, home: &Home, extent: Extent) -> io::Result<()> {
        let path = home.vault().join(&self.path);
        fs::create_dir_all(path.parent().expect("it lies in the vault"))?;
        match &self.what {
            What::File(bytes) => fs::write(path, bytes),
            What::Partly([whole, public]) => {
                fs::write(path, if extent == Extent::Whole { whole } else { public })
            }
            What::Link(target) => symlink(target, path),
            What::HardLink(of) => fs::hard_link(home.vault().join(of), path),
            What::FileWithNameOutside(bytes) => {
                fs::write(&path, bytes)?;
                fs::hard_link(path, home.path(&format!("outside {}", self.path.replace('/', " "))))
            }
            What::EmptyFolder => fs::create_dir(path),
            What::Pipe => pipe(&path),
        }
    }
}

fn pipe(path: &Path) -> io::Result<()> {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    Ok(rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0)?)
}

/// Adds to a vault, by dice.
struct Maker {
    dice: Dice,
    objects: Vec<Object>,
}

impl Maker {
    /// Adds an object unless its name is taken, and gives the name.
    fn add(&mut self, path: &str, what: What, hidden: Option<Kind>) -> String {
        if self.objects.iter().all(|object| object.path != path) {
            self.objects.push(Object { path: path.to_owned(), what, hidden });
        }
        path.to_owned()
    }

    fn bytes(&mut self, hidden: Option<Kind>) -> Vec<u8> {
        let number = self.objects.len();
        notes::note(&mut self.dice, number, hidden)
    }

    /// A note in this folder, with a name that others may have too.
    fn note(&mut self, folder: &str, hidden: Option<Kind>) {
        let mut path = format!("{folder}{}.md", self.dice.choose(&NAMES));
        while self.objects.iter().any(|object| object.path == path) {
            path = format!("{folder}{} {}.md", self.dice.choose(&NAMES), self.objects.len());
        }
        let what = What::File(self.bytes(hidden));
        self.add(&path, what, hidden);
    }

    /// A public note with a private part.
    fn partly_private(&mut self) {
        let folder = self.dice.choose(&PUBLIC_FOLDERS);
        let number = self.objects.len();
        let path = format!("{folder}{} {number}.md", self.dice.choose(&NAMES));
        let texts = notes::partly(&mut self.dice, number);
        self.add(&path, What::Partly(texts), None);
    }

    /// A note of its own name, for others to link to.
    fn target(&mut self, folder: &str, name: &str, hidden: Option<Kind>) -> String {
        let what = What::File(self.bytes(hidden));
        self.add(&format!("{folder}{name}.md"), what, hidden)
    }

    fn in_private_folders(&mut self) {
        let folder = self.dice.choose(&["journal/", "people/", "work/Journal/"]);
        self.note(folder, Some(Kind::Folder));
        let folder = self.dice.choose(&["team-red/", "work/deep/closed/", "people/x/y/"]);
        self.note(folder, Some(Kind::GlobFolder));
        let folder = self.dice.choose(&["JOURNAL/", "Cafe\u{301}/", "archive/café/", "TEAM-Blue/"]);
        self.note(folder, Some(Kind::OtherForm));
        let folder = self.dice.choose(&["Excluded/", "excluded/deep/", "archive/Draft 1 "]);
        self.note(folder, Some(Kind::Excluded));
    }

    fn links_from_private_folders(&mut self) {
        self.target("work/", "Linked", Some(Kind::LinkFromPrivateFolder));
        let link = What::Link("../work/Linked.md".to_owned());
        self.add("journal/pub.md", link, Some(Kind::LinkFromPrivateFolder));
    }

    fn folder_link_from_private_folder(&mut self) {
        for name in ["Plan", "Jane"] {
            self.target("shelf/", name, Some(Kind::FolderLinkFromPrivateFolder));
        }
        let link = What::Link("../shelf".to_owned());
        self.add("people/shelf", link, Some(Kind::FolderLinkFromPrivateFolder));
    }

    fn links_to_private(&mut self) {
        self.target("journal/", "Target", Some(Kind::Folder));
        let links = [
            ("work/Way in.md", "../journal/Target.md"),
            ("archive/to journal", "../journal"),
            ("work/deep/Jane's.md", "../../journal/Target.md"),
        ];
        for (path, target) in links {
            self.add(path, What::Link(target.to_owned()), Some(Kind::LinkToPrivate));
        }
    }

    fn hard_links(&mut self) {
        let first = self.target("people/", "Hard target", Some(Kind::HardLink));
        self.add("work/Hard.md", What::HardLink(first), Some(Kind::HardLink));
        let bytes = self.bytes(Some(Kind::HardLinkOutside));
        self.add("archive/Elsewhere.md", What::FileWithNameOutside(bytes), Some(Kind::HardLinkOutside));
    }

    fn attachments(&mut self) {
        let canvas = format!("{{\"nodes\":[{{\"text\":\"{}\"}}]}}", notes::canary(self.objects.len()));
        let drawing = self.bytes(Some(Kind::Attachment));
        self.add("work/photo.png", What::File(b"\x89PNG".to_vec()), Some(Kind::Attachment));
        self.add("work/Plan.canvas", What::File(canvas.clone().into()), Some(Kind::Attachment));
        self.add("archive/Sketch.excalidraw.md", What::File(drawing), Some(Kind::Attachment));
        self.add(".obsidian/workspace.json", What::File(canvas.into()), Some(Kind::HiddenFolder));
        self.target(".trash/", "Jane", Some(Kind::HiddenFolder));
    }

    fn no_files(&mut self) {
        self.add("archive/Box.md", What::EmptyFolder, Some(Kind::NotAFile));
        self.add("work/Pipe.md", What::Pipe, Some(Kind::NotAFile));
    }

    /// Links that hide nothing: their names are public as well.
    fn links_between_public(&mut self) {
        let first = self.target("work/", "Twin", None);
        self.add("archive/Twin too.md", What::HardLink(first), None);
        self.add("archive/Twin link.md", What::Link("../work/Twin.md".to_owned()), None);
        self.add("archive/more", What::Link("../work/deep".to_owned()), None);
    }
}
