import test from 'ava';
import { arrivalOf, noticeOf } from '../../support/http/arrival.ts';
import { fillQuery, SAVED_QUERIES } from '../../../api/console/saved-queries.ts';
import { raiseAlert } from '../../../domain/alerts/alert.repository.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { readBlocks } from '../../support/repository/documents.ts';
import { people, operator } from './scene.ts';

const { api } = people;

const PATH = '/operator/products';

const page = async (query = '') => (await operator.browser.get(`${PATH}${query}`)).text();
const change = ({ id }: { id: string }, action: string) =>
  operator.browser.submit('/operator', { action: `${PATH}/${id}`, fields: { action } });
const shown = (text: string) => [...text.matchAll(/<small class="id">([^<]*)</g)].map(([, s]) => s);

test('products are found by how their slug starts and by state', async (t) => {
  for (const slug of ['find-b', 'find-a', 'other-a']) await api.seed.product({ slug });
  await api.seed.product({ slug: 'find-c', state: 'removed' });
  t.deepEqual(shown(await page('?slug=FIND-')), ['find-a', 'find-b', 'find-c']);
  t.deepEqual(shown(await page('?slug=find-&state=removed')), ['find-c']);
  t.deepEqual(shown(await page('?slug=find-&state=draft')), []);
  t.is((await operator.browser.get(`${PATH}?slug=a_b`)).status, 400);
  t.is((await operator.browser.get(`${PATH}?state=nonsense`)).status, 400);
});

test('a list of many is paged, each product once', async (t) => {
  const { id } = await api.seed.person();
  await api.test.query(
    `with made as (
       insert into product (id, owner_person_id, name, tagline)
       select gen_random_uuid(), $1, 'P', '' from generate_series(1, 120) returning id)
     insert into product_slug (slug, product_id)
     select 'paged-' || lpad((row_number() over ())::text, 3, '0'), id from made`,
    [id],
  );
  const seen: (string | undefined)[] = [];
  let query: string | undefined = '?slug=paged-';
  while (query !== undefined) {
    const text: string = await page(query);
    seen.push(...shown(text));
    query = /href="\/operator\/products(\?[^"]*after=[^"]*)"/
      .exec(text)?.[1]
      ?.replaceAll('&amp;', '&');
  }
  t.is(seen.length, 120);
  t.is(new Set(seen).size, 120);
});

test('an operator lists and unlists any product, by its page or by its row', async (t) => {
  const product = await api.seed.product({ state: 'draft' });
  const answer = await change(product, 'list');
  t.is(arrivalOf(answer), `${PATH}?state=all&slug= product_listed`);
  t.is((await api.request(`/p/${product.slug}`)).status, 200);
  t.is(noticeOf(await change(product, 'list')), 'unchanged');
  t.is(noticeOf(await change(product, 'unlist')), 'product_unlisted');
  const trail = await api.test.query(
    'select action, actor_id from audit where product_id = $1 order by at, id',
    [product.id],
  );
  const actor_id = operator.person.id;
  t.deepEqual(trail, [
    { action: 'product.listed', actor_id },
    { action: 'product.unlisted', actor_id },
  ]);
});

test('what an operator unlisted, only an operator lists again', async (t) => {
  const { browser, person } = await people.signedIn(await api.seed.person({ isBuilder: true }));
  const product = await api.seed.product({ owner: person });
  const selling = `/console/products/${product.slug}/selling`;
  const list = (action = 'list') =>
    browser.submit('/console/roles', { action: `${selling}/state`, fields: { action } });
  const stateOf = async () =>
    (await api.test.query('select state from product where id = $1', [product.id]))[0];
  await change(product, 'unlist');
  const refused = await list();
  t.is(refused.status, 422);
  t.regex(await refused.text(), /only an operator can list it again. Write to support@/);
  t.regex(await (await browser.get(selling)).text(), /An operator unlisted this product/);
  t.deepEqual(await stateOf(), { state: 'unlisted' });
  const team = await people.team([]);
  await api.test.query(`insert into team_member values ($1, $2, 'owner')`, [team.id, person.id]);
  const transfer = `/console/products/${product.slug}/transfer`;
  const moved = await browser.submit('/console/roles', {
    action: transfer,
    fields: { team: team.id },
  });
  t.is(moved.status, 303);
  t.is((await list()).status, 422, 'a transfer changes nothing about it');
  t.is((await change(product, 'list')).status, 303);
  t.is(noticeOf(await list('unlist')), 'product_unlisted');
  t.is(noticeOf(await list()), 'product_listed', 'what an owner unlisted, the owner lists');
  await list('unlist');
  t.is(noticeOf(await change(product, 'unlist')), 'product_unlisted', 'an operator keeps it so');
  t.is((await list()).status, 422);
});

test('a product without a price is not listed by an operator either', async (t) => {
  const product = await api.seed.product({ state: 'draft', prices: {} });
  const response = await change(product, 'list');
  t.is(response.status, 422);
  t.regex(await response.text(), /Set a price in an enabled currency/);
});

