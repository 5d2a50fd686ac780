import test from 'ava';
import {
  findImport,
  moveImport,
} from '../../../../domain/catalog/imports/listing-import.repository.ts';
import { loadListing } from '../../../../domain/catalog/listing.repository.ts';
import { addQueuedImport, NO_FINDINGS, REPOSITORY } from '../../../support/catalog/imports.ts';
import { createMaker, teams } from './scene.ts';

const { api } = teams;

type Maker = Awaited<ReturnType<typeof createMaker>>;

const importsOf = ({ product }: Pick<Maker, 'product'>) =>
  `/console/products/${product.slug}/imports`;
const post = ({ browser }: Maker, action: string, fields: Record<string, string>) =>
  browser.submit('/console/roles', { action, fields });

/** An import that found a name and two products of a repository. */
async function find(maker: Maker) {
  const em = api.database.em();
  const id = await addQueuedImport(api.database, maker.product.id);
  const groups = ['app@', 'cli/'].map((prefix) => ({
    prefix,
    releases: [{ version: `1.0.0`, publishedAt: null, notes: `Of ${prefix}` }],
  }));
  const findings = { ...NO_FINDINGS, texts: { name: 'Found', tagline: 'Found <b>.' }, groups };
  await moveImport(em, id, { to: 'fetching' });
  await moveImport(em, id, { to: 'ready', findings });
  return { id, path: `${importsOf(maker)}/${id}` };
}

test('an import is asked for, and its page refreshes itself without script', async (t) => {
  const maker = await createMaker();
  for (const [kind, address] of [
    ['page', 'http://paper.example/'],
    ['repository', REPOSITORY],
  ] as const) {
    const asked = await post(maker, importsOf(maker), { kind, address: ` ${address} ` });
    t.is(asked.status, 303);
    const path = new URL(asked.headers.get('location')!, api.url).pathname;
    const shown = await maker.browser.get(path);
    t.is(shown.status, 200);
    t.regex(shown.headers.get('refresh')!, /^2; url=/);
    const sent = await api.test.query(
      `select workflow_type, input from outbox where workflow_id = 'import:' || $1`,
      [path.split('/').at(-1)],
    );
    t.deepEqual(sent, [
      { workflow_type: 'listingImport', input: { importId: path.split('/').at(-1) } },
    ]);
  }
});

test('what is no address of a page or a repository is refused at its field, and changes nothing', async (t) => {
  const maker = await createMaker();
  const refused: [string, string, RegExp][] = [
    ['page', 'paper.example', /full address/],
    ['page', 'ftp://paper.example/', /full address/],
    ['page', `https://paper.example/${'x'.repeat(2_048)}`, /too long/],
    ['repository', 'https://paper.example/maker/paper', /address of a repository/],
  ];
  for (const [kind, address, problem] of refused) {
    const answer = await post(maker, importsOf(maker), { kind, address });
    t.is(answer.status, 422, address);
    t.regex(await answer.text(), problem);
  }
  const rows = await api.test.query('select from listing_import where product_id = $1', [
    maker.product.id,
  ]);
  t.is(rows.length, 0);
});

test('the eleventh import of an hour is refused, and says when to come back', async (t) => {
  const maker = await createMaker();
  const once = () => post(maker, importsOf(maker), { kind: 'page', address: 'https://a.example' });
  for (let n = 0; n < 10; n += 1) t.is((await once()).status, 303);
  const answer = await once();
  t.is(answer.status, 422);
  t.regex(await answer.text(), /at most 10 imports an hour/);
});

test('what was found stands beside what is there, and only what is ticked is taken', async (t) => {
  const maker = await createMaker();
  const { id, path } = await find(maker);
  const page = await (await maker.browser.get(path)).text();
  t.true(page.includes('Found &lt;b&gt;.'));
  t.regex(page, /<option value="cli\/"/);
  const version = /name="version" value="(\d+)"/.exec(page)![1]!;
  t.is((await post(maker, `${path}/apply`, { version })).status, 422, 'nothing is ticked');
  const fields = { version, take: 'releases', prefix: 'cli/' };
  t.is((await post(maker, `${path}/apply`, fields)).status, 303);
  t.like(await findImport(api.database.em(), id), { state: 'applied' });
  const releases = await api.test.query('select notes from release where product_id = $1', [
    maker.product.id,
  ]);
  t.deepEqual(releases, [{ notes: 'Of cli/' }]);
  t.not((await loadListing(api.database.em(), maker.product.id)).name, 'Found');
  t.is((await post(maker, `${path}/apply`, fields)).status, 303, 'it was applied already');
});

test('two people save: the second sees both texts, and nothing is taken', async (t) => {
  const maker = await createMaker();
  const { id, path } = await find(maker);
  await api.test.query(
    `with other as (insert into listing (product_id, version) values ($1, 1)
       on conflict (product_id) do update set version = listing.version + 1)
     update product set tagline = 'Written meanwhile.' where id = $1`,
    [maker.product.id],
  );
  const answer = await post(maker, `${path}/apply`, { version: '0', take: 'tagline' });
  t.is(answer.status, 409);
  const page = await answer.text();
  t.regex(page, /Someone else saved this listing/);
  t.true(page.includes('Written meanwhile.') && page.includes('Found &lt;b&gt;.'));
  t.like(await findImport(api.database.em(), id), { state: 'ready' });
});

test('an import of another product, or of one that was removed, is not shown', async (t) => {
  const [maker, other] = [await createMaker(), await createMaker()];
  const { id, path } = await find(maker);
  t.is((await other.browser.get(`${importsOf(other)}/${id}`)).status, 404);
  t.is((await other.browser.get(path)).status, 404);
  t.is((await maker.browser.get(`${importsOf(maker)}/nothing`)).status, 404);
  await api.test.query(`update product set state = 'removed' where id = $1`, [maker.product.id]);
  t.is((await maker.browser.get(path)).status, 404);
});
