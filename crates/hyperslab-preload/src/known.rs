//! The datasets that are known: by the identifiers that stand for them, and as objects.

use crate::api::Api;
use crate::functions::Hid;
use crate::opened::Key;
use crate::selection::Dims;
use hyperslab_storage::CacheSettings;
use hyperslab_trace::{Calls, Description, Others, TracedDataset, TracedPattern, Watched};
use std::collections::HashMap;

/// The most datasets that are distinguished. Of those that took least time, only sums are kept.
const OBJECTS_MAX: usize = 4096;
/// The index of datasets for which there is no place.
const OTHERS: usize = usize::MAX;

/// A dataset that was read or written.
pub struct Object {
    api: usize,
    key: Key,
    /// No other object has it.
    number: u64,
    /// The identifiers that stand for it, as far as they were seen.
    ids: Vec<Hid>,
    pub shape: Vec<u64>,
    pub chunk: Option<Vec<u64>>,
    pub watched: Watched,
}

/// Where a dataset is among the objects, and its extent.
#[derive(Debug, Clone)]
pub struct Place {
    index: usize,
    /// That of the object which was there then.
    number: u64,
    pub shape: Dims,
}

/// All that is known.
#[derive(Default)]
pub struct Known {
    ids: HashMap<(usize, Hid), Place>,
    /// The one that was asked for last.
    last: Option<(usize, Hid, Place)>,
    objects: Vec<Object>,
    others: Option<Others>,
    /// How many objects there were.
    added: u64,
    by_key: HashMap<(usize, Key), usize>,
    /// The identifiers of objects that are open, but were neither read nor written.
    unread: HashMap<(usize, Key), Vec<Hid>>,
    unread_ids: HashMap<(usize, Hid), Key>,
    /// The word for the datatype that was asked for last.
    memory_type: Option<(usize, Hid, String)>,
    is_changed: bool,
}

/// The object of a place, if no other has taken it since.
fn object_at<'o>(objects: &'o mut [Object], place: &Place) -> Option<&'o mut Object> {
    objects.get_mut(place.index).filter(|object| object.number == place.number)
}

impl Known {
    /// The dataset of an identifier.
    pub fn find(&mut self, api: &Api, id: Hid) -> Option<Place> {
        let api = api.identity();
        match &self.last {
            Some((last_api, last_id, place)) if (*last_api, *last_id) == (api, id) => Some(place.clone()),
            _ => {
                let place = self.ids.get(&(api, id))?.clone();
                self.last = Some((api, id, place.clone()));
                Some(place)
            }
        }
    }

    /// Notes a new identifier of an object, and returns the object if it was read or written before. Where none of those that it
    /// had is valid any more, libhdf5 has dropped its chunks.
    pub fn opened(&mut self, api: &Api, id: Hid, key: Key, valid: &[Hid]) -> Option<Place> {
        let Some(index) = self.by_key.get(&(api.identity(), key)) else {
            let ids = self.unread.entry((api.identity(), key)).or_default();
            if !ids.contains(&id) {
                ids.retain(|id| valid.contains(id));
                ids.push(id);
                self.unread_ids.insert((api.identity(), id), key);
            }
            return None;
        };
        let object = &mut self.objects[*index];
        if !object.ids.contains(&id) {
            object.ids.retain(|id| valid.contains(id));
            if object.ids.is_empty() {
                object.watched.reopen(crate::opened::cache_of(api, id));
            } else {
                object.watched.open_again();
            }
            object.ids.push(id);
        }
        let place = Place { index: *index, number: object.number, shape: Dims::from_slice(&object.shape) };
        self.ids.insert((api.identity(), id), place.clone());
        Some(place)
    }

    /// A dataset that was not known.
    pub fn add(
        &mut self,
        api: &Api,
        id: Hid,
        key: Key,
        (description, cache): (Description, Option<CacheSettings>),
    ) -> Option<Place> {
        let index = if self.objects.len() < OBJECTS_MAX { self.objects.len() } else { self.fold_one() };
        let api = api.identity();
        let (shape, chunk) = (description.dataset.shape.clone(), description.dataset.chunks.clone());
        self.added += 1;
        let place = Place { index, number: self.added, shape: Dims::from_slice(&shape) };
        let mut ids = self.unread.remove(&(api, key)).unwrap_or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
        for id in &ids {
            self.unread_ids.remove(&(api, *id));
            self.ids.insert((api, *id), place.clone());
        }
        if index == OTHERS {
            self.others.get_or_insert_default().datasets += 1;
            return Some(place);
        }
        let watched = Watched::new(description, cache, ids.len() as u64);
        let object = Object { api, key, number: self.added, ids, shape, chunk, watched };
        match self.objects.get_mut(index) {
            Some(place) => *place = object,
            None => self.objects.push(object),
        }
        self.by_key.insert((api, key), index);
        Some(place)
    }

    /// Adds the closed dataset that took least time to the others, and returns its index.
    fn fold_one(&mut self) -> usize {
        let seconds = |index: &usize| self.objects[*index].watched.sums().seconds();
        let closed = (0..self.objects.len()).filter(|index| self.objects[*index].ids.is_empty());
        let Some(index) = closed.min_by(|a, b| seconds(a).total_cmp(&seconds(b))) else { return OTHERS };
        let object = &self.objects[index];
        // What a child knows of its parent's is no use of its own.
        if !object.watched.is_untouched() {
            self.others.get_or_insert_default().add(&object.watched.sums());
        }
        let key = (object.api, object.key);
        if self.by_key.get(&key) == Some(&index) {
            self.by_key.remove(&key);
        }
        index
    }

