import test from 'ava';
import { changeMember } from '../../../domain/teams/member.repository.ts';
import { startTeams } from '../../support/identity/teams.ts';

const teams = await startTeams();
const { api } = teams;
test.after.always(() => api.close());
const { transaction } = api.database;
const { query } = api.test;

const DAY_MS = 86_400_000;

type Stay = { person_id: string; started_at: Date; ended_at: Date };

const staysOf = (teamId: string) =>
  query<Stay>(
    'select person_id, started_at, ended_at from team_stay where team_id = $1 order by id',
    [teamId],
  );

async function joinedAt(teamId: string, personId: string): Promise<Date> {
  const [row] = await query<{ created_at: Date }>(
    'select created_at from team_member where team_id = $1 and person_id = $2',
    [teamId, personId],
  );
  return row!.created_at;
}

test.serial('while somebody belongs to a team there is no stay that is over', async (t) => {
  const { id, members } = await teams.team(['developer']);
  const { id: personId } = members.developer.person;
  const change = { teamId: id, byId: members.owner.person.id, personId };
  await transaction((em) => changeMember(em, { ...change, to: 'viewer' }));
  t.is(await teams.roleOf(id, personId), 'viewer');
  t.deepEqual(await staysOf(id), []);
});

for (const way of ['leaves', 'is removed'] as const) {
  test.serial(`a member who ${way} leaves the time of the stay behind`, async (t) => {
    const { id, members } = await teams.team(['developer']);
    const { id: personId } = members.developer.person;
    const since = await joinedAt(id, personId);
    await api.test.advance(DAY_MS);
    const byId = way === 'leaves' ? personId : members.owner.person.id;
    await transaction((em) => changeMember(em, { teamId: id, byId, personId, to: null }));
    const [stay, ...others] = await staysOf(id);
    t.deepEqual(others, []);
    t.is(stay!.person_id, personId);
    t.deepEqual(stay!.started_at, since);
    t.true(stay!.ended_at.getTime() - since.getTime() >= DAY_MS);
  });
}

test.serial('somebody who comes back has a stay for each time', async (t) => {
  const { id, members } = await teams.team(['developer']);
  const { id: personId } = members.developer.person;
  const leave = () =>
    transaction((em) => changeMember(em, { teamId: id, byId: personId, personId, to: null }));
  await leave();
  await api.test.advance(DAY_MS);
  await query(`insert into team_member (team_id, person_id, role) values ($1, $2, 'viewer')`, [
    id,
    personId,
  ]);
  await api.test.advance(DAY_MS);
  await leave();
  const [first, second, ...others] = await staysOf(id);
  t.deepEqual(others, []);
  t.true(second!.started_at.getTime() - first!.ended_at.getTime() >= DAY_MS);
  t.true(second!.ended_at.getTime() - second!.started_at.getTime() >= DAY_MS);
});

test.serial('a deleted account leaves the stay in each of its teams', async (t) => {
  const both = [await teams.team(['finance']), await teams.team([])] as const;
  const { browser, person } = both[0].members.finance;
  await query(`insert into team_member (team_id, person_id, role) values ($1, $2, 'viewer')`, [
    both[1].id,
    person.id,
  ]);
  const deleted = await browser.submit('/settings/profile', {
    action: '/settings/delete-account',
    fields: { password: person.password },
  });
  t.is(deleted.status, 303);
  for (const { id } of both) {
    const stays = await staysOf(id);
    t.deepEqual(
      stays.map(({ person_id }) => person_id),
      [person.id],
    );
    t.is(await teams.roleOf(id, person.id), null);
  }
});

test.serial('a departure that is refused or rolled back leaves no stay', async (t) => {
  const { id, members } = await teams.team(['viewer']);
  const { id: ownerId } = members.owner.person;
  const last = { teamId: id, byId: ownerId, personId: ownerId, to: null };
  t.deepEqual(await transaction((em) => changeMember(em, last)), { refused: 'last_owner' });
  const { id: personId } = members.viewer.person;
  await t.throwsAsync(
    transaction(async (em) => {
      await changeMember(em, { teamId: id, byId: personId, personId, to: null });
      throw new Error('rolled back');
    }),
  );
  t.is(await teams.roleOf(id, personId), 'viewer');
  t.deepEqual(await staysOf(id), []);
});

test.serial('a stay ends no earlier than it began, even where the clock went back', async (t) => {
  const { id, members } = await teams.team(['viewer']);
  const { id: personId } = members.viewer.person;
  await api.test.advance(-DAY_MS);
  await transaction((em) => changeMember(em, { teamId: id, byId: personId, personId, to: null }));
  await api.test.advance(DAY_MS);
  const [stay] = await staysOf(id);
  t.deepEqual(stay!.ended_at, stay!.started_at);
});
