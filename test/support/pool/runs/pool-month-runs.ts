import { openReadyAccount } from '../../../../packages/simulator/onboard.ts';
import { holdPoolProduct } from '../../../../domain/pool/review/decisions.repository.ts';
import { readPeriodId } from '../../../../domain/pool/period/pool-month.ts';
import { FEWEST_MEMBERS } from '../../../../domain/pool/review/review-rules.ts';
import type { Stage } from '../../engines/worker.ts';
import type { Shop } from '../../purchases/simulator.ts';
import { addPayoutAccount } from '../payouts.ts';
import { firstDays } from '../pool-facts.ts';
import { addOperator, startPeriod } from '../pool-periods.ts';
import { createPoolScene } from '../pool-scene.ts';

type Ended = { workflowId: string; result(): Promise<string> };
type Run = (stage: Stage, shop: Shop) => Promise<Ended>;

const FEE_MINOR = 4_900;

/** What is recorded of months with Members, by the real steps. Each run has a currency of its own. */
export const POOL_MONTH_RUNS: Record<string, Run> = {
  async 'pool-period-with-a-held-product'(stage, shop) {
    const { story, operator, listed } = await startUsedMonth(stage, { shop, currency: 'SEK' });
    await story.passMonth();
    await story.isWaiting(2);
    const hold = { productId: listed.productId, byId: operator.personId, reason: 'A farm?' };
    await stage.database.transaction((em) => holdPoolProduct(em, hold));
    await story.approve(operator.personId);
    return story;
  },

  async 'pool-period-with-a-late-refund'(stage, shop) {
    const currency = 'DKK';
    const used = await startUsedMonth(stage, { shop, currency });
    const { scene, story: first, operator, listed, otherPaymentId } = used;
    await first.passMonth();
    await first.isWaiting(2);
    await first.approve(operator.personId);
    await first.result();
    await scene.returnMoney(otherPaymentId, 2_000);
    const story = await startPeriod(stage, currency);
    const { month } = readPeriodId(story.periodId);
    const { personId } = await scene.pay({ month, currency, grossMinor: FEE_MINOR });
    await scene.use(personId, { productId: listed.productId, month, mask: firstDays(4) });
    await story.isWaiting(1);
    await story.passMonth();
    await story.isWaiting(2);
    await story.approve(operator.personId);
    return story;
  },
};

type Used = { shop: Shop; currency: string };

/** A running month with a product that the review lists, and one that a single Member uses. */
async function startUsedMonth(stage: Stage, { shop, currency }: Used) {
  const scene = createPoolScene(stage);
  const operator = await addOperator(stage);
  const story = await startPeriod(stage, currency);
  const { month } = readPeriodId(story.periodId);
  const addProduct = async () => {
    const { productId, personId } = await scene.addIncluded();
    const account = await openReadyAccount(shop.processor, 'creator@example.com');
    const owner = { personId: personId!, account, confirmedBy: operator.personId };
    await addPayoutAccount(scene, owner);
    return { productId };
  };
  const payFor = async (productId: string) => {
    const { personId, paymentId } = await scene.pay({ month, currency, grossMinor: FEE_MINOR });
    await scene.use(personId, { productId, month, mask: firstDays(9) });
    return paymentId;
  };
  const [listed, other] = [await addProduct(), await addProduct()];
  for (let number = 0; number < FEWEST_MEMBERS; number += 1) await payFor(listed.productId);
  const otherPaymentId = await payFor(other.productId);
  await story.isWaiting(1);
  return { scene, story, operator, listed, otherPaymentId };
}
