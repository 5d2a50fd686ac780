import test from 'ava';
import { addRelease } from '../../../../domain/catalog/releases/release.command.ts';
import {
  insertRelease,
  keepLatestReleases,
  listReleases,
} from '../../../../domain/catalog/releases/release.repository.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { arrivalOf, noticeOf } from '../../../support/http/arrival.ts';
import { createMaker, teams } from './scene.ts';

const { api } = teams;

type Browser = ReturnType<typeof api.browser>;
type Slug = { slug: string };

const pathOf = ({ slug }: Slug) => `/console/products/${slug}/releases`;
const add = (by: Browser, product: Slug, fields: Record<string, string>) =>
  by.submit('/console/roles', {
    action: pathOf(product),
    fields: { version: '1.0', published_on: '', notes: '', ...fields },
  });
const versionsOf = async ({ id }: { id: string }) =>
  (await listReleases(api.database.em(), { productId: id })).map(({ version }) => version);

test('a release is added and removed, each in the trail, with its notes as Markdown', async (t) => {
  const { browser, product } = await createMaker();
  const fields = { version: ' 3.4 ', published_on: '2026-11-19', notes: '**Swell** <b>' };
  t.is(arrivalOf(await add(browser, product, fields)), `${pathOf(product)} release_added`);
  const page = await (await browser.get(pathOf(product))).text();
  t.regex(page, /<strong>3\.4<\/strong>/);
  t.regex(page, /19 Nov 2026/);
  t.true(page.includes('<p><strong>Swell</strong> &lt;b&gt;</p>'));
  const [release] = await listReleases(api.database.em(), { productId: product.id });
  const remove = () =>
    browser.submit('/console/roles', { action: `${pathOf(product)}/${release!.id}/remove` });
  t.is(noticeOf(await remove()), 'release_removed');
  t.is(noticeOf(await remove()), 'unchanged');
  t.deepEqual(await versionsOf(product), []);
  const trail = await api.test.query<{ action: string; detail: object }>(
    'select action, detail from audit where product_id = $1 order by at, id',
    [product.id],
  );
  t.deepEqual(trail, [
    { action: 'release.added', detail: { version: '3.4' } },
    { action: 'release.removed', detail: { version: '3.4' } },
  ]);
});

test('a release of another product is not removed', async (t) => {
  const { browser, product } = await createMaker();
  const other = await createMaker();
  await add(other.browser, other.product, {});
  const [release] = await listReleases(api.database.em(), { productId: other.product.id });
  const action = `${pathOf(product)}/${release!.id}/remove`;
  t.is(noticeOf(await browser.submit('/console/roles', { action })), 'unchanged');
  t.deepEqual(await versionsOf(other.product), ['1.0']);
});

test('what is wrong with a release stands at its field, and what was typed stays', async (t) => {
  const { browser, product } = await createMaker();
  await add(browser, product, {});
  const refused: [Record<string, string>, RegExp][] = [
    [{}, /id="version-problem"[^>]*>There is a release of this version/],
    [{ version: ' ' }, /version-problem/],
    [{ version: 'x'.repeat(41) }, /version-problem/],
    [{ version: '2', published_on: '2026-02-30' }, /published_on-problem/],
    [{ version: '2', notes: 'x'.repeat(4_001) }, /notes-problem/],
  ];
  for (const [fields, problem] of refused) {
    const response = await add(browser, product, { notes: 'Kept & typed', ...fields });
    t.is(response.status, 422);
    const page = await response.text();
    t.regex(page, problem);
    if (fields['notes'] === undefined) t.true(page.includes('>\nKept &amp; typed</textarea>'));
  }
  t.deepEqual(await versionsOf(product), ['1.0']);
});

test('of two people who add one version at once, one does', async (t) => {
  const { browser, product } = await createMaker();
  const answers = await Promise.all([add(browser, product, {}), add(browser, product, {})]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

test('the latest release stands first, and those without a day follow', async (t) => {
  const { person, product } = await createMaker();
  const by = { personId: person.id, ip: null };
  for (const [version, day] of [
    ['undated', null],
    ['old', '2026-01-01'],
    ['new', '2026-02-01'],
  ] as const) {
    const publishedAt = day === null ? null : new Date(day);
    const release = { productId: product.id, teamId: null, by, version, publishedAt, notes: null };
    await addRelease(api.database.em(), release);
  }
  t.deepEqual(await versionsOf(product), ['new', 'old', 'undated']);
});

test('50 releases that people wrote are kept, and an import keeps its last 5', async (t) => {
  const { browser, product } = await createMaker();
  const em = api.database.em();
  const productId = product.id;
  const insert = (source: 'hand' | 'import', version: string, day: number) => {
    const publishedAt = new Date(Date.UTC(2026, 0, day));
    const text = { version, publishedAt, notes: null, notesHtml: null };
    return insertRelease(em, { productId, source, text });
  };
  for (let day = 1; day <= 50; day += 1) await insert('hand', `h${day}`, day);
  for (let day = 1; day <= 7; day += 1) await insert('import', `i${day}`, day);
  await keepLatestReleases(em, { productId, source: 'import' });
  await add(browser, product, { version: 'h51', published_on: '2026-12-01' });
  const kept = await versionsOf(product);
  t.is(kept.filter((version) => version.startsWith('h')).length, 50);
  t.true(kept.includes('h51') && kept.includes('h2') && !kept.includes('h1'));
  t.deepEqual(
    kept.filter((version) => version.startsWith('i')),
    ['i7', 'i6', 'i5', 'i4', 'i3'],
  );
  const trail = await api.test.query(
    `select detail from audit where product_id = $1 and action = 'release.added'`,
    [productId],
  );
  t.deepEqual(trail, [{ detail: { version: 'h51', replaced: ['h1'] } }]);
});

test('a release that is older than the 50 that are kept is refused, and none goes', async (t) => {
  const { browser, product } = await createMaker();
  const productId = product.id;
  for (let day = 1; day <= 50; day += 1) {
    const publishedAt = new Date(Date.UTC(2026, 0, day));
    const text = { version: `h${day}`, publishedAt, notes: null, notesHtml: null };
    await insertRelease(api.database.em(), { productId, source: 'hand', text });
  }
  const before = await versionsOf(product);
  for (const published_on of ['2025-12-31', '']) {
    const refused = await add(browser, product, { version: 'h0', published_on });
    t.is(refused.status, 422);
    t.regex(await refused.text(), /id="version-problem"[^>]*>[^<]*Remove h1 first/);
  }
  t.deepEqual(await versionsOf(product), before);
  t.deepEqual(
    await api.test.query(`select from audit where product_id = $1 and action like 'release.%'`, [
      productId,
    ]),
    [],
  );
});

test('a release of a product that was removed meanwhile is not added', async (t) => {
  const { browser, product } = await createMaker();
  await api.test.query(`update product set state = 'removed' where id = $1`, [product.id]);
  t.is((await add(browser, product, {})).status, 404);
  const release = { version: '1', publishedAt: null, notes: null };
  const by = { personId: product.ownerPersonId, ip: null };
  const change = { productId: product.id, teamId: null, by };
  t.deepEqual(await addRelease(api.database.em(), { ...change, ...release }), {
    refused: 'removed',
  });
  t.is(
    (await browser.submit('/console/roles', { action: `${pathOf(product)}/${newUuid()}/remove` }))
      .status,
    404,
  );
});
