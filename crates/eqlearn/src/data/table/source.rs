//! An opened table file: its columns, and its rows in batches.
//!
//! Memory: one batch and the reader's own buffers, whatever the length of the file. Three cases
//! hold more: Parquet, `.npz` and Arrow *files* (not streams) that arrive through a pipe, because
//! they are read from their end; and compressed `.npz` members in Fortran order.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::batches::{Batches, Choice};
use super::categories::Categories;
use super::kept::KeptReader;
use super::meaning::{Meaning, Reading};
use super::number::Decimal;
use super::reader::{Found, Input, Reader};
use super::{ColumnInfo, ColumnKind, Format, Table, header};
use crate::data::TableError;
use crate::error::{Result, nearest};

/// How to read a table.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `format` | by the file's name | the kind of file |
/// | `missing` | `Error` | what to do with a row that lacks a chosen value |
/// | `missing_values` | none | numbers that stand for a missing value, such as -999 |
/// | `delimiter` | by the first lines | what separates the cells of a CSV file |
/// | `decimal` | by the first rows | the decimal character of a CSV file |
/// | `sheet` | the first | the sheet of a spreadsheet |
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The kind of file; by default its name tells.
    pub format: Option<Format>,
    /// What to do with a row that lacks a chosen value.
    pub missing: Missing,
    /// Numbers that stand for a missing value.
    pub missing_values: Vec<f64>,
    /// What separates the cells of a CSV file, an ASCII character.
    ///
    /// By default a tab for TSV, and for CSV a semicolon or tab that all of the first lines have
    /// equally often, else whichever of comma, semicolon, tab and blank the first line has, in this
    /// order.
    pub delimiter: Option<u8>,
    /// The decimal character of a CSV file; by default the first rows tell.
    pub decimal: Option<Decimal>,
    /// The sheet of a spreadsheet, by its name; the first if not given.
    pub sheet: Option<String>,
}

/// What to do with a row in which a chosen column is empty, `NA`, `null` or not finite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse the file, naming the cell.
    #[default]
    Error,
    /// Leave the row out and count it.
    Drop,
}

/// An opened table, before any column is chosen.
///
/// ```
/// use eqlearn::{Format, ReadOptions, Source};
///
/// let text: &[u8] = b"t,x,who\n0,1.5,ann\n1,2.5,bob\n";
/// let source = Source::from_reader(Box::new(text), "-", Format::Csv, &ReadOptions::default())?;
/// let numeric: Vec<&str> =
///     source.columns().iter().filter(|c| c.is_numeric()).map(|c| c.name.as_str()).collect();
/// assert_eq!(numeric, ["t", "x"]);
/// assert_eq!(source.read(&["x"])?.column("x")?, [1.5, 2.5]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug)]
pub struct Source {
    pub(super) name: String,
    columns: Vec<ColumnInfo>,
    /// The names of the columns as they are written, with their units.
    headers: Vec<String>,
    pub(super) notes: Vec<String>,
    /// The columns of text that are used as columns of zeros and ones.
    pub(super) categories: Vec<Categories>,
    n_rows: Option<u64>,
    missing: Missing,
    missing_values: Vec<f64>,
    reader: Reader,
    /// Where the rows can be read once more, and how.
    again: Option<(PathBuf, ReadOptions)>,
}

