import { defineEntity, p } from '@mikro-orm/core';

/** Records which person did what to which subject, when and from where; append only. */
export const Audit = defineEntity({
  name: 'Audit',
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(3).defaultRaw('gatehouse_now()'),
    actorId: p.uuid().strictNullable(),
    action: p.text(),
    subject: p.text(),
    teamId: p.uuid().strictNullable(),
    productId: p.uuid().strictNullable(),
    detail: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    ip: p.text().strictNullable(),
  },
});
