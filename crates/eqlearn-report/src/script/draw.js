// Elements, numbers and charts. A chart is drawn at the width that it has on the screen, so that its letters are as large
// as those of the text, on a telephone too.

const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const SVG = document.createRange().createContextualFragment("<svg></svg>").firstChild.namespaceURI;
const shape = (name, attributes, text) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

// Numbers as the rest of the page writes them: 1.2×10⁶, −0.5.
const raised = (digits) => [...digits].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit] ?? (digit === "-" ? "⁻" : "")).join("");
const number = (value, decimals) => {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) {
    const [mantissa, exponent] = value.toExponential(2).split("e");
    return `${+mantissa}×10${raised(exponent)}`.replaceAll("-", "−");
  }
  return value.toFixed(Math.min(decimals, 8)).replace(/^-(0\.?0*)$/, "$1").replaceAll("-", "−");
};

// A scale of round numbers: about five ticks from low to high, each with its label.
const linearTicks = ([low, high], most) => {
  const rough = (high - low) / most;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * decade).find((one) => one >= 0.999 * rough);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const all = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) all.push([k * step, number(k * step, decimals)]);
  return all;
};
// Positions are logarithms; labels are powers of ten, or plain numbers where there is no power of ten to speak of.
const logTicks = ([low, high], most) => {
  if (high - low < 1.5) {
    return linearTicks([10 ** low, 10 ** high], most).filter(([value]) => value > 0).map(([value, text]) => [Math.log10(value), text]);
  }
  const step = Math.ceil((high - low) / most);
  const all = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) all.push([k * step, `10${raised(String(k * step))}`]);
  return all;
};

const range = (values, room = 0.04) => {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [0, 1];
  const more = low < high ? room * (high - low) : Math.abs(low) * 1e-3 || 0.5;
  return [low - more, high + more];
};

const LETTER = 7.2; // The usual width of one.
const [TOP, RIGHT, BOTTOM] = [10, 14, 40];

// What is drawn how, in a row above a chart: pairs of a class and a word.
const KEY = 18; // The height of the row.
const PLAIN = 6.4; // A letter of words, so that the row fits a telephone.
const key = (svg, left, entries) => {
  let x = left;
  for (const [kind, text] of entries) {
    const at = { x1: x, x2: x + 16, y1: 9, y2: 9 };
    svg.append(kind === "sample" ? shape("path", { class: kind, d: `M${x + 8} 9h0` }) : shape("line", { class: kind, ...at }));
    svg.append(shape("text", { x: x + 21, y: 13 }, text));
    x += 28 + PLAIN * text.length;
  }
};

// A frame with axes. `axes` has x and y, each with `name`, `range` and perhaps `log`. `entries` tell what is drawn how.
const frame = (width, plain, axes, label, entries = []) => {
  const above = entries.length > 0 ? KEY : 0;
  const [top, height] = [TOP + above, plain + above];
  const yTicks = (axes.y.log ? logTicks : linearTicks)(axes.y.range, 5);
  const left = 28 + LETTER * Math.max(3, ...yTicks.map(([, text]) => text.length));
  const [x, y] = [axes.x.range, axes.y.range];
  const across = (value) => left + ((value - x[0]) / (x[1] - x[0])) * (width - left - RIGHT);
  const up = (value) => height - BOTTOM - ((value - y[0]) / (y[1] - y[0])) * (height - BOTTOM - top);
  const svg = shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const [at, text] of yTicks) {
    svg.append(shape("line", { class: "grid", x1: left, x2: width - RIGHT, y1: up(at), y2: up(at) }));
    svg.append(shape("text", { x: left - 6, y: up(at) + 4, "text-anchor": "end" }, text));
  }
  const most = Math.max(2, Math.min(6, Math.floor((width - left) / 48)));
  const xTicks = axes.x.ticks ?? linearTicks(x, most);
  for (const [at, text] of xTicks) {
    svg.append(shape("line", { class: "grid", x1: across(at), x2: across(at), y1: height - BOTTOM, y2: height - BOTTOM + 4 }));
    svg.append(shape("text", { x: across(at), y: height - BOTTOM + 17, "text-anchor": "middle" }, text));
  }
  svg.append(shape("text", { x: (left + width - RIGHT) / 2, y: height - 5, "text-anchor": "middle" }, axes.x.name));
  svg.append(shape("text", { x: -(top + height - BOTTOM) / 2, y: 13, transform: "rotate(-90)", "text-anchor": "middle" }, axes.y.name));
  key(svg, left, entries);
  return { svg, across, up, top, floor: height - BOTTOM };
};

// Many dots are one path of strokes without length.
const dots = ({ svg, across, up }, xs, ys) => {
  const marks = xs.map((value, row) => (Number.isFinite(value) && Number.isFinite(ys[row]) ? `M${across(value).toFixed(1)} ${up(ys[row]).toFixed(1)}h0` : ""));
  svg.append(shape("path", { class: "sample", d: marks.join("") }));
};
// A line; values beyond the frame are drawn at its edge.
const line = ({ svg, across, up }, xs, ys, limits, kind = "line") => {
  const inside = (value) => Math.min(Math.max(value, limits[0]), limits[1]);
  const points = xs.map((value, row) => `${across(value).toFixed(1)},${up(inside(ys[row])).toFixed(1)}`);
  svg.append(shape("polyline", { class: kind, points: points.join(" ") }));
};
