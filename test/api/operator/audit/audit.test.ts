import test from 'ava';
import { recordAudit, type AuditEntry } from '../../../../domain/audit/audit.repository.ts';
import { foundTeam } from '../../../../domain/teams/team.repository.ts';
import { startPeople } from '../../../support/identity/people.ts';
import { addProduct } from '../../../support/catalog/scene.ts';
import { createSales } from '../../../support/purchases/sales.ts';
import { createSubscriptions } from '../../../support/subscriptions/subscriptions.ts';
import { ROUTES } from '../../../../api/routes.ts';

const people = await startPeople();
const { api } = people;
const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
const builder = await people.signedIn(await api.seed.person({ isBuilder: true }));
const teamOwner = await people.signedIn(await api.seed.person({ isBuilder: true }));
const somebody = await people.signedIn();
await api.seed.product({ owner: builder.person });
await api.database.transaction((em) =>
  foundTeam(em, { name: 'Band', ownerId: teamOwner.person.id }),
);
test.after.always(() => api.close());

const record = (entry: Partial<AuditEntry> = {}) =>
  api.database.transaction((em) =>
    recordAudit(em, {
      by: { personId: null, ip: null },
      action: 'client.created',
      subject: crypto.randomUUID(),
      ...entry,
    }),
  );

/** An action that nobody does. */
const named = (action: string) => action as AuditEntry['action'];

const show = async (query = '') => (await operator.browser.get(`/operator/audit${query}`)).text();

/** The subjects of our own rows, in the order shown. */
const subjects = (page: string) =>
  [...page.matchAll(/>\s*(s_[\w]+)\s*</g)].map(([, subject]) => subject);

test('every row is shown once, the newest first, however many pages there are', async (t) => {
  const { id } = await api.seed.person();
  const names = Array.from({ length: 120 }, (_, n) => `s_${n}`);
  for (const subject of names) await record({ by: { personId: id, ip: null }, subject });
  const found: (string | undefined)[] = [];
  let path: string | undefined = `?person=${id}`;
  for (let pages = 0; path; pages += 1) {
    t.true(pages < 4);
    const page: string = await show(path);
    found.push(...subjects(page));
    await record({ by: { personId: id, ip: null }, subject: `late_${pages}` });
    path = /href="\/operator\/audit(\?[^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
  }
  t.deepEqual(found, names.toReversed());
});

test('it is filtered by action, person, product and team, and by all of them at once', async (t) => {
  const { id: personId, handle } = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product();
  const founded = await api.database.transaction((em) =>
    foundTeam(em, { name: 'Trio', ownerId: personId }),
  );
  const teamId = 'teamId' in founded ? founded.teamId : '';
  const by = { personId, ip: '192.0.2.7' };
  await record({ by, subject: 's_person' });
  await record({ subject: personId, action: 'builder.verified' });
  await record({ subject: 's_product', productId: product.id });
  await record({ subject: 's_team', teamId, action: 'team.renamed' });
  await record({ by, subject: 's_all', teamId, productId: product.id, action: 'team.renamed' });
  t.deepEqual(subjects(await show(`?person=${handle}`)), ['s_all', 's_person']);
  t.regex(await show(`?person=${handle}`), /builder\.verified/, 'what was done to them as well');
  t.deepEqual(subjects(await show(`?product=${product.slug}`)), ['s_all', 's_product']);
  t.deepEqual(subjects(await show(`?product=${product.id}`)), ['s_all', 's_product']);
  t.deepEqual(subjects(await show(`?team=${teamId}`)), ['s_all', 's_team']);
  t.deepEqual(subjects(await show(`?team=${teamId}&action=team.`)), ['s_all', 's_team']);
  t.deepEqual(subjects(await show(`?team=${teamId}&action=client.`)), []);
  const all = `?team=${teamId}&product=${product.slug}&person=${personId}&action=team.re`;
  const page = await show(all);
  t.deepEqual(subjects(page), ['s_all']);
  for (const part of [handle, 'Trio', product.name, '192.0.2.7', 'value="team.re"']) {
    t.true(page.includes(part), part);
  }
});

test('the dot and the underscore of an action stand for themselves', async (t) => {
  await record({ subject: 's_dot', action: named('a_b.done') });
  await record({ subject: 's_letter', action: named('axb.done') });
  t.deepEqual(subjects(await show('?action=a_')), ['s_dot']);
  t.deepEqual(subjects(await show('?action=axb.')), ['s_letter']);
});

test('what was done at the command line says so, and details are shown as text', async (t) => {
  await record({
    subject: 's_line',
    action: named('line.done'),
    detail: { name: '<b>x</b>', to: ['a', 'b'] },
  });
  const page = await show('?action=line.');
  t.true(page.includes('Command line'));
  t.true(page.includes('Name: &lt;b&gt;x&lt;/b&gt;') && page.includes('a, b'));
});

test('nobody and nothing of that name: nothing fits', async (t) => {
  for (const query of [
    '?person=nobody_at_all',
    '?product=no-such-thing',
    `?team=${crypto.randomUUID()}`,
  ]) {
    const response = await operator.browser.get(`/operator/audit${query}`);
    t.is(response.status, 200);
    t.regex(await response.text(), /Nothing matches/);
  }
});

const BAD = [
  '?person=%00',
  '?person=a%27',
  '?product=%25',
  '?team=x',
  '?before=x',
  '?action=%25',
  '?action=a.b.c',
  '?person=a&person=b',
  '?before=%00',
];

for (const query of BAD) {
  test(`${query} is a bad request`, async (t) => {
    t.is((await operator.browser.get(`/operator/audit${query}`)).status, 400);
  });
}

