import type { TestApi } from '../../http/api.ts';
import { addTrail } from './page-trail.ts';

/** Half a year of figures of one product, in two currencies, and of another one in a single one. */
async function addFigures(
  { test }: Pick<TestApi, 'test'>,
  { productId, otherId }: { productId: string; otherId: string },
) {
  const day = `(gatehouse_now() at time zone 'UTC')::date - n`;
  const wave = `(1 + 0.4 * sin(n) + (180 - n) / 200.0)`;
  const kinds: [kind: string, currency: string, count: string, sumMinor: string][] = [
    ['sales', 'USD', '6 + n % 5', `500000 * ${wave}`],
    ['refunds', 'USD', 'n % 2', '12500 * (n % 2)'],
    ['sales', 'EUR', '1', `115000 * (n % 3)`],
    ['customers', 'XXX', '1400 - 2 * n', '0'],
    ['checks_open', 'XXX', `5000 * ${wave}`, '0'],
    ['checks_locked', 'XXX', `500 * ${wave}`, '0'],
    ['deliveries_accepted', 'XXX', `120 * ${wave}`, '0'],
    ['deliveries_retried', 'XXX', '7 * (n % 4)', '0'],
    ['deliveries_failing', 'XXX', `case when n % 9 = 4 then 6 else 0 end`, '0'],
  ];
  for (const [kind, currency, count, sumMinor] of kinds) {
    await test.query(
      `insert into product_figure (product_id, day, kind, currency, count, sum_minor)
       select product_id, ${day}, $3::text, $4::text, round(${count}), round(${sumMinor})
       from generate_series(1, 180) n, unnest($1::uuid[]) product_id
       where $4::text <> 'EUR' or product_id = $2`,
      [[productId, otherId], productId, kind, currency],
    );
  }
}

/** A team with a long name, two members, and an invitation. */
async function addTeam(
  { test, seed }: TestApi,
  { builder, person }: Record<'builder' | 'person', { id: string }>,
): Promise<string> {
  const name = 'The Society for Small and Useful Software of the Harbour Towns';
  const [team] = await test.query<{ id: string }>(
    `with t as (insert into team (id, name) values (gen_random_uuid(), $1) returning id),
     m as (insert into team_member select t.id, p.id, p.role from t,
       (values ($2::uuid, 'admin'), ($3::uuid, 'developer')) p (id, role))
     insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     select gen_random_uuid(), t.id, i.address, i.role, $2, now() + i.ends
     from t, (values ('ines@example.com', 'finance', interval '6 days'),
       ('jo@example.com', 'developer', interval '-1 day')) i (address, role, ends)
     returning team_id as id`,
    [name, builder.id, person.id],
  );
  const owner = await seed.person({ isBuilder: true });
  const shared = await seed.product({ owner, name: 'Harbour Log' });
  await test.query(`update product set owner_team_id = $1, owner_person_id = null where id = $2`, [
    team!.id,
    shared.id,
  ]);
  await test.query(`insert into team_member values ($1, $2, 'owner')`, [team!.id, owner.id]);
  return team!.id;
}

type Seen = Record<'product' | 'included' | 'builder' | 'person', { id: string }>;

/** Adds what the console's home shows; returns the id of the team. */
export async function addHome(api: TestApi, seen: Seen): Promise<string> {
  const { product, included, builder, person } = seen;
  await addTrail(api, { product, builder, person });
  await addFigures(api, { productId: product.id, otherId: included.id });
  return addTeam(api, { builder, person });
}
