import { queueMail } from '../identity/mail/mail.repository.ts';
import type { PersonalPurpose } from '../identity/mail/mail-purpose.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { PERMISSIONS, ROLES } from '../teams/permissions.ts';
import type { NotificationKind } from './notification-kind.ts';
import { notify, type Audience } from './notification.repository.ts';

/** The roles that may mend an integration, or the lone builder. */
const INTEGRATORS = ROLES.filter((role) =>
  (PERMISSIONS.integrate.roles as readonly string[]).includes(role),
);

type News = {
  productId: string;
  /** The mail has the same name: it says what happened, the console says where. */
  kind: NotificationKind & PersonalPurpose;
  data: Record<string, string | number | null>;
};

/** Notifies the integrators of a product in the console and by mail. */
export async function notifyIntegrators(
  em: EntityManager,
  { productId, kind, data }: News,
): Promise<void> {
  const [owner] = await rows<{ teamId: string | null; personId: string | null }>(
    em,
    `select owner_team_id as "teamId", owner_person_id as "personId" from product where id = ?`,
    [productId],
  );
  const { teamId, personId } = owner!;
  const audience: Audience =
    teamId === null ? { personId: personId! } : { teamId, roles: INTEGRATORS };
  await notify(em, { kind, productId, audience, data });
  const people = await rows<{ personId: string; address: string }>(
    em,
    `select p.id as "personId", p.email as address from person p
     where p.deleted_at is null and p.email_verified_at is not null and (p.id = ?::uuid
       or p.id in (select person_id from team_member where team_id = ?::uuid and role = any(?::text[])))
     order by p.id`,
    [personId, teamId, toArrayParameter(INTEGRATORS)],
  );
  for (const person of people) await queueMail(em, { purpose: kind, ...person });
}

/** Changes that owners are mailed about: a co-owner or an attacker may have made them. */
export type OwnerNews = Extract<
  PersonalPurpose,
  | 'key_made'
  | 'client_secret_made'
  | 'endpoint_secret_shown'
  | 'owner_added'
  | 'product_transferred'
  | 'payouts_connected'
>;

/** The owners of a product or a team, or one person; operators when there is no product. */
export type Owned = { productId: string | null } | { teamId: string } | { personId: string };

/** Belongs in the transaction of the change. */
export async function mailOwners(
  em: EntityManager,
  purpose: OwnerNews,
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

type Owner = { personId: string; address: string };

async function findOwners(em: EntityManager, owned: Owned): Promise<Owner[]> {
  const { where, values } = selectionOf(owned);
  return rows<Owner>(
    em,
    `select p.id as "personId", p.email as address from person p
     where p.deleted_at is null and p.email_verified_at is not null and ${where}`,
    values,
  );
}

function selectionOf(owned: Owned): { where: string; values: string[] } {
  if ('teamId' in owned) {
    return {
      where: `p.id in (select person_id from team_member where team_id = ? and role = 'owner')`,
      values: [owned.teamId],
    };
  }
  if ('personId' in owned) return { where: 'p.id = ?', values: [owned.personId] };
  if (owned.productId === null) return { where: 'p.is_operator', values: [] };
  return {
    where: `p.id in (
      select owner_person_id from product where id = ?
      union all
      select m.person_id from product o join team_member m on m.team_id = o.owner_team_id
      where o.id = ? and m.role = 'owner')`,
    values: [owned.productId, owned.productId],
  };
}
