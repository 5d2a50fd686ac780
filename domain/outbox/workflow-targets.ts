// Entity workflows: what each starts with, and in which order Temporal serves them.

/** The smaller number comes first. Money and access are never held back. */
export const PRIORITIES = { money: 1, access: 2, deliveries: 3, mail: 4, upkeep: 5 } as const;
export type Priority = (typeof PRIORITIES)[keyof typeof PRIORITIES];

/** The input of each workflow. */
export type WorkflowInputs = {
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

export type WorkflowName = keyof WorkflowInputs;

export type WorkflowTarget = {
  workflowType: WorkflowName;
  workflowId: string;
  input: WorkflowInputs[WorkflowName];
  priority: Priority;
};

export function purchaseWorkflow(purchaseId: string): WorkflowTarget {
  return {
    workflowType: 'purchaseClearing',
    workflowId: `purchase:${purchaseId}`,
    input: { purchaseId },
    priority: PRIORITIES.money,
  };
}

export function subscriptionWorkflow(subscriptionId: string): WorkflowTarget {
  return {
    workflowType: 'subscriptionLifecycle',
    workflowId: `subscription:${subscriptionId}`,
    input: { subscriptionId },
    priority: PRIORITIES.money,
  };
}

export function membershipWorkflow(membershipId: string): WorkflowTarget {
  return {
    workflowType: 'membershipLifecycle',
    workflowId: `membership:${membershipId}`,
    input: { membershipId },
    priority: PRIORITIES.money,
  };
}

export function entitlementWorkflow(access: {
  productId: string;
  personId: string;
}): WorkflowTarget {
  const { productId, personId } = access;
  return {
    workflowType: 'entitlementLifecycle',
    workflowId: `entitlement:${productId}:${personId}`,
    input: { productId, personId },
    priority: PRIORITIES.access,
  };
}

export function deliveryWorkflow(deliveryId: string): WorkflowTarget {
  return {
    workflowType: 'webhookDelivery',
    workflowId: `delivery:${deliveryId}`,
    input: { deliveryId },
    priority: PRIORITIES.deliveries,
  };
}

/** A cohort is named by the id of its workflow: `deliveries:<endpoint>:<minute>`. */
export function cohortWorkflow(cohort: string): WorkflowTarget {
  return {
    workflowType: 'deliveryCohort',
    workflowId: cohort,
    input: { cohort },
    priority: PRIORITIES.deliveries,
  };
}

/** The workflow that drives a delivery. */
export function drivingWorkflow(delivery: {
  deliveryId: string;
  cohort: string | null;
}): WorkflowTarget {
  return delivery.cohort === null
    ? deliveryWorkflow(delivery.deliveryId)
    : cohortWorkflow(delivery.cohort);
}

export function mailWorkflow(mailId: string): WorkflowTarget {
  return {
    workflowType: 'sendMail',
    workflowId: `mail:${mailId}`,
    input: { mailId },
    priority: PRIORITIES.mail,
  };
}

export function recoveryWorkflow(recoveryId: string): WorkflowTarget {
  return {
    workflowType: 'recoverDeliveries',
    workflowId: `recovery:${recoveryId}`,
    input: { recoveryId },
    priority: PRIORITIES.upkeep,
  };
}

export function poolPeriodWorkflow(periodId: string): WorkflowTarget {
  return {
    workflowType: 'poolPeriod',
    workflowId: `pool:${periodId}`,
    input: { periodId },
    priority: PRIORITIES.upkeep,
  };
}

/** The id of a payout begins with `pool-`. */
export function poolPayoutWorkflow(payoutId: string): WorkflowTarget {
  return {
    workflowType: 'poolPayout',
    workflowId: payoutId,
    input: { payoutId },
    priority: PRIORITIES.money,
  };
}
