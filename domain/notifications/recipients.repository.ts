import { queueMail } from '../identity/mail/mail.repository.ts';
import type { OwnerMailPurpose, PersonalPurpose } from '../identity/mail/mail-purpose.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { anyOf } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { PERMISSIONS, ROLES, rolesFor, type Role } from '../teams/permissions.ts';
import type { NotificationKind } from './notification-kind.ts';
import { notify, type Audience } from './notification.repository.ts';

/** The roles that may mend an integration, or the lone builder. */
const INTEGRATORS = ROLES.filter((role) =>
  (PERMISSIONS.integrate.roles as readonly string[]).includes(role),
);

type ProductNotice = {
  productId: string;
  /** The mail has the same name: it says what happened, the console says where. */
  kind: NotificationKind & PersonalPurpose;
  data: Record<string, string | number | null>;
};

/** Notifies the integrators of a product in the console and by mail. */
export async function notifyIntegrators(
  em: EntityManager,
  { productId, kind, data }: ProductNotice,
): Promise<void> {
  const audience = await audienceOf(em, { productId, roles: INTEGRATORS });
  await notify(em, { kind, productId, audience, data });
  for (const person of await findAudience(em, audience)) {
    await queueMail(em, { purpose: kind, ...person });
  }
}

async function audienceOf(
  em: EntityManager,
  { productId, roles }: { productId: string; roles: readonly Role[] },
): Promise<Audience> {
  const { teamId, personId } = await kysely(em)
    .selectFrom('product')
    .select(['ownerTeamId as teamId', 'ownerPersonId as personId'])
    .where('id', '=', productId)
    .executeTakeFirstOrThrow();
  return teamId === null ? { personId: personId! } : { teamId, roles };
}

/** The roles that see what comes in, or the lone builder. */
export const SELLERS = rolesFor('see_statements');

/** Finds the people whom money of a product concerns, in the order in which their rows are locked. */
export async function findSellers(
  em: EntityManager,
  productId: string,
): Promise<{ audience: Audience; people: Recipient[] }> {
  const audience = await audienceOf(em, { productId, roles: SELLERS });
  return { audience, people: await findAudience(em, audience) };
}

/** The owners of a product or a team, or one person; operators when there is no product. */
export type Owned = { productId: string | null } | { teamId: string } | { personId: string };

/** Belongs in the transaction of the change. */
export async function mailOwners(
  em: EntityManager,
  purpose: OwnerMailPurpose,
  ...owned: [Owned, ...Owned[]]
): Promise<void> {
  const people = new Map<string, string>();
  for (const each of owned) {
    for (const { personId, address } of await findOwners(em, each)) people.set(personId, address);
  }
  // In one order for every change, because queueing a mail locks the person's row.
  for (const [personId, address] of [...people].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await queueMail(em, { purpose, personId, address });
  }
}

async function findOwners(em: EntityManager, owned: Owned): Promise<Recipient[]> {
  if (!('productId' in owned)) return findOwnersOf(em, owned);
  const { productId } = owned;
  if (productId === null) return findOperators(em);
  return reachable(em)
    .where('person.id', 'in', ({ selectFrom }) =>
      selectFrom('product')
        .leftJoin('teamMember as owner', (join) =>
          join.onRef('owner.teamId', '=', 'product.ownerTeamId').on('owner.role', '=', 'owner'),
        )
        .select(({ fn }) => fn.coalesce('product.ownerPersonId', 'owner.personId').as('personId'))
        .where('product.id', '=', productId),
    )
    .execute();
}

/** Finds the owners of a team, or the person, in the order in which their rows are locked. */
export function findOwnersOf(
  em: EntityManager,
  owner: { teamId: string } | { personId: string },
): Promise<Recipient[]> {
  return findAudience(em, 'teamId' in owner ? { ...owner, roles: OWNER } : owner);
}

const OWNER: readonly Role[] = ['owner'];

export type Recipient = { personId: string; address: string };

async function findAudience(em: EntityManager, audience: Audience): Promise<Recipient[]> {
  const recipients = reachable(em).orderBy('person.id');
  if ('personId' in audience)
    return recipients.where('person.id', '=', audience.personId).execute();
  return recipients
    .innerJoin('teamMember as member', 'member.personId', 'person.id')
    .where('member.teamId', '=', audience.teamId)
    .where('member.role', '=', anyOf(audience.roles))
    .execute();
}

export async function findOperators(em: EntityManager): Promise<Recipient[]> {
  return reachable(em).where('person.isOperator', '=', true).orderBy('person.id').execute();
}

const reachable = (em: EntityManager) =>
  kysely(em)
    .selectFrom('person')
    .select(['person.id as personId', 'person.email as address'])
    .where('person.deletedAt', 'is', null)
    .where('person.emailVerifiedAt', 'is not', null);
