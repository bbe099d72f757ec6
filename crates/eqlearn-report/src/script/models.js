// The model that is pointed at in a map: its equation, coefficients with error bars, and how it meets the data.

// Each coefficient in units of its own size, left of zero if it is negative, with two standard errors either way: what
// reaches zero is of doubtful sign.
const errorBar = ({ value, error }) => {
  const svg = shape("svg", { class: "whisker", viewBox: "0 0 120 14", "aria-hidden": "true" });
  const [zero, unit] = [60, 30];
  svg.append(shape("line", { class: "zero", x1: zero, x2: zero, y1: 0, y2: 14 }));
  const at = zero + Math.sign(value) * unit;
  if (error !== null && value !== 0) {
    const reach = ((2 * error) / Math.abs(value)) * unit;
    svg.append(shape("line", { class: "line", x1: Math.max(at - reach, 1), x2: Math.min(at + reach, 119), y1: 7, y2: 7 }));
  }
  svg.append(shape("circle", { class: "dot", cx: at, cy: 7, r: 3.5 }));
  return svg;
};

const coefficientTable = (model) => {
  const rows = model.coefficients.map((one) => {
    const name = element("td", {});
    name.innerHTML = `<math>${one.math}</math>`;
    const digits = one.error === null ? String(one.value) : `${one.value} ± ${one.error}`;
    const value = element("td", { class: "number", title: digits.replaceAll("-", "−") }, one.shown);
    return element("tr", {}, name, value, element("td", {}, errorBar(one)));
  });
  const scale = element("span", { class: "scale" }, "−", element("span", {}, "zero"), "+");
  const head = [["term"], ["coefficient"], [scale]].map((inner) => element("th", { scope: "col" }, ...inner));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
};

const INVERSES = {
  reciprocal: (z) => 1 / z,
  square: (z) => Math.sqrt(z),
  "reciprocal-square": (z) => 1 / Math.sqrt(z),
  root: (z) => z * z,
  log: (z) => Math.exp(z),
};

// What a model says of the rows in the page, and what it leaves; nothing if that cannot be computed.
const against = (board, place) => {
  const { observed, residuals, columns } = board.sample;
  if (place === board.answer && residuals) {
    return { predicted: observed.map((value, row) => value - residuals[row]), residuals };
  }
  const model = board.models[place];
  if (!columns || model.coefficients.length !== model.terms.length) return null;
  const inverse = INVERSES[board.transform] ?? ((z) => z);
  const sum = (row) => model.terms.reduce((all, term, k) => all + model.coefficients[k].value * columns[term][row], 0);
  const predicted = observed.map((_, row) => inverse(sum(row)));
  return { predicted, residuals: observed.map((value, row) => value - predicted[row]) };
};

// Dots with the line that a perfect model would have.
const scatter = (width, [xName, xs], [yName, ys], ideal, rows) => {
  const axes = { x: { name: xName, range: range(xs) }, y: { name: yName, range: range(ys) } };
  const drawn = frame(width, 220, axes, `${yName} against ${xName}, ${rows}`);
  const ends = axes.x.range.map((x) => [x, ideal(x)]);
  const [low, high] = axes.y.range;
  if (ideal(1) === ideal(0)) line(drawn, axes.x.range, [ideal(0), ideal(0)], axes.y.range);
  else line(drawn, [Math.max(ends[0][0], low), Math.min(ends[1][0], high)], [Math.max(ends[0][1], low), Math.min(ends[1][1], high)], axes.y.range);
  dots(drawn, xs, ys);
  return drawn.svg;
};

// The two figures of a board that has rows of data. They stay where they are; `show` draws another model in them.
const dataFigures = (board, suffix) => {
  const { observed, features, of, more } = board.sample;
  const rows = observed.length < of ? `${observed.length} of ${of} rows` : `all ${of} rows`;
  let now = { predicted: observed, residuals: observed.map(() => 0) };
  let by = 0;
  const choices = () => [["predicted", now.predicted], ...features];
  const choice = element("select", { "aria-label": "Residuals against" });
  for (const [k, [name]] of choices().entries()) choice.append(element("option", { value: k }, name));
  const first = figure(
    `predicted${suffix}`,
    (width) => scatter(width, ["predicted", now.predicted], ["observed", observed], (v) => v, rows),
    () => [["observed", observed], ["predicted", now.predicted]],
    "Observed against predicted",
  );
  const second = figure(
    `residuals${suffix}`,
    (width) => scatter(width, choices()[by], ["residual", now.residuals], () => 0, rows),
    () => [["observed", observed], ["predicted", now.predicted], ["residual", now.residuals], ...features],
    "Residuals against ",
    choice,
  );
  choice.addEventListener("change", () => {
    by = +choice.value;
    second.again();
  });
  const left = more ? `; ${more} more features are not in this page` : "";
  const box = element("div", { class: "pair" }, first.made, second.made);
  const said = element("p", { class: "soft" }, `Shown: ${rows}${left}.`);
  const show = (place) => {
    const found = against(board, place);
    box.classList.toggle("blank", found === null);
    if (!found) return;
    now = found;
    first.again();
    second.again();
  };
  return { parts: [box, said], show };
};

