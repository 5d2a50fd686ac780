// Rows that only a workflow moves on, and when they are due. A message restarts a workflow that is
// gone.
import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { ActorName } from '../outbox/actors.ts';

type OverdueKind = {
  kind: string;
  workflowType: ActorName;
  /** SQL: the id of the workflow. */
  workflowId: string;
  /** SQL: when the row is due. */
  at: string;
  /** SQL: the share of the queue in which its messages take turns; the whole queue by default. */
  share?: string;
  /** SQL: the waiting rows. An index finds them by `at`, or they are few. */
  from: string;
};

// A retry at a busy endpoint waits for its turn, and a message would send it to the end of the
// queue.
const IS_ENDPOINT_IDLE = `not exists (select from delivery_lease l
  where l.endpoint_id = d.endpoint_id and l.until > gatehouse_now())`;

const EVENT_WAITS = 'processor_event where handled_at is null and dead_letter_reason is null';

const OVERDUE: readonly OverdueKind[] = [
  {
    kind: 'delivery',
    workflowType: 'webhookDelivery',
    workflowId: `'delivery:' || delivery_id`,
    at: 'due_at',
    share: 'endpoint_id::text',
    from: `delivery_state d where status = 'retrying'
      and (due_at <= gatehouse_now() - interval '1 hour' or ${IS_ENDPOINT_IDLE})`,
  },
  {
    kind: 'access',
    workflowType: 'entitlementLifecycle',
    workflowId: `'entitlement:' || product_id || ':' || person_id`,
    at: 'recheck_at',
    from: 'entitlement where recheck_at is not null',
  },
  {
    kind: 'recovery',
    workflowType: 'recoverDeliveries',
    workflowId: `'recovery:' || id`,
    at: 'created_at',
    from: `recovery where status = 'running'`,
  },
  {
    kind: 'mail',
    workflowType: 'sendMail',
    workflowId: `'mail:' || id`,
    at: 'queued_at',
    from: 'mail_token where queued_at is not null',
  },
  {
    kind: 'purchase',
    workflowType: 'purchaseClearing',
    workflowId: `'purchase:' || id`,
    at: 'ask_again_at',
    from: 'purchase where ask_again_at is not null',
  },
  {
    kind: 'subscription',
    workflowType: 'subscriptionLifecycle',
    workflowId: `'subscription:' || id`,
    at: 'ask_again_at',
    from: 'subscription where ask_again_at is not null',
  },
  {
    kind: 'membership',
    workflowType: 'membershipLifecycle',
    workflowId: `'membership:' || id`,
    at: 'ask_again_at',
    from: 'membership where ask_again_at is not null',
  },
  {
    kind: 'membership_change',
    workflowType: 'membershipLifecycle',
    workflowId: `'membership:' || membership_id`,
    at: 'created_at',
    from: 'membership_change where notified_at is null',
  },
  // Events about purchases, refunds, disputes, subscriptions and memberships.
  {
    kind: 'purchase_event',
    workflowType: 'purchaseClearing',
    workflowId: `'purchase:' || purchase_id`,
    at: 'received_at',
    from: `${EVENT_WAITS} and purchase_id is not null and subscription_id is null`,
  },
  {
    kind: 'subscription_event',
    workflowType: 'subscriptionLifecycle',
    workflowId: `'subscription:' || subscription_id`,
    at: 'received_at',
    from: `${EVENT_WAITS} and subscription_id is not null`,
  },
  {
    kind: 'membership_event',
    workflowType: 'membershipLifecycle',
    workflowId: `'membership:' || membership_id`,
    at: 'received_at',
    from: `${EVENT_WAITS} and membership_id is not null`,
  },
];

/** Time enough for the workflow itself and for the messages that it got. */
const LATE = `gatehouse_now() - interval '10 minutes'`;
/** By now two messages should have helped. */
const STUCK = `gatehouse_now() - interval '20 minutes'`;
/** The limit for a kind and a run; the next run takes the others, the oldest first. */
const MOST = 10_000;

export type Overdue = {
  kind: string;
  /** Counted up to the limit of one run. */
  overdue: number;
  stuck: number;
  since: string | null;
  oldest: string | null;
};

const lateOf = ({ workflowId, at, from, share = `'all'` }: OverdueKind) => `
  select ${workflowId} as workflow_id, ${at} as at, ${share} as share
  from ${from} and ${at} <= ${LATE} order by ${at} limit ${MOST}`;

/**
 * Sends a message to the workflow of every overdue row, unless messages of the run before still
 * wait.
 */
export async function sweepOverdue(em: EntityManager): Promise<Overdue[]> {
  const found: Overdue[] = [];
  for (const each of OVERDUE) found.push(await sweepKind(em, each));
  return found;
}

async function sweepKind(em: EntityManager, swept: OverdueKind): Promise<Overdue> {
  const { kind, workflowType } = swept;
  const [found] = await rows<Omit<Overdue, 'kind'>>(
    em,
    `with late as materialized (${lateOf(swept)}),
     sent as (
       insert into outbox (workflow_type, workflow_id, share, message)
       select distinct ?, workflow_id, share, jsonb_build_object('kind', 'overdue', 'what', ?::text)
       from late where not (select exists (
         select from outbox where workflow_type = ? and sent_at is null and parked_at is null
           and message->>'what' = ?))
     )
     select count(*)::int as overdue, count(*) filter (where at <= ${STUCK})::int as stuck,
       to_json(min(at))#>>'{}' as since, (array_agg(workflow_id order by at))[1] as oldest
     from late`,
    [workflowType, kind, workflowType, kind],
  );
  return { kind, ...found! };
}

/** Counts the overdue rows of each kind, up to a bound. */
export const COUNT_OVERDUE = OVERDUE.map(
  (each) => `select '${each.kind}' as kind, count(*)::int as overdue from (${lateOf(each)}) late`,
).join(' union all ');

export async function countOverdue(
  em: EntityManager,
): Promise<Pick<Overdue, 'kind' | 'overdue'>[]> {
  return rows(em, COUNT_OVERDUE);
}
