//! The binary at a terminal: a dialogue of questions that appear and answers that are typed.

use std::process::Command;

use crate::common::{Home, Output};

/// Ctrl-D, at the beginning of a line.
pub(crate) const CTRL_D: &str = "\u{4}";

/// Starts its arguments on a pseudo-terminal, types each answer once its question and a blank stand there, and passes
/// on all that was shown and how it ended.
const SCRIPT: &str = r"
import json, os, pty, signal, sys
steps = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
signal.alarm(60)
seen, told = b'', 0
def more():
    global seen
    try:
        got = os.read(terminal, 4096)
    except OSError:
        got = b''
    seen += got
    return got
for question, answer in steps:
    while (question + ' ').encode() not in seen[told:]:
        if not more():
            break
    told = len(seen)
    try:
        os.write(terminal, answer.encode())
    except OSError:
        pass
while more():
    pass
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(seen.replace(b'\r\n', b'\n'))
sys.exit(os.waitstatus_to_exitcode(status))
";

/// What a terminal shows during this dialogue; `None`, with a message, where there is no Python.
#[expect(clippy::disallowed_methods, reason = "a test starts the binary on a terminal")]
pub(crate) fn dialogue(home: &Home, arguments: &[&str], steps: &[(&str, &str)]) -> Option<Output> {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python3 to make a terminal");
        return None;
    }
    let direct = home.command(arguments);
    let mut command = Command::new("python3");
    command.env_clear().envs(direct.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(direct.get_current_dir().expect("a home is the working folder"));
    command.args(["-c", SCRIPT, &serde_json::to_string(steps).unwrap()]);
    command.arg(direct.get_program()).args(direct.get_args());
    Some(home.output(&mut command))
}
