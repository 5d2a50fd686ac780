import test from 'ava';
import { ROLES, type Role } from '../../../../domain/teams/permissions.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { somebody, teams } from './scene.ts';

const { api, roleOf, trailOf } = teams;

type Browser = ReturnType<typeof api.browser>;

const post = (by: Browser, action: string, fields: Record<string, string> = {}) =>
  by.submit('/console/teams', { action, fields });

/** A form on a page that has one, so that its token is there. */
const send = (by: Browser, page: string, action: string, fields: Record<string, string> = {}) =>
  by.submit(page, { action, fields });

test('only a verified builder founds a team, and is its owner', async (t) => {
  const builder = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const made = await post(builder.browser, '/console/teams', { name: ' Tide \n Works ' });
  t.is(made.status, 303);
  const page = await (await builder.browser.get(made.headers.get('location')!)).text();
  t.regex(page, /<h2>Tide Works<\/h2>/);
  const [, id = ''] = /teams\/([\w-]+) team_founded/.exec(arrivalOf(made))!;
  t.is(await roleOf(id, builder.person.id), 'owner');
  t.like((await trailOf(id))[0], { action: 'team.founded', ip: '127.0.0.1' });
  for (const person of [
    await api.seed.person(),
    await api.seed.person({ isBuilder: true, isEmailVerified: false }),
  ]) {
    const other = await teams.signedIn(person);
    t.regex(await (await other.browser.get('/console/teams')).text(), /Only verified makers/);
    t.is((await send(other.browser, '/console', '/console/teams', { name: 'X' })).status, 422);
  }
});

