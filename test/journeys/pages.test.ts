// `npm test` looks at ten pages that have all the frames there are, `npm run test:pages` at every page.
import test from 'ava';
import type { Page } from 'playwright-core';
import { changeScheme, findBarriers, findCutOff, type Scheme } from '../support/pages/barriers.ts';
import { launchChromium } from '../support/pages/chromium.ts';
import { composeEveryMail } from '../support/identity/every-mail.ts';
import { AXE, DESKTOP_WIDTH, HEIGHT, openLanes } from '../support/pages/lanes.ts';
import { openDetails } from '../support/pages/page-acts.ts';
import { PAGES } from '../support/pages/pages.ts';
import { startPageScene } from '../support/pages/scene/page-scene.ts';
import type { ShownPage } from '../support/pages/shown-page.ts';
import { weigh } from '../support/pages/weight.ts';

/** A folder for pictures of what was tested, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];

const IS_WHOLE = process.env['GATEHOUSE_PAGES'] === 'all' || PICTURES !== undefined;

const ALWAYS = [
  'store',
  'product',
  'sign-in',
  'consent',
  'library',
  'overview',
  'sale',
  'deliveries',
  'operator',
  'guide',
];

type Device = { device: string; width: number; schemes: readonly Scheme[] };

// A page is loaded on the desktop in light, and is left so: what stays alike is not drawn again.
const PHONE: Device = { device: 'phone', width: 320, schemes: ['light', 'dark'] };
const DESKTOP: Device = { device: 'desktop', width: DESKTOP_WIDTH, schemes: ['dark', 'light'] };

const scene = await startPageScene();
const browser = await launchChromium();
const lanes = openLanes(browser, scene);
const documentSizes: number[] = [];
test.after.always(async () => {
  await browser.close();
  await scene.api.close();
});

/** Pictures show folds as people meet them; the tests look into them too. */
function asItComes({ act, ...shown }: ShownPage): ShownPage {
  return act === undefined || act === openDetails ? shown : { ...shown, act };
}

const findPage = (name: string) => PAGES.find((shown) => shown.name === name)!;

