// Opens each page from disk in a real browser with the network off, and looks at what a reader would see.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import puppeteer from "puppeteer-core";

const PAGES = process.env.PAGES;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const NAMES = ["eqlearn-demo", "law", "compare", "ambiguous", "noise", "wide", "long"];
const WIDE = { width: 1200, height: 900 };
const PHONE = { width: 360, height: 740 };

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
  page.on("request", (request) => /^(file|data):/.test(request.url()) || trouble.push(`asked for ${request.url()}`));
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
}

test("the equation is there as text and typeset", async () => {
  const { page } = await open("law");
  assert.match(await words(page, ".equation code"), /^y = -3\.0\d+\(\d+\) x2 \+ 1\.99\d*\(\d+\) x1\^2\*x3$/);
  assert.equal(await page.$$eval(".equation math", (all) => all.length), 1);
  assert.match(await words(page, "pre"), /eqlearn fit law\.csv --target y --report law\.html/);
  await page.close();
});

test("pointing at a model shows it, clicking pins it, Escape goes back to the answer", async () => {
  const { page } = await open("law");
  const answer = await shown(page);
  const other = await page.$(`.model:not(.answer)`);
  const place = await other.evaluate((one) => one.dataset.model);
  const before = await words(page, ".details .typeset");
  const dots = () => page.$$eval(".details svg.chart circle", (all) => all.map((one) => one.getAttribute("cy")).join());
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
  assert.equal(await page.$$eval(".dot.on", (all) => all.every((one) => one.dataset.model !== undefined)), true);
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

test("the system moves: a picture per state and the forecast in words", async () => {
  const { page } = await open("eqlearn-demo");
  assert.equal(await page.$$eval(".equation", (all) => all.length), 3);
  assert.equal(await page.$$eval(".board", (all) => all.length), 3);
  const pictures = await page.$$eval("svg.chart", (all) => all.map((one) => one.getAttribute("aria-label")));
  for (const state of ["x", "y", "z"]) assert.ok(pictures.some((text) => text.startsWith(`${state} over time`)));
  assert.match(await words(page, "main"), /20 reached the end/);
  await page.close();
});

test("nine methods side by side, each with its equation", async () => {
  const { page } = await open("compare");
  assert.equal(await page.$$eval(".model", (all) => all.length), 9);
  assert.equal(await page.$$eval("tbody tr td:first-child", (all) => all.filter((one) => one.textContent === "lasso").length), 1);
  await (await page.$('.model[aria-label^="lasso"]')).click();
  assert.match(await words(page, ".details h3"), /^lasso/);
  await page.close();
});

test("an ambiguous problem and one without an equation say so", async () => {
  const ambiguous = await open("ambiguous");
  assert.match(await words(ambiguous.page, "main"), /not the only ones|about as well/);
  await ambiguous.page.close();
  const noise = await open("noise");
  assert.match(await words(noise.page, ".equation"), /No equation/);
  await noise.page.close();
});

test("many terms and many rows stay few on the page", async () => {
  for (const name of ["wide", "long"]) {
    const { page } = await open(name);
    assert.ok((await page.$$eval("svg.map text", (all) => all.length)) < 60);
    assert.ok((await page.$$eval(".details circle", (all) => all.length)) < 1000);
    await page.close();
  }
});
