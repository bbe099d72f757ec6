//! One hundred textbook laws of physics, with one to nine variables, and rows that obey them.
//!
//! The laws are public facts, of the kind found in a first course (mechanics, waves, heat,
//! electricity, quanta); the same choice has become the usual test of symbolic regression. They
//! stand in `data/laws.csv`, written as terms, so other programs can read them too. Most variables
//! range over 1..5; exceptions keep roots real and denominators away from zero.
//!
//! The number of terms is that of the longest form in which our language can write the law
//! exactly: the lens equation `1/(1/d1+n/d2)` has two terms as `1/f`, and three as the fraction
//! `d1*d2/(d2+d1*n)`. A fraction counts the terms of its numerator and of its denominator. The
//! number is what a found equation may not exceed.
//!
//! Invariant: a law's key never changes, because rows and noise are seeded by it.

use eqlearn::{Table, Term};
use eqlearn_reproduce::known::{normal, stream};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// The list as a file: key, name, class, number of terms, formula, variables.
const LIST: &str = include_str!("../../data/laws.csv");

/// The target's name in tables: no law has a variable of this name.
pub const TARGET: &str = "target";

/// The share of its width by which a range is extended at both ends for fresh rows.
const BEYOND: f64 = 0.1;

/// The key of the random numbers of this list; other lists have others.
const STREAM: u32 = 30;

/// Draws of one row at most until the law is defined on it.
const DRAWS: usize = 1000;

/// What a law needs of whoever wants to find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A sum of monomials, of powers up to 4 and a degree up to 6.
    Monomial,
    /// A sum of products of negative, half or third powers.
    Powers,
    /// Functions of a feature, or of a product of two, times a power product.
    Function,
    /// A fraction of two sums of monomials.
    Fraction,
    /// One of the above for another target, such as `log(y)`, `y^2` or `1/y^2`.
    Target,
    /// None of the above.
    Beyond,
}

impl Class {
    /// All classes, simple ones first.
    pub const ALL: [Self; 6] = [
        Self::Monomial,
        Self::Powers,
        Self::Function,
        Self::Fraction,
        Self::Target,
        Self::Beyond,
    ];

    /// Its name in the list.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monomial => "monomial",
            Self::Powers => "powers",
            Self::Function => "function",
            Self::Fraction => "fraction",
            Self::Target => "target",
            Self::Beyond => "beyond",
        }
    }
}

/// A textbook law.
#[derive(Debug, Clone)]
pub struct Law {
    /// Its number: the key of its random numbers.
    pub key: u32,
    /// What physicists call it.
    pub name: String,
    /// What is needed to find it.
    pub class: Class,
    /// The number of its terms in the longest exact form.
    pub n_terms: usize,
    /// The law as text.
    pub formula: String,
    /// The names of its variables.
    pub variables: Vec<String>,
    /// The range of each variable.
    pub ranges: Vec<(f64, f64)>,
    term: Term,
}

/// Where rows are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// The ranges of the law: rows to learn from.
    Given,
    /// Ranges that are a fifth wider: rows to judge by.
    Wider,
}

impl Law {
    /// All laws, in the order of their keys.
    ///
    /// # Panics
    /// If the list that comes with the sources is not as it should be.
    pub fn all() -> Vec<Self> {
        let lines = LIST.lines().skip(1);
        lines.map(|line| Self::read(line).expect(line)).collect()
    }

    fn read(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let [key, name, class, n_terms, formula, variables] = cells[..] else {
            return None;
        };
        let variable = |text: &str| {
            let (name, range) = text.trim().split_once(' ')?;
            let (from, to) = range.split_once("..")?;
            Some((name.to_string(), (from.parse().ok()?, to.parse().ok()?)))
        };
        let variables: Option<Vec<_>> = variables.split(';').map(variable).collect();
        let (variables, ranges): (Vec<String>, Vec<(f64, f64)>) = variables?.into_iter().unzip();
        Some(Self {
            key: key.parse().ok()?,
            name: name.to_string(),
            class: Class::ALL.into_iter().find(|c| c.name() == class)?,
            n_terms: n_terms.parse().ok()?,
            formula: formula.to_string(),
            term: Term::parse(formula, &variables).ok()?,
            variables,
            ranges,
        })
    }

    /// The values of the law for columns of its variables.
    pub fn values(&self, columns: &[Vec<f64>]) -> Vec<f64> {
        let features: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut values = vec![0.0; features[0].len()];
        self.term.evaluate(&features, &mut values);
        values
    }

