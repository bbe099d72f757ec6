//! The interactive part of a page: for one target, models side by side and their terms.

use eqlearn::error::counted;
use eqlearn::search::SizeList;
use eqlearn::tell::compare::{Comparison, MethodReport};
use eqlearn::tell::document::{Equation, TermEntry};
use eqlearn::terms::transform::Transform;
use eqlearn::{Fit, Study, Support, with_error};
use serde::Serialize;

use crate::math;
use crate::number::{explained, full, probability, typeset};
use crate::sample::Sample;
use crate::symbols::Symbols;

/// Models of one size at most.
const PER_SIZE: usize = 6;
/// Terms at most: those that most models have.
const TERMS: usize = 30;

/// One target: its models in groups, as columns of a map whose rows are terms.
#[derive(Debug, Clone, Serialize)]
pub struct Board {
    /// The target column, or the state whose derivative this is.
    pub target: String,
    /// What its equation gives, as `MathML`.
    #[serde(skip)]
    pub left: String,
    /// The function of the target that the right side gives, if it is not the target itself.
    pub transform: Option<Transform>,
    /// Every term that some model has; those in the map come first.
    pub terms: Vec<TermView>,
    /// How many of them are in the map.
    pub n_rows: usize,
    /// The models, group after group.
    pub models: Vec<ModelView>,
    /// The answer's place among the models.
    pub answer: Option<usize>,
    /// Probabilities that terms belong in the equation, likely ones first.
    #[serde(skip)]
    pub inclusion: Vec<(String, f64)>,
    /// A few rows of data, to show residuals.
    pub sample: Option<Sample>,
}

/// A term as text and typeset.
#[derive(Debug, Clone, Serialize)]
pub struct TermView {
    /// As text.
    pub text: String,
    /// As `MathML`.
    pub math: String,
}

/// One model.
#[derive(Debug, Clone, Serialize)]
pub struct ModelView {
    /// What it is called.
    pub name: String,
    /// The group it is in.
    pub group: String,
    /// The equation, typeset.
    pub formula: String,
    /// Places of its terms in the board.
    pub terms: Vec<usize>,
    /// Its coefficients: those of its terms, of a fraction those above and below the line.
    pub coefficients: Vec<CoefficientView>,
    /// `1 − R²`.
    pub unexplained: Option<f64>,
    /// The log evidence under the paper's prior.
    pub evidence: Option<f64>,
    /// The probability among the models compared.
    pub probability: Option<f64>,
    /// What there is to know, in short, each with all digits.
    pub facts: Vec<(String, String)>,
    /// What else there is to know.
    pub note: String,
}

/// One coefficient.
#[derive(Debug, Clone, Serialize)]
pub struct CoefficientView {
    /// What it multiplies, as `MathML`.
    pub math: String,
    /// Its value.
    pub value: f64,
    /// Its standard error, where that has a meaning.
    pub error: Option<f64>,
    /// With the digits that its error supports.
    pub shown: String,
}

impl Board {
    /// The models of a study: the best of each size if a search made lists, or else the best of the
    /// ranking. `told` is the answer as the result document tells it.
    pub fn of_study(study: &Study, told: Option<&Equation>, symbols: &Symbols) -> Self {
        let left = study.problem().left_side();
        let mut board = Self::empty(&left.observed(), symbols.left(left));
        board.transform = left.transform();
        let answer = study.answer().map(|answer| answer.fit.support().clone());
        let mut rank = (0, 0);
        for (size, support) in &supports(study) {
            let again = rank.0 == *size;
            rank = (*size, if again { rank.1 + 1 } else { 1 });
            let mut model = board.model(study, support, symbols);
            model.name = format!("{}, place {}", counted(*size, "term"), rank.1);
            model.group = size.to_string();
            if Some(support) == answer.as_ref() {
                board.answer = Some(board.models.len());
                if let Some(told) = told {
                    model.tell(told, symbols);
                }
                if study.own().is_some() {
                    model.note = "shrunken coefficients of the method itself".into();
                }
            }
            model.facts = model.facts();
            board.models.push(model);
        }
        board.sort_terms();
        let terms = study.problem().dictionary().terms().iter();
        board.inclusion = terms
            .zip(study.ranking().inclusion())
            .map(|(term, share)| (term.to_string(), *share))
            .filter(|(_, share)| *share >= 0.001)
            .collect();
        board.inclusion.sort_by(|a, b| b.1.total_cmp(&a.1));
        board
    }

