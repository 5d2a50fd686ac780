import { raiseAlert } from '../../../../domain/alerts/alert.repository.ts';
import { recordProcessorEvent } from '../../../../domain/billing/processor-inbox/inbox.repository.ts';
import type { TestApi } from '../../http/api.ts';

/** An alert, and an event and a message that nobody could follow. */
export async function addOperatorTrouble({
  test,
  database,
}: Pick<TestApi, 'test' | 'database'>): Promise<void> {
  const long = 'a'.repeat(200);
  await database.transaction(async (em) => {
    await raiseAlert(em, { kind: 'amount_differs', subject: 'pay_1', detail: { paid: '5 USD' } });
    const event = { processor: 'simulator', id: 'evt_dead_letter', type: 'issuing_card.created' };
    await recordProcessorEvent(em, { ...event, purchaseId: null, body: { data: { long } } });
  });
  await test.query(
    `insert into outbox (workflow_type, workflow_id, input, priority, message, dead_lettered_at, last_error)
     values ('sendMail', 'mail:' || $1, '{}', 4, '{"kind":"odd"}', now(), $1)`,
    [long],
  );
}
