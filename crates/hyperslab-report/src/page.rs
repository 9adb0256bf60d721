//! The parts of a page.

use crate::figure::Figure;
use serde::{Deserialize, Serialize};

/// A page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The topic in a few words, shown above the title.
    pub topic: String,
    /// The title.
    pub title: String,
    /// The main findings, one sentence each.
    pub findings: Vec<String>,
    /// Introductory paragraphs: the question and the method.
    pub lead: Vec<String>,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The source of the page: program, version, date.
    pub foot: String,
}

/// A section of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs before the figures.
    pub text: Vec<String>,
    /// The figures.
    pub figures: Vec<Figure>,
}

impl Page {
    /// A page without content.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a section, unless it is empty.
    pub fn section(mut self, section: Section) -> Self {
        if !section.is_empty() {
            self.sections.push(section);
        }
        self
    }
}

impl Section {
    /// A section without content.
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

    /// True if the section has no figures.
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }
}
