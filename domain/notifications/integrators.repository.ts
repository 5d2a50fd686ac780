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
export async function tellIntegrators(
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
