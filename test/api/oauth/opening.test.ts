import test from 'ava';
import { activateBySignIn } from '../../../domain/entitlements/memberships/activation.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { newCode } from '../../support/identity/oauth.ts';
import { startTokenScene } from '../../support/identity/token-scene.ts';

const scene = await startTokenScene();
const { api, product, person } = scene;
test.after.always(() => api.close());

const key = { productId: product.id, personId: person.id };
const settle = () => api.database.transaction((em) => activateBySignIn(em, key));
const told = async () =>
  (
    await api.test.query<{ name: string }>(
      'select name from event where product_id = $1 order by created_at, id',
      [product.id],
    )
  ).map(({ name }) => name);
const messages = () =>
  api.test.query('select 1 from outbox where workflow_id = $1', [
    `entitlement:${product.id}:${person.id}`,
  ]);
async function exchange(t: { true(is: boolean): void }) {
  const code = await newCode(scene.browser, scene.client);
  t.true(await scene.isAlive(code));
}

test.serial(
  "a member's first token for an Included product opens it, and only the first",
  async (t) => {
    await exchange(t);
    await api.test.query('update product set included_with_member = true where id = $1', [
      product.id,
    ]);
    await exchange(t);
    t.deepEqual(await messages(), []);
    await api.test.query(
      `insert into membership (id, person_id, status) values ($1, $2, 'active')`,
      [newUuid(), person.id],
    );
    await settle();
    t.deepEqual(await told(), []);
    await exchange(t);
    t.is((await messages()).length, 1);
    await Promise.all([settle(), settle(), settle()]);
    t.deepEqual(await told(), ['entitlement.created']);
    await exchange(t);
    t.is((await messages()).length, 1);
  },
);

test.serial('so does one with a membership that has ended, while it is still served', async (t) => {
  const before = (await messages()).length;
  await api.test.query('delete from membership_activation where product_id = $1', [product.id]);
  await api.test.query(
    `update membership set status = 'ended', ended_at = gatehouse_now(),
       ends_at = gatehouse_now() + interval '3 days', withdrawn_at = gatehouse_now()
     where person_id = $1`,
    [person.id],
  );
  const opened = () =>
    api.test.query('select 1 from membership_activation where product_id = $1', [product.id]);
  await settle();
  t.deepEqual(await opened(), []);
  await api.test.query('update membership set withdrawn_at = null where person_id = $1', [
    person.id,
  ]);
  await exchange(t);
  t.is((await messages()).length, before + 1);
  await settle();
  t.is((await opened()).length, 1);
});
