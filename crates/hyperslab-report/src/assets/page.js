// What a page does beyond showing: curves, notes on what is pointed at, commands that can be copied, and printing.
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Notes ------------------------------------------------------------------------------------------------------------
  const tip = document.body.appendChild(Object.assign(document.createElement("div"), { className: "tip", hidden: true }));
  tip.setAttribute("role", "status");
  const show = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = !text;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${y + 18 + height > innerHeight ? Math.max(8, y - height - 12) : y + 18}px`;
  };
  const hide = () => { tip.hidden = true; };
  for (const one of all("[data-tip]")) {
    // Ours is there; the browser's own would lie over it.
    one.removeAttribute("title");
    one.querySelector(":scope > title")?.remove();
    const text = one.dataset.tip;
    one.addEventListener("pointermove", (event) => show(text, event.clientX, event.clientY));
    one.addEventListener("pointerleave", hide);
    one.addEventListener("focus", () => {
      const box = one.getBoundingClientRect();
      show(text, box.left, box.bottom - 12);
    });
    one.addEventListener("blur", hide);
  }
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", hide, { passive: true });

  // Commands ---------------------------------------------------------------------------------------------------------
  for (const button of all("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 1500);
      } catch {
        getSelection().selectAllChildren(code);
      }
    });
  }

  // Curves -----------------------------------------------------------------------------------------------------------
  // A line and its entry in the legend have the same dashes: those that a border can have, too.
  const dashes = [["solid", []], ["dashed", [8, 5]], ["dotted", [2, 3]]];
  const plots = [];

  // The index of the point of a line that is nearest to where the cursor is.
  const nearest = (plot, series, index) => {
    const values = plot.data[series];
    for (let away = 0; away < values.length; away++) {
      if (values[index - away] != null) return index - away;
      if (values[index + away] != null) return index + away;
    }
    return index;
  };

  const marked = (marks) => (plot) => {
    const { ctx, bbox } = plot;
    const pixel = devicePixelRatio;
    ctx.save();
    ctx.font = `${11 * pixel}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.fillStyle = ctx.strokeStyle = color("--muted");
    ctx.setLineDash([3 * pixel, 3 * pixel]);
    const { min, max } = plot.scales.x;
    marks.filter((mark) => mark.x >= min && mark.x <= max).forEach((mark, number) => {
      const x = Math.round(plot.valToPos(mark.x, "x", true));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const width = ctx.measureText(mark.text).width + 6 * pixel;
      const isRight = x + width > bbox.left + bbox.width;
      ctx.textAlign = isRight ? "right" : "left";
      ctx.fillText(mark.text, x + (isRight ? -5 : 5) * pixel, bbox.top + (12 + 15 * number) * pixel);
    });
    ctx.restore();
  };

  const axis = (given, size, isUp = false) => ({
    stroke: () => color("--muted"),
    grid: { stroke: () => color("--hair"), width: 1 },
    ticks: { stroke: () => color("--hair"), width: 1, size: 5 },
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    labelFont: `12px ${getComputedStyle(document.body).fontFamily}`,
    label: given.title,
    labelSize: 22,
    size,
    splits: (plot, _, min, max) => {
      const within = given.ticks.map((tick) => tick.at).filter((at) => at >= min && at <= max);
      // Labels need about 64 pixels each.
      const room = isUp ? within.length : Math.max(2, Math.floor(plot.width / 64));
      const every = Math.ceil(within.length / room);
      return within.filter((_, number) => number % every === 0);
    },
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map((at) => given.ticks.find((tick) => tick.at === at)?.label ?? ""),
  });
  const spread = { linear: { distr: 1 }, log2: { distr: 3, log: 2 }, log10: { distr: 3, log: 10 } };

  const draw = (figure) => {
    const given = JSON.parse(figure.querySelector("script.data").textContent);
    const place = figure.querySelector(".plot");
    const { x_axis: right, y_axis: up } = given;
    const whole = (min, max) => min <= given.x[0] && max >= given.x[given.x.length - 1];
    const lines = given.lines.map((line, number) => {
      const stroke = () => color(`--style-${number % 8}`);
      return {
        label: line.name,
        stroke,
        width: 2,
        dash: dashes[number % dashes.length][1],
        spanGaps: true,
        paths: line.is_step ? uPlot.paths.stepped({ align: 1 }) : undefined,
        points: { show: !line.is_level, size: 8, fill: stroke, width: 0, filter: () => line.marked },
        value: (plot, value, series, index) => (index == null ? "" : line.texts[nearest(plot, series, index)] ?? ""),
      };
    });
    const options = {
      width: place.clientWidth,
      height: place.clientHeight,
      padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, ...spread[right.scale], range: (_, min, max) => (whole(min, max) ? [right.from, right.to] : [min, max]) },
        y: { ...spread[up.scale], range: () => [up.from, up.to] },
      },
      axes: [axis(right, 40), axis(up, 16 + 7 * Math.max(...up.ticks.map((tick) => tick.label.length)), true)],
      series: [{ label: right.title, value: () => "" }, ...lines],
      legend: { live: true, markers: { width: 3, dash: (_, series) => dashes[(series - 1) % dashes.length][0] } },
      cursor: { dataIdx: (plot, series, index) => (series === 0 ? index : nearest(plot, series, index)), points: { size: 10 } },
      hooks: { draw: [marked(given.marks)] },
    };
    const plot = new uPlot(options, [given.x, ...given.lines.map((line) => line.y)], place);
    // The first entry of the legend is the place itself, which every text names already.
    plot.root.querySelector(".u-series").style.display = "none";
    // The place itself grows with the legend: the height is what it was at first.
    const fit = (width, height = options.height) => plot.setSize({ width, height });
    let last = place.clientWidth;
    new ResizeObserver(() => {
      if (place.clientWidth !== last) fit(last = place.clientWidth);
    }).observe(place);
    place.style.height = "auto";
    plots.push({ plot, place, fit });
  };
  if (typeof uPlot === "function") {
    all("figure.curves").forEach(draw);
    const again = () => plots.forEach(({ plot }) => plot.redraw(false, true));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  }

  // Printing: on white, everything unfolded, as wide as paper. ----------------------------------------------------------
  let folded = [];
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    folded = all("details:not([open])");
    folded.forEach((one) => { one.open = true; });
    plots.forEach(({ fit }) => fit(660, 300));
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.theme;
    folded.forEach((one) => { one.open = false; });
    plots.forEach(({ place, fit }) => fit(place.clientWidth));
  });
})();
