// The contracts of the workflows: names, task queues, inputs, signals, queries.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { WorkflowInputs, WorkflowName } from '../domain/outbox/workflow-targets.ts';
import type { DeliveryReport } from '../domain/webhooks/deliveries/delivery.repository.ts';
import type { DeliveryLabel } from '../domain/webhooks/deliveries/delivery-labels.repository.ts';

export type { DeliveryReport };

export const TASK_QUEUES = ['money', 'access', 'deliveries', 'mail', 'upkeep'] as const;
export type TaskQueue = (typeof TASK_QUEUES)[number];

/**
 * A committed outbox row on its way to an entity workflow. A workflow drops the last ids that it has
 * seen; about older ones the record's row decides.
 */
export type Message = {
  /** Absent in the signal of an operator. */
  outboxId?: string;
  /** The delivery's state after the first attempt. */
  delivery?: DeliveryReport;
  [word: string]: unknown;
};

export type PurchaseInput = WorkflowInputs['purchaseClearing'];
export type SubscriptionInput = WorkflowInputs['subscriptionLifecycle'];
export type MembershipInput = WorkflowInputs['membershipLifecycle'];
export type EntitlementInput = WorkflowInputs['entitlementLifecycle'];
export type DeliveryInput = WorkflowInputs['webhookDelivery'];
export type CohortInput = WorkflowInputs['deliveryCohort'];
export type MailInput = WorkflowInputs['sendMail'];
export type RecoveryInput = WorkflowInputs['recoverDeliveries'];
export type ImportInput = WorkflowInputs['listingImport'];
export type PoolPeriodInput = WorkflowInputs['poolPeriod'];
export type PoolPayoutInput = WorkflowInputs['poolPayout'];

/** How far the review of all seals has come: a later run of the same week goes on from here. */
export type SealReviewInput = {
  /** The Monday of the week; null until the first page has read the clock. */
  week: string | null;
  after: string | null;
  reviewed: number;
  earned: number;
  noticed: number;
  lost: number;
};

/** How far a recovery has come. */
export type Progress = { status: string; done: number; total: number };

/** The one signal of every entity workflow. An operator may send it without input. */
export const messageSignal = defineSignal<[message?: Message | null]>('message');
/** The status of the record when it was last read. */
export const statusQuery = defineQuery<string>('status');
export const progressQuery = defineQuery<Progress>('progress');
/**
 * An operator sends it; the result says whether the row has recorded the request. Only the person
 * resumes: a card is charged again on the person's own proof.
 */
export const cancelUpdate = defineUpdate<'requested' | 'unchanged'>('cancel');

/**
 * An operator asks for the next retry now; the row decides. A cohort makes that of one delivery, or
 * of all when none is named.
 */
export const retryNowUpdate = defineUpdate<'queued' | 'unchanged', [deliveryId: string | null]>(
  'retryNow',
);

/**
 * An operator approves a month of the creator pool. Temporal does not say who sends an Update, so it
 * brings a code that the console made for the operator.
 */
export const approveUpdate = defineUpdate<'approved' | 'unchanged', [code: string]>('approve');

type EntityWorkflows = {
  [Name in WorkflowName]: {
    taskQueue: TaskQueue;
    summarize(input: WorkflowInputs[Name], label?: DeliveryLabel): string;
  };
};

/** The label of a delivery that went with its month. */
const UNKNOWN: DeliveryLabel = { eventName: 'an event', endpointHost: 'an endpoint' };

