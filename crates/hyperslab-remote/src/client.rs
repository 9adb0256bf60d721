//! Requests for ranges of one file: checked, repeated, and limited in number.

use crate::answer::{Content, strong_tag};
use crate::failure::Failure;
use crate::link::LinkSpeed;
use crate::options::RemoteOptions;
use crate::retry::{RetryPolicy, random};
use crate::slots::Slots;
use crate::trace::{self, TraceLine};
use crate::traffic;
use crate::transport::{Condition, Transport};
use bytes::Bytes;
use futures_util::future::{Either, select};
use hyperslab_io::purpose::Purpose;
use hyperslab_io::{PerProcess, Version};
use std::io;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::{Instant, sleep, timeout};

/// Makes the requests for one file.
pub(crate) struct Client {
    /// The URL, without user and query.
    pub name: String,
    pub options: RemoteOptions,
    /// Of this process: the requests that are in flight during a fork never end in the child.
    slots: PerProcess<Slots>,
    link: PerProcess<LinkSpeed>,
    /// Requests so far, and those of them that were made because another was slow.
    made: AtomicU64,
    hedges: AtomicU64,
    transport: Box<dyn Transport>,
}

/// Why a range is requested, for the trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    pub round: u64,
    pub purpose: Purpose,
}

/// What the responses to a request must be.
#[derive(Clone, Copy)]
enum Expected<'v> {
    /// The beginning of the file, or that it is still in this state.
    Beginning(Option<&'v Version>),
    /// The requested range of this state of the file.
    State(&'v Version),
}

/// At most one of so many requests is made because another is slow.
const REQUESTS_PER_HEDGE: u64 = 20;
/// So often a request is tried if no connection can be made when a file is opened: its host may be mistyped.
const UNREACHABLE_ATTEMPTS: u32 = 3;

impl Client {
    pub fn new(name: String, transport: Box<dyn Transport>, options: RemoteOptions) -> Self {
        let (slots, link) = (PerProcess::new(), PerProcess::new());
        let (made, hedges) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { name, options, slots, link, made, hedges, transport }
    }

    fn slots(&self) -> &Slots {
        self.slots.get(|| Slots::new(self.options.in_flight_max))
    }

    /// The measured speed of the source.
    pub fn link(&self) -> &LinkSpeed {
        self.link.get(LinkSpeed::new)
    }

    /// The number of requests that may be in flight now.
    pub fn in_flight(&self) -> usize {
        self.slots().limit()
    }

    /// Requests the beginning of the file: its state, and its first bytes. If the file is still in the state that is
    /// `known`, no bytes are sent.
    pub async fn first(&self, known: Option<&Version>, cause: Cause) -> io::Result<(Version, Option<Bytes>)> {
        let range = 0..self.options.first_bytes.max(1);
        let (content, bytes) = self.request(&range, Expected::Beginning(known), cause).await?;
        Ok((content.version(), bytes))
    }

    /// Requests a range of the state of the file that was opened.
    pub async fn get(&self, range: &Range<u64>, opened: &Version, cause: Cause) -> io::Result<Bytes> {
        let (_, bytes) = self.request(range, Expected::State(opened), cause).await?;
        Ok(bytes.unwrap_or_default())
    }

    /// Makes a request, again if it fails for a temporary reason.
    async fn request(
        &self,
        range: &Range<u64>,
        expected: Expected<'_>,
        cause: Cause,
    ) -> io::Result<(Content, Option<Bytes>)> {
        let policy = RetryPolicy { attempts: self.options.attempts, deadline: self.options.deadline };
        let began = Instant::now();
        for attempt in 1.. {
            let left = policy.deadline.saturating_sub(began.elapsed());
            let outcome = timeout(left, self.hedged(range, expected, cause, attempt)).await;
            let outcome =
                outcome.unwrap_or_else(|_| Err(Failure::timed_out("the response", policy.deadline)));
            let failure = match outcome {
                Ok(found) => {
                    self.slots().succeeded(self.link().is_crowded());
                    return Ok(found);
                }
                Err(failure) => failure,
            };
            let is_opening = matches!(expected, Expected::Beginning(_));
            let next = match &failure {
                Failure::Final(_) => None,
                Failure::Transient { is_unreachable: true, .. }
                    if is_opening && attempt >= UNREACHABLE_ATTEMPTS =>
                {
                    None
                }
                Failure::Transient { pause, is_busy, .. } => {
                    if *is_busy {
                        self.slots().busy();
                    }
                    policy.pause(attempt, began.elapsed(), *pause, random())
                }
            };
            match next {
                Some(pause) => sleep(pause).await,
                None => return Err(failure.of_request(&self.name, range, attempt)),
            }
            traffic::retried();
        }
        unreachable!("the last attempt returns")
    }

    /// Makes one attempt. If it takes unusually long, a second request is made, and the response that arrives first counts.
    /// Few requests are made in this way, so that they cost little and do not make a busy server busier.
    async fn hedged(
        &self,
        range: &Range<u64>,
        expected: Expected<'_>,
        cause: Cause,
        attempt: u32,
    ) -> Result<(Content, Option<Bytes>), Failure> {
        let mut first = pin!(self.traced(range, expected, cause, attempt));
        let slow = match expected {
            Expected::State(_) => self.link().slow_after(range.end - range.start),
            Expected::Beginning(_) => None,
        };
        let Some(slow) = slow else { return first.await };
        if let Ok(outcome) = timeout(slow, &mut first).await {
            return outcome;
        }
        if !self.may_hedge() {
            return first.await;
        }
        traffic::hedged();
        let second = pin!(self.traced(range, expected, cause, attempt));
        match select(first, second).await {
            Either::Left((Ok(found), _)) | Either::Right((Ok(found), _)) => Ok(found),
            Either::Left((Err(_), second)) => second.await,
            Either::Right((Err(_), first)) => first.await,
        }
    }

    /// Counts a hedge, if there are few of them.
    fn may_hedge(&self) -> bool {
        let made = self.made.load(Ordering::Relaxed);
        let allowed = self.hedges.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |hedges| {
            ((hedges + 1) * REQUESTS_PER_HEDGE <= made).then_some(hedges + 1)
        });
        allowed.is_ok()
    }

    /// Makes one request, which is counted and traced, even if it is abandoned.
    async fn traced(
        &self,
        range: &Range<u64>,
        expected: Expected<'_>,
        cause: Cause,
        attempt: u32,
    ) -> Result<(Content, Option<Bytes>), Failure> {
        traffic::begin_request(self.options.limits()).map_err(Failure::Final)?;
        self.made.fetch_add(1, Ordering::Relaxed);
        let mut line = Line { client: self, range, cause, attempt, began: Instant::now(), outcome: None };
        let found = self.attempt(range, expected).await;
        line.outcome = Some(match &found {
            Ok(_) => "ok".into(),
            Err(Failure::Transient { error, .. } | Failure::Final(error)) => error.to_string(),
        });
        if let Ok((_, Some(bytes))) = &found {
            traffic::received(bytes.len() as u64);
        }
        found
    }

    async fn attempt(
        &self,
        range: &Range<u64>,
        expected: Expected<'_>,
    ) -> Result<(Content, Option<Bytes>), Failure> {
        let condition = match expected {
            Expected::State(opened) => strong_tag(opened).map(|tag| Condition::Match(tag.into())),
            Expected::Beginning(known) => {
                known.and_then(strong_tag).map(|tag| Condition::NoneMatch(tag.into()))
            }
        };
        let wait = self.options.timeout;
        let began = Instant::now();
        let answer =
            timeout(wait, self.transport.get(range.clone(), condition.unwrap_or(Condition::None))).await;
        let mut answer = answer.map_err(|_| Failure::timed_out("the response", wait))??;
        let to_head = began.elapsed();
        match (answer.status.as_u16(), expected) {
            (412, Expected::State(opened)) => {
                return Err(Failure::changed(&self.name, opened, "another entity tag".into()));
            }
            (304, Expected::Beginning(Some(known))) => return Ok((Content::unchanged(known), None)),
            _ => {}
        }
        let content = match answer.content() {
            Ok(content) => content,
            Err(failure) => {
                return Err(timeout(wait, answer.explain(failure))
                    .await
                    .unwrap_or_else(|_| Failure::timed_out("the message of an error", wait)));
            }
        };
        let len = match expected {
            Expected::Beginning(_) => content.first_len(range)?,
            Expected::State(opened) => {
                content.check(&self.name, range, opened)?;
                range.end - range.start
            }
        };
        let bytes = answer.receive(len, wait).await?;
        self.link().add(to_head, began.elapsed().saturating_sub(to_head), len);
        Ok((content, Some(bytes)))
    }
}

