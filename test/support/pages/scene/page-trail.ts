import { recordAudit } from '../../../../domain/audit/audit.repository.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { EVENTS } from '../../../../domain/webhooks/events.schema.ts';
import type { Database } from '../../../../platform/database/database.ts';

type Named = { id: string };

/** Entries of each shape: a long list, money, a person. */
export async function addTrail(
  { database }: { database: Database },
  given: { product: Named; builder: Named; person: Named },
) {
  const by = { personId: given.builder.id, ip: '2001:db8:1234:5678:9abc:def0:1234:5678' };
  const about = { by, productId: given.product.id };
  const events = Object.keys(EVENTS);
  const em = database.em();
  const host = 'hooks.example';
  await recordAudit(em, {
    ...about,
    action: 'endpoint.created',
    subject: given.product.id,
    detail: { host, events },
  });
  const price = { amount_minor: 1_250, before_minor: 1_000 };
  await recordAudit(em, { ...about, action: 'price.set', subject: 'USD', detail: price });
  const detail = { personId: given.person.id };
  await recordAudit(em, { ...about, action: 'grant.made', subject: newUuid(), detail });
}
