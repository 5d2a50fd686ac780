import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Result, RunOptions } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/pages/chromium.ts';
import { startPageScene, type Role } from '../support/pages/scene/page-scene.ts';
import { PAGES } from '../support/pages/pages.ts';
import type { ShownPage } from '../support/pages/shown-page.ts';

/** A folder for pictures of what was tested, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

type Scheme = 'light' | 'dark';
type Device = { device: string; width: number; schemes: readonly Scheme[] };

// A page is loaded on the desktop in light, and is left so: what stays alike is not drawn again.
const PHONE: Device = { device: 'phone', width: 360, schemes: ['light', 'dark'] };
const DESKTOP: Device = { device: 'desktop', width: 1_280, schemes: ['dark', 'light'] };
const HEIGHT = 760;

/**
 * A colour on its way to another is none that has to be told from its ground. Scripts of the page
 * hear of a scheme in the next frame or, on a busy machine, in the one after it; the end of one
 * transition may begin that of a child.
 */
const END_TRANSITIONS = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const isTransition = (each) => each instanceof CSSTransition;
    for (;;) {
      const under = document.getAnimations().filter(isTransition);
      if (under.length === 0) return resolve();
      under.forEach((each) => each.finish());
    }
  }));
})`;

const scene = await startPageScene();
const browser: Browser = await launchChromium();
const pages = new Map<Role, Page>();
test.after.always(async () => {
  await browser.close();
  await scene.api.close();
});

/** A tab for each role, for a new one is a process of the system: its next page is another load of it. */
async function tabOf(as: Role): Promise<Page> {
  const open = pages.get(as);
  if (open) return open;
  const context = await browser.newContext({ baseURL: scene.api.url, reducedMotion: 'reduce' });
  await context.addCookies(await scene.cookiesOf(as));
  await context.addInitScript({ content: AXE }); // sent once: it has half a megabyte
  const page = await context.newPage();
  pages.set(as, page);
  return page;
}

async function open({ as, path, act }: ShownPage): Promise<Page> {
  const page = await tabOf(as);
  await page.setViewportSize({ width: DESKTOP.width, height: HEIGHT });
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await page.goto(typeof path === 'string' ? path : path(scene));
  await act?.(page);
  await page.waitForLoadState();
  return page;
}

/** A rule's impact holds for all that it finds: rules below serious are not run. */
const WITHOUT_LESSER = `Object.fromEntries(axe._audit.rules
  .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
  .map(({ id }) => [id, { enabled: false }]))`;

/** What axe finds that keeps people out, in words. Colours aside, dark is built as light is. */
async function findBarriers(page: Page, scheme: Scheme): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'], // nothing is gathered of what passes
    ...(scheme === 'dark' && { runOnly: { type: 'rule', values: ['color-contrast'] } }),
  };
  const violations: Result[] = await page.evaluate(
    `axe.run({ ...${JSON.stringify(options)}, rules: ${scheme === 'dark' ? '{}' : WITHOUT_LESSER} })
      .then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ''}`),
    );
}

/**
 * Tables scroll in themselves at most, by keyboard too, and every cell can be reached and holds what is
 * in it; on a phone, where rows are cards, nothing scrolls sideways.
 */
const FIND_CUT_OFF = `(() => {
  const found = [];
  for (const region of document.querySelectorAll('.overflow-auto')) {
    const name = region.getAttribute('aria-label');
    const scrolls = region.scrollWidth > region.clientWidth;
    const style = getComputedStyle(region);
    const canScroll = ['auto', 'scroll'].includes(style.overflowX) && region.tabIndex === 0;
    if (scrolls && (!canScroll || innerWidth < 600)) found.push(name + ': ' + region.scrollWidth + ' wide in ' + region.clientWidth);
    region.scrollLeft = region.scrollWidth;
    const right = region.getBoundingClientRect().right + 1;
    for (const row of region.querySelectorAll('tr')) {
      const last = row.lastElementChild;
      if (last && innerWidth >= 600 && last.getBoundingClientRect().right > right) found.push(name + ': a column is out of reach');
    }
    region.scrollLeft = 0;
    for (const cell of region.querySelectorAll('td > div')) {
      if (cell.scrollWidth > cell.clientWidth + 1) found.push(name + ': cut off: ' + cell.textContent.trim().slice(0, 40));
    }
  }
  return found;
})()`;

for (const shown of PAGES) {
  test.serial(`${shown.name}: no barrier, no sideways scrolling`, async (t) => {
    const page = await open(shown);
    const found: string[] = [];
    for (const { device, width, schemes } of [PHONE, DESKTOP]) {
      await page.setViewportSize({ width, height: HEIGHT });
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
      if (wide > width) found.push(`${device}: ${wide} wide`);
      const cutOff: string[] = await page.evaluate(FIND_CUT_OFF);
      found.push(...cutOff.map((text) => `${device}: ${text}`));
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(END_TRANSITIONS);
        const barriers = await findBarriers(page, colorScheme);
        found.push(...barriers.map((barrier) => `${device}, ${colorScheme}: ${barrier}`));
        const name = `${shown.name}-${device}-${colorScheme}.png`.replaceAll(' ', '-');
        if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}`, fullPage: true });
      }
    }
    t.deepEqual(found, []);
  });
}

const CURRENT = `[...document.querySelectorAll('.side nav [aria-current]')]
  .filter((each) => each.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }))
  .map((each) => each.textContent.trim())`;

test.serial(
  'the pages of a product take one row on a phone and a column on a desktop, and name the current one',
  async (t) => {
    const page = await open(PAGES.find(({ name }) => name === 'diagnostics')!);
    const menu = page.locator('.side');
    await page.setViewportSize({ width: 375, height: 760 });
    const row = 48;
    t.true((await menu.boundingBox())!.height <= 1.5 * row);
    const bar = menu.locator('> summary');
    t.regex(await bar.innerText(), /\/ Requests/);
    t.deepEqual(await page.evaluate(CURRENT), []);
    // By keyboard alone.
    await bar.focus();
    await page.keyboard.press('Enter');
    t.deepEqual(await page.evaluate(CURRENT), ['Requests']);
    await page.keyboard.press('Tab'); // the choice of another product
    await page.keyboard.press('Tab');
    t.is(await page.evaluate('document.activeElement.textContent.trim()'), 'Overview');
    const paths: string[] = await page.evaluate(
      `[...document.querySelectorAll('.side nav a, .tabs a')].map(({ pathname }) => pathname)`,
    );
    t.is(new Set(paths).size, 19);
    await page.setViewportSize({ width: 1_280, height: 760 });
    t.true((await menu.boundingBox())!.width <= 248);
    t.deepEqual(await page.evaluate(CURRENT), ['Requests']);
  },
);

/** What shows the focus where the system chooses the colours, which takes shadows away. */
const FOCUS = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  const name = document.activeElement.outerHTML.slice(0, 80);
  return { name, isShown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
})()`;

for (const name of ['store', 'sign-in', 'prices', 'endpoint', 'deliveries']) {
  test.serial(`${name}: the focus is visible in forced colours`, async (t) => {
    const page = await open(PAGES.find((shown) => shown.name === name)!);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.evaluate('document.activeElement?.blur()');
    for (let step = 0; step < 25; step += 1) {
      await page.keyboard.press('Tab');
      const focus: { name: string; isShown: boolean } = await page.evaluate(FOCUS);
      if (focus.name.startsWith('<body')) break;
      t.true(focus.isShown, focus.name);
    }
  });
}
