import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { PageScene, Role } from './scene/page-scene.ts';
import type { ShownPage } from './shown-page.ts';

export const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Axe computes while the application answers another page: a lane for each core. */
const LANES = 2;

export const DESKTOP_WIDTH = 1_280;
export const HEIGHT = 760;

type Tabs = Map<Role, Page>;

/** Runs work with tabs of its own for each role, so much of it at once as there are lanes. */
export function openLanes(browser: Browser, scene: PageScene) {
  const free: Tabs[] = Array.from({ length: LANES }, () => new Map());
  const waiting: ((tabs: Tabs) => void)[] = [];
  const cookies = new Map<Role, ReturnType<PageScene['cookiesOf']>>();

  function cookiesOf(role: Role) {
    const known = cookies.get(role) ?? scene.cookiesOf(role);
    cookies.set(role, known);
    return known;
  }

  /** A new tab is a process of the system: the next page of a role is another load of its tab. */
  async function tabOf(tabs: Tabs, as: Role): Promise<Page> {
    const open = tabs.get(as);
    if (open) return open;
    const context = await browser.newContext({ baseURL: scene.api.url, reducedMotion: 'reduce' });
    await context.addCookies(await cookiesOf(as));
    await context.addInitScript({ content: AXE }); // sent once: it has half a megabyte
    const page = await context.newPage();
    tabs.set(as, page);
    return page;
  }

  async function run<Result>(work: (tabs: Tabs) => Promise<Result>): Promise<Result> {
    const tabs = free.pop() ?? (await new Promise<Tabs>((take) => waiting.push(take)));
    try {
      return await work(tabs);
    } finally {
      const next = waiting.shift();
      if (next) next(tabs);
      else free.push(tabs);
    }
  }

  return {
    /** Shows the page on a desktop in light; `beforeAct` sees it as it was loaded. */
    show: <Result>(
      { name, as, path, act, status = 200 }: ShownPage,
      look: (page: Page) => Promise<Result>,
      beforeAct?: (page: Page) => Promise<void>,
    ) =>
      run(async (tabs) => {
        const page = await tabOf(tabs, as);
        await page.setViewportSize({ width: DESKTOP_WIDTH, height: HEIGHT });
        await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', media: 'screen' });
        const response = await page.goto(typeof path === 'string' ? path : path(scene));
        if (response?.status() !== status) throw new Error(`${name}: ${response?.status()}`);
        await beforeAct?.(page);
        await act?.(page);
        await page.waitForLoadState();
        return look(page);
      }),
  };
}
