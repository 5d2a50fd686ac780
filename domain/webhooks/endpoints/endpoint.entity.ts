import { defineEntity, p } from '@mikro-orm/core';

export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    /** 1 to 10: the unique (product, slot) limits the number of endpoints. */
    slot: p.smallint(),
    url: p.text(),
    events: p.array(),
    sealedSecret: p.text(),
    previousSealedSecret: p.text().strictNullable(),
    previousUntil: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    disabledAt: p.datetime(3).strictNullable(),
    deletedAt: p.datetime(3).strictNullable(),
    /** When the deliveries of this closed endpoint were settled. */
    settledAt: p.datetime(3).strictNullable(),
    /** When a retry failed without a success since. */
    failingSince: p.datetime(3).strictNullable(),
    lastDeadAt: p.datetime(3).strictNullable(),
    deadNotifiedAt: p.datetime(3).strictNullable(),
  },
});
