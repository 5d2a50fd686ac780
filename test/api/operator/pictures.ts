import test from 'ava';
import { addPicture } from '../../../domain/catalog/pictures/picture.command.ts';
import { loadPictures } from '../../../domain/catalog/pictures/picture.repository.ts';
import { WIDTHS } from '../../../domain/catalog/pictures/picture.ts';
import { arrivalOf, noticeOf } from '../../support/http/arrival.ts';
import { people, operator, somebody } from './scene.ts';

const { api } = people;

const PATH = '/operator/pictures';

const find = async (picture: string) =>
  (await operator.browser.get(`${PATH}?${new URLSearchParams({ picture })}`)).text();
const takeDown = (picture: string, by = operator) =>
  by.browser.submit('/', { action: PATH, fields: { picture } });

/** A product with an icon; its bytes need not be a picture here. */
async function addIcon(text: string) {
  const owner = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({ owner });
  const bytes = Buffer.from(text);
  await addPicture(api.database.em(), {
    productId: product.id,
    by: { personId: owner.id, isOperator: false, ip: null },
    picture: { kind: 'icon' },
    upload: { bytes, made: WIDTHS.map(() => bytes) },
  });
  const { icon } = await loadPictures(api.database.em(), product.id);
  return { product, hash: icon! };
}

test('an operator finds a picture by its address, and takes it down at once', async (t) => {
  const { product, hash } = await addIcon('one');
  const address = `/images/${hash}-640.webp`;
  for (const named of [hash, address, ` ${api.url}${address} `]) {
    const page = await find(named);
    t.true(page.includes(`src="${address}"`) && page.includes(product.slug), named);
  }
  t.is((await api.request(address)).status, 200);
  t.is(arrivalOf(await takeDown(hash)), `${PATH}?picture=${hash} picture_taken_down`);
  t.is((await api.request(address)).status, 404);
  t.is((await loadPictures(api.database.em(), product.id)).icon, null);
  t.regex(await find(hash), /Taken down/);
  t.is(noticeOf(await takeDown(hash)), 'unchanged');
  const trail = await api.test.query(
    `select action, actor_id from audit where product_id = $1 and subject = $2
     and action = 'picture.taken_down'`,
    [product.id, hash],
  );
  t.deepEqual(trail, [{ action: 'picture.taken_down', actor_id: operator.person.id }]);
});

test('what is no picture is not found, and nobody else takes one down', async (t) => {
  const { hash } = await addIcon('two');
  for (const named of ['x', '0'.repeat(32), `${hash}0`]) {
    t.regex(await find(named), /no picture at/);
  }
  t.is((await takeDown('0'.repeat(32))).status, 404);
  t.is((await takeDown(hash, somebody)).status, 404);
  t.is((await api.request(`/images/${hash}-256.webp`)).status, 200);
});
