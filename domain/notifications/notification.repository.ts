import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import type { Role } from '../teams/permissions.ts';
import type { NotificationKind } from './notification-kind.ts';

/** A person, or the members of a team with one of the roles. */
export type Audience = { teamId: string; roles: readonly Role[] } | { personId: string };

export type NewNotification = {
  kind: NotificationKind;
  productId: string | null;
  audience: Audience;
  /** What happened: never a secret. */
  data: Record<string, string | number | null>;
};

/** Belongs in the transaction of the change. */
export async function notify(em: EntityManager, notification: NewNotification): Promise<void> {
  const { kind, productId, audience, data } = notification;
  const isTeam = 'teamId' in audience;
  await rows(
    em,
    `insert into notification (id, kind, product_id, team_id, person_id, roles, data)
     values (?, ?, ?, ?, ?, ?::text[], ?::jsonb)`,
    [
      newUuid(),
      kind,
      productId,
      isTeam ? audience.teamId : null,
      isTeam ? null : audience.personId,
      isTeam ? toArrayParameter(audience.roles) : '{}',
      JSON.stringify(data),
    ],
  );
}

export type NotificationLine = {
  notificationId: string;
  kind: NotificationKind;
  product: { slug: string; name: string } | null;
  teamName: string | null;
  data: Record<string, string | number | null>;
  createdAt: Date;
  isRead: boolean;
};

/** `next` is the id of the last notification shown when older ones follow. */
export type NotificationPage = { lines: NotificationLine[]; next: string | null };

const PAGE = 50;

// One arm for each audience of the person: each walks its index.
const MINE = `
  from (
    select m.team_id, m.role, null::uuid as person_id
    from team_member m join team t on t.id = m.team_id and t.deleted_at is null
    where m.person_id = ?
    union all select null, null, ?::uuid
  ) mine
  cross join lateral (
    (select id, created_at from notification n
     where mine.team_id is not null and n.team_id = mine.team_id and mine.role = any(n.roles)`;

const OR_PERSONAL = `)
    union all
    (select id, created_at from notification n
     where mine.person_id is not null and n.person_id = mine.person_id`;

type Asked = { personId: string; before: string | null };

/** Lists a person's notifications, the newest first. */
export async function listNotifications(
  em: EntityManager,
  { personId, before }: Asked,
): Promise<NotificationPage> {
  const [place] =
    before === null
      ? []
      : await rows<{ at: Date | string }>(
          em,
          'select created_at as at from notification where id = ?',
          [before],
        );
  const after = place ? ' and (n.created_at, n.id) < (?::timestamptz, ?::uuid)' : '';
  const newest = `${after} order by n.created_at desc, n.id desc limit ${PAGE + 1}`;
  const placed = place ? [place.at, before] : [];
  const found = await rows<NotificationLine & { createdAt: Date | string }>(
    em,
    `select n.id as "notificationId", n.kind, n.data, n.created_at as "createdAt",
       t.name as "teamName", r.notification_id is not null as "isRead",
       case when p.id is not null then json_build_object('slug', s.slug, 'name', p.name) end
         as product
     from (select one.id ${MINE} ${newest} ${OR_PERSONAL} ${newest})) one) found
     join notification n on n.id = found.id
     left join team t on t.id = n.team_id
     left join product p on p.id = n.product_id and p.state <> 'removed'
     left join product_slug s on s.product_id = p.id and s.is_current
     left join notification_read r on r.notification_id = n.id and r.person_id = ?
     order by n.created_at desc, n.id desc limit ?`,
    [personId, personId, ...placed, ...placed, personId, PAGE + 1],
  );
  const lines = found.slice(0, PAGE).map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
  return { lines, next: found.length > PAGE ? lines.at(-1)!.notificationId : null };
}

// The count stops here.
export const MOST_COUNTED = 100;

const UNREAD = ` and not exists (
  select from notification_read r where r.notification_id = n.id and r.person_id = ?)`;

/** Counts to a hundred at most. */
export async function countUnread(em: EntityManager, personId: string): Promise<number> {
  const [row] = await rows<{ unread: number }>(
    em,
    `select count(*)::int as unread from (
       select one.id ${MINE} ${UNREAD} ${OR_PERSONAL} ${UNREAD})) one limit ${MOST_COUNTED}) counted`,
    [personId, personId, personId, personId],
  );
  return row!.unread;
}

/** Marks one notification or all as read; notifications of others stay. */
export async function markRead(
  em: EntityManager,
  { personId, notificationId }: { personId: string; notificationId: string | null },
): Promise<void> {
  await rows(
    em,
    `insert into notification_read (notification_id, person_id)
     select one.id, ?::uuid ${MINE} ${UNREAD} ${OR_PERSONAL} ${UNREAD})) one
     where ?::uuid is null or one.id = ?::uuid
     on conflict do nothing`,
    [personId, personId, personId, personId, personId, notificationId, notificationId],
  );
}

const BATCH = 1_000;

/** Removes notifications that are older than a year; true when more wait. */
export async function removeOldNotifications(em: EntityManager): Promise<boolean> {
  const removed = await rows(
    em,
    `delete from notification where id in (
       select id from notification where created_at <= gatehouse_now() - interval '400 days'
       order by created_at limit ${BATCH}
     ) returning 1`,
  );
  return removed.length === BATCH;
}
