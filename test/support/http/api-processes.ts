import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Limits } from '../../../api/http/limits.ts';
import type { TestApi } from './api.ts';
import type { ApiProcessSettings } from './api-process.ts';
import { createBrowser, fetchPlain, type Browser } from '../pages/browser.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export type ApiProcess = Pick<TestApi, 'request' | 'url'> & {
  pid: number;
  browser(): Browser;
  close(): Promise<void>;
};

/** The application as processes of the operating system, on the database of the given one. */
export async function startApiProcesses(
  { config, test }: TestApi,
  /** The root is that of another copy of the sources. */
  { count, limits, root = ROOT }: { count: number; limits: Partial<Limits>; root?: string },
): Promise<ApiProcess[]> {
  const secretKeys = config.secretKeys.map(({ id, key }) => ({
    id,
    key: Buffer.from(key).toString('base64'),
  }));
  const settings = { databaseUrl: test.url, config: { ...config, secretKeys }, limits };
  const main = join(root, 'test/support/http/api-process.ts');
  return Promise.all(Array.from({ length: count }, () => start(main, settings)));
}

async function start(main: string, settings: ApiProcessSettings): Promise<ApiProcess> {
  const child: ChildProcess = fork(main, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send(settings);
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    pid: child.pid!,
    request: (path, init) => fetchPlain(new URL(path, url), init),
    browser: () => createBrowser(url, settings.config.baseUrl),
    async close() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
