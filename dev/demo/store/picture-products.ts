// Gives each product of the demo an icon and screenshots, in the background of a start.
import { ENTITIES } from '../../../domain/entities.ts';
import { addPicture } from '../../../domain/catalog/pictures/picture.command.ts';
import { PICTURE_SIZES, type PICTURE_KINDS } from '../../../domain/catalog/pictures/picture.ts';
import { loadPictures } from '../../../domain/catalog/pictures/picture.repository.ts';
import { Product, ProductSlug } from '../../../domain/catalog/product.entity.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { makeImages } from '../../../platform/images.ts';
import { DEMO_LISTINGS } from './create-store.ts';
import { drawIcon, drawScreenshot } from './draw.ts';

const SCREENSHOTS = 2;

type Drawn = { productId: string; name: string; icon: Buffer; screenshots: Buffer[] };

/** A product that has an icon keeps its pictures. */
export async function pictureProducts(databaseUrl: string, signal: AbortSignal): Promise<void> {
  const urls = { url: databaseUrl, listenUrl: databaseUrl };
  const database = openDatabase({ ...urls, name: 'demo', entities: ENTITIES });
  try {
    // All are drawn before the first is made: then this process reads no SVG any more.
    const drawn = await drawAll(database);
    for (const each of drawn) {
      signal.throwIfAborted();
      await addAll(database, each);
    }
    if (drawn.length > 0) console.log(`The store has pictures of ${drawn.length} products`);
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`The demo's products go without their pictures: ${reason}`);
  } finally {
    await database.close();
  }
}

async function drawAll(database: Database): Promise<Drawn[]> {
  const drawn: Drawn[] = [];
  for (const [slug, { look }] of DEMO_LISTINGS) {
    const em = database.em();
    const { productId } = await em.findOneOrFail(ProductSlug, { slug });
    if ((await loadPictures(em, productId)).icon !== null) continue;
    const screenshots = [];
    for (let n = 0; n < SCREENSHOTS; n++) screenshots.push(await drawScreenshot(look, n));
    drawn.push({ productId, name: slug, icon: await drawIcon(look), screenshots });
  }
  return drawn;
}

/** Adds the icon last: a start that is ended before begins anew. */
async function addAll(database: Database, { productId, name, icon, screenshots }: Drawn) {
  for (const [index, bytes] of screenshots.entries()) {
    await add(database, {
      productId,
      kind: 'screenshot',
      alt: `${name}, view ${index + 1}`,
      bytes,
    });
  }
  await add(database, { productId, kind: 'icon', bytes: icon });
}

type Picture = {
  productId: string;
  kind: (typeof PICTURE_KINDS)[number];
  alt?: string;
  bytes: Buffer;
};

async function add(database: Database, { productId, kind, alt = '', bytes }: Picture) {
  const made = await makeImages(bytes, PICTURE_SIZES[kind]);
  if ('refused' in made) throw new Error(`A picture was refused: ${made.refused}`);
  const picture = kind === 'icon' ? { kind } : { kind, alt };
  const em = database.em();
  const { ownerPersonId } = await em.findOneOrFail(Product, productId);
  const by = { personId: ownerPersonId!, isOperator: false, ip: null };
  const added = await addPicture(em, { productId, by, picture, upload: { bytes, made } });
  if (isRefusal(added)) throw new Error(`A picture was refused: ${added.refused}`);
}
