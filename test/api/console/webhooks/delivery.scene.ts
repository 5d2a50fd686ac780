import test from 'ava';
import { startTeams } from '../../../support/identity/teams.ts';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';

export const teams = await startTeams();
const { api } = teams;
export const rows = createDeliveryRows(api.test);
test.after.always(() => api.close());

export const PAYLOAD = '{"id":"evt_X","data":{"user_id":"somebody & <others>"}}';

/** A team with each role, and an endpoint of its product. */
export async function scene() {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team);
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const made = { productId: product.id, endpointId, body: PAYLOAD };
  const path = `/console/products/${product.slug}/deliveries`;
  return { team, product, endpointId, made, path };
}

export async function dead(made: Parameters<typeof rows.delivery>[0]) {
  return rows.delivery({ ...made, status: 'dead', step: 5 });
}
