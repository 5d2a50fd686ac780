// A verification that is withdrawn while a builder makes something: the database decides which was
// first.
import test from 'ava';
import { decideBuilder } from '../../../domain/identity/operators/builder.repository.ts';
import { eventually } from '../../support/eventually.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
test.after.always(() => api.close());

type Form = { path: string; fields: Record<string, string> };
type Seeded = Awaited<ReturnType<typeof api.seed.product>>;

const liveKeyOf = async ({ id }: Seeded) => {
  const [key] = await api.test.query<{ id: string }>(
    `select id from api_key where product_id = $1 and mode = 'live'`,
    [id],
  );
  return key!.id;
};

const FORMS: [what: string, form: (product: Seeded) => Promise<Form> | Form][] = [
  ['a new live key', () => ({ path: 'keys', fields: { mode: 'live', name: 'Server' } })],
  [
    'the rotation of a live key',
    async (product) => ({
      path: `keys/${await liveKeyOf(product)}`,
      fields: { action: 'rotate' },
    }),
  ],
  [
    'a new client with a public address',
    () => ({
      path: 'clients',
      fields: { kind: 'confidential', name: 'Web', redirect_uris: 'https://app.example/cb' },
    }),
  ],
];

for (const [what, formOf] of FORMS) {
  test.serial(
    `${what} is refused when the verification is withdrawn at the same time`,
    async (t) => {
      const owner = await api.seed.person({ isBuilder: true });
      const product = await api.seed.product({ owner });
      const { path, fields } = await formOf(product);
      const count = async () =>
        api.test.query(
          `select id::text from api_key where product_id = $1
         union all select id from oauth_client where product_id = $1`,
          [product.id],
        );
      const before = (await count()).length;
      const browser = api.browser();
      await browser.signIn(owner);
      const action = `/console/products/${product.slug}/${path}`;
      const withdrawn = await api.database.transaction(async (em) => {
        await decideBuilder(em, { personId: owner.id, decision: 'withdraw', reason: '' });
        const answer = browser.submit('/console', { action, fields });
        await eventually(waitingForLocks, (waiting) => waiting > 0);
        return { answer };
      });
      const answer = await withdrawn.answer;
      t.is(answer.status, 422);
      t.is((await count()).length, before);
    },
  );
}

async function waitingForLocks(): Promise<number> {
  const found = await api.test.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found[0]!.waiting;
}