test('a person owns 20 teams at most', async (t) => {
  const { person, browser } = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  await api.test.query(
    `with made as (insert into team (id, name)
       select gen_random_uuid(), 'T' from generate_series(1, 19) returning id)
     insert into team_member select id, $1, 'owner' from made`,
    [person.id],
  );
  const answers = await Promise.all(
    [1, 2].map(() => post(browser, '/console/teams', { name: 'T' })),
  );
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

test('a team has a name of 80 characters at most, changed by those who manage it', async (t) => {
  const { path, id, members } = await teams.team(['admin', 'viewer']);
  const rename = (by: Browser, name: string) => post(by, `${path}/rename`, { name });
  t.is((await rename(members.admin.browser, 'Night Works')).status, 303);
  t.regex(await (await members.viewer.browser.get(path)).text(), /<h2>Night Works<\/h2>/);
  t.like((await trailOf(id))[0], { action: 'team.renamed' });
  for (const name of ['', ' ', 'x'.repeat(81), 'a\u202eb']) {
    const refused = await rename(members.owner.browser, name);
    t.is(refused.status, 422);
    t.regex(await refused.text(), /id="name-problem"/);
  }
});

test('everybody in the team sees its members and what they are', async (t) => {
  const { path, members } = await teams.wholeTeam();
  for (const [role, { browser }] of Object.entries(members)) {
    const page = await (await browser.get(path)).text();
    for (const { person } of Object.values(members)) t.true(page.includes(person.handle));
    t.false(page.includes('@example.com'), 'addresses are nobody else’s');
    t.is(page.includes('New role of'), role === 'owner' || role === 'admin', role);
  }
});

test('the roles page is the table that decides', async (t) => {
  const page = await (await somebody.browser.get('/console/roles')).text();
  t.regex(page, /Delete the team[\s\S]*Owner/);
});

for (const by of ROLES) {
  test(`a role is changed where the table allows it: by ${by}`, async (t) => {
    const { path, id, members } = await teams.wholeTeam();
    const second = await teams.signedIn();
    await api.test.query(`insert into team_member values ($1, $2, 'owner')`, [
      id,
      second.person.id,
    ]);
    const targets = { ...members, owner: second };
    for (const from of ROLES.filter((role) => role !== by || role === 'owner')) {
      const { person } = targets[from];
      const isOwners = from === 'owner' || from === 'finance';
      const mayChange = by === 'owner' || (by === 'admin' && !isOwners);
      const to: Role = from === 'viewer' ? 'developer' : 'viewer';
      const action = `${path}/members/${person.id}`;
      const { status } = await send(members[by].browser, '/console/roles', action, { role: to });
      t.is(status, mayChange ? 303 : 403, from);
      t.is(await roleOf(id, person.id), mayChange ? to : from);
      if (!mayChange) continue;
      t.like((await trailOf(id))[0], { action: 'member.role_changed', subject: person.id });
      t.deepEqual((await trailOf(id))[0]!.detail, { from, to });
    }
  });
}

test('the role that a member has, sent untouched, changes nothing and asks for no proof', async (t) => {
  const { path, id, members } = await teams.team(['developer']);
  const { browser, person: owner } = members.owner;
  const page = await (await browser.get(path)).text();
  await api.test.query(
    `update session set authenticated_at = now() - interval '1 day' where person_id = $1`,
    [owner.id],
  );
  const before = (await trailOf(id)).length;
  for (const { person, role } of [
    { person: owner, role: 'Owner' },
    { person: members.developer.person, role: 'Developer' },
  ]) {
    t.regex(page, new RegExp(`value="unchanged" selected>${role}<`));
    const sent = await post(browser, `${path}/members/${person.id}`, { role: 'unchanged' });
    t.is(arrivalOf(sent), `${path} unchanged`);
  }
  t.is(await roleOf(id, owner.id), 'owner');
  t.is((await trailOf(id)).length, before);
});

test('an admin makes nobody a finance member, and is offered no such role', async (t) => {
  const { path, id, members } = await teams.team(['admin', 'viewer']);
  const { browser, person: admin } = members.admin;
  for (const { id: person } of [admin, members.viewer.person]) {
    const refused = await post(browser, `${path}/members/${person}`, { role: 'finance' });
    t.is(refused.status, 403);
    t.regex(await refused.text(), /Only an owner can change owners and finance members/);
  }
  t.is(await roleOf(id, admin.id), 'admin');
  t.notRegex(await (await browser.get(path)).text(), /value="finance"/);
  t.regex(await (await members.owner.browser.get(path)).text(), /value="finance"/);
});

test('owners are made on a page that asks, and nowhere else', async (t) => {
  const { path, id, members } = await teams.team(['developer']);
  const { browser } = members.owner;
  const developer = members.developer.person;
  const action = `${path}/members/${developer.id}`;
  t.is((await post(browser, action, { role: 'owner' })).status, 400);
  t.regex(await (await browser.get(`${action}/owner`)).text(), /Owners can do everything/);
  t.is(await roleOf(id, developer.id), 'developer');
  const made = await send(browser, `${action}/owner`, `${action}/owner`, { afterwards: 'stay' });
  t.is(made.status, 303);
  t.is(await roleOf(id, developer.id), 'owner');
  t.is(await roleOf(id, members.owner.person.id), 'owner');
});

test('ownership is handed over: the new owner comes, the old one becomes an admin', async (t) => {
  const { path, id, members } = await teams.team(['viewer', 'admin']);
  const action = `${path}/members/${members.viewer.person.id}/owner`;
  t.is((await post(members.admin.browser, action, { afterwards: 'stay' })).status, 403);
  const done = await post(members.owner.browser, action, { afterwards: 'step_down' });
  t.is(done.status, 303);
  t.is(await roleOf(id, members.viewer.person.id), 'owner');
  t.is(await roleOf(id, members.owner.person.id), 'admin');
  t.is((await trailOf(id)).filter((row) => row.action === 'member.role_changed').length, 2);
  const self = `${path}/members/${members.viewer.person.id}/owner`;
  await post(members.viewer.browser, self, { afterwards: 'step_down' });
  t.is(await roleOf(id, members.viewer.person.id), 'owner', 'to oneself changes nothing');
});

test('the last owner neither leaves nor steps down', async (t) => {
  const { path, id, members } = await teams.team(['admin']);
  const { browser, person } = members.owner;
  for (const [action, fields] of [
    [`${path}/leave`, {}],
    [`${path}/members/${person.id}`, { role: 'admin' }],
    [`${path}/members/${person.id}/remove`, {}],
  ] as const) {
    const refused = await post(browser, action, fields);
    t.is(refused.status, 422, action);
    t.regex(await refused.text(), /role="alert"[^>]*>\s*A team needs an owner/);
  }
  t.is(await roleOf(id, person.id), 'owner');
});

test('of two owners who step down or leave at once one stays', async (t) => {
  for (const [action, fields] of [
    ['leave', {}],
    ['step down', { role: 'viewer' }],
  ] as const) {
    const { path, id, members } = await teams.team(['admin']);
    await api.test.query(`update team_member set role = 'owner' where team_id = $1`, [id]);
    const both = [members.owner, members.admin];
    const answers = await Promise.all(
      both.map(({ browser, person }) =>
        post(
          browser,
          action === 'leave' ? `${path}/leave` : `${path}/members/${person.id}`,
          fields,
        ),
      ),
    );
    t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422], action);
    const owners = await Promise.all(both.map(({ person }) => roleOf(id, person.id)));
    t.is(owners.filter((role) => role === 'owner').length, 1);
  }
});

