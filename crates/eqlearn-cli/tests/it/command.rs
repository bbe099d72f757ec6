//! Running the command in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that is empty at first and gone at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A folder for the test of this name.
    pub(crate) fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("eqlearn-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.0.join(name), content).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Everything that is in it, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs `eqlearn` here, with nothing on standard input.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Runs a line in a window of so many columns.
    pub(crate) fn run_at(&self, columns: usize, line: &str) -> Ran {
        let mut command = self.command(&words_of(line));
        let columns = columns.to_string();
        Ran(command.env("COLUMNS", columns).output().unwrap())
    }

    /// Runs `eqlearn` with the words of a line, of which those in single quotes are one.
    pub(crate) fn run_line(&self, line: &str) -> Ran {
        self.run(&words_of(line))
    }

    /// Runs `eqlearn` here.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        use std::io::Write as _;
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The command may end before it reads its input.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Ran(child.wait_with_output().unwrap())
    }

    /// `eqlearn` in this folder, which does not know of any window.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_eqlearn"));
        command
            .args(args)
            .current_dir(&self.0)
            .env_remove("COLUMNS");
        command.stdin(Stdio::null());
        command
    }
}

/// The page of a comparison with every time, such as `0.27 s`, replaced.
pub(crate) fn without_times(page: &str) -> String {
    let hide = |piece: &str| {
        let time = piece.rsplit(' ').next().unwrap_or_default();
        let is_time = time.len() > 3 && time.parse::<f64>().is_ok();
        let kept = piece.len() - if is_time { time.len() } else { 0 };
        piece[..kept].to_string() + if is_time { "-.--" } else { "" }
    };
    let pieces: Vec<String> = page.split(" s").map(hide).collect();
    pieces.join(" s")
}

/// The words of a line, of which those in single quotes are one.
fn words_of(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (place, part) in line.split('\'').enumerate() {
        if place % 2 == 1 {
            words.push(part);
        } else {
            words.extend(part.split_whitespace());
        }
    }
    words
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a run left behind.
pub(crate) struct Ran(Output);

impl Ran {
    pub(crate) fn status(&self) -> i32 {
        self.0.status.code().expect("the command was not killed")
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    /// The result document of a run that must have worked.
    pub(crate) fn document(&self) -> serde_json::Value {
        assert_eq!(self.status(), 0, "{}", self.stderr());
        serde_json::from_str(&self.stdout()).unwrap()
    }
}
