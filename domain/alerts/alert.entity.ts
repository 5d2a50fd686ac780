import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../identity/person.entity.ts';
import type { AlertKind } from './alert-kind.ts';

/**
 * A situation that needs an operator; one open row for each kind and subject.
 * Grows with faults, one open row a kind and subject; kept for good.
 */
export const Alert = defineEntity({
  name: 'Alert',
  properties: {
    id: p.uuid().primary(),
    kind: p.text().$type<AlertKind>(),
    /** Id or name of the subject. */
    subject: p.text(),
    detail: p.json<Record<string, string | number | null>>().defaultRaw(`'{}'`),
    times: p.integer().default(1),
    raisedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    lastRaisedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    mailedAt: p.datetime(3).strictNullable(),
    resolvedAt: p.datetime(3).strictNullable(),
    /** Is null for an alert that resolved itself. */
    resolvedBy: () => p.manyToOne(Person).mapToPk().joinColumn('resolved_by').strictNullable(),
  },
  indexes: [{ name: 'alert_mailed', properties: ['mailedAt'], where: `mailed_at is not null` }],
  uniques: [{ name: 'alert_open', properties: ['kind', 'subject'], where: `resolved_at is null` }],
  checks: [
    { name: 'alert_kind_check', expression: `kind ~ '^[a-z]+(_[a-z]+)*$'` },
    { name: 'alert_times_check', expression: `times > 0` },
    { name: 'alert_resolved', expression: `resolved_by is null or resolved_at is not null` },
  ],
});
