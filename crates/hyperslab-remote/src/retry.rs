//! When a failed request is repeated. A pure function.

use std::time::Duration;

/// The pause before the second attempt; it doubles before each further attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause, unless the server asks for a longer one.
const PAUSE_MAX: Duration = Duration::from_secs(8);

/// How often and how long a request is repeated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPolicy {
    /// The number of attempts.
    pub attempts: u32,
    /// The time for all of them.
    pub deadline: Duration,
}

impl RetryPolicy {
    /// The pause before the next attempt, or `None` if there is none. `attempt` attempts have failed, `elapsed` after
    /// the first began; the server may have asked for a pause. `random` is in 0..1: pauses are between half and the
    /// whole of their length, so that requests that failed together are not repeated together.
    pub fn pause(
        self,
        attempt: u32,
        elapsed: Duration,
        asked: Option<Duration>,
        random: f64,
    ) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let doubled = FIRST_PAUSE.saturating_mul(1 << (attempt - 1).min(16));
        let pause = doubled.min(PAUSE_MAX).mul_f64(0.5 + random / 2.0).max(asked.unwrap_or_default());
        (elapsed + pause < self.deadline).then_some(pause)
    }
}

/// A number in 0..1.
pub(crate) fn random() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    // The keys of each `RandomState` differ, and are random in each process.
    let bits = RandomState::new().hash_one(0);
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_within_the_deadline() {
        let policy = RetryPolicy { attempts: 4, deadline: Duration::from_secs(1) };
        let pause = |attempt, elapsed, asked| {
            policy.pause(attempt, Duration::from_millis(elapsed), asked, 1.0).map(|pause| pause.as_millis())
        };
        assert_eq!(
            [1, 2, 3, 4].map(|attempt| pause(attempt, 0, None)),
            [Some(100), Some(200), Some(400), None]
        );
        assert_eq!(pause(3, 700, None), None);
        assert_eq!(pause(1, 0, Some(Duration::from_millis(500))), Some(500));
        assert_eq!(pause(1, 0, Some(Duration::from_secs(2))), None);
        let half = policy.pause(1, Duration::ZERO, None, 0.0);
        assert_eq!(half, Some(Duration::from_millis(50)));
        assert!((0..100).all(|_| (0.0..1.0).contains(&random())));
    }
}
