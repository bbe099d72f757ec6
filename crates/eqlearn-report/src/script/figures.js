// Figures that are drawn again when the screen changes, and saved as files: the picture as SVG, its numbers as CSV.

const numbers = JSON.parse(document.getElementById("numbers").textContent);
const figures = [];

const save = (name, type, text) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: `${numbers.file}-${name}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

// The picture on its own: what the page's style says goes into each shape.
const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size"];
const standalone = (svg) => {
  const copy = svg.cloneNode(true);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const [seen, made] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  seen.forEach((one, k) => {
    const style = getComputedStyle(one);
    made[k].setAttribute("style", STYLED.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  const paper = getComputedStyle(document.body).backgroundColor;
  copy.prepend(shape("rect", { width: "100%", height: "100%", style: `fill:${paper}` }));
  return new XMLSerializer().serializeToString(copy);
};

const cell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
// Columns of equal or unequal length: a list of [name, values].
const csv = (columns) => {
  const rows = Math.max(0, ...columns.map(([, values]) => values.length));
  const lines = [columns.map(([name]) => cell(name)).join(",")];
  for (let row = 0; row < rows; row++) lines.push(columns.map(([, values]) => cell(values[row])).join(","));
  return `${lines.join("\n")}\n`;
};

const button = (text, label, act) => {
  const made = element("button", { type: "button", "aria-label": label }, text);
  made.addEventListener("click", act);
  return made;
};

// A figure: `draw(width)` makes its SVG, `columns()` gives its numbers. Height is kept while it is drawn again.
const figure = (name, draw, columns, ...caption) => {
  const place = element("div", { class: "canvas" });
  const saving = element(
    "span",
    { class: "save" },
    button("SVG", `Save ${name} as SVG`, () => save(`${name}.svg`, "image/svg+xml", standalone(place.firstChild))),
    button("CSV", `Save the numbers of ${name} as CSV`, () => save(`${name}.csv`, "text/csv", csv(columns()))),
  );
  const made = element("figure", {}, element("figcaption", {}, element("span", {}, ...caption), saving), place);
  const again = (width = place.clientWidth) => width && place.replaceChildren(draw(Math.round(width)));
  figures.push(again);
  return { made, again };
};

const drawAgain = (width) => {
  for (const again of figures) again(width);
};
let screenWidth = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === screenWidth) return;
  screenWidth = window.innerWidth;
  drawAgain();
});
// Two figures side by side on a sheet of paper.
const ON_PAPER = 330;
window.addEventListener("beforeprint", () => drawAgain(ON_PAPER));
window.addEventListener("afterprint", () => drawAgain());
