import test from 'ava';
import { usageAnswer } from '../../../api/v1/usage.presenter.ts';
import { Membership } from '../../../domain/entitlements/memberships/membership.entity.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { foundTeam } from '../../../domain/teams/team.repository.ts';
import { readProfile } from '../../support/identity/oauth.ts';
import { answerTo, daysOf, report, type UsageRow } from '../../support/catalog/usage.ts';
import { api, product } from './scene.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const counted = { ok: true, counted: true, qualifying: false, test_mode: false };
const qualifying = { ...counted, qualifying: true };
const notCounted = { ...counted, counted: false, reason: 'not_signed_in_or_entitled' };

async function signedIn(scope?: string) {
  const { token, personId, clientId } = await api.seed.token({ product, ...(scope && { scope }) });
  return { token, clientId, key: { productId: product.id, personId } };
}

test("activity and heartbeat qualify when sent with the person's token", async (t) => {
  for (const kind of ['activity', 'heartbeat']) {
    const { token, key } = await signedIn();
    const response = await report(api, token, { kind });
    t.is(response.status, 200);
    t.is(response.headers.get('cache-control'), 'no-store');
    t.is(response.headers.get('access-control-allow-origin'), '*');
    t.deepEqual(usageAnswer.strict().parse(await response.json()), qualifying);
    t.like((await daysOf(api, key))[0], { [kind]: true, is_qualifying: true });
  }
});

test('a session on its own never qualifies a day; the day may rise, and stays', async (t) => {
  const { token, key } = await signedIn('identity');
  t.deepEqual(await answerTo(api, token, { kind: 'session' }), counted);
  t.like((await daysOf(api, key))[0], { is_qualifying: false, session: true });
  t.deepEqual(await answerTo(api, token, { kind: 'activity' }), qualifying);
  t.like((await daysOf(api, key))[0], { is_qualifying: true, activity: true });
  t.deepEqual(await answerTo(api, token, { kind: 'session' }), counted, 'its own kind decides');
  t.deepEqual(
    await answerTo(api, product.liveKey, { kind: 'activity', user_id: key.personId }),
    counted,
  );
  await api.usage.close();
  const [{ day: _day, ...row } = {} as UsageRow, ...more] = await daysOf(api, key);
  t.deepEqual(more, []);
  t.deepEqual(row, {
    session: true,
    heartbeat: false,
    activity: true,
    profile_read: false,
    by_key: true,
    is_qualifying: true,
    is_in_order: true,
  });
});

test('with a key a report is recorded of who is signed in to the product, and never qualifies', async (t) => {
  const { key } = await signedIn();
  for (const kind of ['session', 'heartbeat', 'activity']) {
    const body = { kind, user_id: key.personId.toUpperCase() };
    t.deepEqual(await answerTo(api, product.liveKey, body), counted);
  }
  t.like((await daysOf(api, key))[0], { by_key: true, session: false, is_qualifying: false });
});

test('with a key a report is recorded of who holds an entitlement', async (t) => {
  const bought = await api.seed.person();
  await api.seed.grant({ productId: product.id, personId: bought.id });
  const body = { kind: 'activity', user_id: bought.id };
  t.deepEqual(await answerTo(api, product.liveKey, body), counted);
  const included = await api.seed.product({ includedWithMember: true });
  const member = await api.seed.person();
  const row = { id: newUuid(), personId: member.id, status: 'active' as const, endsAt: null };
  await api.database.em().insert(Membership, row);
  const ofMember = { kind: 'activity', user_id: member.id };
  t.deepEqual(await answerTo(api, included.liveKey, ofMember), counted);
});

test('with a key a report of anybody else is not recorded, and a person who does not exist is answered alike', async (t) => {
  const stranger = await api.seed.person();
  const ended = await api.seed.person();
  const key = { productId: product.id, personId: ended.id };
  await api.seed.grant(key, { endsAt: new Date(Date.now() - 1_000) });
  for (const id of [stranger.id, ended.id, NOBODY]) {
    const body = { kind: 'activity', user_id: id };
    t.deepEqual(await answerTo(api, product.liveKey, body), notCounted);
    t.deepEqual(await daysOf(api, { productId: product.id, personId: id }), []);
  }
});

