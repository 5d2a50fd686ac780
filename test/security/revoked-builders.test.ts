import test from 'ava';
import { eventually } from '../support/eventually.ts';
import { isSomebodyWaiting } from '../support/engines/database.ts';
import {
  decideBuilder,
  type BuilderDecision,
} from '../../domain/identity/operators/builder.repository.ts';
import { arrivalOf } from '../support/http/arrival.ts';
import { startTeams } from '../support/identity/teams.ts';

const teams = await startTeams();
const { api, roleOf } = teams;
test.after.always(() => api.close());

type Signed = Awaited<ReturnType<typeof teams.signedIn>>;
type Fields = Record<string, string>;

const decide = ({ person }: Signed, decision: BuilderDecision) =>
  api.database.transaction((em) =>
    decideBuilder(em, { personId: person.id, decision, reason: '' }),
  );
const revoke = (signed: Signed) => decide(signed, 'withdraw');
const post = ({ browser }: Signed, action: string, fields: Fields = {}) =>
  browser.submit('/console/roles', { action, fields });
const buy = async ({ slug }: { slug: string }) =>
  (await api.request(`/buy/${slug}`)).headers.get('location');

/** A team that sells a product, with an admin beside its owner. */
async function sellingTeam() {
  const team = await teams.team(['admin', 'finance', 'viewer']);
  const product = await teams.productOf(team);
  await api.test.query(
    `insert into payout_account (id, team_id, processor_account, can_charge)
     values (gen_random_uuid(), $1, $2, true)`,
    [team.id, `acct_${product.slug}`],
  );
  return { ...team, product };
}

async function owners(team: { id: string }, ...others: Signed[]) {
  for (const { person } of others) {
    await api.test.query(
      `insert into team_member values ($1, $2, 'owner')
       on conflict (team_id, person_id) do update set role = 'owner'`,
      [team.id, person.id],
    );
  }
}

test('a team all of whose owners are revoked does not sell, until one is verified again', async (t) => {
  const team = await sellingTeam();
  const { product, members } = team;
  const other = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  await owners(team, other);
  t.is(await buy(product), '/sign-in');
  await revoke(members.owner);
  t.is(await buy(product), '/sign-in', 'another owner answers for the team');
  await revoke(other);
  t.is(await buy(product), `/p/${product.slug}?reason=no_commercial_operator`);
  await decide(other, 'verify');
  t.is(await buy(product), '/sign-in');
});

test('a team whose owners were never verified sells', async (t) => {
  const team = await sellingTeam();
  await owners(team, team.members.viewer);
  await revoke(team.members.owner);
  t.is((await post(team.members.owner, `${team.path}/leave`)).status, 303);
  await api.test.query('update product set commercial_operator_id = $1 where id = $2', [
    team.members.viewer.person.id,
    team.product.id,
  ]);
  t.is(await buy(team.product), '/sign-in');
});

test('an owner who was never verified is revoked like any other', async (t) => {
  const team = await sellingTeam();
  await owners(team, team.members.viewer);
  await revoke(team.members.owner);
  t.is(await buy(team.product), '/sign-in');
  t.not(await revoke(team.members.viewer), null);
  t.is(await buy(team.product), `/p/${team.product.slug}?reason=no_commercial_operator`);
  t.is(await revoke(team.members.viewer), null, 'once');
});

test('nobody in a suspended team does what sells, and each page says why', async (t) => {
  const team = await sellingTeam();
  const { product, members } = team;
  const { admin, owner, finance } = members;
  await revoke(owner);
  const path = `/console/products/${product.slug}`;
  const person = (await api.seed.person()).handle;
  const attempts: [Signed, string, Fields][] = [
    [admin, `${path}/selling/state`, { action: 'unlist' }],
    [owner, `${path}/selling/state`, { action: 'unlist' }],
    [admin, `${path}/selling/member`, { action: 'include' }],
    [owner, `${path}/selling/operator`, { action: 'answer' }],
    [finance, `${path}/selling/operator`, { action: 'answer' }],
    [finance, `${path}/selling/payouts`, { action: 'connect' }],
    [admin, `${path}/prices`, { currency: 'USD', amount: '9' }],
    [admin, `${path}/prices/USD`, { action: 'withdraw' }],
    [admin, `${path}/grants`, { person, starts_at: '', ends_at: '' }],
  ];
  for (const [by, action, fields] of attempts) {
    const refused = await post(by, action, fields);
    t.true([403, 422].includes(refused.status), `${action} ${refused.status}`);
    t.regex(await refused.text(), /An owner requests verification again/, action);
  }
  for (const page of [team.path, `${path}/selling`, `${path}/prices`, `${path}/grants`]) {
    t.regex(await (await admin.browser.get(page)).text(), /requests verification again/, page);
  }
  const edited = { name: 'New', tagline: 'T.', delivery: 'entitlement_api', version: '1' };
  t.is((await post(admin, `${path}/listing`, edited)).status, 303, 'this does not sell');
});

