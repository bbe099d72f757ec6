//! A table of words and numbers, to be printed, put on a page, or read by other programs.

use std::fmt::Write as _;

use eqlearn::terms::term::escape_xml as escape;

/// A table with a title and a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// Its name in files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The names of its columns.
    pub header: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// An empty table.
    pub fn new(name: &str, title: &str, header: &[&str]) -> Self {
        Self {
            name: name.to_string(),
            title: title.to_string(),
            header: header.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// Columns of equal width for a terminal: the first flush left, numbers flush right.
    pub fn text(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| {
            let cells = all().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = format!("{}\n\n", self.title);
        for row in all() {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    let _ = write!(text, "{cell:<width$}");
                } else {
                    let _ = write!(text, "  {cell:>width$}");
                }
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text
    }

    /// Comma-separated values, quoted where needed.
    pub fn csv(&self) -> String {
        let quoted = |cell: &String| {
            if cell.contains([',', '"', '\n']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.header)
            .chain(&self.rows)
            .map(line)
            .collect()
    }

    /// The table in Markdown.
    pub fn markdown(&self) -> String {
        let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.header.len()));
        let rows: String = self.rows.iter().map(line).collect();
        format!("{}{rule}{rows}", line(&self.header))
    }

    /// The table as a part of a page.
    pub fn html(&self) -> String {
        let mut text = format!(
            "<figure class=\"table\"><figcaption>{}</figcaption>\n<table><thead><tr>",
            escape(&self.title)
        );
        for name in &self.header {
            let _ = write!(text, "<th>{}</th>", escape(name));
        }
        text.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            text.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let class = if column == 0 { "" } else { " class=\"number\"" };
                let _ = write!(text, "<td{class}>{}</td>", escape(cell));
            }
            text.push_str("</tr>\n");
        }
        text + "</tbody></table></figure>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_with_a_comma_is_one_cell_everywhere() {
        let mut sheet = Sheet::new("s", "A <title>", &["method", "N"]);
        sheet.rows.push(vec!["a, \"b\"".into(), "3".into()]);
        assert_eq!(sheet.csv(), "method,N\n\"a, \"\"b\"\"\",3\n");
        assert_eq!(sheet.text(), "A <title>\n\nmethod  N\na, \"b\"  3\n");
        assert!(sheet.html().contains("A &lt;title&gt;"));
        assert!(sheet.markdown().starts_with("| method | N |\n|---|---|\n"));
    }
}
