import type { OfferKind } from '../../../domain/catalog/product.repository.ts';
import { purchaseWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { startBuying } from './buying.ts';
import type { TestDatabase } from '../engines/database.ts';
import { eventually } from '../eventually.ts';
import { createKnobs } from './knobs.ts';
import { addOffer } from '../catalog/scene.ts';
import type { SeedProduct } from '../catalog/seed.ts';
import { pay } from './simulator.ts';
import { openStage } from '../engines/worker.ts';

/** The application, its worker and the processor, joined as in production: over HTTP and the database. */
export async function startShop() {
  const buying = await startBuying();
  const { api } = buying;
  const { apiUrl: url, secretKey } = api.config.processor;
  const stage = await openStage({
    taskQueues: ['money', 'access'],
    processor: api.processor,
    testDatabase: api.test,
  });
  stage.startPublisher();
  await stage.startWorkers();

  /** Somebody before the hosted checkout of a new product. */
  async function goToCheckout({ kind = 'one_time' }: { kind?: OfferKind } = {}) {
    const product = await buying.sell();
    const { browser, person } = await buying.signedIn();
    const offer = kind === 'one_time' ? '' : `?offer=${await addOther(product, kind)}`;
    const response = await browser.get(`/buy/${product.slug}${offer}`);
    const checkoutUrl = response.headers.get('location')!;
    const [row] = await buying.purchasesOf(product);
    const purchaseId = String(row!['id']);
    return {
      product,
      browser,
      person,
      purchaseId,
      workflowId: purchaseWorkflow(purchaseId).workflowId,
      sessionId: checkoutUrl.split('/').at(-1)!,
      pay: (card: string) => pay(checkoutUrl, card),
      ...viewsOf(buying, { product, personId: person.id, purchaseId }),
    };
  }

  async function addOther({ id: productId }: SeedProduct, kind: OfferKind): Promise<string> {
    const { offerId } = await addOffer(api.test, { productId, kind });
    return offerId;
  }

  return {
    api,
    stage,
    seller: buying.seller,
    knobs: createKnobs({ url, secretKey }),
    goToCheckout,
    signedIn: buying.signedIn,
    async close() {
      await stage.close();
      await api.close();
    },
  };
}

type Buying = Awaited<ReturnType<typeof startBuying>>;

function viewsOf(
  { api, purchasesOf }: Buying,
  sale: { product: SeedProduct; personId: string; purchaseId: string },
) {
  const { product, personId, purchaseId } = sale;
  const status = async () => String((await purchasesOf(product))[0]!['status']);
  const events = async () =>
    api.test.query<{ name: string; data: Record<string, unknown> }>(
      'select name, data from event where product_id = $1 order by created_at, id',
      [product.id],
    );
  return {
    status,
    reaches: (wanted: string) => eventually(status, (now) => now === wanted),
    events,
    eventNames: async () => (await events()).map(({ name }) => name),
    ...wordsOf(api.test, purchaseId),
    async isActive(): Promise<boolean> {
      const response = await api.request(`/api/v1/entitlements?user_id=${personId}`, {
        headers: { authorization: `Bearer ${product.liveKey}` },
      });
      return ((await response.json()) as { active: boolean }).active;
    },
  };
}

/** What the processor said of a purchase. */
function wordsOf({ query }: TestDatabase, purchaseId: string) {
  return {
    /** Each event of the processor, with what became of it. */
    inbox: () =>
      query<{ type: string; handled: boolean; dead_letter_reason: string | null }>(
        `select type, handled_at is not null as handled, dead_letter_reason from processor_event
         where purchase_id = $1 order by received_at, id`,
        [purchaseId],
      ),
    disputes: () =>
      query<{ id: string; processor_id: string; status: string; amount_minor: string }>(
        `select d.id, d.processor_id, d.status, d.amount_minor from dispute d
         join payment y on y.id = d.payment_id where y.purchase_id = $1 order by d.id`,
        [purchaseId],
      ),
  };
}
