//! `hyperslab bench --recipe`: a published study run again, and told as text, JSON or a page of the docs.

mod page;

use super::arguments::BenchArgs;
use super::progress::{Terminal, end_by_interrupt};
use super::tables;
use crate::failure::{self, Failure};
use hyperslab_apps::{bench, schema};
use hyperslab_bench::recipe::{RECIPES, Recipe, Report};
use hyperslab_report::{Align, Table};
use std::io::Write;
use std::path::PathBuf;

/// Runs what is asked of recipes.
pub(super) fn run(args: &BenchArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let name = args.recipe.as_deref().unwrap_or_default();
    if name == "list" {
        return list(args.json, out);
    }
    if args.about {
        out.write_all(bench::recipe_named(name)?.page().as_bytes())?;
        return Ok(failure::DONE);
    }
    end_by_interrupt();
    let scale = args.scale.unwrap_or(1.0);
    let report = bench::run_recipe(name, scale, &args.request(), &mut Terminal { err })?;
    let text = match args.json {
        true => schema::document(schema::BENCH_RECIPE, &report)?,
        false => page::text(&page::page(&report)),
    };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    if report.is_interrupted {
        let _ = writeln!(err, "interrupted: what was complete is above");
    }
    Ok(if report.is_whole() { failure::DONE } else { failure::UNREADABLE })
}

/// Prints the sections of a page about reports that were kept as JSON.
pub(super) fn render(files: &[PathBuf], out: &mut dyn Write) -> Result<i32, Failure> {
    let mut reports: Vec<Report> = Vec::new();
    for file in files {
        let wrong =
            |error: &dyn std::fmt::Display| Failure::wrong_request(format!("{}: {error}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
        let report: Report = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        reports.push(report.judged_again());
    }
    out.write_all(page::markdown(&reports).as_bytes())?;
    Ok(failure::DONE)
}

fn list(json: bool, out: &mut dyn Write) -> Result<i32, Failure> {
    if json {
        let all: Vec<_> = RECIPES
            .iter()
            .map(|recipe| serde_json::json!({ "name": recipe.name, "publication": recipe.publication(), "takes": recipe.takes() }))
            .collect();
        let document = schema::document(schema::BENCH_RECIPES, &serde_json::json!({ "recipes": all }))?;
        out.write_all(document.as_bytes())?;
        return Ok(failure::DONE);
    }
    let columns = [("recipe", Align::Left), ("takes", Align::Right), ("published as", Align::Left)];
    let row = |recipe: &'static Recipe| [recipe.name, recipe.takes(), recipe.publication()];
    let listed = Table::new("Recipes", columns).rows(RECIPES.iter().map(row));
    out.write_all(tables::text(&listed).as_bytes())?;
    Ok(failure::DONE)
}
