//! Which powers a feature may have in a product: `-2..4`, and in halves `-2..4/2`.

use super::vocabulary::Variable;

/// The largest power without its sign: of more, values leave the range of numbers.
const LARGEST: i32 = 12;
/// Into how many parts a power may be cut.
const MOST_PARTS: u32 = 6;

/// The powers from a lowest to a highest one, in whole steps, halves, thirds and so on.
///
/// ```
/// use eqlearn::terms::powers::Powers;
///
/// let powers = Powers::parse("-1..2/2")?;
/// assert_eq!(powers.values(), [0.5, -0.5, 1.0, -1.0, 1.5, 2.0]);
/// assert!(Powers::parse("4..-2").is_err());
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Powers {
    lowest: i32,
    highest: i32,
    parts: u32,
}

impl Powers {
    /// Reads `-2..4` or `-2..4/2`.
    ///
    /// # Errors
    /// What the text must be instead.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (ends, parts) = match text.split_once('/') {
            Some((ends, parts)) => (ends, parts.trim().parse().unwrap_or(0)),
            None => (text, 1),
        };
        let number = |text: &str| text.trim().parse::<i32>().ok();
        let read = ends.split_once("..");
        let read = read.and_then(|(low, high)| Some((number(low)?, number(high)?)));
        let Some((lowest, highest)) = read else {
            return Err("two whole numbers such as -2..4, or -2..4/2 for halves between them");
        };
        if !(1..=MOST_PARTS).contains(&parts) {
            return Err("in whole numbers, /2 for halves, /3 for thirds, up to /6");
        }
        if lowest > highest {
            return Err("from a lower to a higher power, such as -2..4");
        }
        if lowest < -LARGEST || highest > LARGEST {
            return Err("between -12 and 12");
        }
        if (lowest, highest) == (0, 0) {
            return Err("at least one power besides 0");
        }
        Ok(Self {
            lowest,
            highest,
            parts,
        })
    }

    /// All of them but 0, which is always allowed: the smallest first, positive ones before
    /// negative ones.
    pub fn values(&self) -> Vec<f64> {
        self.steps().map(|step| self.of_steps(step)).collect()
    }

    /// Into how many parts a whole power is cut.
    pub(crate) fn parts(&self) -> u32 {
        self.parts
    }

    /// The powers that the values of a feature allow, in steps of one part.
    pub(crate) fn steps_for(&self, variable: &Variable<'_>) -> Vec<i32> {
        let allowed = |step: &i32| variable.allows(self.of_steps(*step));
        self.steps().filter(allowed).collect()
    }

    /// The power of this many steps.
    pub(crate) fn of_steps(&self, steps: i32) -> f64 {
        f64::from(steps) / f64::from(self.parts)
    }

    fn steps(&self) -> impl Iterator<Item = i32> {
        let parts = self.parts.cast_signed();
        let range = self.lowest * parts..=self.highest * parts;
        let sizes = 1..=LARGEST * parts;
        let both = sizes.flat_map(|size| [size, -size]);
        both.filter(move |step| range.contains(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_halves_and_thirds_are_read() {
        let values = |text| Powers::parse(text).map(|powers| powers.values());
        assert_eq!(values("-2..4"), Ok(vec![1.0, -1.0, 2.0, -2.0, 3.0, 4.0]));
        assert_eq!(values(" 0 .. 1 / 3 "), Ok(vec![1.0 / 3.0, 2.0 / 3.0, 1.0]));
        assert_eq!(values("2..3"), Ok(vec![2.0, 3.0]));
        assert_eq!(values("-1..-1"), Ok(vec![-1.0]));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        for (text, remedy) in [
            ("4..-2", "from a lower to a higher"),
            ("1..2/0", "/2 for halves"),
            ("1..2/7", "/2 for halves"),
            ("1..2/x", "/2 for halves"),
            ("-200..200", "between -12 and 12"),
            ("0..0", "besides 0"),
            ("4", "two whole numbers"),
            ("1.5..2", "two whole numbers"),
            ("..", "two whole numbers"),
            ("99999999999..1", "two whole numbers"),
        ] {
            let wrong = Powers::parse(text).unwrap_err();
            assert!(wrong.contains(remedy), "{text}: {wrong}");
        }
    }

    #[test]
    fn the_data_decide_which_are_allowed() {
        let powers = Powers::parse("-1..1/2").unwrap();
        let steps = |values: &[f64]| powers.steps_for(&Variable::new(0, "x", values));
        assert_eq!(steps(&[1.0, 2.0]), [1, -1, 2, -2]);
        assert_eq!(steps(&[-1.0, 2.0]), [2, -2]);
        assert_eq!(steps(&[0.0, 2.0]), [1, 2]);
        assert_eq!(steps(&[-1.0, 0.0]), [2]);
    }
}
