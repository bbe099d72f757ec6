//! The answer in a word: found, one of several, probably an imitation, or none.
//!
//! Probabilities and warnings say how sure a result is; a reader wants to know first what they come
//! to.

use crate::tell::document::{Document, Equation, Kind};
use crate::tell::warning::{Code, Warning};

/// The probability of a misfit from which on an equation is called an imitation.
pub const IMITATION: f64 = 0.5;

/// The probability from which on an equation counts as found: the odds below which the warning
/// `ambiguous` is given, twenty to one.
const FOUND: f64 = 0.95;

/// What a result comes to, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// One equation stands out.
    Found,
    /// The method weighs no equation against others.
    Unweighed,
    /// Other equations explain the data about as well.
    OneOfSeveral,
    /// The law is probably another, which the equation approximates.
    Imitation,
    /// There is no equation.
    None,
}

impl Verdict {
    /// What a whole result comes to: what its least sure equation does.
    pub fn of(document: &Document) -> Self {
        let all = document.equations.iter();
        let all = all.map(|equation| Self::of_equation(document, equation));
        all.max().unwrap_or(Self::None)
    }

    /// What one equation of a result comes to.
    pub fn of_equation(document: &Document, equation: &Equation) -> Self {
        let said = |codes: &[Code]| {
            let mut warnings = about(document, equation);
            warnings.any(|warning| codes.contains(&warning.code))
        };
        let outside = equation.misfit.is_some_and(|m| m.probability > IMITATION);
        let Some(probability) = equation.probability else {
            return if outside {
                Self::Imitation
            } else {
                Self::Unweighed
            };
        };
        if outside || said(&[Code::Misfit, Code::Imitation]) {
            Self::Imitation
        } else if probability < FOUND || said(&[Code::Ambiguous, Code::NotTheMostProbable]) {
            Self::OneOfSeveral
        } else {
            Self::Found
        }
    }
}

/// The warnings about an equation; those of a system name their state first.
fn about<'a>(
    document: &'a Document,
    equation: &'a Equation,
) -> impl Iterator<Item = &'a Warning> + 'a {
    let own = format!("{}: ", equation.target);
    let all = document.warnings.iter();
    all.filter(move |w| document.kind == Kind::Equation || w.message.starts_with(&own))
}

/// A probability for people, in three digits: never quite 0 or 1.
///
/// ```
/// use eqlearn::tell::verdict::probability;
///
/// assert_eq!(probability(0.5314), "0.531");
/// assert_eq!(probability(0.9999), "over 0.999");
/// ```
pub fn probability(p: f64) -> String {
    if p < 0.0005 {
        "below 0.001".into()
    } else if p >= 0.9995 {
        "over 0.999".into()
    } else {
        format!("{p:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::misfit::Misfit;
    use crate::terms::vocabulary::Vocabulary;

    fn equation(target: &str, probability: Option<f64>) -> Equation {
        Equation {
            target: target.into(),
            left_side: target.into(),
            text: String::new(),
            latex: String::new(),
            terms: Vec::new(),
            numerator: None,
            denominator: None,
            parameters: Vec::new(),
            r2: 1.0,
            one_minus_r2: 0.0,
            rss: None,
            sigma: None,
            log_evidence: None,
            probability,
            runner_up: None,
            misfit: None,
            vocabulary: Vocabulary::Monomials,
        }
    }

    fn document(kind: Kind, equations: Vec<Equation>, warnings: Vec<Warning>) -> Document {
        Document {
            schema: "eqlearn/1".into(),
            kind,
            method: "best".into(),
            n_obs: 10,
            n_terms: 3,
            equations,
            search: None,
            regression: None,
            votes: None,
            vocabularies: Vec::new(),
            warnings,
            groups: None,
            discovery: None,
        }
    }

    #[test]
    fn a_verdict_follows_from_probabilities_and_warnings() {
        let of =
            |equation, warnings| Verdict::of(&document(Kind::Equation, vec![equation], warnings));
        assert_eq!(of(equation("y", Some(0.99)), vec![]), Verdict::Found);
        assert_eq!(of(equation("y", Some(0.7)), vec![]), Verdict::OneOfSeveral);
        assert_eq!(of(equation("y", None), vec![]), Verdict::Unweighed);
        let imitation = vec![Warning::new(Code::Imitation, "it may be another law")];
        assert_eq!(of(equation("y", Some(0.99)), imitation), Verdict::Imitation);
        let misfit = Some(Misfit {
            log_bayes_factor: 5.0,
            probability: 0.99,
        });
        let outside = Equation {
            misfit,
            ..equation("y", Some(0.99))
        };
        assert_eq!(of(outside, vec![]), Verdict::Imitation);
        assert_eq!(
            Verdict::of(&document(Kind::Equation, vec![], vec![])),
            Verdict::None
        );
    }

    #[test]
    fn a_system_is_as_sure_as_its_least_sure_equation() {
        let all = || vec![equation("x", Some(0.99)), equation("y", Some(0.99))];
        let warning = || vec![Warning::new(Code::Imitation, "y: it may be another law")];
        let system = document(Kind::System, all(), warning());
        assert_eq!(Verdict::of(&system), Verdict::Imitation);
        let first = &system.equations[0];
        assert_eq!(Verdict::of_equation(&system, first), Verdict::Found);
    }
}