    /// The methods of a comparison.
    pub fn of_comparison(comparison: &Comparison, symbols: &Symbols) -> Self {
        let left = symbols.left(&comparison.left_side);
        let mut board = Self::empty(&comparison.target, left.clone());
        for report in &comparison.methods {
            let model = board.method(report, &left, symbols);
            board.models.push(model);
        }
        board.sort_terms();
        board
    }

    /// The same with some rows, to show residuals.
    #[must_use]
    pub fn with_sample(mut self, sample: Option<Sample>) -> Self {
        self.sample = sample;
        self
    }

    fn empty(target: &str, left: String) -> Self {
        Self {
            target: target.to_string(),
            left,
            transform: None,
            terms: Vec::new(),
            n_rows: 0,
            models: Vec::new(),
            answer: None,
            inclusion: Vec::new(),
            sample: None,
        }
    }

    fn model(&mut self, study: &Study, support: &Support, symbols: &Symbols) -> ModelView {
        let ranked = study.ranking().find(support);
        let fit: Fit = ranked.map_or_else(|| study.reduction().fit(support), |r| r.fit.clone());
        let terms = support.indices().iter().map(|&term| {
            let term = study.term(term);
            self.place(&term.to_string(), || symbols.of_term(term))
        });
        let terms = terms.collect();
        let entries = entries(study, &fit);
        let left = symbols.left(study.problem().left_side());
        let mut model = ModelView::new(terms, math::formula(&left, &entries, symbols));
        model.coefficients = entries
            .iter()
            .map(|e| CoefficientView::new(e, symbols))
            .collect();
        model.unexplained = Some(fit.share_of(study.ranking().baseline()));
        model.evidence = ranked.and_then(|ranked| study.log_evidence(ranked));
        model.probability = ranked.map(|ranked| ranked.probability);
        model
    }

    fn method(&mut self, report: &MethodReport, left: &str, symbols: &Symbols) -> ModelView {
        let place = |entry: &TermEntry| self.place(&entry.term, || symbols.term(&entry.term));
        let terms: Vec<usize> = report.terms.iter().map(place).collect();
        let mut model = ModelView::new(terms, String::new());
        let coefficient = |entry| CoefficientView::new(entry, symbols);
        model.coefficients = report.terms.iter().map(coefficient).collect();
        model.name.clone_from(&report.method);
        model.group.clone_from(&report.method);
        model.unexplained = report.one_minus_r2;
        model.evidence = report.log_evidence;
        match (&report.failure, &report.equation) {
            (Some(failure), _) => model.note.clone_from(failure),
            (None, None) => model.note = "found no equation".into(),
            // A fraction, or a law of a function of the target.
            (None, Some(equation)) if report.terms.is_empty() => model.note.clone_from(equation),
            _ => model.formula = math::formula(left, &report.terms, symbols),
        }
        model.facts = model.facts();
        model
    }

    fn place(&mut self, text: &str, math: impl FnOnce() -> String) -> usize {
        let known = self.terms.iter().position(|term| term.text == text);
        known.unwrap_or_else(|| {
            self.terms.push(TermView {
                text: text.to_string(),
                math: math(),
            });
            self.terms.len() - 1
        })
    }

