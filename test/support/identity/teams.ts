import { newUuid } from '../../../domain/shared/ids.ts';
import { ROLES, type Role } from '../../../domain/teams/permissions.ts';
import { startPeople } from './people.ts';
import { openSignedIn } from './session.ts';
import type { TestDatabase } from '../engines/database.ts';
import type { SeedPerson } from '../catalog/seed.ts';

type Options = Parameters<typeof startPeople>[0];

let lastNumber = 0;

/** The application, and teams in it with whoever a test needs. */
export async function startTeams(options: Options = {}) {
  const people = await startPeople(options);
  const { api } = people;
  const { query } = api.test;

  async function signedIn(given?: SeedPerson) {
    const person = given ?? (await api.seed.person());
    return { browser: await openSignedIn(api, person), person };
  }

  /** A team of an owner and of others, each signed in. */
  async function team<Given extends Role>(roles: readonly Given[]) {
    const id = newUuid();
    const name = `Team ${(lastNumber += 1)}`;
    await query('insert into team (id, name) values ($1, $2)', [id, name]);
    const members = {} as Record<Given | 'owner', Awaited<ReturnType<typeof signedIn>>>;
    for (const role of ['owner', ...roles.filter((role) => role !== 'owner')] as const) {
      const person = await api.seed.person({ isBuilder: role === 'owner' });
      members[role as Given] = await signedIn(person);
      await query('insert into team_member (team_id, person_id, role) values ($1, $2, $3)', [
        id,
        person.id,
        role,
      ]);
    }
    return { id, name, path: `/console/teams/${id}`, members };
  }

  /** A product that belongs to the team. */
  async function productOf(
    { id, members }: { id: string; members: { owner: { person: SeedPerson } } },
    given: Parameters<typeof api.seed.product>[0] = {},
  ) {
    const product = await api.seed.product({ owner: members.owner.person, ...given });
    await query('update product set owner_person_id = null, owner_team_id = $1 where id = $2', [
      id,
      product.id,
    ]);
    return product;
  }

  return {
    ...people,
    signedIn,
    team,
    productOf,
    wholeTeam: () => team(ROLES),
    ...createTeamViews(api.test),
  };
}

function createTeamViews({ query }: TestDatabase) {
  return {
    /** The newest rows of the trail about a team, the newest first. */
    trailOf: (teamId: string) =>
      query<{ action: string; subject: string; detail: object; actor_id: string; ip: string }>(
        `select audit.*, ip from audit left join audit_address on audit_id = audit.id
         where team_id = $1 order by at desc, id desc`,
        [teamId],
      ),
    async roleOf(teamId: string, personId: string): Promise<Role | null> {
      const [row] = await query<{ role: Role }>(
        'select role from team_member where team_id = $1 and person_id = $2',
        [teamId, personId],
      );
      return row?.role ?? null;
    },
  };
}
