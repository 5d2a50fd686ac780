import test from 'ava';
import { recordAudit, type AuditEntry } from '../../../../domain/audit/audit.repository.ts';
import { describeDetail } from '../../../../api/console/teams/audit-detail.ts';
import { teams, whole } from './scene.ts';

const { api } = teams;
const { team, product } = whole;
const { owner, viewer } = team.members;

const record = (entry: Partial<AuditEntry>) =>
  recordAudit(api.database.em(), {
    by: { personId: owner.person.id, ip: '192.0.2.7' },
    action: 'client.created',
    subject: 'x',
    teamId: team.id,
    ...entry,
  });

const read = async (path: string, by = viewer.browser) => (await by.get(path)).text();
const entries = (page: string) => [...page.matchAll(/data-action="([\w.]+)"/g)];
const older = (page: string) => /href="([^"]*before=[^"]*)" rel="next"/.exec(page)?.[1] ?? null;

test.serial('the trail says who, what, on which, when and from where', async (t) => {
  const joined = { action: 'member.role_changed', subject: viewer.person.id } as const;
  await record({ ...joined, detail: { from: 'admin', to: 'viewer' } });
  await record({ action: 'product.received', subject: product.id, productId: product.id });
  await record({ action: 'team.renamed', subject: team.id, by: { personId: null, ip: null } });
  const page = await read(`${team.path}/audit`, owner.browser);
  const row = new RegExp(
    `<time[\\s\\S]*${owner.person.handle}[\\s\\S]*Changed a role[\\s\\S]*admin \u2192 viewer[\\s\\S]*` +
      `${viewer.person.handle}[\\s\\S]*192\\.0\\.2\\.7`,
  );
  t.regex(page, row);
  t.true(page.includes(product.name) && page.includes('Command line'));
  t.false(page.includes(viewer.person.id), 'people are named');
});

test.serial('the trail is read to its end by keyset, also while rows are added', async (t) => {
  for (let n = 0; n < 117; n += 1) await record({ subject: `client-${n}` });
  const seen: string[] = [];
  let path: string | null = `${team.path}/audit`;
  let pages = 0;
  while (path !== null) {
    const page: string = await read(path);
    seen.push(...[...page.matchAll(/client-\d+/g)].map(([subject]) => subject));
    await record({ subject: 'added meanwhile' });
    path = older(page);
    pages += 1;
  }
  t.is(pages, 3);
  t.deepEqual(
    seen,
    Array.from({ length: 117 }, (_, n) => `client-${116 - n}`),
  );
});

test.serial("nobody sees another team's rows", async (t) => {
  const other = await teams.team(['viewer']);
  await record({ teamId: other.id, subject: 'of-the-other-team' });
  await record({ teamId: null, subject: 'of-nobody' });
  const page = await read(`${team.path}/audit`);
  t.false(page.includes('of-the-other-team') || page.includes('of-nobody'));
  t.is((await other.members.viewer.browser.get(`${team.path}/audit`)).status, 404);
  const theirs = await read(`${other.path}/audit`, other.members.viewer.browser);
  t.deepEqual(entries(theirs).length, 1);
  t.regex(theirs, /of-the-other-team/);
});

test.serial("a product's trail begins anew with each owner", async (t) => {
  const { person, browser } = await teams.signedIn();
  const own = await api.seed.product({ owner: person });
  await record({ teamId: null, productId: own.id, subject: 'before-the-team' });
  const path = `/console/products/${own.slug}/audit`;
  t.regex(await read(path, browser), /before-the-team/);
  await api.test.query('insert into team_member values ($1, $2, $3)', [
    team.id,
    person.id,
    'admin',
  ]);
  await browser.submit('/console/roles', {
    action: `/console/products/${own.slug}/transfer`,
    fields: { team: team.id },
  });
  await record({ productId: own.id, subject: 'in-the-team' });
  const page = await read(path);
  t.false(page.includes('before-the-team'));
  t.deepEqual(
    entries(page).map(([, action]) => action),
    ['client.created', 'product.received'],
  );
  const [row] = await api.test.query(
    `select 1 from audit where product_id = $1 and action = 'product.handed_over' and team_id is null`,
    [own.id],
  );
  t.truthy(row, 'the side that it left');
});

test.serial(
  'a place in the list that is none is refused, an unknown one shows nothing',
  async (t) => {
    t.is((await viewer.browser.get(`${team.path}/audit?before=x`)).status, 400);
    const nowhere = `${team.path}/audit?before=0192f0c1-2b3c-7d4e-8f50-617283940a1b`;
    t.is(entries(await read(nowhere)).length, 0);
  },
);

const CASES: [string, Record<string, unknown>, string[]][] = [
  ['a change', { from: 'admin', to: 'viewer' }, ['Change: admin \u2192 viewer']],
  ['a state before', { from: 'draft' }, ['Before: draft']],
  ['a list', { events: ['a.b', 'c.d'] }, ['Events: a.b, c.d']],
  ['an amount of the subject currency', { amount_minor: 400 }, ['Amount: 4.00 USD']],
  ['no amount before', { before_minor: null }, ['Before: –']],
  [
    'an amount with its currency',
    { amountMinor: 400, currency: 'JPY', reason: 'duplicate' },
    ['Amount: 400 JPY', 'Reason: duplicate'],
  ],
  ['a person', { personId: 'x' }, ['Person: ada']],
  ['words', { windowDays: 3, is_first: true }, ['Window days: 3', 'Is first: Yes']],
];

for (const [title, detail, facts] of CASES) {
  test(`the trail says ${title} in words`, (t) => {
    const detailPerson = { id: 'x', handle: 'ada' };
    const found = describeDetail({ detail, detailPerson, subject: 'USD' });
    t.deepEqual(
      found.map(({ name, text }) => `${name}: ${text}`),
      facts,
    );
  });
}
