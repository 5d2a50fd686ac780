// The contracts of the workflows: names, task queues, inputs, signals, queries.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ActorName } from '../domain/outbox/actors.ts';
import type { DeliveryNews } from '../domain/webhooks/deliveries/delivery.repository.ts';

export const TASK_QUEUES = ['money', 'access', 'deliveries', 'mail', 'upkeep'] as const;
export type TaskQueue = (typeof TASK_QUEUES)[number];

/** A committed outbox row on its way to an actor: the row's id makes it once. */
export type Message = {
  outboxId: string;
  /** The delivery's state after the first attempt. */
  delivery?: DeliveryNews;
  [word: string]: unknown;
};

export type PurchaseInput = { purchaseId: string };
export type SubscriptionInput = { subscriptionId: string };
export type MembershipInput = { membershipId: string };
export type EntitlementInput = { productId: string; personId: string };
export type DeliveryInput = { deliveryId: string };
export type MailInput = { mailId: string };
export type RecoveryInput = { recoveryId: string };

/** How far a recovery has come. */
export type Progress = { status: string; done: number; total: number };

/** The one signal of every entity workflow. */
export const messageSignal = defineSignal<[Message]>('message');
/** How an actor's row stood when it was last read. */
export const statusQuery = defineQuery<string>('status');
export const progressQuery = defineQuery<Progress>('progress');
/** An operator sends these; the result says whether the row has recorded the request. */
export const cancelUpdate = defineUpdate<'requested' | 'unchanged'>('cancel');
export const resumeUpdate = defineUpdate<'requested' | 'unchanged'>('resume');

type ActorType = {
  taskQueue: TaskQueue;
  /** The start input and the summary, from the parts of the id after the first colon. */
  toInput(parts: string[]): object;
  summarize(parts: string[]): string;
};

export const ACTOR_TYPES: Record<ActorName, ActorType> = {
  purchaseClearing: {
    taskQueue: 'money',
    toInput: ([purchaseId]): PurchaseInput => ({ purchaseId: purchaseId! }),
    summarize: ([purchaseId]) => `Purchase ${purchaseId}`,
  },
  subscriptionLifecycle: {
    taskQueue: 'money',
    toInput: ([subscriptionId]): SubscriptionInput => ({ subscriptionId: subscriptionId! }),
    summarize: ([subscriptionId]) => `Subscription ${subscriptionId}`,
  },
  membershipLifecycle: {
    taskQueue: 'money',
    toInput: ([membershipId]): MembershipInput => ({ membershipId: membershipId! }),
    summarize: ([membershipId]) => `Membership ${membershipId}`,
  },
  entitlementLifecycle: {
    taskQueue: 'access',
    toInput: ([productId, personId]): EntitlementInput => ({
      productId: productId!,
      personId: personId!,
    }),
    summarize: ([productId, personId]) => `Access of person ${personId} to product ${productId}`,
  },
  webhookDelivery: {
    taskQueue: 'deliveries',
    toInput: ([deliveryId]): DeliveryInput => ({ deliveryId: deliveryId! }),
    summarize: ([deliveryId]) => `Retries of webhook delivery ${deliveryId}`,
  },
  sendMail: {
    taskQueue: 'mail',
    toInput: ([mailId]): MailInput => ({ mailId: mailId! }),
    summarize: ([mailId]) => `Mail ${mailId}`,
  },
  recoverDeliveries: {
    taskQueue: 'upkeep',
    toInput: ([recoveryId]): RecoveryInput => ({ recoveryId: recoveryId! }),
    summarize: ([recoveryId]) => `Recovery ${recoveryId} of webhook deliveries`,
  },
};

/** Every workflow type has its own queue in the outbox. */
export const ACTOR_NAMES = Object.keys(ACTOR_TYPES) as ActorName[];

export type Scheduled = {
  workflowType: string;
  taskQueue: TaskQueue;
  summary: string;
  /** Either every so many minutes, or each night at an hour of UTC. */
} & ({ everyMinutes: number } | { atHour: number });

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
    workflowType: 'ledgerCheck',
    taskQueue: 'money',
    atHour: 3,
    summary: 'Adds up each currency of the ledger',
  },
] as const satisfies readonly Scheduled[];
