// Opens each page from disk in a real browser with the network off, and looks at what a reader would see.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import puppeteer from "puppeteer-core";

const PAGES = process.env.PAGES;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1366, height: 768 };
const PHONE = { width: 360, height: 740 };
// Each page with its verdict.
const VERDICTS = {
  "eqlearn-demo": /^Equations found$/,
  "eqlearn-enzyme": /^Equation found$/,
  law: /^Equation found$/,
  compare: /^Methods compared$/,
  ambiguous: /^One of several equations that explain the data$/,
  noise: /^No equation found$/,
  wide: /^Equation found$/,
  long: /^Equation found$/,
  imitation: /^Probably an imitation of the law$/,
  units: /^Equation found$/,
  pendulum: /^Equations found$/,
  driven: /^Equations found$/,
  pelts: /^Equations found$/,
  field: /^Equations found$/,
  methods: /^Methods compared$/,
};
const NAMES = Object.keys(VERDICTS);

let browser;
before(async () => {
  browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser.close());

// A page and everything that went wrong on it.
async function open(name, { scheme = "light", viewport = WIDE } = {}) {
  const page = await browser.newPage();
  const trouble = [];
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || trouble.push(`asked for ${request.url()}`));
  await page.setOfflineMode(true);
  await page.setViewport(viewport);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(pathToFileURL(path.join(PAGES, `${name}.html`)).href);
  return { page, trouble };
}

const shown = (page, board = 0) => page.$$eval(".details", (all, k) => all[k].dataset.shown, board);
const words = (page, selector) => page.$eval(selector, (one) => one.textContent);

for (const name of NAMES) {
  test(`${name}: no errors, small, and readable in both schemes on wide and narrow screens`, async () => {
    assert.ok(statSync(path.join(PAGES, `${name}.html`)).size < 2_000_000, "a page is below 2 MB");
    const papers = [];
    for (const scheme of ["light", "dark"]) {
      for (const viewport of [WIDE, PHONE]) {
        const { page, trouble } = await open(name, { scheme, viewport });
        assert.deepEqual(trouble, []);
        assert.match(await words(page, "h1"), VERDICTS[name]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${overflow} pixels stick out at ${viewport.width}`);
        papers.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
        await page.screenshot({ path: path.join(PAGES, `${name}-${scheme}-${viewport.width}.png`), fullPage: true });
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
        assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes[0].html}`), []);
        await page.close();
      }
    }
    assert.notEqual(papers[0], papers[2], "dark is not light");
  });

  test(`${name}: numbers have one notation, and letters of charts are as large as text on a phone`, async () => {
    const { page } = await open(name, { viewport: PHONE });
    const text = await page.evaluate(() => {
      const copy = document.querySelector("main").cloneNode(true);
      // Commands, equations as text and messages are what a terminal shows.
      copy.querySelectorAll("code, pre, .warning, .why").forEach((one) => one.remove());
      return copy.textContent;
    });
    assert.doesNotMatch(text, /\de[+-]?\d/);
    const small = await page.$$eval("svg.chart", (all) => all.map((one) => one.clientWidth / one.viewBox.baseVal.width).filter((scale) => scale < 0.9));
    assert.deepEqual(small, []);
    await page.close();
  });
}

for (const name of ["law", "imitation", "wide", "eqlearn-demo", "pelts", "compare", "methods"]) {
  test(`${name}: pointing at models moves nothing, and what is shown is on the screen`, async () => {
    const { page } = await open(name);
    await page.evaluate(() => {
      globalThis.moved = [];
      const observer = new PerformanceObserver((list) => globalThis.moved.push(...list.getEntries().map((one) => one.value)));
      observer.observe({ type: "layout-shift" });
    });
    const size = () => page.evaluate(() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]);
    for (const board of (await page.$$(".board")).slice(0, 2)) {
      await board.$eval(".beside", (one) => one.scrollIntoView());
      const sizeBefore = await size();
      for (const model of await board.$$(".model")) {
        await model.hover();
        const seen = await board.$$eval(".details h3, .details .typeset, .details .facts", (all) => all.every((one) => one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().bottom <= window.innerHeight));
        assert.ok(seen, "details are on the screen");
      }
      assert.deepEqual(await size(), sizeBefore);
    }
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.deepEqual(await page.evaluate(() => globalThis.moved), []);
    await page.close();
  });
}

