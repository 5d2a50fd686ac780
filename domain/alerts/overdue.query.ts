// Rows that only a workflow moves on, and when they are due. A message restarts a workflow that is
// gone.
import { rows, type EntityManager } from '../../platform/database/database.ts';
import {
  cohortWorkflow,
  deliveryWorkflow,
  entitlementWorkflow,
  importWorkflow,
  mailWorkflow,
  membershipWorkflow,
  poolPeriodWorkflow,
  poolPayoutWorkflow,
  purchaseWorkflow,
  recoveryWorkflow,
  subscriptionWorkflow,
  type WorkflowTarget,
  type WorkflowName,
} from '../outbox/workflow-targets.ts';
import { isMessageWaiting, sendToWorkflows } from '../outbox/outbox.repository.ts';

type OverdueKind = {
  kind: string;
  workflowType: WorkflowName;
  toTarget: (id: never) => WorkflowTarget;
  /** SQL: the argument of `toTarget`. */
  id: string;
  /** SQL: when the row is due. */
  at: string;
  /** SQL: the waiting rows. An index finds them by `at`, or they are few. */
  from: string;
};

// A retry at a busy endpoint waits for its turn, and a message would send it to the end of the
// queue.
const IS_ENDPOINT_IDLE = `not exists (select from delivery_lease l
  where l.endpoint_id = d.endpoint_id and l.until > gatehouse_now())`;

const EVENT_WAITS = 'processor_event where handled_at is null and dead_letter_reason is null';

/** A freeze may take its time; the other steps follow at once, and the last payout ends the period. */
const POOL_DUE = `case status
  when 'open' then freeze_due_at + interval '20 minutes'
  when 'frozen' then frozen_at
  when 'computed' then computed_at
  when 'approved' then approved_at
  else coalesce((select max(ended_at) from pool_payout where period_id = pool_period.id), approved_at)
end`;

// A period with a problem waits for people, and its workflow tries it again every hour.
const POOL_MOVES = `paid_at is null and (status in ('open', 'frozen', 'computed', 'approved') and problem is null
  or status = 'paying' and not exists (select from pool_payout
    where period_id = pool_period.id and status = 'paying'))`;

const OVERDUE: readonly OverdueKind[] = [
  {
    kind: 'delivery',
    workflowType: 'webhookDelivery',
    toTarget: deliveryWorkflow,
    id: 'delivery_id',
    at: 'due_at',
    from: `delivery_state d where status = 'retrying'
      and cohort is null
      and (due_at <= gatehouse_now() - interval '1 hour' or ${IS_ENDPOINT_IDLE})`,
  },
  {
    kind: 'delivery_cohort',
    workflowType: 'deliveryCohort',
    toTarget: cohortWorkflow,
    id: 'cohort',
    at: 'due_at',
    from: `delivery_state d where status = 'retrying' and cohort is not null
      and (due_at <= gatehouse_now() - interval '1 hour' or ${IS_ENDPOINT_IDLE})`,
  },
  {
    kind: 'access',
    workflowType: 'entitlementLifecycle',
    toTarget: entitlementWorkflow,
    id: `json_build_object('productId', product_id, 'personId', person_id)`,
    at: 'recheck_at',
    from: 'entitlement where recheck_at is not null',
  },
  {
    kind: 'recovery',
    workflowType: 'recoverDeliveries',
    toTarget: recoveryWorkflow,
    id: 'id',
    at: 'created_at',
    from: `recovery where status = 'running'`,
  },
  {
    kind: 'listing_import',
    workflowType: 'listingImport',
    toTarget: importWorkflow,
    id: 'id',
    at: 'coalesce(wait_until, changed_at)',
    from: `listing_import where state in ('queued', 'fetching', 'waiting', 'applying')`,
  },
  {
    kind: 'mail',
    workflowType: 'sendMail',
    toTarget: mailWorkflow,
    id: 'id',
    at: 'queued_at',
    from: 'mail_token where queued_at is not null',
  },
  {
    kind: 'purchase',
    workflowType: 'purchaseClearing',
    toTarget: purchaseWorkflow,
    id: 'id',
    at: 'ask_again_at',
    from: 'purchase where ask_again_at is not null',
  },
  {
    kind: 'subscription',
    workflowType: 'subscriptionLifecycle',
    toTarget: subscriptionWorkflow,
    id: 'id',
    at: 'ask_again_at',
    from: 'subscription where ask_again_at is not null',
  },
  {
    kind: 'membership',
    workflowType: 'membershipLifecycle',
    toTarget: membershipWorkflow,
    id: 'id',
    at: 'ask_again_at',
    from: 'membership where ask_again_at is not null',
  },
  {
    kind: 'membership_change',
    workflowType: 'membershipLifecycle',
    toTarget: membershipWorkflow,
    id: 'membership_id',
    at: 'created_at',
    from: 'membership_change where notified_at is null',
  },
  {
    kind: 'pool_period',
    workflowType: 'poolPeriod',
    toTarget: poolPeriodWorkflow,
    id: 'id',
    at: POOL_DUE,
    from: `pool_period where ${POOL_MOVES}`,
  },
  {
    kind: 'pool_payout',
    workflowType: 'poolPayout',
    toTarget: poolPayoutWorkflow,
    id: 'id',
    at: 'due_at',
    from: `pool_payout where status = 'paying'`,
  },
  // Events about purchases, refunds, disputes, subscriptions and memberships.
  {
    kind: 'purchase_event',
    workflowType: 'purchaseClearing',
    toTarget: purchaseWorkflow,
    id: 'purchase_id',
    at: 'received_at',
    from: `${EVENT_WAITS} and purchase_id is not null and subscription_id is null`,
  },
  {
    kind: 'subscription_event',
    workflowType: 'subscriptionLifecycle',
    toTarget: subscriptionWorkflow,
    id: 'subscription_id',
    at: 'received_at',
    from: `${EVENT_WAITS} and subscription_id is not null`,
  },
  {
    kind: 'membership_event',
    workflowType: 'membershipLifecycle',
    toTarget: membershipWorkflow,
    id: 'membership_id',
    at: 'received_at',
    from: `${EVENT_WAITS} and membership_id is not null`,
  },
];