    /// Puts the terms that most models have first.
    fn sort_terms(&mut self) {
        let mut uses = vec![0_usize; self.terms.len()];
        for &term in self.models.iter().flat_map(|model| &model.terms) {
            uses[term] += 1;
        }
        let mut order: Vec<usize> = (0..uses.len()).collect();
        order.sort_by_key(|&term| std::cmp::Reverse(uses[term]));
        let mut place = vec![0; uses.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        for term in self.models.iter_mut().flat_map(|model| &mut model.terms) {
            *term = place[*term];
        }
        self.terms = order.iter().map(|&old| self.terms[old].clone()).collect();
        self.n_rows = self.terms.len().min(TERMS);
    }
}

impl ModelView {
    fn new(terms: Vec<usize>, formula: String) -> Self {
        Self {
            name: String::new(),
            group: String::new(),
            formula,
            terms,
            coefficients: Vec::new(),
            unexplained: None,
            evidence: None,
            probability: None,
            facts: Vec::new(),
            note: String::new(),
        }
    }

    /// The answer is told as the result tells it: with the method's own coefficients, refined ones,
    /// as a fraction.
    fn tell(&mut self, equation: &Equation, symbols: &Symbols) {
        self.formula = math::equation(equation, symbols);
        let fraction = equation.numerator.iter().chain(&equation.denominator);
        let all = equation.terms.iter().chain(fraction.flatten());
        self.coefficients = all.map(|e| CoefficientView::new(e, symbols)).collect();
        self.unexplained = Some(equation.one_minus_r2);
    }

    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        if let Some(left) = self.unexplained {
            let short = format!("explains {}", explained(left));
            facts.push((short, format!("1 − R² = {}", full(left))));
        }
        if let Some(p) = self.probability {
            let long = format!("probability among the models compared: {}", full(p));
            facts.push((format!("probability {}", probability(p)), long));
        }
        if let Some(evidence) = self.evidence {
            let short = format!("log evidence {}", typeset(&format!("{evidence:.1}")));
            facts.push((short, format!("log evidence {}", full(evidence))));
        }
        facts
    }
}

impl CoefficientView {
    fn new(entry: &TermEntry, symbols: &Symbols) -> Self {
        Self {
            math: symbols.term(&entry.term),
            value: entry.coefficient,
            error: entry.std_error.filter(|error| *error > 0.0),
            shown: typeset(&with_error(entry.coefficient, entry.std_error)),
        }
    }
}

/// The supports of the map with their sizes: smaller ones first, best first within a size.
fn supports(study: &Study) -> Vec<(usize, Support)> {
    let mut supports: Vec<(usize, Support)> = if let Some(found) = study.found() {
        let centre = &study.settings().space.centre;
        found.sizes.iter().flat_map(|l| listed(l, centre)).collect()
    } else {
        let compared = study.ranking().models().iter().take(PER_SIZE);
        let with_size = |support: &Support| (support.len(), support.clone());
        compared
            .map(|model| with_size(model.fit.support()))
            .collect()
    };
    let answer = study.answer().map(|answer| answer.fit.support());
    supports.extend(
        answer
            .filter(|answer| supports.iter().all(|(_, support)| support != *answer))
            .map(|answer| (answer.len(), answer.clone())),
    );
    supports.sort_by_key(|(size, _)| *size);
    supports
}

/// The best supports of a size, with what is always in.
fn listed(list: &SizeList, centre: &Support) -> Vec<(usize, Support)> {
    let best = list.best.iter().take(PER_SIZE);
    best.map(|candidate| (list.size, candidate.support.union(centre)))
        .collect()
}

/// The terms of a fit with their coefficients.
fn entries(study: &Study, fit: &Fit) -> Vec<TermEntry> {
    let names = study.names(fit.support());
    let errors = fit.std_errors();
    let entry = |(i, term): (usize, String)| TermEntry {
        term,
        coefficient: fit.coefficients()[i],
        std_error: errors.as_ref().map(|errors| errors[i]),
        inclusion: None,
    };
    names.into_iter().enumerate().map(entry).collect()
}