test("a field has pictures that are drawn, with a scale, and its error against time", async () => {
  const { page } = await open("field");
  const sizes = await page.$$eval(".picture img, .colours img", (all) => all.map((one) => [one.naturalWidth, one.naturalHeight]));
  assert.deepEqual(sizes, [[64, 60], [64, 60], [255, 1]]);
  assert.equal(await page.$$eval(".errors polyline", (all) => all.length), 1);
  assert.match(await words(page, ".errors figcaption"), /^Error of u over time/);
  await page.close();
});

test("the equation is there as text and typeset, and all digits on demand", async () => {
  const { page } = await open("law");
  assert.match(await words(page, ".equation code"), /^y = -3\.0\d+\(\d+\) x2 \+ 1\.99\d*\(\d+\) x1\^2\*x3$/);
  assert.equal(await page.$$eval(".equation .formula", (all) => all.length), 1);
  assert.match(await words(page, ".numbers"), /^Explains 99\.98\d %; noise about 0\.04\d\.$/);
  assert.match(await page.$eval(".numbers span", (one) => one.title), /^1 − R² = 0\.0001\d{10,}$/);
  assert.match(await words(page, "pre"), /eqlearn fit law\.csv --target y --report law\.html/);
  await page.close();
});

test("words do not run together, units stand apart, derivatives have dots", async () => {
  const pelts = await open("pelts");
  assert.match(await words(pelts.page, ".equation .formula"), /hare⋅lynx/);
  assert.equal(await pelts.page.$eval(".equation mi", (one) => getComputedStyle(one).fontStyle), "normal");
  await pelts.page.close();
  const units = await open("units");
  assert.doesNotMatch(await words(units.page, ".equation .formula"), /m\/s/);
  assert.match(await words(units.page, "main"), /Units: v in m\/s, d in m, force in N\./);
  await units.page.close();
  const pendulum = await open("pendulum");
  assert.match(await words(pendulum.page, ".equation .formula"), /^θ¨= .*θ˙/);
  await pendulum.page.close();
});

test("a long equation breaks into lines", async () => {
  for (const viewport of [{ width: 1000, height: 768 }, PHONE]) {
    const { page } = await open("imitation", { viewport });
    const lines = await page.$$eval(".equation .formula math", (all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().bottom / 12))).size);
    assert.ok(lines > 1, `${lines} lines`);
    assert.ok(await page.$eval(".equation", (one) => one.scrollWidth <= one.clientWidth));
    await page.close();
  }
});

test("pointing at a model shows it, clicking pins it, Escape goes back to the answer", async () => {
  const { page } = await open("law");
  const answer = await shown(page);
  const other = await page.$(`.model:not(.answer)`);
  const place = await other.evaluate((one) => one.dataset.model);
  const before = await words(page, ".details .typeset");
  const dots = () => page.$$eval(".details svg.chart .sample", (all) => all.map((one) => one.getAttribute("d")).join());
  const dotsBefore = await dots();
  await other.hover();
  assert.equal(await shown(page), place);
  assert.notEqual(await words(page, ".details .typeset"), before);
  assert.notEqual(await dots(), dotsBefore, "predictions are drawn again");
  await page.mouse.move(2, 2);
  assert.equal(await shown(page), answer, "without a click it goes back");
  await other.click();
  await page.mouse.move(2, 2);
  assert.equal(await shown(page), place, "with a click it stays");
  assert.equal(await other.evaluate((one) => one.getAttribute("aria-checked")), "true");
  assert.equal(await page.$$eval(".dot.on", (all) => all.length > 0 && all.every((one) => one.dataset.model !== undefined)), true);
  await page.keyboard.press("Escape");
  assert.equal(await shown(page), answer);
  await page.close();
});

test("a keyboard reaches every model", async () => {
  const { page } = await open("law");
  await page.$eval('.model[tabindex="0"]', (one) => one.focus());
  const start = await shown(page);
  await page.keyboard.press("ArrowRight");
  assert.equal(await shown(page), String(+start + 1));
  await page.keyboard.press("Home");
  assert.equal(await shown(page), "0");
  await page.keyboard.press("Enter");
  assert.equal(await page.$eval('.model[aria-checked="true"]', (one) => one.dataset.model), "0");
  await page.close();
});

