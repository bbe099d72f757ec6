//! Bumps along one axis: `φ(v) = (1 − v²)^p` and its derivatives, at places on a stride.

/// The smallest value of a bump next to its end, as a share of its height: sums then are integrals
/// to ten digits.
const END: f64 = 1e-10;

/// Test functions along one axis of a grid.
#[derive(Debug, Clone)]
pub(crate) struct Bumps {
    /// How many points the axis has.
    n_points: usize,
    /// From the middle of a bump to its end, in steps.
    half: usize,
    /// The first point of each bump; beyond the ends only where the axis is periodic.
    starts: Vec<isize>,
    /// The values of the derivatives `(−1)^l φ^(l)` at the points, by order.
    kernels: Vec<Vec<f64>>,
}

/// How bumps are placed along one axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placing {
    pub(crate) n_points: usize,
    pub(crate) step: f64,
    pub(crate) half: usize,
    pub(crate) stride: usize,
    pub(crate) periodic: bool,
    /// The highest derivative.
    pub(crate) order: u32,
}

impl Bumps {
    pub(crate) fn new(placing: &Placing) -> Self {
        let Placing {
            n_points,
            half,
            stride,
            ..
        } = *placing;
        let first = if placing.periodic {
            (0..n_points).step_by(stride).collect()
        } else {
            // The places stand in the middle of what is left over.
            let room = n_points - (2 * half + 1);
            let offset = room % stride / 2;
            let places: Vec<usize> = (offset..=room).step_by(stride).collect();
            places
        };
        let back = if placing.periodic { half } else { 0 };
        let power = power(half, placing.order);
        let kernel = |order| kernel(half, power, order, placing.step);
        Self {
            n_points,
            half,
            starts: first
                .into_iter()
                .map(|first| first.cast_signed() - back.cast_signed())
                .collect(),
            kernels: (0..=placing.order).map(kernel).collect(),
        }
    }

    pub(crate) fn n_points(&self) -> usize {
        self.n_points
    }

    pub(crate) fn n_places(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn half(&self) -> usize {
        self.half
    }

    /// A derivative of the bump at its points.
    pub(crate) fn kernel(&self, order: u32) -> &[f64] {
        &self.kernels[order as usize]
    }

    /// The product of two derivatives of the bump at its points.
    pub(crate) fn kernel_product(&self, a: u32, b: u32) -> Vec<f64> {
        let both = self.kernel(a).iter().zip(self.kernel(b));
        both.map(|(a, b)| a * b).collect()
    }

    /// The points of the bump at a place, each with its number in the kernel.
    pub(crate) fn points(&self, place: usize) -> impl Iterator<Item = (usize, usize)> {
        let (start, n) = (self.starts[place], self.n_points.cast_signed());
        (0..=2 * self.half).map(move |j| {
            let point = (start + j.cast_signed()).rem_euclid(n);
            (point.cast_unsigned(), j)
        })
    }

    /// For each point the places whose bumps have it, each with the point's number in the kernel.
    pub(crate) fn places_of_points(&self) -> Vec<Vec<(usize, usize)>> {
        let mut all = vec![Vec::new(); self.n_points];
        for place in 0..self.n_places() {
            for (point, j) in self.points(place) {
                all[point].push((place, j));
            }
        }
        all
    }

    /// Sums along the axis: of an array whose points follow each other at a distance of `after`.
    pub(crate) fn contract(&self, kernel: &[f64], array: &[f64], after: usize) -> Vec<f64> {
        let block = self.n_points * after;
        let mut out = vec![0.0; array.len() / block * self.n_places() * after];
        let blocks = array.chunks_exact(block);
        for (array, out) in blocks.zip(out.chunks_exact_mut(self.n_places() * after)) {
            for (place, out) in out.chunks_exact_mut(after).enumerate() {
                for (point, j) in self.points(place) {
                    let weight = kernel[j];
                    if weight.abs() > 0.0 {
                        let row = &array[point * after..][..after];
                        for (out, value) in out.iter_mut().zip(row) {
                            *out += weight * value;
                        }
                    }
                }
            }
        }
        out
    }

    /// What a kernel at all places together is at each point of the axis.
    pub(crate) fn at_all_places(&self, kernel: &[f64]) -> Vec<f64> {
        self.spread(kernel, &vec![1.0; self.n_places()], 1)
    }

    /// The transpose of [`contract`](Self::contract): every place puts its bump on the grid.
    pub(crate) fn spread(&self, kernel: &[f64], array: &[f64], after: usize) -> Vec<f64> {
        let block = self.n_places() * after;
        let mut out = vec![0.0; array.len() / block * self.n_points * after];
        let blocks = array.chunks_exact(block);
        for (array, out) in blocks.zip(out.chunks_exact_mut(self.n_points * after)) {
            for (place, row) in array.chunks_exact(after).enumerate() {
                for (point, j) in self.points(place) {
                    let weight = kernel[j];
                    let out = &mut out[point * after..][..after];
                    for (out, value) in out.iter_mut().zip(row) {
                        *out += weight * value;
                    }
                }
            }
        }
        out
    }
}

/// The power of the narrowest bump of this half width that ends smoothly enough.
pub(crate) fn power(half: usize, order: u32) -> u32 {
    let v = 1.0 - 1.0 / half as f64;
    let needed = (END.ln() / (1.0 - v * v).ln()).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number between 1 and a hundred"
    )]
    let needed = needed as u32;
    needed.max(order + 1)
}

