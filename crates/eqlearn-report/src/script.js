"use strict";
// Shows the model that is pointed at in a map: its equation, coefficients with error bars, and how it meets the data.
(() => {
  const boards = JSON.parse(document.getElementById("boards").textContent);
  const SVG = document.createRange().createContextualFragment("<svg></svg>").firstChild.namespaceURI;

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const shape = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const label = (value) => {
    const size = Math.abs(value);
    const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(1) : String(+value.toPrecision(4));
    return text.replaceAll("-", "−");
  };

  // Four to eight round numbers from low to high.
  const ticks = (low, high) => {
    const rough = (high - low) / 5;
    const decade = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * decade).find((one) => one >= rough);
    const all = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) all.push(k * step);
    return all;
  };

  const range = (values) => {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    if (low > high) return [0, 1];
    const room = low < high ? 0.04 * (high - low) : Math.abs(low) * 1e-3 || 0.5;
    return [low - room, high + room];
  };

  // Dots of y against x, with a line that a perfect model would have.
  const scatter = (xs, ys, names, ideal) => {
    const [width, height, left, bottom] = [320, 260, 64, 40];
    const [x, y] = [range(xs), range(ys)];
    const at = (v) => left + ((v - x[0]) / (x[1] - x[0])) * (width - left - 10);
    const up = (v) => height - bottom - ((v - y[0]) / (y[1] - y[0])) * (height - bottom - 10);
    const svg = shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": names.label });
    for (const tick of ticks(...y)) {
      svg.append(shape("line", { class: "grid", x1: left, x2: width - 10, y1: up(tick), y2: up(tick) }));
      svg.append(shape("text", { x: left - 6, y: up(tick) + 4, "text-anchor": "end" }, label(tick)));
    }
    for (const tick of ticks(...x)) svg.append(shape("text", { x: at(tick), y: height - bottom + 16, "text-anchor": "middle" }, label(tick)));
    svg.append(shape("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, names.x));
    svg.append(shape("text", { x: 10 - (height - bottom) / 2, y: 12, transform: "rotate(-90)", "text-anchor": "middle" }, names.y));
    const [a, b] = [Math.max(x[0], ideal(x[0]) < y[0] ? y[0] : x[0]), Math.min(x[1], ideal(x[1]) > y[1] ? y[1] : x[1])];
    svg.append(shape("line", { class: "line thin", x1: at(a), y1: up(ideal(a)), x2: at(b), y2: up(ideal(b)) }));
    xs.forEach((value, row) => {
      if (Number.isFinite(value) && Number.isFinite(ys[row])) svg.append(shape("circle", { class: "sample", cx: at(value).toFixed(1), cy: up(ys[row]).toFixed(1), r: 2 }));
    });
    return element("figure", {}, svg);
  };

  // Each coefficient in units of its own size, with two standard errors either way: what reaches zero is doubtful.
  const errorBar = (value, error) => {
    const svg = shape("svg", { class: "whisker", viewBox: "0 0 120 14", "aria-hidden": "true" });
    const [zero, one] = [20, 70];
    svg.append(shape("line", { class: "zero", x1: zero, x2: zero, y1: 1, y2: 13 }));
    if (error !== null && value !== 0) {
      const reach = Math.min((2 * error) / Math.abs(value), 2) * (one - zero);
      svg.append(shape("line", { class: "line", x1: Math.max(one - reach, 1), x2: Math.min(one + reach, 119), y1: 7, y2: 7 }));
    }
    svg.append(shape("circle", { class: "dot", cx: one, cy: 7, r: 3.5 }));
    return svg;
  };

  const equation = (board, model) => {
    let text = `<math display="block"><mrow>${board.left}<mo>=</mo>`;
    model.terms.forEach((term, k) => {
      const minus = model.coefficients[k] < 0;
      text += k === 0 ? (minus ? '<mo form="prefix">−</mo>' : "") : `<mo>${minus ? "−" : "+"}</mo>`;
      text += model.shown[k];
      if (board.terms[term].text !== "1") text += `<mspace width="0.2em"/>${board.terms[term].math}`;
    });
    return `${text}${model.terms.length ? "" : "<mn>0</mn>"}</mrow></math>`;
  };

  const facts = (model) => {
    const all = [];
    if (model.unexplained !== null) all.push(`1 − R² = ${model.unexplained.toExponential(6)}`);
    if (model.evidence !== null) all.push(`log evidence ${model.evidence.toFixed(2)}`);
    if (model.probability !== null) all.push(`probability ${model.probability.toFixed(3)}`);
    if (model.note) all.push(model.note);
    return all.join(", ").replaceAll("-", "−");
  };

  const coefficients = (board, model) => {
    const rows = model.terms.map((term, k) => {
      const name = element("td", {});
      name.innerHTML = `<math>${board.terms[term].math}</math>`;
      const error = model.errors[k];
      const value = element("td", { class: "number" }, label(model.coefficients[k]), error === null ? "" : ` ± ${label(error)}`);
      return element("tr", {}, name, value, element("td", {}, errorBar(model.coefficients[k], error)));
    });
    const head = element("tr", {}, ...["term", "coefficient", "against zero"].map((text) => element("th", { scope: "col" }, text)));
    return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  };

  const againstData = (board, model) => {
    const { observed, columns, of } = board.sample;
    const predicted = observed.map((_, row) => model.terms.reduce((sum, term, k) => sum + model.coefficients[k] * columns[term][row], 0));
    const residuals = observed.map((value, row) => value - predicted[row]);
    const rows = observed.length < of ? `${observed.length} of ${of} rows` : `all ${of} rows`;
    const names = (x, y) => ({ x, y, label: `${y} against ${x}, ${rows}` });
    return element(
      "div",
      { class: "pair" },
      scatter(predicted, observed, names("predicted", "observed"), (v) => v),
      scatter(predicted, residuals, names("predicted", "residual"), () => 0),
      element("p", { class: "soft" }, `Shown: ${rows}.`),
    );
  };

  const start = (section) => {
    const board = boards[+section.dataset.board];
    const details = section.querySelector(".details");
    const columns = [...section.querySelectorAll(".model")];
    if (!details || !columns.length) return;
    let pinned = board.answer ?? 0;

    const show = (place) => {
      const model = board.models[place];
      const what = board.answer === null ? "" : place === board.answer ? ": the answer" : ": not the answer";
      const typeset = element("div", { class: "typeset" });
      typeset.innerHTML = equation(board, model);
      const parts = [element("h3", {}, `${model.name}${what}${place === pinned ? "" : " (click to pin)"}`), typeset];
      parts.push(element("p", {}, facts(model)));
      if (model.terms.length) parts.push(coefficients(board, model));
      if (board.sample && model.terms.length) parts.push(againstData(board, model));
      details.replaceChildren(...parts);
      details.dataset.shown = place;
      for (const dot of section.querySelectorAll(".dot[data-model]")) dot.classList.toggle("on", +dot.dataset.model === place);
    };
    const pin = (place) => {
      pinned = place;
      for (const column of columns) {
        const own = +column.dataset.model === place;
        column.setAttribute("aria-checked", own);
        column.setAttribute("tabindex", own ? 0 : -1);
      }
      show(place);
    };
    columns.forEach((column, k) => {
      const place = +column.dataset.model;
      column.addEventListener("mouseenter", () => show(place));
      column.addEventListener("mouseleave", () => show(pinned));
      column.addEventListener("focus", () => show(place));
      column.addEventListener("blur", () => show(pinned));
      column.addEventListener("click", () => pin(place));
      column.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step) columns[(k + step + columns.length) % columns.length].focus();
        else if (event.key === "Home") columns[0].focus();
        else if (event.key === "End") columns.at(-1).focus();
        else if (event.key === "Enter" || event.key === " ") pin(place);
        else if (event.key === "Escape") pin(board.answer ?? 0);
        else return;
        event.preventDefault();
      });
    });
    pin(pinned);
  };
  document.querySelectorAll(".board").forEach(start);
})();