test("coefficients have a sign, and negative ones are left of zero", async () => {
  const { page } = await open("law");
  const places = await page.$$eval(".details tbody tr", (all) =>
    all.map((row) => [row.children[1].textContent.startsWith("−"), +row.querySelector("circle").getAttribute("cx") < +row.querySelector(".zero").getAttribute("x1")]),
  );
  assert.deepEqual(places, [
    [true, true],
    [false, false],
  ]);
  await page.close();
});

test("residuals are drawn against every feature", async () => {
  for (const [name, features] of [
    ["law", 3],
    ["wide", 500],
  ]) {
    const { page } = await open(name);
    const choices = await page.$$eval(".details select option", (all) => all.map((one) => one.textContent));
    assert.equal(choices.length, features + 1);
    const drawn = () => page.$$eval(".details .sample", (all) => all[1].getAttribute("d"));
    const before = await drawn();
    await page.select(".details select", "2");
    assert.notEqual(await drawn(), before);
    assert.ok((await page.$$eval(".details svg.chart", (all) => all[1].getAttribute("aria-label"))).includes(`against ${choices[2]}`));
    await page.close();
  }
});

// Clicks on a button that saves a file, and gives what it holds.
async function saved(page, button, file) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "eqlearn-"));
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await page.$eval(`button[aria-label="${button}"]`, (one) => one.click());
  const place = path.join(folder, file);
  for (let wait = 0; wait < 100 && !existsSync(place); wait++) await new Promise((done) => setTimeout(done, 50));
  return readFileSync(place, "utf8");
}

test("figures are saved as SVG and as CSV, without any request", async () => {
  const { page, trouble } = await open("law");
  const svg = await saved(page, "Save residuals as SVG", "law-residuals.svg");
  assert.match(svg, /^<svg xmlns=/);
  assert.match(svg, /stroke:rgb/, "styles are in the file");
  const csv = (await saved(page, "Save the numbers of residuals as CSV", "law-residuals.csv")).trim().split("\n");
  assert.equal(csv[0], "observed,predicted,residual,x1,x2,x3");
  assert.equal(csv.length, 96);
  const models = await saved(page, "Save all models as CSV", "law-models.csv");
  assert.equal(models.trim().split("\n").length, 1 + (await page.$$eval(".model", (all) => all.length)));
  assert.deepEqual(trouble, []);
  await page.close();
  const motion = await open("eqlearn-demo");
  const run = await saved(motion.page, "Save the numbers of x-over-time as CSV", "eqlearn-demo-x-over-time.csv");
  assert.match(run, /^t,x,y,z,t of the model,x of the model/);
  assert.deepEqual(motion.trouble, []);
  await motion.page.close();
});

test("the system moves: a picture per state, starts along the whole record, and chaos in words", async () => {
  const { page } = await open("eqlearn-demo");
  assert.equal(await page.$$eval(".equation .formula", (all) => all.length), 3);
  assert.equal(await page.$$eval(".board", (all) => all.length), 3);
  const pictures = await page.$$eval("svg.chart", (all) => all.map((one) => one.getAttribute("aria-label")));
  for (const state of ["x", "y", "z"]) assert.ok(pictures.some((text) => text.startsWith(`${state} over time`)));
  const text = await words(page, ".motion");
  assert.match(text, /Of \d+ starts along the record \d+ are lost/);
  assert.match(text, /The learned system is chaotic: small errors grow e-fold in 1\.1 of t \(Lyapunov exponent 0\.\d+\(\d+\)\)/);
  assert.match(text, /Drawn: one in 2 of all 2100 samples\./);
  assert.ok((await page.$$eval(".motion figure:first-child .mark", (all) => all.length)) > 3);
  await page.close();
});

test("every run can be chosen", async () => {
  const { page } = await open("pelts");
  assert.equal(await page.$$eval("[data-runs] option", (all) => all.length), 3);
  const drawn = () => page.$eval(".motion .sample", (one) => one.getAttribute("d"));
  const lines = () => page.$eval(".motion .line", (one) => one.getAttribute("points"));
  const seen = new Set();
  for (const run of ["0", "1", "2"]) {
    await page.select("[data-runs]", run);
    seen.add((await drawn()) + (await lines()));
  }
  assert.equal(seen.size, 3);
  await page.close();
});

