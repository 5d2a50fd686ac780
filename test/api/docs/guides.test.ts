import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SHELVES } from '../../../api/docs/render-guide.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
test.after.always(() => api.close());

const GUIDES = SHELVES.flatMap(([, guides]) => guides);
const read = async (path: string) => (await api.request(path)).text();

test('every guide of docs/ is on a shelf of the list', async (t) => {
  const files = readdirSync(join(import.meta.dirname, '../../../docs'));
  const names = files.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3));
  t.deepEqual(GUIDES.toSorted(), names.toSorted());
  const page = await read('/docs');
  for (const name of GUIDES) t.true(page.includes(`href="/docs/${name}"`), name);
  t.true(page.includes('href="/docs/reference"'));
});

for (const name of GUIDES) {
  test(`/docs/${name} is a page, and its links lead somewhere`, async (t) => {
    const response = await api.request(`/docs/${name}`);
    t.is(response.status, 200);
    const page = await response.text();
    t.regex(page, /<h1 id="[^"]+">/);
    t.notRegex(page, /<script|style="/);
    const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);
    for (const href of new Set(links)) {
      if (/^https?:/.test(href)) continue;
      const [path = '', fragment] = href.split('#');
      t.regex(href, /^[/#]/, href);
      const target = path === '' ? page : await read(path);
      if (path !== '') t.is((await api.request(path)).status, 200, href);
      if (fragment) t.true(target.includes(`id="${fragment}"`), href);
    }
  });
}

test('other names are 404, and no file beside the guides is shown', async (t) => {
  for (const name of [
    'nothing',
    'access.md',
    'README',
    '..%2FREADME',
    'decisions',
    'constructor',
  ]) {
    t.is((await api.request(`/docs/${name}`)).status, 404, name);
  }
});

test('a guide names this installation, whatever port it has', async (t) => {
  for (const name of GUIDES) {
    const page = await read(`/docs/${name}`);
    t.notRegex(page, /localhost:3[01]00/, name);
  }
  for (const name of ['sign-in', 'access']) {
    t.true((await read(`/docs/${name}`)).includes(api.config.baseUrl), name);
  }
  t.true((await read('/docs/simulator')).includes(api.config.processor.apiUrl));
});
