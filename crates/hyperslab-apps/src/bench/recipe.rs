//! A published study, run again.

use super::{Observer, Request, engines, folder, launcher, layout};
use crate::{Error, Result};
use hyperslab_bench::recipe::{RECIPES, Recipe, Report, RunContext};

/// Runs a recipe by its name, with data and caches smaller by a factor.
///
/// # Errors
/// An unknown name, and a factor that is not above 0 and at most 1.
pub fn run_recipe(name: &str, scale: f64, request: &Request, observer: &mut dyn Observer) -> Result<Report> {
    let recipe = named(name)?;
    if !(scale > 0.0 && scale <= 1.0) {
        return Err(Error::wrong_request(format!("--scale lies between 0 and 1, {scale} does not")));
    }
    let (folder, launcher) = (folder(request)?, launcher(request.timeout)?);
    let context = RunContext {
        engines: engines::one_of_each(request),
        launcher: &launcher,
        folder: folder.path(),
        facts: &layout,
        repeats: request.repeats,
        seconds_max: request.cell_seconds,
        stop: observer.stop(),
    };
    let mut report = None;
    observer.watch(None, &|_| 0.0, &mut |progress| report = Some(context.run(recipe, scale, progress)));
    report.ok_or_else(|| Error::interrupted(format!("the recipe {name} was not run")))
}

/// The recipe of this name.
///
/// # Errors
/// If there is none.
pub fn named(name: &str) -> Result<&'static Recipe> {
    Recipe::named(name).ok_or_else(|| {
        let known: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
        let error = Error::wrong_request(format!("there is no recipe {name:?}"));
        error.hint(format!("there are: {}", known.join(", ")))
    })
}
