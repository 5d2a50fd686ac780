import test from 'ava';
import { loadListing } from '../../domain/catalog/listing.repository.ts';
import { serveReplies, REPOSITORY, REPOSITORY_REPLIES } from '../support/catalog/imports.ts';
import { findImported, SITE_PATH } from '../../dev/imports/stand-in.ts';
import { openStage } from '../support/engines/worker.ts';
import { eventually } from '../support/eventually.ts';
import { pictureFile } from '../support/http/picture-file.ts';
import { startPeople } from '../support/identity/people.ts';

const { api } = await startPeople();
const outside = await serveReplies(REPOSITORY_REPLIES);
const stage = await openStage({
  taskQueues: ['upkeep'],
  testDatabase: api.test,
  forgeUrl: outside.url,
});
stage.startPublisher();
await stage.startWorkers();
test.after.always(async () => {
  await stage.close();
  await outside.close();
  await api.close();
});

/** What the rest of the form of a listing says. */
const TYPED = {
  delivery: 'external_store',
  website_url: 'https://harbour-light.example/',
  category: 'utilities',
  support_address: 'help@harbour-light.example',
};

async function serveSite(): Promise<void> {
  const { body: page } = (await findImported(SITE_PATH))!;
  const picture = Buffer.from(await (await pictureFile()).arrayBuffer());
  Object.assign(outside.replies, { [SITE_PATH]: { html: String(page) } });
  for (const name of ['icon', 'deck', 'night']) {
    outside.replies[`${SITE_PATH}/${name}.png`] = { bytes: picture };
  }
}

test('a stranger lists a product by an import of its page and one of its repository', async (t) => {
  await serveSite();
  const person = await api.seed.person({ isBuilder: true });
  const browser = api.browser();
  await browser.signIn(person);
  const submit = async (action: string, fields: Record<string, string | string[]>) => {
    const answer = await browser.submit('/console/roles', { action, fields });
    t.is(answer.status, 303, action);
    return new URL(answer.headers.get('location')!, api.url).pathname;
  };
  await submit('/console/new-product', {
    name: 'Boat',
    slug: 'boat',
    tagline: 'A boat.',
    owner: 'me',
  });
  const product = '/console/products/boat';
  const shows = (path: string, state: string) =>
    eventually(
      async () => (await browser.get(path)).text(),
      (text) => text.includes(`data-state="${state}"`),
    );
  const take = async (kind: string, address: string, taken: string[]) => {
    const path = await submit(`${product}/imports`, { kind, address });
    const found = await shows(path, 'ready');
    const version = /name="version" value="(\d+)"/.exec(found)![1]!;
    await submit(`${path}/apply`, { version, take: taken, prefix: '' });
    return shows(path, 'applied');
  };
  const taken = ['name', 'tagline', 'description', 'docsUrl', 'icon', 'screenshots'];
  const applied = await take('page', outside.url + SITE_PATH, taken);
  t.regex(applied, /Some pictures were not added/);
  t.regex(applied, /gone\.png<\/span\s*>: Visitors find nothing there/);
  await take('repository', REPOSITORY, ['tags', 'releases', 'sourceUrl']);

  const [row] = await api.test.query<{ id: string }>(
    `select product_id as id from product_slug where slug = 'boat'`,
  );
  const { name, tagline, description, version, ...more } = await loadListing(
    api.database.em(),
    row!.id,
  );
  t.like({ name, ...more }, { name: 'Harbour Light', tags: ['paper', 'scanner'] });
  await submit(`${product}/listing`, {
    name,
    tagline,
    description: description!,
    version: String(version),
    ...TYPED,
  });
  await submit(`${product}/selling/state`, { action: 'list' });
  const shown = await (await browser.get('/p/boat')).text();
  for (const text of ['Harbour Light', 'listens to the battery', '1.1.0', 'scanner']) {
    t.true(shown.includes(text), text);
  }
  t.is(shown.match(/\/images\/[0-9a-f]{32}-\d+\.webp/g) !== null, true);
});