const sales = createSales({ testDatabase: api.test, database: api.database });

async function addNamed(kind: 'one_time' | 'monthly' = 'one_time') {
  const order = await addProduct(api.test, { kind });
  const { productId } = order;
  const slug = `p-${productId.slice(-12)}`;
  await api.test.query('insert into product_slug (slug, product_id) values ($1, $2)', [
    slug,
    productId,
  ]);
  return order;
}

test('the page of a person lists their purchases, the latest first, 50 at a time', async (t) => {
  const { id: personId } = await api.seed.person();
  const bought: string[] = [];
  for (let count = 0; count < 51; count += 1) {
    const order = { ...(await addNamed()), personId };
    const { purchaseId } = await (count === 0 ? sales.paidSale(order) : sales.newSale(order));
    bought.push(purchaseId);
  }
  const latestFirst = bought.toSorted().toReversed();
  const path = `/operator/people/${personId}`;
  const read = async (address: string) => {
    const page = await (await operator.browser.get(address)).text();
    const links = page.matchAll(/href="\/console\/products\/[^"]+\/purchases\/(pay_\w+)"/g);
    const next = /href="([^"]+)" rel="next"/.exec(page)?.[1];
    return { page, ids: [...links].map(([, id]) => id), next };
  };
  const { page, ids, next } = await read(path);
  t.deepEqual(ids, latestFirst.slice(0, 50));
  t.regex(page, /19\.00/);
  const rest = await read(next!);
  t.deepEqual(rest.ids, latestFirst.slice(50));
  t.is(rest.next, undefined);
  const [link] = /\/console\/products\/[^"]+\/purchases\/pay_\w+/.exec(page)!;
  t.is((await operator.browser.get(link)).status, 200);
  t.is((await operator.browser.get(`${path}?before=odd`)).status, 200);
});

test('a subscription stands beside the purchase that began it', async (t) => {
  const subscriptions = createSubscriptions({ testDatabase: api.test, database: api.database });
  const order = await addNamed('monthly');
  const { personId, subscriptionId } = await subscriptions.subscribe('monthly', order);
  const page = await (await operator.browser.get(`/operator/people/${personId}`)).text();
  t.regex(page, new RegExp(`data-subscription="${subscriptionId}"\\s*>Active\\.`));
});

test('a person without purchases has none', async (t) => {
  const page = await (await operator.browser.get(`/operator/people/${operator.person.id}`)).text();
  t.regex(page, /<h2>Purchases<\/h2>[^]{0,120}<p class="muted">This person has bought nothing\./);
});

const routes = ROUTES.filter(({ path }) => path === '/operator' || path.startsWith('/operator/'));
const others = { builder, 'team owner': teamOwner, 'signed-in person': somebody };
const filled = (path: string) => path.replaceAll(/:\w+/g, somebody.person.id);

test('there are pages for operators, and each asks for one', (t) => {
  t.true(routes.length >= 8);
  for (const { path, credential } of routes) t.is(credential, 'operator', path);
});

for (const [who, { browser }] of Object.entries(others)) {
  test(`a page that is nowhere does not exist for a ${who} either`, async (t) => {
    t.is((await browser.get('/operator/no-such-page')).status, 404);
  });
}

for (const { method, path } of routes) {
  for (const [who, { browser }] of Object.entries(others)) {
    test(`${method} ${path} does not exist for a ${who}`, async (t) => {
      if (method === 'GET') {
        const response = await browser.get(filled(path));
        t.is(response.status, 404);
        t.regex(await response.text(), /There is nothing behind this gate/);
        return;
      }
      // Before the form's token and what it holds are looked at.
      for (const fields of [{}, { csrf: 'x' }, { action: '\0' }] as Record<string, string>[]) {
        const response = await browser.submit('/', { action: filled(path), fields });
        t.is(response.status, 404);
      }
    });
  }

  if (method !== 'POST') continue;
  test(`${method} ${path} from elsewhere or without its token is refused`, async (t) => {
    const send = (fields = {}, headers = {}) =>
      operator.browser.submit('/', { action: filled(path), fields, headers });
    t.is((await send({ csrf: 'x' })).status, 403);
    t.is((await send({}, { origin: 'https://elsewhere.example' })).status, 403);
    t.is((await send({}, { 'sec-fetch-site': 'cross-site' })).status, 403);
  });
}

test('nobody is signed in: to sign-in and back', async (t) => {
  const browser = api.browser();
  const { location } = Object.fromEntries((await browser.get('/operator/audit')).headers);
  t.is(location, '/sign-in');
  const back = await browser.signIn(operator.person);
  t.is(back.headers.get('location'), '/operator/audit');
});

test('only operators are shown the way', async (t) => {
  t.true((await (await operator.browser.get('/')).text()).includes('href="/operator"'));
  t.false((await (await builder.browser.get('/')).text()).includes('href="/operator"'));
});

test('who is no operator any more is out with the next request', async (t) => {
  const { browser, person } = await people.signedIn(await api.seed.person({ isOperator: true }));
  t.is((await browser.get('/operator')).status, 200);
  await api.test.query('update person set is_operator = false where id = $1', [person.id]);
  t.is((await browser.get('/operator')).status, 404);
});

test('the overview counts and leads on', async (t) => {
  const page = await (await operator.browser.get('/operator')).text();
  t.regex(
    page,
    /<a href="\/operator\/builders\?show=verified"><span class="name">Makers<\/span> <span class="value">\d+<\/span>/,
  );
  for (const path of ['/operator/builders', '/operator/clients', '/operator/audit']) {
    t.true(page.includes(`href="${path}"`), path);
    t.is((await operator.browser.get(path)).status, 200);
  }
});
