// Entity workflows: what each starts with, and in which order Temporal serves them.

/** The smaller number comes first. Money and access are never held back. */
export const PRIORITIES = { money: 1, access: 2, deliveries: 3, mail: 4, upkeep: 5 } as const;
export type Priority = (typeof PRIORITIES)[keyof typeof PRIORITIES];

/** The input of each workflow. */
export type ActorInputs = {
  purchaseClearing: { purchaseId: string };
  subscriptionLifecycle: { subscriptionId: string };
  membershipLifecycle: { membershipId: string };
  entitlementLifecycle: { productId: string; personId: string };
  webhookDelivery: { deliveryId: string };
  deliveryCohort: { cohort: string };
  sendMail: { mailId: string };
  recoverDeliveries: { recoveryId: string };
  poolPeriod: { periodId: string };
  poolPayout: { payoutId: string };
};

export type ActorName = keyof ActorInputs;

export type Actor = {
  workflowType: ActorName;
  workflowId: string;
  input: ActorInputs[ActorName];
  priority: Priority;
};

export function purchaseActor(purchaseId: string): Actor {
  return {
    workflowType: 'purchaseClearing',
    workflowId: `purchase:${purchaseId}`,
    input: { purchaseId },
    priority: PRIORITIES.money,
  };
}

export function subscriptionActor(subscriptionId: string): Actor {
  return {
    workflowType: 'subscriptionLifecycle',
    workflowId: `subscription:${subscriptionId}`,
    input: { subscriptionId },
    priority: PRIORITIES.money,
  };
}

export function membershipActor(membershipId: string): Actor {
  return {
    workflowType: 'membershipLifecycle',
    workflowId: `membership:${membershipId}`,
    input: { membershipId },
    priority: PRIORITIES.money,
  };
}

export function entitlementActor(access: { productId: string; personId: string }): Actor {
  const { productId, personId } = access;
  return {
    workflowType: 'entitlementLifecycle',
    workflowId: `entitlement:${productId}:${personId}`,
    input: { productId, personId },
    priority: PRIORITIES.access,
  };
}

export function deliveryActor(deliveryId: string): Actor {
  return {
    workflowType: 'webhookDelivery',
    workflowId: `delivery:${deliveryId}`,
    input: { deliveryId },
    priority: PRIORITIES.deliveries,
  };
}

/** A cohort is named by the id of its workflow: `deliveries:<endpoint>:<minute>`. */
export function cohortActor(cohort: string): Actor {
  return {
    workflowType: 'deliveryCohort',
    workflowId: cohort,
    input: { cohort },
    priority: PRIORITIES.deliveries,
  };
}

/** The workflow that drives a delivery. */
export function driverOf(delivery: { deliveryId: string; cohort: string | null }): Actor {
  return delivery.cohort === null
    ? deliveryActor(delivery.deliveryId)
    : cohortActor(delivery.cohort);
}

export function mailActor(mailId: string): Actor {
  return {
    workflowType: 'sendMail',
    workflowId: `mail:${mailId}`,
    input: { mailId },
    priority: PRIORITIES.mail,
  };
}

export function recoveryActor(recoveryId: string): Actor {
  return {
    workflowType: 'recoverDeliveries',
    workflowId: `recovery:${recoveryId}`,
    input: { recoveryId },
    priority: PRIORITIES.upkeep,
  };
}

export function poolPeriodActor(periodId: string): Actor {
  return {
    workflowType: 'poolPeriod',
    workflowId: `pool:${periodId}`,
    input: { periodId },
    priority: PRIORITIES.upkeep,
  };
}

/** The id of a payout begins with `pool-`. */
export function poolPayoutActor(payoutId: string): Actor {
  return {
    workflowType: 'poolPayout',
    workflowId: payoutId,
    input: { payoutId },
    priority: PRIORITIES.money,
  };
}
