//! Requests for ranges of one file: checked, repeated, and limited in number.

use crate::answer::{Content, strong_tag};
use crate::failure::Failure;
use crate::options::RemoteOptions;
use crate::retry::{RetryPolicy, random};
use crate::slots::Slots;
use crate::traffic::{self, TraceLine};
use crate::transport::Transport;
use bytes::Bytes;
use hyperslab_io::{PerProcess, Version};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use tokio::time::{Instant, sleep, timeout};

/// Makes the requests for one file.
pub(crate) struct Client {
    /// The URL, without user and query.
    pub name: String,
    pub options: RemoteOptions,
    /// Of this process: the requests that are in flight during a fork never end in the child.
    slots: PerProcess<Slots>,
    transport: Box<dyn Transport>,
}

/// Why a range is requested, for the trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    pub round: u64,
    pub reason: &'static str,
}

impl Client {
    pub fn new(name: String, transport: Box<dyn Transport>, options: RemoteOptions) -> Self {
        Self { name, options, slots: PerProcess::new(), transport }
    }

    fn slots(&self) -> &Slots {
        self.slots.get(|| Slots::new(self.options.in_flight_max))
    }

    /// Requests the beginning of the file: its state, and its first bytes.
    pub async fn first(&self, cause: Cause) -> io::Result<(Version, Bytes)> {
        let range = 0..self.options.first_bytes.max(1);
        let take = |content: &Content| content.first_len(&range);
        let (content, bytes) = self.request(&range, None, cause, take).await?;
        Ok((content.version(), bytes))
    }

    /// Requests a range of the state of the file that was opened.
    pub async fn get(&self, range: &Range<u64>, opened: &Version, cause: Cause) -> io::Result<Bytes> {
        let take =
            |content: &Content| content.check(&self.name, range, opened).map(|()| range.end - range.start);
        Ok(self.request(range, Some(opened), cause, take).await?.1)
    }

    /// Makes a request, again if it fails for a temporary reason. `len` checks the response and returns the number of
    /// bytes to read of its body.
    async fn request(
        &self,
        range: &Range<u64>,
        opened: Option<&Version>,
        cause: Cause,
        len: impl Fn(&Content) -> Result<u64, Failure>,
    ) -> io::Result<(Content, Bytes)> {
        let policy = RetryPolicy { attempts: self.options.attempts, deadline: self.options.deadline };
        let began = Instant::now();
        for attempt in 1.. {
            traffic::begin_request(&self.options, attempt)
                .map_err(|error| Failure::Final(error).of_request(&self.name, range, attempt))?;
            let left = policy.deadline.saturating_sub(began.elapsed());
            let sent = Instant::now().into_std();
            let outcome = timeout(left, self.attempt(range, opened, &len)).await;
            let outcome =
                outcome.unwrap_or_else(|_| Err(Failure::timed_out("the response", policy.deadline)));
            self.trace(sent, range, cause, attempt, &outcome);
            let failure = match outcome {
                Ok(found) => {
                    self.slots().succeeded();
                    traffic::received(found.1.len() as u64);
                    return Ok(found);
                }
                Err(failure) => failure,
            };
            let next = match &failure {
                Failure::Final(_) => None,
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
        }
        unreachable!("the last attempt returns")
    }

    async fn attempt(
        &self,
        range: &Range<u64>,
        opened: Option<&Version>,
        len: &impl Fn(&Content) -> Result<u64, Failure>,
    ) -> Result<(Content, Bytes), Failure> {
        let tag = opened.and_then(strong_tag).map(str::to_string);
        let wait = self.options.timeout;
        let answer = timeout(wait, self.transport.get(range.clone(), tag)).await;
        let mut answer = answer.map_err(|_| Failure::timed_out("the response", wait))??;
        if let (412, Some(opened)) = (answer.status.as_u16(), opened) {
            return Err(Failure::changed(&self.name, opened, "another entity tag".into()));
        }
        let content = match answer.content() {
            Ok(content) => content,
            Err(failure) => {
                return Err(timeout(wait, answer.explain(failure))
                    .await
                    .unwrap_or_else(|_| Failure::timed_out("the message of an error", wait)));
            }
        };
        let bytes = answer.receive(len(&content)?, wait).await?;
        Ok((content, bytes))
    }

    fn trace(
        &self,
        began: std::time::Instant,
        range: &Range<u64>,
        cause: Cause,
        attempt: u32,
        outcome: &Result<(Content, Bytes), Failure>,
    ) {
        traffic::record(began, |seconds, took| TraceLine {
            seconds,
            took,
            round: cause.round,
            url: self.name.clone(),
            range: range.clone(),
            reason: cause.reason,
            attempt,
            outcome: match outcome {
                Ok(_) => "ok".into(),
                Err(Failure::Transient { error, .. } | Failure::Final(error)) => error.to_string(),
            },
        });
    }
}

/// The most bytes of responses of one call that wait to be delivered, in KiB.
const UNDELIVERED_KIB_MAX: usize = 64 << 10;

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
    ranges: Vec<(usize, Range<u64>)>,
    cause: Cause,
    to: std::sync::mpsc::Sender<Received>,
) {
    let memory = Arc::new(tokio::sync::Semaphore::new(UNDELIVERED_KIB_MAX));
    // Dropping the set cancels its tasks.
    let mut tasks = tokio::task::JoinSet::new();
    for (index, range) in ranges {
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