/// `(−1)^l φ^(l)` at all points of a bump, per step of the axis to the power `l`.
///
/// By Leibniz's rule on `(1 − v)^p (1 + v)^p`, whose summands are few and do not cancel to many
/// digits.
fn kernel(half: usize, power: u32, order: u32, step: f64) -> Vec<f64> {
    let (m, p) = (half as f64, f64::from(power));
    let falling = |k: u32| (0..k).map(|i| p - f64::from(i)).product::<f64>();
    let raised = |x: f64, k: u32| x.powi((power - k).cast_signed());
    let value = |j: usize| {
        let v = (j as f64 - m) / m;
        let summand = |i: u32| {
            let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            let ways = binomial(order, i) * falling(i) * falling(order - i);
            sign * ways * raised(1.0 - v, i) * raised(1.0 + v, order - i)
        };
        let sum: f64 = (0..=order).map(summand).sum();
        let sign = if order.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * sum / (m * step).powi(order.cast_signed())
    };
    (0..=2 * half).map(value).collect()
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k)
        .map(|i| f64::from(n - i) / f64::from(i + 1))
        .product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bumps(half: usize, stride: usize, periodic: bool) -> Bumps {
        Bumps::new(&Placing {
            n_points: 40,
            step: 0.1,
            half,
            stride,
            periodic,
            order: 4,
        })
    }

    #[test]
    fn derivatives_are_moved_from_the_function_to_the_bump() {
        // sin(3x) on an open axis: the sum with (−1)^l φ^(l) is that of φ with the l-th derivative.
        let axis = bumps(16, 3, false);
        let at = |order: i32| -> Vec<f64> {
            let phase = f64::from(order) * std::f64::consts::FRAC_PI_2;
            let value = |i: u32| (0.3 * f64::from(i) + phase).sin() * 3_f64.powi(order);
            (0..40).map(value).collect()
        };
        for order in 0..=4_u32 {
            let moved = axis.contract(axis.kernel(order), &at(0), 1);
            let plain = axis.contract(axis.kernel(0), &at(order.cast_signed()), 1);
            for (moved, plain) in moved.iter().zip(plain) {
                assert!(
                    (moved - plain).abs() < 1e-6 * 3_f64.powi(order.cast_signed()),
                    "{order}"
                );
            }
        }
    }

    #[test]
    fn sums_and_their_transpose_agree() {
        for periodic in [false, true] {
            let axis = bumps(7, 4, periodic);
            let array: Vec<f64> = (0..120).map(|i| f64::from(i * i % 17)).collect();
            let places: Vec<f64> = (0..3 * axis.n_places()).map(|i| (i as f64).cos()).collect();
            let kernel = axis.kernel(1);
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let one = product(&axis.contract(kernel, &array, 3), &places);
            let other = product(&array, &axis.spread(kernel, &places, 3));
            assert!((one - other).abs() < 1e-9 * one.abs(), "{one} {other}");
        }
    }

    #[test]
    fn an_open_axis_has_whole_bumps_only_and_a_periodic_one_has_them_everywhere() {
        let open = bumps(7, 5, false);
        assert_eq!(open.n_places(), 6);
        assert!(open.starts.iter().all(|start| (0..=25).contains(start)));
        assert_eq!(bumps(7, 5, true).n_places(), 8);
    }
}
