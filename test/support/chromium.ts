import packaged from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

/** A real browser: the Chromium that comes as a package, so that every Linux machine has the same one. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await packaged.executablePath(),
    // Playwright talks to a browser of several processes.
    args: packaged.args.filter((argument) => argument !== '--single-process'),
  });
}