/// A line of the trace, written when the request has ended or is abandoned.
struct Line<'c> {
    client: &'c Client,
    range: &'c Range<u64>,
    cause: Cause,
    attempt: u32,
    began: Instant,
    outcome: Option<String>,
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        trace::record(self.began.into_std(), |seconds, took| TraceLine {
            seconds,
            took,
            round: self.cause.round,
            url: self.client.name.clone(),
            start: self.range.start,
            bytes: self.range.end - self.range.start,
            reason: self.cause.purpose.reason,
            serves: self.cause.purpose.serves,
            attempt: self.attempt,
            outcome: self.outcome.take().unwrap_or_else(|| "abandoned".into()),
        });
    }
}

/// The most bytes of responses of one call that wait to be delivered, in KiB.
const UNDELIVERED_KIB_MAX: usize = 64 << 10;

/// A range to request: its number in the call, and why.
pub(crate) struct Wanted {
    pub index: usize,
    pub range: Range<u64>,
    pub cause: Cause,
}

/// A response that was received, and its claim to memory, which ends when it is dropped.
pub(crate) struct Received {
    pub index: usize,
    pub result: io::Result<Bytes>,
    _room: tokio::sync::OwnedSemaphorePermit,
}

/// Requests all ranges, as many at once as the slots and the memory allow, and sends the responses as they arrive.
pub(crate) async fn get_all(
    client: Arc<Client>,
    opened: Arc<Version>,
    wanted: Vec<Wanted>,
    to: std::sync::mpsc::Sender<Received>,
) {
    let memory = Arc::new(tokio::sync::Semaphore::new(UNDELIVERED_KIB_MAX));
    // Dropping the set cancels its tasks.
    let mut tasks = tokio::task::JoinSet::new();
    for Wanted { index, range, cause } in wanted {
        while tasks.try_join_next().is_some() {}
        let kib = usize::try_from((range.end - range.start) >> 10).unwrap_or(usize::MAX).saturating_add(1);
        let kib = kib.min(UNDELIVERED_KIB_MAX) as u32;
        let room = memory.clone().acquire_many_owned(kib).await.expect("the semaphore is never closed");
        let slot = client.slots().acquire().await;
        let (client, opened, to) = (client.clone(), opened.clone(), to.clone());
        tasks.spawn(async move {
            let result = client.get(&range, &opened, cause).await;
            drop(slot);
            // Nobody receives any more if the call has ended.
            let _ = to.send(Received { index, result, _room: room });
        });
    }
    while tasks.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests;