/** Tells where each entity workflow runs, and how operators read it in Temporal. */
export const ENTITY_WORKFLOWS: EntityWorkflows = {
  purchaseClearing: {
    taskQueue: 'money',
    summarize: ({ purchaseId }) => `Purchase ${purchaseId}`,
  },
  subscriptionLifecycle: {
    taskQueue: 'money',
    summarize: ({ subscriptionId }) => `Subscription ${subscriptionId}`,
  },
  membershipLifecycle: {
    taskQueue: 'money',
    summarize: ({ membershipId }) => `Membership ${membershipId}`,
  },
  entitlementLifecycle: {
    taskQueue: 'access',
    summarize: ({ productId, personId }) => `Access of person ${personId} to product ${productId}`,
  },
  webhookDelivery: {
    taskQueue: 'deliveries',
    summarize: ({ deliveryId }, { eventName, endpointHost } = UNKNOWN) =>
      `Retries of ${eventName} to ${endpointHost}: ${deliveryId}`,
  },
  deliveryCohort: {
    taskQueue: 'deliveries',
    summarize: ({ cohort }) => `Retries of many webhook deliveries: ${cohort}`,
  },
  sendMail: {
    taskQueue: 'mail',
    summarize: ({ mailId }) => `Mail ${mailId}`,
  },
  recoverDeliveries: {
    taskQueue: 'upkeep',
    summarize: ({ recoveryId }) => `Recovery ${recoveryId} of webhook deliveries`,
  },
  listingImport: {
    taskQueue: 'upkeep',
    summarize: ({ importId }) => `Import ${importId} for a listing`,
  },
  poolPeriod: {
    taskQueue: 'upkeep',
    summarize: ({ periodId }) => `Creator pool of ${periodId}`,
  },
  poolPayout: {
    taskQueue: 'money',
    summarize: ({ payoutId }) => `Payout ${payoutId} of the creator pool`,
  },
};

export type ScheduledWorkflow = {
  workflowType: string;
  taskQueue: TaskQueue;
  summary: string;
  /** Either every so many minutes, or at an hour of UTC: each night, or once a week. */
} & ({ everyMinutes: number } | { atHour: number; onDay?: 'MONDAY' });

/** Workflows that a schedule starts, without a message. */
export const SCHEDULES = [
  {
    workflowType: 'upkeep',
    taskQueue: 'upkeep',
    everyMinutes: 10,
    summary: 'Removes what is over',
  },
  {
    workflowType: 'reconcile',
    taskQueue: 'money',
    everyMinutes: 5,
    summary: 'Asks the processor about what has waited too long',
  },
  {
    workflowType: 'sweep',
    taskQueue: 'upkeep',
    everyMinutes: 5,
    summary: 'Wakes the workflows of what is overdue',
  },
  {
    workflowType: 'salesDigest',
    taskQueue: 'mail',
    everyMinutes: 60,
    summary: 'Mails sellers about busy days that are over',
  },
  {
    workflowType: 'poolMonths',
    taskQueue: 'upkeep',
    atHour: 2,
    summary: 'Opens the periods of the creator pool',
  },
  {
    workflowType: 'ledgerCheck',
    taskQueue: 'money',
    atHour: 3,
    summary: 'Adds up each currency of the ledger',
  },
  {
    workflowType: 'referenceCheck',
    taskQueue: 'upkeep',
    atHour: 4,
    summary: 'Looks for references to missing rows',
  },
  {
    workflowType: 'sealReview',
    taskQueue: 'upkeep',
    onDay: 'MONDAY',
    atHour: 4,
    summary: 'Reviews the quality seal of every listed product',
  },
] as const satisfies readonly ScheduledWorkflow[];

/** Every type that runs, as lists and metrics name them. */
export const WORKFLOW_TYPES: readonly string[] = [
  ...Object.keys(ENTITY_WORKFLOWS),
  ...SCHEDULES.map(({ workflowType }) => workflowType),
];

/** Clauses of Temporal's visibility queries: open runs, and those whose tasks keep failing. */
export const RUNNING = 'ExecutionStatus = "Running"';
export const FAILING = `${RUNNING} AND TemporalReportedProblems IS NOT NULL`;

/** The runs of this installation: several may share a namespace. */
export function onTaskQueues(prefix: string): string {
  return `TaskQueue IN (${TASK_QUEUES.map((queue) => `"${prefix}${queue}"`).join(', ')})`;
}
