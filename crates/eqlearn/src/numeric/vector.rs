//! Operations on slices of numbers, and loops in the widest vector instructions that the machine
//! has.

/// Numbers per block: rows that loops run over in vectors are padded to a multiple of it.
pub(crate) const BLOCK: usize = 8;

/// `Σ a_i b_i` of slices of one length; the same bits on every machine.
///
/// Always inlined, so that it is compiled for wide instructions together with the loops that use it
/// ([`widely`]).
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len(), "one number of each");
    // Eight independent sums: in a single one each addition would wait for the one before.
    let (a_eights, a_rest) = a.as_chunks::<8>();
    let (b_eights, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a_eights.iter().zip(b_eights) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    for (k, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[k] += a * b;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// `a += factor · b`.
pub(crate) fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

/// `a·b + c`, rounded once if `FUSED`.
#[expect(
    clippy::inline_always,
    reason = "without the instruction it is a call of a slow function"
)]
#[inline(always)]
pub(crate) fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Declares a function that runs in the widest instructions that the machine has.
///
/// The function after `=` is compiled into it twice, for any machine and for AVX2 with fused
/// multiply-add, and must be `#[inline(always)]`. With `<FUSED>` after its name it has a
/// `const FUSED: bool` that says which of the two it is, for [`fma`]; its rounding then depends on
/// the machine.
macro_rules! widely {
    (
        $(#[$doc:meta])*
        $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?
            = $($work:ident)::+ $(<$fused:ident>)?
    ) => {
        $(#[$doc])*
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            $(const $fused: bool = false;)?
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $type),*) $(-> $out)? {
                    $(const $fused: bool = true;)?
                    $($work)::+ $(::<$fused>)? ($($arg),*)
                }
                if $crate::numeric::vector::has_avx2() {
                    #[expect(unsafe_code, reason = "the caller may run where there is no AVX2")]
                    // SAFETY: the instructions it is compiled for have just been detected.
                    return unsafe { wide($($arg),*) };
                }
            }
            $($work)::+ $(::<$fused>)? ($($arg),*)
        }
    };
}
pub(crate) use widely;

/// Whether the loops for AVX2 with fused multiply-add can run here.
pub(crate) fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::dot;

    #[test]
    fn a_dot_product_counts_every_entry_once_whatever_the_length() {
        for len in 0..40_u32 {
            let a: Vec<f64> = (1..=len).map(f64::from).collect();
            let n = f64::from(len);
            let squares = n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
            assert!((dot(&a, &a) - squares).abs() < 0.5, "{len}");
        }
    }
}
