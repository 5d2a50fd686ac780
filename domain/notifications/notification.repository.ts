import type { Expression, SelectQueryBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { EntityManager } from '../../platform/database/database.ts';
import { ago, anyOf } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { iconHashOf } from '../catalog/pictures/picture.repository.ts';
import { kysely, type Tables } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import type { Role } from '../teams/permissions.ts';
import type { NotificationKind } from './notification-kind.ts';
import { Notification } from './notification.entity.ts';

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
export async function notify(
  em: EntityManager,
  { audience, ...notification }: NewNotification,
): Promise<void> {
  await kysely(em)
    .insertInto('notification')
    .values({ id: newUuid(), ...notification, ...audience })
    .execute();
}

export type NotificationPage = Awaited<ReturnType<typeof listNotifications>>;
export type NotificationLine = NotificationPage['lines'][number];

const PAGE = 50;

type NotificationQuery = {
  personId: string;
  before: string | null;
  /** The products that they are about; null for any, or none. */
  productIds?: readonly string[] | null;
  limit?: number;
};

/**
 * Lists a person's notifications, the newest first. `next` is the id of the last notification shown
 * when older ones follow.
 */
export async function listNotifications(
  em: EntityManager,
  { personId, before, productIds = null, limit = PAGE }: NotificationQuery,
) {
  const last = before === null ? null : await em.findOne(Notification, before);
  const newest: Narrowing = (notices) =>
    notices
      .$if(last !== null, (all) =>
        all.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('notice.createdAt', 'notice.id'), '<', tuple(last!.createdAt, last!.id)),
        ),
      )
      .$if(productIds !== null, (all) => all.where('notice.productId', '=', anyOf(productIds!)))
      .orderBy('notice.createdAt', 'desc')
      .orderBy('notice.id', 'desc')
      .limit(limit + 1);
  const notices = await kysely(em)
    .selectFrom(selectMine(em, personId, newest).as('found'))
    .innerJoin('notification as notice', 'notice.id', 'found.id')
    .leftJoin('team', 'team.id', 'notice.teamId')
    .leftJoin('notificationRead as read', (join) =>
      join.onRef('read.notificationId', '=', 'notice.id').on('read.personId', '=', personId),
    )
    .select(['notice.id as notificationId', 'notice.kind', 'notice.data', 'notice.createdAt'])
    .select(['team.name as teamName'])
    .select(({ eb, ref }) => [
      eb('read.notificationId', 'is not', null).$castTo<boolean>().as('isRead'),
      selectProduct(em, ref('notice.productId')).as('product'),
    ])
    .orderBy('notice.createdAt', 'desc')
    .orderBy('notice.id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(notices, limit, ({ notificationId }) => notificationId);
}

/** The name of a nested key stays as it is written here; that of a nested select would not. */
const selectProduct = (em: EntityManager, id: Expression<string | null>) =>
  kysely(em)
    .selectFrom('product')
    .innerJoin('productSlug', 'productSlug.productId', 'product.id')
    .select(({ ref }) =>
      jsonBuildObject({
        slug: ref('productSlug.slug'),
        name: ref('product.name'),
        iconHash: iconHashOf(ref('product.id')).$asScalar(),
      }).as('product'),
    )
    .where('product.id', '=', id)
    .where('product.state', '<>', 'removed')
    .where('productSlug.isCurrent', '=', true)
    .$asScalar();

type Notices = SelectQueryBuilder<
  Tables & { notice: Tables['notification'] },
  'notice',
  { id: string; createdAt: Date }
>;
type Narrowing = (notices: Notices) => Notices;

/** One arm for each audience of the person: each walks its index. */
function selectMine(em: EntityManager, personId: string, narrow: Narrowing) {
  const notices = kysely(em)
    .selectFrom('notification as notice')
    .select(['notice.id', 'notice.createdAt']);
  return kysely(em)
    .selectFrom('teamMember as member')
    .innerJoin('team', 'team.id', 'member.teamId')
    .innerJoinLateral(
      ({ ref }) =>
        narrow(
          notices
            .where('notice.teamId', '=', ref('member.teamId'))
            .where(({ eb, fn }) => eb(ref('member.role'), '=', fn.any('notice.roles'))),
        ).as('ofTeam'),
      (join) => join.onTrue(),
    )
    .select('ofTeam.id')
    .where('member.personId', '=', personId)
    .where('team.deletedAt', 'is', null)
    .unionAll(
      kysely(em)
        .selectFrom(narrow(notices.where('notice.personId', '=', personId)).as('personal'))
        .select('personal.id'),
    );
}

// The count stops here.
export const MOST_COUNTED = 100;

const selectUnread = (em: EntityManager, personId: string) =>
  selectMine(em, personId, (notices) =>
    notices.where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notificationRead as read')
            .select('read.readAt')
            .whereRef('read.notificationId', '=', 'notice.id')
            .where('read.personId', '=', personId),
        ),
      ),
    ),
  );

/** Counts to a hundred at most. */
export async function countUnread(em: EntityManager, personId: string): Promise<number> {
  const { unread } = await kysely(em)
    .selectFrom(selectUnread(em, personId).limit(MOST_COUNTED).as('counted'))
    .select(({ fn }) => fn.countAll<number>().as('unread'))
    .executeTakeFirstOrThrow();
  return unread;
}

/** Marks one notification or all as read; notifications of others stay. */
export async function markRead(
  em: EntityManager,
  { personId, notificationId }: { personId: string; notificationId: string | null },
): Promise<void> {
  await kysely(em)
    .insertInto('notificationRead')
    .columns(['notificationId', 'personId'])
    .expression(({ selectFrom, cast, val }) =>
      selectFrom(selectUnread(em, personId).as('unread'))
        .select(['unread.id', cast<string>(val(personId), 'uuid').as('personId')])
        .$if(notificationId !== null, (all) => all.where('unread.id', '=', notificationId)),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const BATCH = 1_000;

/** Removes notifications that are older than a year; true when more wait. */
export async function removeOldNotifications(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('notification')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('notification')
        .select('id')
        .where('createdAt', '<=', ago('400 days'))
        .orderBy('createdAt')
        .limit(BATCH),
    )
    .executeTakeFirst();
  return removed.numDeletedRows === BigInt(BATCH);
}
