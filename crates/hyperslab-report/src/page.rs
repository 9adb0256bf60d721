//! What a page consists of.

use crate::figure::Figure;
use serde::{Deserialize, Serialize};

/// One page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// What it is about, over the title, in a few words.
    pub topic: String,
    /// The title.
    pub title: String,
    /// What was found, first of all: a sentence each.
    pub findings: Vec<String>,
    /// What was asked, and how it was answered.
    pub lead: Vec<String>,
    /// Everything else, in order.
    pub sections: Vec<Section>,
    /// Where it comes from: program, release, date.
    pub foot: String,
}

/// A part of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// Paragraphs before the figures.
    pub text: Vec<String>,
    /// The figures.
    pub figures: Vec<Figure>,
}

impl Page {
    /// A page with nothing on it yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a section, unless there is nothing in it.
    pub fn section(mut self, section: Section) -> Self {
        if !section.is_empty() {
            self.sections.push(section);
        }
        self
    }

    /// The whole page as one HTML file.
    pub fn html(&self) -> String {
        crate::html::page(self)
    }
}

impl Section {
    /// A section with nothing in it yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a paragraph.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text.push(text.into());
        self
    }

    /// Adds a figure.
    pub fn figure(mut self, figure: impl Into<Figure>) -> Self {
        self.figures.push(figure.into());
        self
    }

    /// True where no figure would be shown.
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }
}
