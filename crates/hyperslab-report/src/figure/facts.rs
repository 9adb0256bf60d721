//! Names and what they stand for: a machine, a question.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// Names and what they stand for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// What they are about.
    pub title: String,
    /// Each with its value.
    pub facts: Vec<(String, String)>,
    /// A command line that belongs to them.
    pub command: Option<String>,
}

impl Facts {
    /// No facts yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds one, unless its value is empty.
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            self.facts.push((name.into(), value));
        }
        self
    }

    /// With a command line.
    pub fn command(self, command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..self }
    }

    pub(super) fn markup(&self) -> Markup {
        html! {
            figure.facts {
                @if !self.title.is_empty() { figcaption { (self.title) } }
                dl { @for (name, value) in &self.facts { div { dt { (name) } dd { (value) } } } }
                @if let Some(command) = &self.command { p.line { (super::table::command(command)) } }
            }
        }
    }
}