/** Time enough for the workflow itself and for the messages that it got. */
const LATE = `gatehouse_now() - interval '10 minutes'`;
/** Long enough for two messages, which should have helped. */
const STUCK = `gatehouse_now() - interval '20 minutes'`;
/** The limit for a kind and a run; the next run takes the others, the oldest first. */
const MAX_ROWS = 10_000;

export type Overdue = {
  kind: string;
  /** Counted up to the limit of one run. */
  overdue: number;
  stuck: number;
  since: string | null;
  oldest: string | null;
};

const lateOf = ({ id, at, from }: OverdueKind) => `
  select ${id} as id, to_json(${at})#>>'{}' as since, ${at} <= ${STUCK} as "isStuck"
  from ${from} and ${at} <= ${LATE} order by ${at} limit ${MAX_ROWS}`;

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
  const { kind, toTarget } = swept;
  const late = await rows<{ id: unknown; since: string; isStuck: boolean }>(em, lateOf(swept));
  const targets = late.map(({ id }) => toTarget(id as never));
  const [oldest] = targets;
  const message = { kind: 'overdue', what: kind };
  if (oldest && !(await isMessageWaiting(em, oldest, message))) {
    const byId = new Map(targets.map((target) => [target.workflowId, target]));
    await sendToWorkflows(em, [...byId.values()], message);
  }
  return {
    kind,
    overdue: late.length,
    stuck: late.filter(({ isStuck }) => isStuck).length,
    since: late[0]?.since ?? null,
    oldest: oldest?.workflowId ?? null,
  };
}

/** Counts the overdue rows of each kind, up to a bound. */
export const COUNT_OVERDUE = OVERDUE.map(
  (each) => `select '${each.kind}' as kind, count(*)::int as overdue from (${lateOf(each)}) late`,
).join(' union all ');

export async function countOverdue(
  em: EntityManager,
): Promise<{ kind: string; workflowType: WorkflowName; overdue: number }[]> {
  const counted = await rows<Pick<Overdue, 'kind' | 'overdue'>>(em, COUNT_OVERDUE);
  const types = new Map(OVERDUE.map(({ kind, workflowType }) => [kind, workflowType]));
  return counted.map((each) => ({ ...each, workflowType: types.get(each.kind)! }));
}
