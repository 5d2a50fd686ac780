import { issueReceipt } from '../../../../domain/billing/receipts/receipt.repository.ts';
import { newPublicId } from '../../../../domain/shared/ids.ts';
import type { SeedPerson, SeedProduct } from '../../catalog/seed.ts';
import type { TestApi } from '../../http/api.ts';

const LONGEST =
  'A name that is as long as nobody would write one '.repeat(5).slice(0, 190) + ' and so on';
const RIGHT_TO_LEFT = 'דפי החשבון של אורלי';
const EMOJI = '👩🏽‍🚀 Rocket & <Sons> 🧾';

/** What a price may have at most, in a currency of three decimals. */
const LARGEST = { KWD: 999_999_999_999, JPY: 999_999_999_999 };

/** A person whose name is long beyond reason sells products with odd names to herself and others. */
export async function addExtremes(api: TestApi) {
  const odd = await api.seed.person({ isBuilder: true });
  await rename(api, { ...odd, name: LONGEST });
  const buyer = await api.seed.person();
  await rename(api, { ...buyer, name: 'أمل بنت عبد الرحمن' });
  const own = { owner: odd, prices: LARGEST };
  const long = await api.seed.product({ ...own, name: LONGEST });
  const rightToLeft = await api.seed.product({ ...own, name: RIGHT_TO_LEFT });
  const emoji = await api.seed.product({ ...own, name: EMOJI });
  const oddClient = await api.seed.client({ product: long, name: LONGEST });
  const oddPurchaseId = await sell(api, { product: long, buyer: odd });
  await sell(api, { product: long, buyer });
  await sell(api, { product: rightToLeft, buyer: odd });
  await api.seed.grant({ productId: emoji.id, personId: odd.id });
  return { odd, long, rightToLeft, emoji, oddClient, oddPurchaseId };
}

async function rename({ test }: TestApi, { id, name }: { id: string; name: string }) {
  await test.query('update person set display_name = $2 where id = $1', [id, name]);
}

/** A purchase that has cleared, with its receipt. */
async function sell(
  api: TestApi,
  { product, buyer }: { product: SeedProduct; buyer: SeedPerson },
): Promise<string> {
  const [sold] = await api.test.query<{ id: string }>(
    `with c as (insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor,
        currency, status, expires_at)
       select gen_random_uuid(), $2, $1, r.offer_id, r.id, r.amount_minor, r.currency, 'paid', now()
       from price r join offer o on o.id = r.offer_id where o.product_id = $1 and r.is_base
       returning *),
     p as (insert into purchase (id, checkout_id, person_id, product_id, status, service_source,
        cleared_at)
       select $3, id, person_id, product_id, 'cleared',
         'store', now() from c returning *)
     insert into payment (id, purchase_id, gross_minor, currency, cut_minor, status, processor_id)
     select 'ch_' || p.id, p.id, c.amount_minor, c.currency, 0, 'succeeded', 'pi_' || p.id
     from p, c returning purchase_id as id`,
    [product.id, buyer.id, newPublicId('pay_')],
  );
  await api.database.transaction((em) => issueReceipt(em, sold!.id));
  await api.seed.grant({ productId: product.id, personId: buyer.id }, { source: sold!.id });
  return sold!.id;
}