test('those who paid keep their access, and live keys answer for them', async (t) => {
  const team = await sellingTeam();
  const key = await api.seed.key({ productId: team.product.id, mode: 'live' });
  const buyer = await api.seed.person();
  await api.seed.grant({ productId: team.product.id, personId: buyer.id });
  await revoke(team.members.owner);
  const checked = await api.request(`/api/v1/entitlements?user_id=${buyer.id}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  t.like(await checked.json(), { active: true });
});

test('a revoked builder transfers no product, of their own or of a team', async (t) => {
  const team = await teams.team([]);
  const other = await teams.team([]);
  await owners(other, team.members.owner);
  const { owner } = team.members;
  const own = await api.seed.product({ owner: owner.person });
  const teamOwned = await teams.productOf(team);
  await revoke(owner);
  for (const [{ slug, id }, to] of [
    [own, other],
    [teamOwned, other],
  ] as const) {
    const path = `/console/products/${slug}/transfer`;
    t.regex(await (await owner.browser.get(path)).text(), /Your verification was revoked/);
    const refused = await post(owner, path, { team: to.id });
    t.is(refused.status, 422);
    t.regex(await refused.text(), /Your verification was revoked/);
    const [row] = await api.test.query<{ owner_team_id: string | null }>(
      'select owner_team_id from product where id = $1',
      [id],
    );
    t.not(row!.owner_team_id, to.id);
  }
});

test('a revoked builder founds no team', async (t) => {
  const builder = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  await revoke(builder);
  t.is((await post(builder, '/console/teams', { name: 'Anew' })).status, 422);
});

test('a suspended team takes no product over', async (t) => {
  const { id, members } = await teams.team(['admin']);
  const { admin, owner } = members;
  await revoke(owner);
  const product = await api.seed.product({ owner: admin.person });
  const path = `/console/products/${product.slug}/transfer`;
  t.is((await post(admin, path, { team: id })).status, 422);
});

test('a revoked builder does not become an owner, by a role or by an invitation', async (t) => {
  const team = await teams.team(['admin']);
  const { owner, admin } = team.members;
  const invited = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const email = invited.person.email;
  await post(owner, `${team.path}/invitations`, { email, role: 'owner' });
  await decide(admin, 'verify');
  await revoke(admin);
  await revoke(invited);
  const rise = `${team.path}/members/${admin.person.id}/owner`;
  const refused = await post(owner, rise, { afterwards: 'stay' });
  t.is(refused.status, 422);
  t.regex(await refused.text(), /verification of this person was revoked/);
  t.is(await roleOf(team.id, admin.person.id), 'admin');
  const accepted = await post(invited, await invitationPath(team));
  t.is(accepted.status, 403);
  t.regex(await accepted.text(), /Your verification was revoked/);
  t.is(await roleOf(team.id, invited.person.id), null);
  await decide(invited, 'verify');
  t.is(arrivalOf(await post(invited, await invitationPath(team))), `${team.path} team_joined`);
});

test('a revoked owner makes nobody else an owner, also not by an earlier invitation', async (t) => {
  const team = await teams.team(['admin']);
  const { owner, admin } = team.members;
  const second = await teams.signedIn();
  const { email } = second.person;
  await post(owner, `${team.path}/invitations`, { email, role: 'owner' });
  await revoke(owner);
  const rise = `${team.path}/members/${admin.person.id}/owner`;
  t.is((await post(owner, rise, { afterwards: 'step_down' })).status, 422);
  t.is(await roleOf(team.id, owner.person.id), 'owner');
  const invite = { email: teams.newEmail(), role: 'owner' };
  const refused = await post(owner, `${team.path}/invitations`, invite);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /you cannot invite owners/);
  const accepted = await post(second, await invitationPath(team));
  t.is(accepted.status, 403);
  t.regex(await accepted.text(), /can no longer give this role/);
  t.is(await roleOf(team.id, second.person.id), null);
});

test('a revocation that is under way decides against a price of the same moment', async (t) => {
  const team = await sellingTeam();
  const { owner, admin } = team.members;
  const path = `/console/products/${team.product.slug}/prices`;
  const price = await api.database.transaction(async (em) => {
    const made = { personId: owner.person.id, decision: 'withdraw', reason: '' } as const;
    await decideBuilder(em, made);
    const response = post(admin, path, { currency: 'USD', amount: '7' });
    await eventually(() => isSomebodyWaiting(api.test), Boolean, 20_000);
    return { response };
  });
  t.is((await price.response).status, 403);
});

async function invitationPath({ id }: { id: string }): Promise<string> {
  const [row] = await api.test.query<{ id: string }>(
    'select id from team_invitation where team_id = $1 and accepted_at is null',
    [id],
  );
  return `/team-invitations/${row!.id}`;
}
