import test from 'ava';
import { loadListing } from '../../../../domain/catalog/listing.repository.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { pictureFile } from '../../../support/http/picture-file.ts';
import { createMaker, teams } from './scene.ts';

const { api } = teams;

type Browser = ReturnType<typeof api.browser>;

const pathOf = (slug: string) => `/console/products/${slug}/listing`;

async function versionOf(slug: string): Promise<string> {
  const found = await api.test.query<{ version: number }>(
    'select version from listing join product_slug using (product_id) where slug = $1',
    [slug],
  );
  return String(found[0]?.version ?? 0);
}

const FORM = { name: 'New', tagline: 'Newer.', delivery: 'entitlement_api' };

const save = async (by: Browser, slug: string, fields: Record<string, string>) =>
  by.submit('/console/roles', {
    action: pathOf(slug),
    fields: { ...FORM, version: await versionOf(slug), ...fields },
  });
const trailOf = (productId: string) =>
  api.test.query<{ action: string; detail: object }>(
    'select action, detail from audit where product_id = $1 order by at, id',
    [productId],
  );

test('the name and tagline of a product are changed, and the trail tells what is new', async (t) => {
  const { browser, product } = await createMaker();
  const response = await save(browser, product.slug, { name: ' Renamed  thing ' });
  t.is(arrivalOf(response), `${pathOf(product.slug)} saved`);
  const page = await (await browser.get(pathOf(product.slug))).text();
  t.true(page.includes('value="Renamed thing"') && page.includes('value="Newer."'));
  t.regex(await (await api.request(`/p/${product.slug}`)).text(), /Renamed thing/);
  await save(browser, product.slug, { name: 'Renamed thing' });
  t.deepEqual(await trailOf(product.id), [
    { action: 'product.changed', detail: { name: 'Renamed thing', tagline: 'Newer.' } },
  ]);
});

const SITE = { website_url: 'https://synth.example/app?tab=1', sign_in_url: '' };

test('a website is shown in the form, stays when another form leaves it out, and is removed', async (t) => {
  const { browser, product } = await createMaker();
  await save(browser, product.slug, SITE);
  const read = async () => (await browser.get(pathOf(product.slug))).text();
  const shown = /name="website_url"\s+value="https:\/\/synth\.example\/app\?tab=1"/;
  t.regex(await read(), shown);
  await save(browser, product.slug, { name: 'Newest' });
  t.regex(await read(), shown);
  await save(browser, product.slug, { name: 'Newest', website_url: ' ' });
  t.regex(await read(), /name="website_url"\s+value=""/);
  t.deepEqual(
    (await trailOf(product.id)).map(({ detail }) => detail),
    [
      { name: 'New', tagline: 'Newer.', websiteUrl: SITE.website_url },
      { name: 'Newest' },
      { websiteUrl: null },
    ],
  );
});

test('the start of sign-in is asked for where people sign in to the product', async (t) => {
  const { browser, product } = await createMaker();
  const read = async () => (await browser.get(pathOf(product.slug))).text();
  t.notRegex(await read(), /sign_in_url/);
  await api.seed.client({ product, redirectUris: ['https://synth.example/callback'] });
  t.regex(await read(), /sign_in_url[^]*begins a sign-in with Gatehouse/);
  const sign_in_url = 'https://synth.example/sign-in';
  t.is((await save(browser, product.slug, { ...SITE, sign_in_url })).status, 303);
  t.true((await read()).includes(`value="${sign_in_url}"`));
});

const TERMS = 'Within <b>14</b> days,\nin full.\n\nAfterwards: ask us.';

test('refund terms keep their line breaks, stand at the buy button, and are removed', async (t) => {
  const { browser, person, product } = await createMaker();
  await api.seed.payoutAccount(person, { account: `acct_${product.slug}` });
  const readPage = async () => (await api.request(`/p/${product.slug}`)).text();
  t.notRegex(await readPage(), /Refund terms/);
  const typed = `  ${TERMS.replaceAll('\n', '\r\n')}\r\n`;
  t.is((await save(browser, product.slug, { refund_terms: typed })).status, 303);
  const shown = TERMS.replace('<b>14</b>', '&lt;b&gt;14&lt;/b&gt;');
  const page = await readPage();
  t.true(page.includes(`<p class="typed">${shown}</p>`));
  t.true(page.indexOf('Refund terms') > page.indexOf(`href="/buy/${product.slug}`));
  await save(browser, product.slug, { name: 'Newest' });
  const form = await (await browser.get(pathOf(product.slug))).text();
  t.true(form.includes(`>\n${shown}</textarea>`), 'a form without the field leaves them');
  await save(browser, product.slug, { name: 'Newest', refund_terms: ' \r\n ' });
  t.notRegex(await readPage(), /Refund terms/);
  t.deepEqual(
    (await trailOf(product.id)).map(({ detail }) => detail),
    [
      { name: 'New', tagline: 'Newer.', refundTerms: TERMS },
      { name: 'Newest' },
      { refundTerms: null },
    ],
  );
});

