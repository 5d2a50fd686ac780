// The workflow of each row: its id derives from the row's id.

export type ActorName =
  | 'purchaseClearing'
  | 'subscriptionLifecycle'
  | 'membershipLifecycle'
  | 'entitlementLifecycle'
  | 'webhookDelivery'
  | 'sendMail'
  | 'recoverDeliveries';

export type Actor = {
  workflowType: ActorName;
  workflowId: string;
  /** Messages of one queue take turns by share. */
  share?: string;
};

export function purchaseActor(purchaseId: string): Actor {
  return { workflowType: 'purchaseClearing', workflowId: `purchase:${purchaseId}` };
}

export function subscriptionActor(subscriptionId: string): Actor {
  return {
    workflowType: 'subscriptionLifecycle',
    workflowId: `subscription:${subscriptionId}`,
  };
}

export function membershipActor(membershipId: string): Actor {
  return { workflowType: 'membershipLifecycle', workflowId: `membership:${membershipId}` };
}

export function entitlementActor(key: { productId: string; personId: string }): Actor {
  return {
    workflowType: 'entitlementLifecycle',
    workflowId: `entitlement:${key.productId}:${key.personId}`,
  };
}

export function deliveryActor(deliveryId: string): Actor {
  return { workflowType: 'webhookDelivery', workflowId: `delivery:${deliveryId}` };
}

export function recoveryActor(recoveryId: string): Actor {
  return { workflowType: 'recoverDeliveries', workflowId: `recovery:${recoveryId}` };
}

export function mailActor(mailId: string): Actor {
  return { workflowType: 'sendMail', workflowId: `mail:${mailId}` };
}
