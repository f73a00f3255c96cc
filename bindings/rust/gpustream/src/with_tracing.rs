// SPDX-License-Identifier: Apache-2.0
//! Spans and events of the crate tracing as ranges and marks: the feature `tracing`.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::fmt::{Debug, Write};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::call::{api, check};
use crate::error::Result;

/// Makes a [range](crate::Range) of each span while a thread is inside it, and a [mark](crate::mark()) of each event. So a
/// program that uses the crate tracing appears in gpustream's traces and logs, and in tools of NVTX such as Nsight Systems.
///
/// A range has the name of its span, a mark the message of its event, without other fields: logs and traces keep 4096 different
/// texts of a process. A span that is entered again, on another thread or by the next poll of a future, is another range. Spans that
/// a thread leaves in another order than the reverse one end with those inside them, because ranges are nested. What is inside the
/// 256 ranges that a thread may have open is left out.
///
/// Filters of `tracing_subscriber` choose what becomes a range: `RangeLayer::new()?.with_filter(LevelFilter::INFO)`. With
/// [`only_spans`](RangeLayer::only_spans) events are no marks.
///
/// ```
/// use tracing_subscriber::prelude::*;
///
/// let subscriber = tracing_subscriber::registry().with(gpustream::RangeLayer::new()?);
/// tracing::subscriber::with_default(subscriber, || {
///     let _step = tracing::info_span!("step").entered();
///     tracing::info!("first chunk");
/// });
/// # Ok::<(), gpustream::Error>(())
/// ```
#[derive(Debug)]
pub struct RangeLayer {
    events: bool,
}

impl RangeLayer {
    /// A layer for a subscriber. Does not block. Without the C library there would be no ranges, so this fails then; later a range
    /// that cannot begin (too many, or in a forked child) is left out.
    pub fn new() -> Result<Self> {
        api()?;
        Ok(Self { events: true })
    }

    /// The same, but events are no marks.
    #[must_use]
    pub fn only_spans(self) -> Self {
        Self { events: false }
    }
}

/// A text of the program's as C takes it.
fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).unwrap_or_default()
}

/// The name of a span, kept with it, as spans may be entered often.
struct RangeName(CString);

/// What a thread is inside of, the innermost last.
struct Inside {
    span: Id,
    /// Whether there is a range.
    range: bool,
    /// The thread has left it, but not yet a span inside it.
    left: bool,
}

thread_local! {
    static INSIDE: RefCell<Vec<Inside>> = const { RefCell::new(Vec::new()) };
}

fn push(name: &CStr) -> bool {
    // SAFETY: a NUL-terminated text, which is not used after the call.
    api().is_ok_and(|api| check(unsafe { api.gs_range_push(name.as_ptr()) }).is_ok())
}

fn pop() {
    if let Ok(api) = api() {
        // SAFETY: no argument. It fails only if other code has ended this thread's range, or in a forked child.
        let _ = unsafe { api.gs_range_pop() };
    }
}

/// Ends the ranges of spans that were left, the innermost first, down to the first one that was not.
fn end_left(inside: &mut Vec<Inside>) {
    while inside.last().is_some_and(|innermost| innermost.left) {
        if inside.pop().is_some_and(|innermost| innermost.range) {
            pop();
        }
    }
}

impl<S> Layer<S> for RangeLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().replace(RangeName(c_text(attributes.metadata().name())));
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let range =
            context.span(id).is_some_and(|span| span.extensions().get::<RangeName>().is_some_and(|name| push(&name.0)));
        // Fails while the thread ends, when its ranges are of no use any more.
        let kept = INSIDE.try_with(|inside| inside.borrow_mut().push(Inside { span: id.clone(), range, left: false }));
        if kept.is_err() && range {
            pop();
        }
    }

    fn on_exit(&self, id: &Id, _context: Context<'_, S>) {
        let _ = INSIDE.try_with(|inside| {
            let inside = &mut *inside.borrow_mut();
            if let Some(span) = inside.iter_mut().rfind(|entered| entered.span == *id && !entered.left) {
                span.left = true;
            }
            end_left(inside);
        });
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        if !self.events {
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        let text = if message.0.is_empty() { event.metadata().name() } else { &message.0 };
        if let Ok(api) = api() {
            // SAFETY: a NUL-terminated text, which is not used after the call. It fails in a forked child only.
            let _ = unsafe { api.gs_mark(c_text(text).as_ptr()) };
        }
    }
}

/// The message of an event; "" if it has none.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            // Writing to a string fails only if the value's own code does; what it has written remains.
            let _ = write!(self.0, "{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.0.push_str(value);
        }
    }
}
