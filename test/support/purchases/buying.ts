import type { ExecutionContext } from 'ava';
import { startApi } from '../http/api.ts';
import { openSignedIn } from '../identity/session.ts';
import type { SeedProduct } from '../catalog/seed.ts';
import { openReadyAccount } from '../../../packages/simulator/onboard.ts';

type Row = Record<string, unknown>;

/** The application with a seller who can charge, and what tests of buying look at. */
export async function startBuying() {
  const api = await startApi({ limits: { buy: 100_000, sign_in: 1_000 } });
  const seller = await api.seed.person({ isBuilder: true });
  const account = await openReadyAccount(api.processor, seller.email);
  await api.seed.payoutAccount(seller, { account });
  const find = (columns: string, table: string, { id }: SeedProduct) =>
    api.test.query<Row>(
      `select ${columns} from ${table} where product_id = $1 order by created_at, id`,
      [id],
    );
  return {
    api,
    seller,
    sell: (options: Parameters<typeof api.seed.product>[0] = {}) =>
      api.seed.product({
        owner: seller,
        prices: { USD: 1_250, BRL: 5_900, EUR: 1_150 },
        ...options,
      }),
    clicksOf: (product: SeedProduct) => find('source, campaign, raw', 'click', product),
    checkoutsOf: (product: SeedProduct) => find('*', 'checkout', product),
    purchasesOf: (product: SeedProduct) => find('*', 'purchase', product),
    async signedIn() {
      const person = await api.seed.person();
      return { browser: await openSignedIn(api, person), person };
    },
    expectReason(t: ExecutionContext, response: Response, reason: string) {
      t.is(response.status, 303);
      const location = new URL(response.headers.get('location')!, api.url);
      t.is(location.searchParams.get('reason'), reason);
      t.regex(location.pathname, /^\/p\//);
      t.is(response.headers.get('cache-control'), 'no-store');
    },
    expectCheckout(t: ExecutionContext, response: Response): string {
      const location = response.headers.get('location')!;
      t.is(response.status, 303);
      t.true(location.startsWith(`${api.config.processor.apiUrl}/pay/cs_test_`), location);
      t.is(response.headers.get('cache-control'), 'no-store');
      return location;
    },
  };
}