impl Source {
    /// Opens a file and finds its columns.
    ///
    /// # Errors
    /// A file that cannot be read, is empty, is of an unknown kind or not of the kind it claims,
    /// or has two columns of one name.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Source> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let format = options.format.map_or_else(|| Format::of_path(path), Ok)?;
        let unreadable = |source| TableError::Unreadable {
            file: name.clone(),
            source,
        };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(unreadable(std::io::ErrorKind::IsADirectory.into()).into());
        }
        if metadata.is_file() && metadata.len() == 0 {
            return Err(TableError::EmptyFile { file: name }.into());
        }
        let source = Source::from_input(Input::File(file), name, format, options)?;
        let again = metadata.is_file();
        Ok(Source {
            again: again.then(|| (path.to_owned(), options.clone())),
            ..source
        })
    }

    /// Opens a stream, such as standard input; `name` stands for it in messages.
    pub fn from_reader(
        reader: Box<dyn Read + Send>,
        name: impl Into<String>,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Source> {
        Source::from_input(Input::Stream(reader), name.into(), format, options)
    }

    fn from_input(
        input: Input,
        name: String,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Source> {
        let found = Found::open(input, &name, format, options)?;
        let source = Source::from_found(found, name, options.missing)?;
        Ok(source.with_missing_values(options.missing_values.clone()))
    }

    /// Whether it is a file, whose rows can be read once more.
    pub(crate) fn can_be_opened_again(&self) -> bool {
        self.again.is_some()
    }

    /// The same table, where these numbers stand for a missing value.
    #[must_use]
    pub fn with_missing_values(mut self, values: Vec<f64>) -> Self {
        self.missing_values = values;
        self
    }

    pub(super) fn from_found(found: Found, name: String, missing: Missing) -> Result<Source> {
        check_distinct(&found.columns, &name)?;
        if found.n_rows == Some(0) {
            return Err(TableError::NoRows { file: name }.into());
        }
        let Found {
            mut columns,
            mut notes,
            n_rows,
            reader,
        } = found;
        let headers = columns.iter().map(|column| column.name.clone()).collect();
        header::take_units(&mut columns);
        notes.extend(header::note(&columns));
        Ok(Source {
            name,
            columns,
            headers,
            notes,
            categories: Vec::new(),
            n_rows,
            missing,
            missing_values: Vec::new(),
            reader,
            again: None,
        })
    }

    /// The same rows twice, for what takes two passes: a file is opened once more, and of a stream
    /// these columns are held in memory.
    ///
    /// # Errors
    /// As [`batches`](Self::batches), and a file that is no longer there.
    pub fn twice<S: AsRef<str>>(self, names: &[S]) -> Result<(Source, Source)> {
        if self.again.is_some() {
            return self.two();
        }
        let (name, missing) = (self.name.clone(), self.missing);
        let missing_values = self.missing_values.clone();
        let columns = Arc::new(self.batches(names)?.unsettled()?);
        let source = || {
            let infos = names.iter().map(|name| ColumnInfo::numeric(name.as_ref()));
            Source {
                name: name.clone(),
                columns: infos.collect(),
                headers: names.iter().map(|name| name.as_ref().into()).collect(),
                notes: Vec::new(),
                categories: Vec::new(),
                n_rows: None,
                missing,
                missing_values: missing_values.clone(),
                reader: Reader::Kept(KeptReader::new(Arc::clone(&columns))),
                again: None,
            }
        };
        Ok((source(), source()))
    }

    /// The same table twice, if it is a file or in memory.
    pub(super) fn two(mut self) -> Result<(Source, Source)> {
        let again = if let Some((path, options)) = &self.again {
            Source {
                categories: self.categories.clone(),
                ..Source::open(path, options)?
            }
        } else if let Reader::Arrow(reader) = &mut self.reader {
            Source {
                name: self.name.clone(),
                columns: self.columns.clone(),
                headers: self.headers.clone(),
                notes: Vec::new(),
                categories: self.categories.clone(),
                n_rows: self.n_rows,
                missing: self.missing,
                missing_values: self.missing_values.clone(),
                reader: Reader::Arrow(Box::new(reader.held(&self.name)?)),
                again: None,
            }
        } else {
            return Err(TableError::ReadOnce { file: self.name }.into());
        };
        Ok((self, again))
    }

    /// The file as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All columns, in the order of the file.
    pub fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    /// Remarks about the file, such as that it has no header.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The number of rows, where the file states it.
    pub fn n_rows(&self) -> Option<u64> {
        self.n_rows
    }

    /// What a column is called: its name, also if it is asked for with its unit.
    ///
    /// ```
    /// use eqlearn::{Format, ReadOptions, Source};
    ///
    /// let text: &[u8] = b"t (s),v (m/s)\n0,1.5\n1,2.5\n";
    /// let options = ReadOptions::default();
    /// let source = Source::from_reader(Box::new(text), "-", Format::Csv, &options)?;
    /// assert_eq!(source.name_of("v (m/s)"), "v");
    /// assert_eq!(source.columns()[1].unit.as_deref(), Some("m/s"));
    /// # Ok::<(), eqlearn::Error>(())
    /// ```
    pub fn name_of<'a>(&'a self, asked: &'a str) -> &'a str {
        match self.place_of(asked) {
            Some(place) => &self.columns[place].name,
            None => asked,
        }
    }

    /// The header of a column, if that is not its name alone.
    pub(crate) fn header_of(&self, column: &ColumnInfo) -> Option<&str> {
        let place = self.columns.iter().position(|c| c.name == column.name)?;
        let header = &self.headers[place];
        (*header != column.name).then_some(header.as_str())
    }

    /// The unit of a column by the header.
    pub(crate) fn unit_of(&self, name: &str) -> Option<String> {
        self.columns[self.place_of(name)?].unit.clone()
    }

    /// The place of a column by its name, or by its header as it is written.
    fn place_of(&self, asked: &str) -> Option<usize> {
        let by_name = self.columns.iter().position(|c| c.name == asked);
        by_name.or_else(|| self.headers.iter().position(|header| header == asked))
    }

    /// The rows of the chosen columns, in the chosen order, in tables of a fixed size.
    ///
    /// `material_steel` is a column too if there is a column `material` of text: 1 where that is
    /// `steel`, and 0 elsewhere.
    ///
    /// # Errors
    /// A column that does not exist, is asked for twice, or does not hold numbers. The tables
    /// themselves fail on a cell that is not a number and, unless rows with missing values are
    /// dropped, on a cell that is missing.
    pub fn batches<S: AsRef<str>>(self, names: &[S]) -> Result<Batches> {
        let numbers = names.iter().map(|name| (name.as_ref(), Reading::Number));
        self.batches_as(&numbers.collect::<Vec<_>>())
    }

    /// The same, where some columns hold times or text.
    ///
    /// # Errors
    /// As [`batches`](Self::batches).
    pub fn batches_as(mut self, asked: &[(&str, Reading)]) -> Result<Batches> {
        if asked.is_empty() {
            return Err(TableError::NoColumnChosen { file: self.name }.into());
        }
        let mut chosen = Vec::with_capacity(asked.len());
        let mut meanings = Vec::with_capacity(asked.len());
        for (name, reading) in asked {
            let (place, reading) = self.column(name, reading)?;
            let twice = asked.iter().filter(|(other, _)| other == name).count() > 1;
            if twice || (reading == Reading::Number && chosen.contains(&place)) {
                let name = (*name).to_string();
                return Err(TableError::ColumnGivenTwice { name }.into());
            }
            chosen.push(place);
            meanings.push(self.meaning(place, reading));
        }
        let choice = Choice {
            file: self.name,
            names: asked.iter().map(|(name, _)| (*name).to_string()).collect(),
            missing: self.missing,
            missing_values: self.missing_values,
            meanings,
        };
        self.reader.choose(chosen, &self.headers, &choice)?;
        Ok(Batches::new(choice, self.reader))
    }

    /// How a column becomes numbers; a text that is not among its categories is refused.
    fn meaning(&self, place: usize, reading: Reading) -> Meaning {
        let column = &self.columns[place].name;
        let known = self.categories.iter().find(|known| known.column == *column);
        match (reading, known) {
            (Reading::Is(label), Some(known)) => Meaning::Is(label, Some(known.labels.clone())),
            (reading, _) => reading.into(),
        }
    }

    /// A column by its name.
    pub(super) fn column_named(&self, name: &str) -> Result<&ColumnInfo> {
        match self.place_of(name) {
            Some(place) => Ok(&self.columns[place]),
            None => Err(self.unknown(name).into()),
        }
    }

    fn unknown(&self, name: &str) -> TableError {
        let known: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        TableError::UnknownColumn {
            name: name.into(),
            nearest: nearest(name, &known).map(String::from),
            known,
        }
    }

    /// The columns of zeros and ones.
    pub fn indicators(&self) -> Vec<String> {
        self.categories.iter().flat_map(Categories::names).collect()
    }

    /// Whether a column of text is used as columns of zeros and ones.
    pub fn is_categorised(&self, column: &str) -> bool {
        self.categories.iter().any(|known| known.column == column)
    }

    /// The place of a column that is asked for, and how it is read.
    fn column(&self, name: &str, reading: &Reading) -> Result<(usize, Reading)> {
        let Some(place) = self.place_of(name) else {
            if let (Reading::Number, Some((place, label))) = (reading, self.category(name)) {
                return Ok((place, Reading::Is(label)));
            }
            return Err(self.unknown(name).into());
        };
        let column = &self.columns[place];
        let fits = match reading {
            Reading::Number => column.is_numeric(),
            Reading::Seconds => column.kind == ColumnKind::Date,
            Reading::Label | Reading::Is(_) => column.kind != ColumnKind::Nested,
        };
        if !fits || (*reading != Reading::Number && !self.reader.has_text()) {
            return Err(TableError::ColumnNotNumeric {
                file: self.name.clone(),
                column: name.into(),
                kind: column.kind.title(),
                example: column.example.clone(),
            }
            .into());
        }
        Ok((place, reading.clone()))
    }

    /// The column of text and the text that `material_steel` stands for.
    fn category(&self, name: &str) -> Option<(usize, String)> {
        let is_text = |column: &ColumnInfo| column.kind == ColumnKind::Text;
        let all = self.columns.iter().enumerate();
        all.filter(|(_, column)| is_text(column) && self.reader.has_text())
            .find_map(|(place, column)| {
                let label = name.strip_prefix(&column.name)?.strip_prefix('_')?;
                Some((place, label.to_string()))
            })
    }

    /// All rows of the chosen columns in one table.
    pub fn read<S: AsRef<str>>(self, names: &[S]) -> Result<Table> {
        let mut batches = self.batches(names)?;
        let Some(first) = batches.next() else {
            return Table::new(Vec::new());
        };
        let mut table = first?;
        for batch in batches {
            table.append(batch?);
        }
        Ok(table)
    }
}

fn check_distinct(columns: &[ColumnInfo], file: &str) -> Result<()> {
    let mut first_of = std::collections::HashMap::new();
    for (i, column) in columns.iter().enumerate() {
        if let Some(first) = first_of.insert(column.name.as_str(), i) {
            return Err(TableError::ColumnsShareName {
                file: file.into(),
                name: column.name.clone(),
                first: first + 1,
                second: i + 1,
            }
            .into());
        }
    }
    Ok(())
}
