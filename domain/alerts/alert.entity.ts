import { defineEntity, p } from '@mikro-orm/core';
import type { AlertKind } from './alert-kind.ts';

/** A situation that needs an operator; one open row for each kind and subject. */
export const Alert = defineEntity({
  name: 'Alert',
  properties: {
    id: p.uuid().primary(),
    kind: p.text().$type<AlertKind>(),
    /** Id or name of the subject. */
    subject: p.text(),
    detail: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    times: p.integer().default(1),
    raisedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    lastRaisedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    mailedAt: p.datetime(3).strictNullable(),
    resolvedAt: p.datetime(3).strictNullable(),
    /** Null for an alert that resolved itself. */
    resolvedBy: p.uuid().strictNullable(),
  },
});
