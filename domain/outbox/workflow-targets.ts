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
  listingImport: { importId: string };
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

export const purchaseWorkflow = (purchaseId: string): WorkflowTarget => ({
  workflowType: 'purchaseClearing',
  workflowId: `purchase:${purchaseId}`,
  input: { purchaseId },
  priority: PRIORITIES.money,
});

export const subscriptionWorkflow = (subscriptionId: string): WorkflowTarget => ({
  workflowType: 'subscriptionLifecycle',
  workflowId: `subscription:${subscriptionId}`,
  input: { subscriptionId },
  priority: PRIORITIES.money,
});

export const membershipWorkflow = (membershipId: string): WorkflowTarget => ({
  workflowType: 'membershipLifecycle',
  workflowId: `membership:${membershipId}`,
  input: { membershipId },
  priority: PRIORITIES.money,
});

type AccessInput = WorkflowInputs['entitlementLifecycle'];

export const entitlementWorkflow = ({ productId, personId }: AccessInput): WorkflowTarget => ({
  workflowType: 'entitlementLifecycle',
  workflowId: `entitlement:${productId}:${personId}`,
  input: { productId, personId },
  priority: PRIORITIES.access,
});

export const deliveryWorkflow = (deliveryId: string): WorkflowTarget => ({
  workflowType: 'webhookDelivery',
  workflowId: `delivery:${deliveryId}`,
  input: { deliveryId },
  priority: PRIORITIES.deliveries,
});

/** A cohort is named by the id of its workflow: `deliveries:<endpoint>:<minute>`. */
export const cohortWorkflow = (cohort: string): WorkflowTarget => ({
  workflowType: 'deliveryCohort',
  workflowId: cohort,
  input: { cohort },
  priority: PRIORITIES.deliveries,
});

/** The workflow that drives a delivery. */
export const drivingWorkflow = (delivery: { deliveryId: string; cohort: string | null }) =>
  delivery.cohort === null
    ? deliveryWorkflow(delivery.deliveryId)
    : cohortWorkflow(delivery.cohort);

export const mailWorkflow = (mailId: string): WorkflowTarget => ({
  workflowType: 'sendMail',
  workflowId: `mail:${mailId}`,
  input: { mailId },
  priority: PRIORITIES.mail,
});

export const recoveryWorkflow = (recoveryId: string): WorkflowTarget => ({
  workflowType: 'recoverDeliveries',
  workflowId: `recovery:${recoveryId}`,
  input: { recoveryId },
  priority: PRIORITIES.upkeep,
});

export const importWorkflow = (importId: string): WorkflowTarget => ({
  workflowType: 'listingImport',
  workflowId: `import:${importId}`,
  input: { importId },
  priority: PRIORITIES.upkeep,
});

export const poolPeriodWorkflow = (periodId: string): WorkflowTarget => ({
  workflowType: 'poolPeriod',
  workflowId: `pool:${periodId}`,
  input: { periodId },
  priority: PRIORITIES.upkeep,
});

/** The id of a payout begins with `pool-`. */
export const poolPayoutWorkflow = (payoutId: string): WorkflowTarget => ({
  workflowType: 'poolPayout',
  workflowId: payoutId,
  input: { payoutId },
  priority: PRIORITIES.money,
});
