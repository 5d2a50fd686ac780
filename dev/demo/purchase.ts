// One purchase against the running platform.
import { formatMoney } from '../../domain/shared/money.ts';
import { createBrowser, describePage, expectLocation } from './browser.ts';
import type { DemoData } from './load.ts';
import { signUp } from './sign-up.ts';
import { listenAt } from './receiver.ts';

type Person = Pick<DemoData['people'][number], 'id' | 'email' | 'password'>;
/** Prints what was done and what was seen. */
export type Step = (what: string, saw: string) => void;
type Scene = { demo: DemoData; product: DemoData['products'][number]; step: Step };

export async function showPurchase(demo: DemoData, step: Step): Promise<void> {
  const product = demo.products.find(({ slug }) => slug === 'paper-trail')!;
  const scene = { demo, product, step };
  const buyer = (await findBuyer(scene)) ?? (await signUpBuyer(scene));
  const endpoint = product.endpoints[0]!;
  const receiver = await listenAt(endpoint);
  step('The product listens for webhooks', endpoint.url);
  try {
    step('Entitlement check before', summary(await check(scene, buyer)));
    const startedAt = Date.now();
    const purchaseId = await buy(scene, buyer);
    const hear = (name: string) =>
      receiver.waitFor(
        name,
        ({ data }) => data['user_id'] === buyer.id && data['purchase_id'] === purchaseId,
      );
    const completed = await hear('purchase.completed');
    const gross = formatMoney(
      Number(completed.data['gross_minor']),
      `${completed.data['currency']}`,
    );
    step(
      'Signed webhook purchase.completed, verified on the raw bytes',
      `${completed.id}, ${gross}`,
    );
    const created = await hear('entitlement.created');
    const isActive = created.data['active'];
    step('Signed webhook entitlement.created, verified', `${created.id}, active: ${isActive}`);
    const after = await check(scene, buyer);
    step('Entitlement check after', summary(after));
    if (after['active'] !== true) throw new Error('The check does not answer active: true.');
    const workflow = `${demo.temporal_ui_url}/namespaces/default/workflows/purchase:${purchaseId}`;
    step('The durable workflow behind it', workflow);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(`\n  Done in ${seconds} s from click to access.`);
  } finally {
    await receiver.close();
  }
}

/** The first of the demo's people without access: the buyer, or else the person with the fewest roles. */
async function findBuyer(scene: Scene): Promise<Person | null> {
  const rank = ({ roles }: DemoData['people'][number]) =>
    roles.includes('buyer') ? 0 : roles.length + 1;
  for (const person of scene.demo.people.toSorted((a, b) => rank(a) - rank(b))) {
    if ((await check(scene, person))['active'] === false) return person;
  }
  return null;
}

async function signUpBuyer({ demo, step }: Scene): Promise<Person> {
  step('Everybody in the demo owns it', 'check says active: true for all');
  const registrant = await signUp(demo);
  step('Somebody new has signed up and confirmed the address by mail', registrant.email);
  return registrant;
}

async function buy({ demo, product, step }: Scene, buyer: Person): Promise<string> {
  const browser = createBrowser();
  const link = `${demo.base_url}/buy/${product.slug}?src=launch-week&currency=EUR`;
  const click = await browser.visit(link);
  step('Buy link', `${link} -> ${describePage(click)}`);
  const signIn = await browser.visit(expectLocation(click, '/sign-in'));
  const { email, password } = buyer;
  const signedIn = await browser.submit(signIn, { email, password });
  step(`Sign-in as ${email}`, describePage(signedIn));
  const again = await browser.visit(expectLocation(signedIn, '/buy/'));
  step('Back at the buy link', describePage(again));
  const checkout = await browser.visit(expectLocation(again, '/pay/'));
  step('Hosted checkout of the payment simulator', describePage(checkout));
  const paid = await browser.submit(checkout);
  step('Paid with the card that succeeds', describePage(paid));
  const purchaseUrl = expectLocation(paid, '/purchases/');
  return purchaseUrl.split('/').at(-1)!.split('?')[0]!;
}

/** Asks as the product's server does. */
export async function check(
  { demo, product }: Pick<Scene, 'demo' | 'product'>,
  { id }: { id: string },
): Promise<Record<string, unknown>> {
  const response = await fetch(`${demo.base_url}/api/v1/entitlements?user_id=${id}`, {
    headers: { authorization: `Bearer ${product.live_key}` },
  });
  if (!response.ok) throw new Error(`The entitlement check answered ${response.status}.`);
  return (await response.json()) as Record<string, unknown>;
}

function summary({ active, type, source }: Record<string, unknown>): string {
  return `active: ${active}, type: ${type}, source: ${source}`;
}