test('signed in means now: not with a token that was revoked, has expired or is of a disabled client', async (t) => {
  for (const end of [
    'update access_token set revoked_at = gatehouse_now() where client_id = $1',
    'update access_token set expires_at = gatehouse_now() where client_id = $1',
    'update oauth_client set disabled_at = gatehouse_now() where id = $1',
    'update oauth_client set deleted_at = gatehouse_now() where id = $1',
  ]) {
    const { clientId, key } = await signedIn();
    await api.test.query(end, [clientId]);
    const body = { kind: 'activity', user_id: key.personId };
    t.deepEqual(await answerTo(api, product.liveKey, body), notCounted, end);
  }
});

test('a key speaks for its own product only: signed in or entitled elsewhere is not here', async (t) => {
  const other = await api.seed.product();
  const { key } = await signedIn();
  await api.seed.grant(key);
  const body = { kind: 'activity', user_id: key.personId, product_id: product.id };
  t.deepEqual(await answerTo(api, other.liveKey, body), notCounted);
  t.deepEqual(await daysOf(api, key), []);
  t.deepEqual(await daysOf(api, { ...key, productId: other.id }), []);
});

test('a test key writes no usage evidence, whoever is named', async (t) => {
  const { key } = await signedIn();
  for (const id of [key.personId, NOBODY]) {
    t.deepEqual(await answerTo(api, product.testKey, { kind: 'activity', user_id: id }), {
      ok: true,
      counted: false,
      qualifying: false,
      test_mode: true,
      reason: 'test_key',
    });
  }
  t.deepEqual(await daysOf(api, key), []);
});

test("members of the product's own team never count on their own product", async (t) => {
  const lone = await api.seed.person();
  const [owner, viewer] = [await api.seed.person({ isBuilder: true }), await api.seed.person()];
  const owned = await api.seed.product({ owner: lone });
  const ofTeam = await api.seed.product();
  const founded = await api.database.transaction((em) =>
    foundTeam(em, { name: 'Makers', ownerId: owner.id }),
  );
  const teamId = 'teamId' in founded ? founded.teamId : '';
  await api.test.query(
    `insert into team_member (team_id, person_id, role) values ($1, $2, 'viewer')`,
    [teamId, viewer.id],
  );
  await api.test.query(
    'update product set owner_person_id = null, owner_team_id = $1 where id = $2',
    [teamId, ofTeam.id],
  );
  for (const [own, person] of [
    [owned, lone],
    [ofTeam, owner],
    [ofTeam, viewer],
  ] as const) {
    const key = { productId: own.id, personId: person.id };
    const { token } = await api.seed.token({ product: own, person });
    t.deepEqual(await answerTo(api, token, { kind: 'activity' }), counted);
    t.is((await readProfile(api, token)).status, 200);
    t.like((await daysOf(api, key))[0], {
      is_qualifying: false,
      activity: true,
      profile_read: true,
    });
    const elsewhere = await api.seed.token({ product, person });
    t.deepEqual(await answerTo(api, elsewhere.token, { kind: 'activity' }), qualifying);
  }
});

test('who leaves the team counts from then on; who joins it counts no more', async (t) => {
  const person = await api.seed.person();
  const theirs = await api.seed.product();
  const key = { productId: theirs.id, personId: person.id };
  const { token } = await api.seed.token({ product: theirs, person });
  const setOwner = (personId: string) =>
    api.test.query('update product set owner_person_id = $1 where id = $2', [personId, theirs.id]);
  const sendActivity = () => answerTo(api, token, { kind: 'activity' });
  t.deepEqual(await sendActivity(), qualifying);
  await setOwner(person.id);
  t.deepEqual(await sendActivity(), counted);
  t.like((await daysOf(api, key))[0], { is_qualifying: true }, 'what was earned stays');
  await setOwner(theirs.ownerPersonId);
  t.deepEqual(await sendActivity(), qualifying);
});
