import test from 'ava';
import { fillQuery, SAVED_QUERIES } from '../../../api/operator/workflows/saved-queries.ts';
import { raiseAlert } from '../../../domain/alerts/alert.repository.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { readBlocks } from '../../support/repository/documents.ts';
import { startPeople } from '../../support/identity/people.ts';

const people = await startPeople();
const { api } = people;
const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
test.after.always(() => api.close());

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
  t.regex(page, /<button[^>]*>Retry now<\/button>/);
});
