import type { Page } from 'playwright-core';

const KB = 1_024;

/** The most that a page may load, uncompressed. */
const MOST = { css: 36 * KB, js: 4 * KB };

/** Hanken for Latin-1 and the letters of code; the letters of other languages of Europe add a third file. */
const MOST_FONTS = { latin: 60 * KB, latinExt: 85 * KB };

/** The bytes of a page that has been loaded; what lies in the browser's cache counts as well. */
const MEASURE = `(() => {
  const [document] = performance.getEntriesByType('navigation');
  const files = performance.getEntriesByType('resource')
    .map(({ name, decodedBodySize }) => ({ name: new URL(name).pathname, bytes: decodedBodySize }));
  return { html: document.decodedBodySize, files };
})()`;

export type Weight = { html: number; tooHeavy: string[] };

export async function weigh(page: Page): Promise<Weight> {
  await page.evaluate('document.fonts.ready.then(() => null)');
  const { html, files }: { html: number; files: { name: string; bytes: number }[] } =
    await page.evaluate(MEASURE);
  const sum = (extension: string) =>
    files
      .filter(({ name }) => name.endsWith(`.${extension}`))
      .reduce((all, { bytes }) => all + bytes, 0);
  const isExtended = files.some(({ name }) => name.includes('latin-ext'));
  const limits = { ...MOST, woff2: isExtended ? MOST_FONTS.latinExt : MOST_FONTS.latin };
  const tooHeavy = Object.entries(limits)
    .filter(([extension, most]) => sum(extension) > most)
    .map(([extension, most]) => `${extension}: ${sum(extension)} bytes of ${most}`);
  return { html, tooHeavy };
}