test('whoever leaves or is removed is out at once, after a page that asks', async (t) => {
  const team = await teams.team(['viewer', 'developer', 'admin']);
  const { path, id, members } = team;
  const product = await teams.productOf(team);
  const { viewer, developer, admin } = members;
  t.regex(await (await viewer.browser.get(`${path}/leave`)).text(), /Cancel/);
  t.is((await send(viewer.browser, `${path}/leave`, `${path}/leave`)).status, 303);
  const remove = `${path}/members/${developer.person.id}/remove`;
  t.regex(await (await admin.browser.get(remove)).text(), /loses access/);
  t.is(await roleOf(id, developer.person.id), 'developer');
  t.is((await post(admin.browser, remove)).status, 303);
  for (const { browser, person } of [viewer, developer]) {
    t.is(await roleOf(id, person.id), null);
    t.is((await browser.get(path)).status, 404);
    t.is((await browser.get(`/console/products/${product.slug}`)).status, 404);
  }
  t.deepEqual(
    (await trailOf(id)).map(({ action, subject }) => [action, subject]),
    [
      ['member.removed', developer.person.id],
      ['member.left', viewer.person.id],
    ],
  );
  t.is((await post(admin.browser, remove)).status, 404);
  t.is(
    (await post(admin.browser, `${path}/members/${members.owner.person.id}/remove`)).status,
    403,
  );
});

test('a team is deleted only without products that are not removed', async (t) => {
  const team = await teams.team(['admin']);
  const { path, id, members } = team;
  const { browser } = members.owner;
  const product = await teams.productOf(team);
  t.is((await post(members.admin.browser, `${path}/delete`)).status, 403);
  t.regex(await (await browser.get(`${path}/delete`)).text(), /be undone/);
  const refused = await post(browser, `${path}/delete`);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /still has products/);
  await api.test.query(`update product set state = 'removed' where id = $1`, [product.id]);
  const deleted = await post(browser, `${path}/delete`);
  t.is(arrivalOf(deleted), '/console/teams team_deleted');
  t.is((await browser.get(path)).status, 404);
  t.false((await (await browser.get('/console/teams')).text()).includes(id));
  t.like((await trailOf(id))[0], { action: 'team.deleted' });
});

test('a product that arrives while its team is deleted: one of the two happens', async (t) => {
  const { path, id, members } = await teams.team([]);
  const { browser, person } = members.owner;
  const product = await api.seed.product({ owner: person });
  const [deleted, moved] = await Promise.all([
    post(browser, `${path}/delete`),
    post(browser, `/console/products/${product.slug}/transfer`, { team: id }),
  ]);
  t.is([deleted, moved].filter(({ status }) => status === 303).length, 1);
  const [row] = await api.test.query<{ fine: boolean }>(
    `select (t.deleted_at is null) = (p.owner_team_id is not null) as fine
     from team t, product p where t.id = $1 and p.id = $2`,
    [id, product.id],
  );
  t.true(row!.fine);
});

test('for everybody else, and for nonsense, there is no team', async (t) => {
  const { path, id, members } = await teams.team(['viewer']);
  const stranger = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const operator = await teams.signedIn();
  await api.test.query('update person set is_operator = true where id = $1', [operator.person.id]);
  const member = `${path}/members/${members.viewer.person.id}`;
  for (const { browser } of [stranger, operator]) {
    for (const page of [
      path,
      `${path}/audit`,
      `${path}/leave`,
      `${path}/delete`,
      `${member}/remove`,
    ])
      t.is((await browser.get(page)).status, 404, page);
    for (const action of [`${path}/leave`, `${path}/delete`, `${member}/remove`])
      t.is((await send(browser, '/console', action)).status, 404, action);
  }
  const { browser } = members.owner;
  t.is((await browser.get('/console/teams/nonsense')).status, 404);
  t.is((await browser.get(`${path}/members/nonsense/remove`)).status, 404);
  t.is((await browser.get(`${path}/members/${stranger.person.id}/remove`)).status, 404);
  t.is((await post(browser, member, { role: 'king' })).status, 400);
  t.is((await post(browser, member, { csrf: 'x', role: 'viewer' })).status, 403);
  t.is((await api.request(path)).headers.get('location'), '/sign-in');
  t.is((await trailOf(id)).length, 0);
});