    /// Rows on which the law is defined, one column per variable, uniform over their ranges.
    ///
    /// # Panics
    /// If the law is defined almost nowhere.
    pub fn columns(&self, seed: u64, rows: Rows, n_rows: usize) -> Vec<Vec<f64>> {
        let mut rng = stream(seed, STREAM, self.key, rows as u32);
        let mut columns = vec![Vec::with_capacity(n_rows); self.ranges.len()];
        for _ in 0..n_rows {
            let mut draws = (0..DRAWS).map(|_| self.draw(&mut rng, rows));
            let row = draws.find(|row| self.is_defined(row));
            let row = row.expect("the law is defined somewhere");
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(value);
            }
        }
        columns
    }

    fn draw(&self, rng: &mut ChaCha8Rng, rows: Rows) -> Vec<f64> {
        let extension = match rows {
            Rows::Given => 0.0,
            Rows::Wider => BEYOND,
        };
        let ranges = self.ranges.iter();
        let wider = ranges.map(|(from, to)| {
            let more = extension * (to - from);
            (from - more, to + more)
        });
        let drawn = wider.map(|(from, to)| rng.random_range(from..to));
        drawn.collect()
    }

    fn is_defined(&self, row: &[f64]) -> bool {
        let columns: Vec<Vec<f64>> = row.iter().map(|value| vec![*value]).collect();
        self.values(&columns)[0].is_finite()
    }

    /// Normal noise of unit standard deviation, one stream per noise level.
    pub fn noise(&self, seed: u64, level: u32, n_rows: usize) -> Vec<f64> {
        let mut rng = stream(seed, STREAM, self.key, 100 + level);
        (0..n_rows).map(|_| normal(&mut rng)).collect()
    }

    /// A table of the variables and the target.
    ///
    /// # Panics
    /// If a value is not finite.
    pub fn table(&self, columns: Vec<Vec<f64>>, target: Vec<f64>) -> Table {
        let features = self.variables.iter().cloned().zip(columns);
        let all = features.chain([(TARGET.to_string(), target)]).collect();
        Table::new(all).expect("finite columns of equal length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_a_hundred_laws_with_keys_of_their_own() {
        let laws = Law::all();
        let keys: Vec<u32> = laws.iter().map(|law| law.key).collect();
        assert_eq!(keys, (1..=100).collect::<Vec<u32>>());
        let mut names: Vec<&str> = laws.iter().map(|law| law.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 100);
        let most = laws.iter().map(|law| law.variables.len()).max();
        assert_eq!(most, Some(9));
    }

    #[test]
    fn classes_are_as_the_book_counts_them() {
        let laws = Law::all();
        let count = |class: Class| laws.iter().filter(|law| law.class == class).count();
        assert_eq!(Class::ALL.map(count), [16, 29, 12, 14, 16, 13]);
        let products = laws
            .iter()
            .filter(|law| matches!(law.class, Class::Monomial | Class::Powers) && law.n_terms == 1);
        assert_eq!(products.count(), 38);
    }

    #[test]
    fn every_law_is_finite_and_varies_with_each_of_its_variables() {
        for law in Law::all() {
            for rows in [Rows::Given, Rows::Wider] {
                let columns = law.columns(1, rows, 50);
                let values = law.values(&columns);
                assert!(values.iter().all(|value| value.is_finite()), "{}", law.name);
                for d in 0..columns.len() {
                    let mut moved = columns.clone();
                    for value in &mut moved[d] {
                        *value += 1e-3;
                    }
                    let changed = law.values(&moved);
                    let differs = values
                        .iter()
                        .zip(&changed)
                        .any(|(a, b)| (a - b).abs() > 0.0);
                    assert!(differs, "{} and {}", law.name, law.variables[d]);
                }
            }
        }
    }

    #[test]
    fn known_values_are_met() {
        let value = |key: usize, row: &[f64]| {
            let columns: Vec<Vec<f64>> = row.iter().map(|value| vec![*value]).collect();
            Law::all()[key - 1].values(&columns)[0]
        };
        // By hand: the density at 1, 3-4-5 triangles, v/c = 3/5, equal masses, f of two lenses.
        let expected = [
            (value(1, &[1.0]), 0.241_970_724_519_143_37),
            (value(4, &[1.0, 4.0, 1.0, 5.0]), 5.0),
            (value(6, &[2.0, 3.0, 5.0]), 2.5),
            (value(21, &[1.0, 1.0, 2.0, 4.0]), 3.0),
            (value(27, &[2.0, 3.0, 1.5]), 1.0),
            (value(61, &[2.0, 3.0, 1.0, 3.0, 1.0]), 0.75),
        ];
        for (found, expected) in expected {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
    }
}