const WHOLE = {
  description: `# Tides\r\n\r\n- high [water](https://tide.example/) ![chart](https://tide.example/c.png)\r\n${'x'.repeat(100)}`,
  category: 'developer-tools',
  tags: 'Tide table, sea',
  docs_url: 'https://tide.example/docs',
  support_url: 'https://tide.example/help',
  source_url: 'https://tide.example/code',
  changelog_url: 'https://tide.example/changes',
  support_address: 'help@tide.example',
  website_url: 'https://tide.example/',
};

test('the whole listing is saved by one form, and the trail names no email address and no long text', async (t) => {
  const { browser, product } = await createMaker({ state: 'draft' });
  const saved = await browser.submit('/console/roles', {
    action: pathOf(product.slug),
    fields: { ...FORM, ...WHOLE, version: '1', platforms: ['web', 'cli'] },
  });
  t.is(arrivalOf(saved), `${pathOf(product.slug)} saved`);
  const listing = await loadListing(api.database.em(), product.id);
  t.like(listing, {
    category: 'developer-tools',
    platforms: ['web', 'cli'],
    tags: ['tide-table', 'sea'],
    docsUrl: WHOLE.docs_url,
    supportUrl: WHOLE.support_url,
    sourceUrl: WHOLE.source_url,
    changelogUrl: WHOLE.changelog_url,
    supportAddress: WHOLE.support_address,
    version: 2,
  });
  const link = '<a href="https://tide.example/" rel="nofollow noopener ugc">water</a>';
  t.true(listing.descriptionHtml!.startsWith(`<h3>Tides</h3>\n<ul>\n<li>high ${link} chart\n`));
  const page = await (await browser.get(pathOf(product.slug))).text();
  t.regex(page, /value="web"\s+checked/);
  t.notRegex(page, /value="ios"\s+checked/);
  t.regex(page, /name="tags"\s+value="tide-table, sea"/);
  t.regex(page, /<option value="developer-tools" selected>/);
  const [entry] = await trailOf(product.id);
  t.like(entry!.detail, {
    description: '184 characters',
    supportAddress: 'an email address',
    platforms: ['web', 'cli'],
  });
});

test('a description of 32 KiB in any script fits into the form', async (t) => {
  const { browser, product } = await createMaker();
  const description = '\u6f6e'.repeat(10_922);
  t.is((await save(browser, product.slug, { description })).status, 303);
  t.is((await loadListing(api.database.em(), product.id)).description, description);
  const refused = await save(browser, product.slug, { description: `${description}\u6f6e` });
  t.is(refused.status, 422);
  t.regex(await refused.text(), /id="description-problem"[^>]*>Use at most 20,000 characters/);
});

test('of two people who save, the second sees both texts, and may save theirs over the other', async (t) => {
  const { browser, product } = await createMaker();
  const version = await versionOf(product.slug);
  const first = { tagline: 'Of the first.', description: 'First text.', version };
  const second = { tagline: 'Of the <second>.', description: 'Second text.', version };
  t.is((await save(browser, product.slug, first)).status, 303);
  const stale = await save(browser, product.slug, second);
  t.is(stale.status, 409);
  const page = await stale.text();
  for (const text of ['Of the first.', 'Of the &lt;second&gt;.', 'First text.', 'Second text.']) {
    t.true(page.includes(`<span class="typed">${text}</span>`), text);
  }
  t.true(page.includes('value="Of the &lt;second&gt;."'), 'the form has the text of the second');
  t.like(await loadListing(api.database.em(), product.id), { tagline: 'Of the first.' });
  const [, shown = ''] = /name="version" value="(\d+)"/.exec(page)!;
  t.is((await save(browser, product.slug, { ...second, version: shown })).status, 303);
  t.like(await loadListing(api.database.em(), product.id), {
    tagline: 'Of the <second>.',
    description: 'Second text.',
    version: Number(version) + 2,
  });
});

test('of two forms at once, one is saved and the other sees both texts', async (t) => {
  const { browser, product } = await createMaker();
  const version = await versionOf(product.slug);
  const answers = await Promise.all(
    ['One.', 'Other.'].map((tagline) => save(browser, product.slug, { tagline, version })),
  );
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 409]);
});

test('a form that is sent twice is saved once, and a refused form keeps the version that it has read', async (t) => {
  const { browser, product } = await createMaker();
  const version = await versionOf(product.slug);
  const fields = { tagline: 'Once.', version };
  t.is((await save(browser, product.slug, fields)).status, 303);
  t.is((await save(browser, product.slug, fields)).status, 303);
  t.is(await versionOf(product.slug), String(Number(version) + 1));
  t.is((await trailOf(product.id)).length, 1);
  const refused = await save(browser, product.slug, { name: ' ', version });
  t.is(refused.status, 422);
  t.true((await refused.text()).includes(`name="version" value="${version}"`));
});