for (const shown of IS_WHOLE ? PAGES : ALWAYS.map(findPage)) {
  test(`${shown.name}: no barrier, no sideways scrolling, no more bytes than a page may have`, async (t) => {
    const found: string[] = [];
    await lanes.show(
      PICTURES === undefined ? shown : asItComes(shown),
      async (page) => {
        for (const { device, width, schemes } of [PHONE, DESKTOP]) {
          await page.setViewportSize({ width, height: HEIGHT });
          const cutOff = await findCutOff(page);
          found.push(...cutOff.map((text) => `${device}: ${text}`));
          for (const scheme of schemes) {
            await changeScheme(page, scheme);
            const barriers = await findBarriers(page, scheme);
            found.push(...barriers.map((barrier) => `${device}, ${scheme}: ${barrier}`));
            const name = `${shown.name}-${device}-${scheme}.png`.replaceAll(' ', '-');
            if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}`, fullPage: true });
          }
        }
      },
      async (page) => {
        const { html, tooHeavy } = await weigh(page);
        documentSizes.push(html);
        found.push(...tooHeavy);
      },
    );
    t.deepEqual(found, []);
  });
}

const MEDIAN_BYTES = 24 * 1_024;

if (IS_WHOLE) {
  // All tests are over by then.
  test.after('the median of the documents has at most 24 KB', (t) => {
    if (documentSizes.length < PAGES.length) return t.pass('some pages were not opened');
    const sizes = documentSizes.toSorted((one, other) => one - other);
    t.true(sizes[Math.floor(sizes.length / 2)]! <= MEDIAN_BYTES, sizes.join(' '));
  });
}

const CURRENT = `[...document.querySelectorAll('.side nav [aria-current]')]
  .filter((each) => each.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }))
  .map((each) => each.textContent.trim())`;

test('the pages of a product take one row on a phone and a column on a desktop, and name the current one', async (t) => {
  await lanes.show(findPage('diagnostics'), async (page) => {
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
  });
});

/** What shows the focus where the system chooses the colours, which takes shadows away. */
const FOCUS = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  const name = document.activeElement.outerHTML.slice(0, 80);
  return { name, isShown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
})()`;

for (const name of IS_WHOLE
  ? ['store', 'sign-in', 'prices', 'endpoint', 'deliveries']
  : ['sign-in']) {
  test(`${name}: the focus is visible in forced colours`, async (t) => {
    await lanes.show(findPage(name), async (page) => {
      await page.emulateMedia({ forcedColors: 'active' });
      await page.evaluate('document.activeElement?.blur()');
      for (let step = 0; step < 25; step += 1) {
        await page.keyboard.press('Tab');
        const focus: { name: string; isShown: boolean } = await page.evaluate(FOCUS);
        if (focus.name.startsWith('<body')) break;
        t.true(focus.isShown, focus.name);
      }
    });
  });
}

/** A window of 1,280 pixels at 200 %. */
const ZOOMED = { width: 640, height: 380 };

for (const name of IS_WHOLE ? ['store', 'product', 'overview', 'deliveries', 'guide'] : []) {
  test(`${name}: nothing is out of reach at 200 %`, async (t) => {
    await lanes.show(findPage(name), async (page) => {
      await page.setViewportSize(ZOOMED);
      t.deepEqual(await findCutOff(page), []);
      t.true(await page.locator('h1').isVisible());
    });
  });
}

const FIND_MOVING = `[...document.querySelectorAll('*')]
  .filter((each) => /[1-9]/.test(getComputedStyle(each).transitionDuration + getComputedStyle(each).animationDuration))
  .map((each) => each.outerHTML.slice(0, 80))`;

for (const name of IS_WHOLE ? ['store', 'consent', 'overview', 'design'] : []) {
  test(`${name}: nothing moves for people who want no motion`, async (t) => {
    await lanes.show(findPage(name), async (page) => {
      t.deepEqual(await page.evaluate(FIND_MOVING), []);
    });
  });
}

const FIND_CHROME = `[...document.querySelectorAll('body > header, body > footer, nav, form, button, .side, .skip')]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height > 0)
  .map((each) => each.outerHTML.slice(0, 80))`;

for (const name of IS_WHOLE ? ['receipt', 'receipt of a period', 'statement'] : []) {
  test(`${name}: paper has the document and nothing else`, async (t) => {
    await lanes.show(findPage(name), async (page: Page) => {
      await page.emulateMedia({ media: 'print' });
      t.deepEqual(await page.evaluate(FIND_CHROME), []);
      t.true(await page.locator('main').isVisible());
      const name = `${page.url().split('/').at(-1)}-on-paper.png`;
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}`, fullPage: true });
    });
  });
}

const MAILS = Object.entries(composeEveryMail('A name of two hundred letters'.repeat(7)));

if (IS_WHOLE) {
  // A mail stands within a page of its reader, which has them.
  const LANDMARKS = /^(region|landmark-one-main):/;

  test('mails have no barrier and do not scroll sideways', async (t) => {
    const page = await browser.newPage();
    const found: string[] = [];
    for (const [purpose, { html }] of MAILS) {
      await page.setContent(html);
      await page.evaluate(AXE);
      for (const { device, width, schemes } of [PHONE, DESKTOP]) {
        await page.setViewportSize({ width, height: HEIGHT });
        found.push(...(await findCutOff(page)).map((text) => `${purpose}, ${device}: ${text}`));
        for (const scheme of schemes) {
          await changeScheme(page, scheme);
          const barriers = await findBarriers(page, scheme);
          found.push(
            ...barriers
              .filter((barrier) => !LANDMARKS.test(barrier))
              .map((barrier) => `${purpose}, ${scheme}: ${barrier}`),
          );
        }
      }
    }
    t.deepEqual(found, []);
  });
}
