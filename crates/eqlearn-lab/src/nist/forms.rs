//! NIST's 27 non-linear sets: the form of each law as terms, and how certified parameters follow
//! from coefficients and inner parameters.

/// A set and the form of its law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) name: &'static str,
    /// The terms, of which those with `?` are families.
    pub(super) terms: &'static [&'static str],
    /// The certified parameters: formulas of the coefficients c1, c2, … in the order of the terms,
    /// and of the inner parameters.
    pub(super) certified: &'static [&'static str],
}

const LANCZOS: &[&str] = &["exp(-?b2*x)", "exp(-?b4*x)", "exp(-?b6*x)"];
const LANCZOS_CERTIFIED: &[&str] = &["c1", "b2", "c2", "b4", "c3", "b6"];
const GAUSS: &[&str] = &[
    "exp(-?b2*x)",
    "exp(-(x-?b4)^2/?b5^2)",
    "exp(-(x-?b7)^2/?b8^2)",
];
const GAUSS_CERTIFIED: &[&str] = &["c1", "b2", "c2", "b4", "abs(b5)", "c3", "b7", "abs(b8)"];
const CUBIC: &[&str] = &[
    "1/(1+?b5*x+?b6*x^2+?b7*x^3)",
    "x/(1+?b5*x+?b6*x^2+?b7*x^3)",
    "x^2/(1+?b5*x+?b6*x^2+?b7*x^3)",
    "x^3/(1+?b5*x+?b6*x^2+?b7*x^3)",
];
const CUBIC_CERTIFIED: &[&str] = &["c1", "c2", "c3", "c4", "b5", "b6", "b7"];
const CHWIRUT: &[&str] = &["exp(-?b1*x)/(1+?k*x)"];
const CHWIRUT_CERTIFIED: &[&str] = &["b1", "1/c1", "k/c1"];

const fn form(
    name: &'static str,
    terms: &'static [&'static str],
    certified: &'static [&'static str],
) -> Form {
    Form {
        name,
        terms,
        certified,
    }
}

impl Form {
    /// Whether the law is one of the target's logarithm.
    pub(super) fn has_log_target(&self) -> bool {
        self.name == "Nelson"
    }

    /// Whether no term has more than one inner parameter.
    pub(super) fn has_single_parameters(&self) -> bool {
        let names = |term: &str| -> Vec<String> {
            let name = |piece: &str| piece.chars().take_while(|c| c.is_alphanumeric()).collect();
            let mut names: Vec<String> = term.split('?').skip(1).map(name).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        !self.terms.is_empty() && self.terms.iter().all(|term| names(term).len() <= 1)
    }
}

/// All sets. The law of Roszman1 has a term with a known coefficient, which no term can say.
pub(super) const FORMS: [Form; 27] = [
    form("Bennett5", &["(?b2+x)^(-1/?b3)"], &["c1", "b2", "b3"]),
    form("BoxBOD", &["1-exp(-?b2*x)"], &["c1", "b2"]),
    form("Chwirut1", CHWIRUT, CHWIRUT_CERTIFIED),
    form("Chwirut2", CHWIRUT, CHWIRUT_CERTIFIED),
    form("DanWood", &["x^?b2"], &["c1", "b2"]),
    form(
        "ENSO",
        &[
            "1",
            "cos(2*pi*x/12)",
            "sin(2*pi*x/12)",
            "cos(2*pi*x/?b7)",
            "sin(2*pi*x/?b7)",
            "cos(2*pi*x/?b4)",
            "sin(2*pi*x/?b4)",
        ],
        &["c1", "c2", "c3", "b4", "c6", "c7", "b7", "c4", "c5"],
    ),
    form(
        "Eckerle4",
        &["exp(-0.5*((x-?b3)/?b2)^2)/?b2"],
        &["c1*sign(b2)", "abs(b2)", "b3"],
    ),
    form("Gauss1", GAUSS, GAUSS_CERTIFIED),
    form("Gauss2", GAUSS, GAUSS_CERTIFIED),
    form("Gauss3", GAUSS, GAUSS_CERTIFIED),
    form("Hahn1", CUBIC, CUBIC_CERTIFIED),
    form(
        "Kirby2",
        &[
            "1/(1+?b4*x+?b5*x^2)",
            "x/(1+?b4*x+?b5*x^2)",
            "x^2/(1+?b4*x+?b5*x^2)",
        ],
        &["c1", "c2", "c3", "b4", "b5"],
    ),
    form("Lanczos1", LANCZOS, LANCZOS_CERTIFIED),
    form("Lanczos2", LANCZOS, LANCZOS_CERTIFIED),
    form("Lanczos3", LANCZOS, LANCZOS_CERTIFIED),
    form(
        "MGH09",
        &["x^2/(x^2+?b3*x+?b4)", "x/(x^2+?b3*x+?b4)"],
        &["c1", "c2/c1", "b3", "b4"],
    ),
    form("MGH10", &["exp(?b2/(x+?b3))"], &["c1", "b2", "b3"]),
    form(
        "MGH17",
        &["1", "exp(-?b4*x)", "exp(-?b5*x)"],
        &["c1", "c2", "c3", "b4", "b5"],
    ),
    form("Misra1a", &["1-exp(-?b2*x)"], &["c1", "b2"]),
    form("Misra1b", &["1-(1+?b2*x/2)^(-2)"], &["c1", "b2"]),
    form("Misra1c", &["1-(1+2*?b2*x)^(-0.5)"], &["c1", "b2"]),
    form("Misra1d", &["?b2*x/(1+?b2*x)"], &["c1", "b2"]),
    form("Nelson", &["1", "x1*exp(-?b3*x2)"], &["c1", "-c2", "b3"]),
    form("Rat42", &["1/(1+exp(?b2-?b3*x))"], &["c1", "b2", "b3"]),
    form(
        "Rat43",
        &["(1+exp(?b2-?b3*x))^(-1/?b4)"],
        &["c1", "b2", "b3", "b4"],
    ),
    form("Roszman1", &[], &[]),
    form("Thurber", CUBIC, CUBIC_CERTIFIED),
];
