//! A list of names and values: the properties of a machine, the options of a run.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A list of names and values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The title.
    pub title: String,
    /// The names with their values.
    pub facts: Vec<(String, String)>,
    /// A related command line.
    pub command: Option<String>,
}

impl Facts {
    /// An empty list.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a name and value, unless the value is empty.
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            self.facts.push((name.into(), value));
        }
        self
    }

    /// Adds a command line.
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
