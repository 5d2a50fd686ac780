// What keeps people from reading or using a page, in words.
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

export type Scheme = 'light' | 'dark';

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

export async function changeScheme(page: Page, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(END_TRANSITIONS);
}

/** A rule's impact holds for all that it finds: minor rules are not run. */
const WITHOUT_MINOR = `Object.fromEntries(axe._audit.rules
  .filter(({ impact }) => impact === 'minor')
  .map(({ id }) => [id, { enabled: false }]))`;

/** Colours aside, dark is built as light is. */
export async function findBarriers(page: Page, scheme: Scheme): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'], // nothing is gathered of what passes
    ...(scheme === 'dark' && { runOnly: { type: 'rule', values: ['color-contrast'] } }),
  };
  const violations: Result[] = await page.evaluate(
    `axe.run({ ...${JSON.stringify(options)}, rules: ${scheme === 'dark' ? '{}' : WITHOUT_MINOR} })
      .then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html.slice(0, 300)} ${any[0]?.message ?? ''}`),
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

/** Finds what a page of the current width hides at its side. */
export async function findCutOff(page: Page): Promise<string[]> {
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  const cutOff: string[] = await page.evaluate(FIND_CUT_OFF);
  return wide > 0 ? [`scrolls sideways by ${wide}`, ...cutOff] : cutOff;
}
