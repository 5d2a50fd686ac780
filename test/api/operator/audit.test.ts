import test from 'ava';
import { recordAudit, type AuditEntry } from '../../../domain/audit/audit.repository.ts';
import { foundTeam } from '../../../domain/teams/team.repository.ts';
import { startPeople } from '../../support/identity/people.ts';

const people = await startPeople();
const { api } = people;
const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
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
    t.regex(await response.text(), /No matching entries/);
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
