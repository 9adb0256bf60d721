//! Files of many objects: the attributes that are written, and how much is read of each dataset.

use crate::block::Block;
use serde::{Deserialize, Serialize};

/// An attribute of one text or one number.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Text of a fixed length.
    Text(String),
    /// A double.
    Number(f64),
}

impl Attribute {
    /// Its value in memory: one double, or as many characters as the text has bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Number(number) => number.to_ne_bytes().to_vec(),
        }
    }

    /// How many characters or numbers it is.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Number(_) => 1,
        }
    }
}

/// How much is read of each dataset that is visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// Its metadata alone.
    Nothing,
    /// The places of all its chunks, besides.
    Places,
    /// Its first element.
    First,
    /// All its elements.
    All,
}

impl Wanted {
    /// What is read of a dataset of this shape; nothing where it has no elements.
    pub fn block(self, shape: &[u64]) -> Option<Block> {
        let whole = Block::whole(shape)?;
        match self {
            Self::Nothing | Self::Places => None,
            Self::First => Some(Block { count: vec![1; shape.len()], ..whole }),
            Self::All => Some(whole),
        }
    }
}