    /// Notes a call on one of the datasets for which there is no place.
    pub fn note_other(&mut self, is_write: bool, seconds: f64) {
        let others = self.others.get_or_insert_default();
        let calls = if is_write { &mut others.writes } else { &mut others.reads };
        calls.add(Calls { calls: 1, seconds, ..Calls::default() });
    }

    /// Notes an H5Dread_chunk of the chunk that begins at an element: when it ended, how long it took and by which thread, or that
    /// it failed.
    pub fn note_stored(&mut self, place: &Place, first: &[u64], read: Option<(f64, f64, u64)>) {
        self.is_changed = true;
        match (object_at(&mut self.objects, place), read) {
            (Some(object), read) => {
                let bytes = object.watched.read_stored(first);
                if let Some((ended, seconds, thread)) = read {
                    object.watched.note_stored(bytes, ended, seconds, thread);
                }
            }
            (None, Some((_, seconds, _))) => {
                let others = self.others.get_or_insert_default();
                others.stored_chunks.add(Calls { calls: 1, seconds, ..Calls::default() });
            }
            (None, None) => {}
        }
    }

    /// The identifiers of an object.
    pub fn identifiers_of(&self, api: &Api, key: Key) -> Vec<Hid> {
        let read = self.by_key.get(&(api.identity(), key)).map(|index| &self.objects[*index].ids);
        read.or_else(|| self.unread.get(&(api.identity(), key))).cloned().unwrap_or_default()
    }

    /// All identifiers of a library.
    pub fn identifiers(&self, api: &Api) -> Vec<Hid> {
        let all = self.ids.keys().chain(self.unread_ids.keys());
        all.filter(|(known, _)| *known == api.identity()).map(|(_, id)| *id).collect()
    }

    /// The last reference to an identifier is gone. Returns its object, if that is not open any more.
    pub fn close(&mut self, api: &Api, id: Hid) -> Option<Key> {
        self.last = None;
        let Some(place) = self.ids.remove(&(api.identity(), id)) else {
            return self.forget_unread(api.identity(), id);
        };
        let object = object_at(&mut self.objects, &place)?;
        object.ids.retain(|known| *known != id);
        if !object.ids.is_empty() {
            return None;
        }
        object.watched.close();
        Some(object.key)
    }

    fn forget_unread(&mut self, api: usize, id: Hid) -> Option<Key> {
        let key = self.unread_ids.remove(&(api, id))?;
        let ids = self.unread.get_mut(&(api, key))?;
        ids.retain(|known| *known != id);
        if !ids.is_empty() {
            return None;
        }
        self.unread.remove(&(api, key));
        Some(key)
    }

    /// No identifier of a library is valid any more, and no object of its files is the same later.
    pub fn forget(&mut self, api: &Api) {
        let api = api.identity();
        self.last = None;
        self.memory_type = None;
        self.ids.retain(|(known, _), _| *known != api);
        self.by_key.retain(|(known, _), _| *known != api);
        self.unread.retain(|(known, _), _| *known != api);
        self.unread_ids.retain(|(known, _), _| *known != api);
        for object in self.objects.iter_mut().filter(|object| object.api == api) {
            object.ids.clear();
            object.watched.close();
        }
    }

    /// True if the word for a datatype is known.
    pub fn has_name(&self, api: &Api, id: Hid) -> bool {
        self.memory_type.as_ref().is_some_and(|known| (known.0, known.1) == (api.identity(), id))
    }

    /// Learns the word for a datatype, before the call that uses it.
    pub fn name_type(&mut self, api: &Api, id: Hid, word: String) {
        self.memory_type = Some((api.identity(), id, word));
    }

    /// An object, and the word for a datatype.
    pub fn object(&mut self, api: &Api, place: &Place, memory_type: Hid) -> Option<(&mut Object, &str)> {
        self.is_changed = true;
        let word =
            self.memory_type.as_ref().filter(|known| (known.0, known.1) == (api.identity(), memory_type));
        Some((object_at(&mut self.objects, place)?, word.map_or("", |known| &known.2)))
    }

    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// The lines of all datasets, and the sums of those that have none.
    pub fn lines(&mut self) -> (Vec<(TracedDataset, Vec<TracedPattern>)>, Option<Others>) {
        self.is_changed = false;
        let touched = self.objects.iter().filter(|object| !object.watched.is_untouched());
        (touched.map(|object| object.watched.written()).collect(), self.others)
    }

    /// What a child knows: the same objects, of which nothing was noted.
    pub fn of_child(&self) -> Self {
        let objects = self.objects.iter().map(|object| Object {
            api: object.api,
            key: object.key,
            number: object.number,
            ids: object.ids.clone(),
            shape: object.shape.clone(),
            chunk: object.chunk.clone(),
            watched: object.watched.of_child(),
        });
        Self {
            ids: self.ids.clone(),
            objects: objects.collect(),
            added: self.added,
            by_key: self.by_key.clone(),
            unread: self.unread.clone(),
            unread_ids: self.unread_ids.clone(),
            ..Self::default()
        }
    }
}
