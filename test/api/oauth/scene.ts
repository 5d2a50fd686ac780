import test from 'ava';
import { startTokenScene } from '../../support/identity/token-scene.ts';

/** What the token endpoint is asked about. */
export const tokens = await startTokenScene();
export const { api } = tokens;

const product = await api.seed.product({ name: 'Pocket <Synth>' });
const person = await api.seed.person();
const browser = api.browser();
await browser.signIn(person);

/** What the consent page is asked about. */
export const consent = {
  product,
  person,
  browser,
  client: await api.seed.client({ product, name: 'Synth & Web' }),
  publicClient: await api.seed.client({ product, kind: 'public' }),
};
/** Somebody who may use a product. */
export const entitled = { product: await api.seed.product(), person: await api.seed.person() };
await api.seed.grant({ productId: entitled.product.id, personId: entitled.person.id });
test.after.always(() => api.close());