// Each model by its size: what it leaves unexplained, and its evidence.
const bySize = (board, suffix) => {
  const sizes = [...new Set(board.models.map((model) => +model.group))];
  if (sizes.length < 2 || sizes.some(Number.isNaN)) return [];
  const chart = (name, title, value, log) => {
    const points = board.models.map((model, place) => [place, +model.group, value(model)]).filter(([, , y]) => Number.isFinite(y));
    if (!points.length) return [];
    const best = sizes.map((size) => points.find(([, own]) => own === size)).filter(Boolean);
    const axes = {
      x: { name: "terms", range: [sizes[0] - 0.4, sizes.at(-1) + 0.4], ticks: sizes.map((size) => [size, String(size)]) },
      y: { name: title, range: range(points.map(([, , y]) => y), 0.06), log },
    };
    const draw = (width) => {
      const drawn = frame(width, 240, axes, `${title} by number of terms`);
      line(drawn, best.map(([, x]) => x), best.map(([, , y]) => y), axes.y.range);
      for (const [place, x, y] of points) drawn.svg.append(shape("circle", { class: "dot", "data-model": place, cx: drawn.across(x), cy: drawn.up(y), r: 4 }));
      return drawn.svg;
    };
    const columns = () => [
      ["terms", points.map(([, size]) => size)],
      [title, points.map(([, , y]) => (log ? 10 ** y : y))],
      ["equation", points.map(([place]) => board.models[place].terms.map((term) => board.terms[term].text).join(" + "))],
    ];
    return [figure(`${name}${suffix}`, draw, columns, `${title} by number of terms`)];
  };
  return [
    ...chart("unexplained", "1 − R²", (model) => (model.unexplained > 0 ? Math.log10(model.unexplained) : NaN), true),
    ...chart("evidence", "log evidence", (model) => model.evidence ?? NaN, false),
  ];
};

// All models of a map as a table.
const modelColumns = (board) => {
  const of = (pick) => board.models.map(pick);
  const text = (model) => model.terms.map((term) => board.terms[term].text).join(" + ");
  return [
    ["model", of((model) => model.name)],
    ["terms", of(text)],
    ["coefficients", of((model) => model.coefficients.map((one) => one.value).join(" "))],
    ["standard errors", of((model) => model.coefficients.map((one) => one.error ?? "").join(" "))],
    ["1 - R2", of((model) => model.unexplained)],
    ["log evidence", of((model) => model.evidence)],
    ["probability", of((model) => model.probability)],
  ];
};

const startBoard = (section) => {
  const board = numbers.boards[+section.dataset.board];
  const details = section.querySelector(".details");
  const columns = [...section.querySelectorAll(".model")];
  if (!details || !columns.length) return;
  const suffix = numbers.boards.length > 1 ? `-${board.target.replace(/\W/g, "")}` : "";
  let pinned = board.answer ?? 0;

  const title = element("h3", {});
  const scrolls = (label) => ({ role: "group", tabindex: 0, "aria-label": label });
  const typeset = element("div", { class: "typeset", ...scrolls("Its equation") });
  const facts = element("p", { class: "facts", ...scrolls("How well it does") });
  const table = element("div", { class: "table" });
  const charts = board.sample ? dataFigures(board, suffix) : null;
  details.replaceChildren(title, typeset, facts, ...(charts?.parts ?? []), table);
  details.style.setProperty("--terms", Math.max(...board.models.map((model) => model.coefficients.length)));
  if (charts) details.style.setProperty("--charts", "19rem");
  const place = section.querySelector("[data-charts]");
  const sized = bySize(board, suffix);
  if (place) place.append(...sized.map((one) => one.made));
  for (const one of sized) one.again();
  const models = button("CSV", "Save all models as CSV", () => save(`models${suffix}.csv`, "text/csv", csv(modelColumns(board))));
  section.querySelector(".beside").before(element("p", { class: "save" }, "All models of the map: ", models));

  const show = (at) => {
    const model = board.models[at];
    const what = board.answer === null ? "" : at === board.answer ? ": the answer" : ": not the answer";
    title.textContent = `${model.name}${what}`;
    typeset.innerHTML = model.formula;
    const told = model.facts.map(([short, digits]) => element("span", { title: digits }, short));
    facts.replaceChildren(...told.flatMap((one, k) => (k ? [", ", one] : [one])), model.note ? `${told.length ? "; " : ""}${model.note}` : "");
    table.replaceChildren(...(model.coefficients.length ? [coefficientTable(model)] : []));
    charts?.show(at);
    details.scrollTop = 0;
    details.dataset.shown = at;
    for (const dot of section.querySelectorAll(".dot[data-model]")) dot.classList.toggle("on", +dot.dataset.model === at);
  };
  const pin = (at) => {
    pinned = at;
    for (const column of columns) {
      const own = +column.dataset.model === at;
      column.setAttribute("aria-checked", own);
      column.setAttribute("tabindex", own ? 0 : -1);
    }
    show(at);
  };
  columns.forEach((column, k) => {
    const at = +column.dataset.model;
    column.addEventListener("mouseenter", () => show(at));
    column.addEventListener("mouseleave", () => show(pinned));
    column.addEventListener("focus", () => show(at));
    column.addEventListener("blur", () => show(pinned));
    column.addEventListener("click", () => pin(at));
    column.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) columns[(k + step + columns.length) % columns.length].focus();
      else if (event.key === "Home") columns[0].focus();
      else if (event.key === "End") columns.at(-1).focus();
      else if (event.key === "Enter" || event.key === " ") pin(at);
      else if (event.key === "Escape") pin(board.answer ?? 0);
      else return;
      event.preventDefault();
    });
  });
  pin(pinned);
};
