import test from 'ava';
import { teams } from './scene.ts';

const { api } = teams;

const LISTING = {
  version: '1',
  name: 'Tide',
  tagline: 'The sea.',
  delivery: 'entitlement_api',
  website_url: 'https://tide.example/app',
  category: 'developer-tools',
  description: `High **water**. ![chart](https://tide.example/c.png) ${'x'.repeat(100)}`,
  tags: 'tide-table',
  docs_url: 'https://docs.tide.example/',
  support_address: 'help+100%&sales@tide.example',
};

test('a draft has a preview for its team: description, facts, links and the latest 5 releases', async (t) => {
  const { browser, person } = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const product = await api.seed.product({ owner: person, state: 'draft' });
  const path = `/console/products/${product.slug}`;
  const fields = { ...LISTING, platforms: ['web', 'cli'] };
  await browser.submit('/console/roles', { action: `${path}/listing`, fields });
  for (let number = 1; number <= 6; number += 1) {
    await browser.submit('/console/roles', {
      action: `${path}/releases`,
      fields: { version: `1.${number}`, published_on: `2026-01-0${number}`, notes: '*Swell*' },
    });
  }
  t.regex(await (await browser.get(`${path}/listing`)).text(), /href="\/p\/[^"]+"[^>]*>\s*Preview/);
  const page = await (await browser.get(`/p/${product.slug}`)).text();
  t.true(page.includes('<p>High <strong>water</strong>. chart x'));
  for (const [path, text] of [
    ['?category=developer-tools', 'Developer tools'],
    ['?platform=web', 'Web'],
    ['?platform=cli', 'Command line'],
    ['?q=tide-table', 'tide-table'],
  ]) {
    t.true(page.includes(`<a href="/search${path}">${text}</a>`), text);
  }
  t.regex(page, /<a href="https:\/\/docs\.tide\.example\/"\s+rel="nofollow noopener ugc"/);
  t.regex(page, /<a href="mailto:help%2B100%25%26sales@tide\.example"/);
  const shown = [...page.matchAll(/<strong>(1\.\d)<\/strong>\s*<time/g)].map(
    ([, version]) => version,
  );
  t.deepEqual(shown, ['1.6', '1.5', '1.4', '1.3', '1.2']);
  t.is(page.split('<p><em>Swell</em></p>').length, 6);
  t.is((await api.request(`/p/${product.slug}`)).status, 404, 'nobody else sees it');
});