test("two states do not fill the page, and inputs drive the model's line", async () => {
  const { page } = await open("driven");
  const widths = await page.$$eval(".motion figure", (all) => all.map((one) => one.getBoundingClientRect().width));
  assert.ok(widths.every((width) => width < 700), String(widths));
  const points = await page.$eval(".motion .line", (one) => one.getAttribute("points").split(" ").length);
  assert.equal(points, 600);
  await page.close();
});

test("with much noise the record is drawn without it too, with a key, in the saved numbers and on paper", async () => {
  const { page, trouble } = await open("noisy");
  const drawn = await page.$$eval(".motion svg.chart", (all) => all.map((svg) => [...new Set([...svg.querySelectorAll("polyline")].map((one) => one.getAttribute("class")))]));
  assert.deepEqual(drawn, [["cleaned", "line"], ["cleaned", "line"], ["cleaned", "line"]]);
  const points = await page.$eval(".motion polyline.cleaned", (one) => one.getAttribute("points").split(" ").length);
  const samples = await page.$$eval(".motion path.sample", (all) => Math.max(...all.map((one) => one.getAttribute("d").split("M").length - 1)));
  assert.equal(points, samples);
  const words_of = await page.$eval(".motion svg.chart", (svg) => [...svg.querySelectorAll("text")].map((one) => one.textContent));
  for (const entry of ["record", "without noise", "system"]) assert.ok(words_of.includes(entry), entry);
  const colours = () => page.$eval(".motion svg.chart", (svg) => ["cleaned", "line", "sample"].map((kind) => getComputedStyle(svg.querySelector(`.${kind}`)).stroke));
  assert.equal(new Set(await colours()).size, 3);
  assert.match(await words(page, ".motion"), /The green line is the record without its noise/);
  const csv = await saved(page, "Save the numbers of x-over-time as CSV", "noisy-x-over-time.csv");
  assert.match(csv, /^t,x,y,x without noise,y without noise,t of the model/);
  assert.deepEqual(trouble, []);
  await page.close();
  const little = await open("eqlearn-demo");
  assert.equal(await little.page.$$eval(".cleaned", (all) => all.length), 0);
  await little.page.close();
});

test("methods side by side, each with its equation; long ones are folded", async () => {
  const { page } = await open("compare");
  assert.equal(await page.$$eval(".model", (all) => all.length), 9);
  assert.equal(await page.$$eval("tbody tr td:first-child", (all) => all.filter((one) => one.textContent === "lasso").length), 1);
  await (await page.$('.model[aria-label^="lasso"]')).click();
  assert.match(await words(page, ".details h3"), /^lasso/);
  assert.ok((await page.$$eval("details.fold", (all) => all.filter((one) => !one.open).length)) > 0);
  const tall = await page.$$eval("tbody tr", (all) => Math.max(...all.map((one) => one.getBoundingClientRect().height)));
  assert.ok(tall < 80, `a row is ${tall} pixels high`);
  await page.close();
});

test("on paper headings stay with what follows, and all is light", async () => {
  const { page } = await open("eqlearn-demo", { scheme: "dark" });
  await page.emulateMediaType("print");
  const style = (selector, name) => page.$$eval(selector, (all, name) => [...new Set(all.map((one) => getComputedStyle(one)[name]))], name);
  assert.deepEqual(await style("h2, h3", "breakAfter"), ["avoid"]);
  assert.deepEqual(await style("figure, .map, .together", "breakInside"), ["avoid"]);
  assert.deepEqual(await style("body", "backgroundColor"), ["rgb(255, 255, 255)"]);
  assert.deepEqual(await style(".save, .choice, .board > .soft", "display"), ["none"]);
  await page.close();
});

test("many terms and many rows stay few on the page", async () => {
  for (const name of ["wide", "long"]) {
    const { page } = await open(name);
    assert.ok((await page.$$eval(".map .label", (all) => all.length)) <= 30);
    assert.ok((await page.$$eval("svg *", (all) => all.length)) < 1000);
    await page.close();
  }
});
