//! Dates and times of day, as people and instruments write them.

/// A moment in nanoseconds: since 1970 where there is a date, else since midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(i128);

const SECOND: i128 = 1_000_000_000;

impl Instant {
    pub(crate) fn from_nanoseconds(nanoseconds: i128) -> Self {
        Self(nanoseconds)
    }

    /// A moment from `2024-01-31T12:30:00.5+01:00`, `2024-01-31 12:30`, `2024-01-31`,
    /// `31.01.2024 12:30:00` or `12:30:00`. Without a zone the time is taken as it is written.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, time) = match text.split_once(['T', 't', ' ']) {
            Some((date, time)) => (Some(date), Some(time.trim_start())),
            None if text.contains(':') => (None, Some(text)),
            None => (Some(text), None),
        };
        let days = date.map_or(Some(0), days)?;
        let nanoseconds = time.map_or(Some(0), time_of_day)?;
        Some(Self(i128::from(days) * 86_400 * SECOND + nanoseconds))
    }

    /// Seconds since another moment, rounded once.
    pub(crate) fn seconds_since(self, other: Self) -> f64 {
        let difference = self.0 - other.0;
        let (whole, rest) = (difference / SECOND, difference % SECOND);
        whole as f64 + rest as f64 / SECOND as f64
    }
}

/// Days since 1970-01-01 of `2024-01-31`, `2024/01/31` or `31.01.2024`.
fn days(text: &str) -> Option<i64> {
    let parts = |mark: char| {
        let mut parts = text.split(mark);
        let three = (parts.next()?, parts.next()?, parts.next()?);
        parts.next().is_none().then_some(three)
    };
    let (year, month, day) = if let Some((day, month, year)) = parts('.') {
        (year, month, day)
    } else {
        parts('-').or_else(|| parts('/'))?
    };
    if year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let (year, month, day) = (whole(year)?, whole(month)?, whole(day)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Days of the years and months before, in years that start in March (Hinnant,
    // "chrono-compatible low-level date algorithms").
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let of_year = (153 * m + 2) / 5 + day - 1;
    Some(365 * y + y / 4 - y / 100 + y / 400 + of_year - 719_468)
}

/// Nanoseconds since midnight of `12:30`, `12:30:00.25`, perhaps with a zone.
fn time_of_day(text: &str) -> Option<i128> {
    let (text, zone) = match text.strip_suffix(['Z', 'z']) {
        Some(text) => (text.trim_end(), 0),
        None => match text.rfind(['+', '-']) {
            Some(place) => (text[..place].trim_end(), zone(&text[place..])?),
            None => (text, 0),
        },
    };
    let mut parts = text.split(':');
    let (hours, minutes) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let seconds = parts.next().unwrap_or("0");
    if parts.next().is_some() {
        return None;
    }
    let (seconds, decimals) = seconds.split_once(['.', ',']).unwrap_or((seconds, ""));
    let seconds = whole(seconds)?;
    if hours > 24 || minutes > 59 || seconds > 60 {
        return None;
    }
    let nanoseconds = match decimals.get(..9.min(decimals.len()))? {
        "" => 0,
        digits => whole(digits)? * 10_i64.pow(9 - u32::try_from(digits.len()).ok()?),
    };
    let seconds = 3600 * hours + 60 * minutes + seconds - zone;
    Some(i128::from(seconds) * SECOND + i128::from(nanoseconds))
}

/// Seconds ahead of UTC, of `+01:00`, `+0100` or `-05`.
fn zone(text: &str) -> Option<i64> {
    let (sign, rest) = text.split_at_checked(1)?;
    let digits = rest.replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (whole(&digits)?, 0),
        4 => (whole(&digits[..2])?, whole(&digits[2..])?),
        _ => return None,
    };
    let ahead = 3600 * hours + 60 * minutes;
    (hours < 24 && minutes < 60).then_some(if sign == "-" { -ahead } else { ahead })
}

/// A whole number of digits alone.
fn whole(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<f64> {
        let origin = Instant::parse("1970-01-01").unwrap();
        Some(Instant::parse(text)?.seconds_since(origin))
    }

    #[test]
    fn moments_are_read_as_instruments_write_them() {
        // `date -u -d TEXT +%s`.
        for (text, expected) in [
            ("2024-02-29T12:30:00Z", 1_709_209_800.0),
            ("2024-02-29 12:30:00.250", 1_709_209_800.25),
            ("2024-02-29T13:30+01:00", 1_709_209_800.0),
            ("2024-02-29T07:30:00-0500", 1_709_209_800.0),
            ("2024/02/29 12:30", 1_709_209_800.0),
            ("29.02.2024 12:30:00", 1_709_209_800.0),
            ("2024-02-29", 1_709_164_800.0),
            ("1969-12-31T23:59:59", -1.0),
            ("12:30:00,5", 45_000.5),
            ("2000-03-01", 951_868_800.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in [
            "2023-02-29",
            "2024-13-01",
            "31/01/2024",
            "2024-01-31T25:00",
            "12:60",
            "noon",
            "",
            "1.5",
            "2024-01-31T12:30:00+1",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn nanoseconds_between_two_moments_are_kept() {
        let at = |text| Instant::parse(text).unwrap();
        let first = at("2024-02-29T12:30:00.000000001");
        let then = at("2024-02-29T12:30:00.000000004");
        assert!((then.seconds_since(first) - 3e-9).abs() < 1e-20);
    }
}
