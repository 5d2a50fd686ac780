import { raiseAlert } from '../../../../domain/alerts/alert.repository.ts';
import { recordProcessorEvent } from '../../../../domain/billing/processor-inbox/inbox.repository.ts';
import { ALL_PRODUCTS } from '../../../../domain/product-figures/figure-kind.ts';
import type { TestApi } from '../../http/api.ts';

/** Sums of 56 days, requests of makers, an alert, and an event and a message that nobody could follow. */
export async function addOperatorTrouble({
  test,
  database,
}: Pick<TestApi, 'test' | 'database'>): Promise<void> {
  const long = 'a'.repeat(200);
  await addSums(test);
  await addRequests(test);
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

const addSums = ({ query }: TestApi['test']) =>
  query(
    `insert into product_figure (product_id, day, kind, currency, count, sum_minor)
     select $1, (gatehouse_now() at time zone 'UTC')::date - ago, kind, currency,
       round((1200 - 4 * ago + 90 * sin(ago / 2.0)) * size), case when currency = 'XXX' then 0 else
       round((98000 - 700 * ago + 21000 * sin(ago) + 9000 * sin(ago * 2.7)) * size) end
     from generate_series(0, 55) ago, (values ('sales', 'USD', 2), ('sales', 'EUR', 1),
       ('customers', 'XXX', 1), ('checks_open', 'XXX', 9), ('deliveries_accepted', 'XXX', 2),
       ('deliveries_failing', 'XXX', 0.007)) kinds (kind, currency, size)`,
    [ALL_PRODUCTS],
  );

/** One asks with short answers, the other with the longest name and long ones. */
const addRequests = ({ query }: TestApi['test']) =>
  query(
    `with maker as (
       insert into person (id, handle, display_name, email, email_verified_at, builder_requested_at)
       select gen_random_uuid(), 'maker_' || n, name, 'maker_' || n || '@example.com', now(),
         now() - n * interval '1 day'
       from (values (1, 'Nora Quist'), (2, repeat('A long name ', 6))) made (n, name)
       returning id, handle)
     insert into verification_request (person_id, sells, place, contact)
     select id, case handle when 'maker_1' then 'A calendar of tides.' else repeat('Many things. ', 30) end,
       'https://' || handle || '.example/', handle || '@example.com' from maker`,
  );