test('what is missing for the first listing is a checklist with links', async (t) => {
  const { browser, product } = await createMaker({ state: 'draft' });
  for (const table of ['listing', 'product_image']) {
    await api.test.query(`delete from ${table} where product_id = $1`, [product.id]);
  }
  await api.test.query('update product set website_url = null where id = $1', [product.id]);
  const missing = async () => {
    const page = await (await browser.get(pathOf(product.slug))).text();
    for (const [, place] of page.matchAll(/href="[^"]*\/listing#([\w-]+)"/g)) {
      t.true(page.includes(`id="${place}"`), place);
    }
    return [...page.matchAll(/data-required="(\w+)" data-met="false"/g)].map(([, code]) => code);
  };
  t.deepEqual(await missing(), ['website', 'category', 'description', 'icon', 'support_address']);
  t.is((await save(browser, product.slug, WHOLE)).status, 303);
  t.deepEqual(await missing(), ['icon']);
  const fields = { icon: await pictureFile() };
  await browser.submit('/console/roles', { action: `${pathOf(product.slug)}/icon`, fields });
  t.deepEqual(await missing(), []);
  await api.test.query(`update product set state = 'listed' where id = $1`, [product.id]);
  t.notRegex(await (await browser.get(pathOf(product.slug))).text(), /data-required/);
});

test('refund terms are read by a role that may not change the listing', async (t) => {
  const team = await teams.team(['viewer']);
  const { browser } = team.members.viewer;
  const product = await teams.productOf(team);
  await api.test.query('update product set refund_terms = $1 where id = $2', [TERMS, product.id]);
  const page = await (await browser.get(pathOf(product.slug))).text();
  t.regex(page, /<dt>Refund terms<\/dt>\s*<dd><span class="typed">Within &lt;b&gt;14/);
});

test('refund terms that are refused stand in the form as they were typed, with one sentence', async (t) => {
  const { browser, product } = await createMaker();
  t.is(
    (await save(browser, product.slug, { refund_terms: '\u{1f600}'.repeat(2_000) })).status,
    303,
  );
  const before = await trailOf(product.id);
  const refused = [
    ['x'.repeat(2_001), 'Use at most 2,000 characters.'],
    ['All of it\u0007 back', 'Leave out characters that can&#39;t be shown.'],
    ['All of it\0 back', 'Leave out characters that can&#39;t be shown.'],
  ];
  for (const [typed = '', sentence = ''] of refused) {
    const response = await save(browser, product.slug, { refund_terms: typed });
    t.is(response.status, 422);
    const page = await response.text();
    t.true(page.includes(`>\n${typed}</textarea>`));
    t.is(page.split(sentence).length, 2, sentence);
  }
  t.deepEqual(await trailOf(product.id), before);
});

const REFUSED: [string, Record<string, string>, RegExp][] = [
  ['no name', { name: ' ' }, /name-problem/],
  ['a name of 81 characters', { name: 'x'.repeat(81) }, /name-problem/],
  ['a tagline of 141 characters', { tagline: 'x'.repeat(141) }, /tagline-problem/],
  ['a website without TLS', { website_url: 'http://synth.example' }, /website_url-problem/],
  ['a website that is a script', { website_url: 'javascript:alert(1)' }, /website_url-problem/],
  ['a website that is none', { website_url: 'synth.example' }, /website_url-problem/],
  ['the platform as the website', { website_url: api.config.baseUrl }, /website_url-problem/],
  [
    'a website of 3,000 characters',
    { website_url: `https://synth.example/${'x'.repeat(3_000)}` },
    /website_url-problem/,
  ],
  ['a description with a control character', { description: 'a\u0007b' }, /description-problem/],
  ['13 tags', { tags: 'abcdefghijklm'.split('').join('1,') + '1' }, /tags-problem/],
  ['a tag of one character', { tags: 'a' }, /tags-problem/],
  ['documentation without TLS', { docs_url: 'http://a.example' }, /docs_url-problem/],
  ['help pages that are a script', { support_url: 'javascript:x' }, /support_url-problem/],
  ['source code at the platform', { source_url: api.config.baseUrl }, /source_url-problem/],
  ['a changelog that is none', { changelog_url: 'changes' }, /changelog_url-problem/],
  ['a support address that is none', { support_address: 'help@a' }, /support_address-problem/],
  ['a delivery that cannot be changed any more', { delivery: 'affiliate' }, /delivery-problem/],
];

for (const [title, fields, expected] of REFUSED) {
  test(`${title}: refused in place, and nothing is written`, async (t) => {
    const { browser, product } = await createMaker();
    const response = await save(browser, product.slug, fields);
    t.is(response.status, 422);
    t.regex(await response.text(), expected);
    t.deepEqual(await trailOf(product.id), []);
  });
}

test('the delivery of a draft is changed while nothing is built on it', async (t) => {
  const { browser, person } = await createMaker();
  await browser.submit('/console/new-product', {
    action: '/console/new-product',
    fields: { name: 'Draft', slug: 'fresh-draft', tagline: 'T.', owner: 'me' },
  });
  t.is((await save(browser, 'fresh-draft', { delivery: 'affiliate' })).status, 303);
  t.is((await save(browser, 'fresh-draft', { delivery: 'entitlement_api' })).status, 303);
  const keyed = await api.seed.product({ owner: person, state: 'draft' });
  t.is((await save(browser, keyed.slug, { delivery: 'affiliate' })).status, 422);
  t.is((await save(browser, keyed.slug, { delivery: 'nonsense' })).status, 400);
});