test('an operator removes a product, after typing its slug', async (t) => {
  const product = await api.seed.product();
  const action = `/console/products/${product.slug}/remove`;
  t.true((await page(`?slug=${product.slug}`)).includes(action));
  const fields = { slug: product.slug };
  const response = await operator.browser.submit('/operator', { action, fields });
  t.is(arrivalOf(response), `${PATH} product_removed`);
  t.is((await api.request(`/p/${product.slug}`)).status, 404);
  t.is((await change(product, 'list')).status, 404);
});

test('an operator sets no price and answers for no sales', async (t) => {
  const product = await api.seed.product();
  const path = `/console/products/${product.slug}`;
  const send = (action: string, fields: Record<string, string>) =>
    operator.browser.submit('/operator', { action: path + action, fields });
  t.is((await send('/prices', { currency: 'USD', amount: '1' })).status, 422);
  t.is((await send('/selling/operator', { action: 'answer' })).status, 403);
  t.is((await send('/selling/payouts', { action: 'connect' })).status, 403);
});

/** The queries that a page links to in Temporal. */
async function linkedOn(path: string, { browser } = operator): Promise<string[]> {
  const page = await (await browser.get(path)).text();
  const links = [...page.matchAll(/href="([^"]+\/namespaces\/[^"]+\/workflows\?query=[^"]+)"/g)];
  return links.map(([, href]) =>
    new URL(href!.replaceAll('&amp;', '&')).searchParams.get('query')!,
  );
}

test('the saved queries are those of the guide for operators', (t) => {
  const queries = SAVED_QUERIES.map(({ query }) => query);
  const documented = readBlocks('docs/operating.md', 'sql').map((query) => query.trim());
  t.deepEqual(documented.toSorted(), queries.toSorted());
});

test("the page of workflows links to each query with today's date", async (t) => {
  const before = new Date();
  const linked = await linkedOn('/operator/workflows');
  const { browser } = operator;
  t.regex(await (await browser.get('/operator/workflows')).text(), /terminated is missing/);
  const platform = SAVED_QUERIES.filter(({ scope }) => scope === 'platform');
  t.is(linked.length, platform.length);
  t.true(linked.every((query) => !/[<][a-z]/.test(query)));
  const today = before.toISOString().slice(0, 10);
  t.true(linked.some((query) => query.includes(`CloseTime >= "${today}T00:00:00Z"`)));
  const [due] = linked.flatMap((query) => /GatehouseDueAt < "([^"]+)"/.exec(query)?.[1] ?? []);
  const agoMs = before.getTime() - Date.parse(due!);
  t.true(agoMs >= 9 * 60_000 && agoMs <= 11 * 60_000, due);
});

test('a stuck query just after midnight asks for yesterday', (t) => {
  const stuck = SAVED_QUERIES.find(({ query }) => query.includes('<hh:mm>'))!;
  const now = new Date('2026-11-26T00:03:00.000Z');
  t.regex(fillQuery(stuck, { now }), /GatehouseDueAt < "2026-11-25T23:53:00Z"$/);
});

test('the pages of an endpoint, of deliveries and of a person link to their own, for operators', async (t) => {
  const person = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({ owner: person });
  const url = 'https://hooks.example/in';
  const { id } = await api.seed.endpoint({ productId: product.id, url });
  const console_ = `/console/products/${product.slug}`;
  const cases = {
    [`${console_}/endpoints/${id}`]: `GatehouseEndpoint = "${id}"`,
    [`${console_}/deliveries`]: `GatehouseProduct = "${product.id}"`,
    [`/operator/people/${person.id}`]: `GatehousePerson = "${person.id}"`,
  };
  const builder = await people.signedIn(person);
  for (const [path, expected] of Object.entries(cases)) {
    const [query = '', ...others] = await linkedOn(path);
    t.true(query.endsWith(expected), `${path}: ${query}`);
    t.deepEqual(others, []);
    t.deepEqual(await linkedOn(path, builder), [], 'Temporal shows everybody');
  }
});

test('from the alert of a stuck delivery to its reason is one click', async (t) => {
  const product = await api.seed.product();
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const rows = createDeliveryRows(api.test);
  const made = { productId: product.id, endpointId, status: 'retrying', step: 2 } as const;
  const deliveryId = await rows.delivery({ ...made, dueInMinutes: -30 });
  await rows.attempt({ deliveryId, step: 1, error: 'timeout' });
  const detail = { overdue: 1, workflow: `delivery:${deliveryId}` };
  await api.database.transaction((em) =>
    raiseAlert(em, { kind: 'work_overdue', subject: 'delivery', detail }),
  );
  const { browser } = operator;
  const alerts = await (await browser.get('/operator/alerts')).text();
  const [, path] = /href="(\/operator\/find\?q=[^"]+)">Open in the console/.exec(alerts)!;
  const { headers } = await browser.get(path!);
  const page = await (await browser.get(headers.get('location')!)).text();
  t.regex(page, /no response within 10 seconds/i);
  t.regex(page, /Workflow in Temporal/);
  t.regex(page, /<button[^>]*>\s*Retry now\s*<\/button>/);
});
