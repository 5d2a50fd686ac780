import { z } from 'zod';
import { countUpload } from '../../../domain/catalog/pictures/count-upload.command.ts';
import { addPicture, changePictures } from '../../../domain/catalog/pictures/picture.command.ts';
import {
  HASH,
  LONGEST_ALT,
  validateAlt,
  PICTURE_SIZES,
  type PictureEdit,
} from '../../../domain/catalog/pictures/picture.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { makeImages } from '../../../platform/images.ts';
import { explain } from '../../account/field-problems.ts';
import { formBody, given, matching } from '../../http/fields.ts';
import { HttpError } from '../../http/errors.ts';
import { productRef } from '../../http/params.ts';
import { tooMany } from '../../http/rate-limit.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, SESSION_FORM, type HttpResponse } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { writePlural } from '../../html/numbers.ts';
import { productPath } from '../console-frame.ts';
import { loadManaged, managerOf, passRights, type ProductCall } from '../managed-product.ts';
import { showListingOf } from './listing.routes.ts';
import type { PictureDraft } from './pictures-cards.ts';

const PATH = '/console/products/:ref/listing';
const LIMIT_BYTES = 4 * 1024 * 1024;

const file = z.instanceof(Buffer);
const screenshot = matching(HASH, 32);

const upload = <Fields extends z.ZodRawShape>(fields: Fields) =>
  ({ kind: 'upload', shape: z.object(fields), limitBytes: LIMIT_BYTES }) as const;

const setIcon = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/icon`,
  summary: 'Upload the icon of a product',
  proof: 'none',
  input: { params: productRef, body: upload({ icon: file }) },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const bytes = context.body.icon;
    return save(context, { product, bytes, field: 'icon', picture: { kind: 'icon' } });
  },
});

const addScreenshot = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/screenshots`,
  summary: 'Upload a screenshot of a product',
  proof: 'none',
  input: { params: productRef, body: upload({ screenshot: file, alt: given(LONGEST_ALT) }) },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const { value: alt, problem } = validateAlt(context.body.alt);
    const typed = { alt: problem === null ? alt : context.body.alt };
    if (problem !== null) {
      return showListingOf(context, product, { typed, problems: { alt: explain(problem) } });
    }
    const picture = { kind: 'screenshot', alt } as const;
    const bytes = context.body.screenshot;
    return save(context, { product, bytes, field: 'screenshot', picture, typed });
  },
});

const replaceScreenshot = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/screenshots/replace`,
  summary: 'Replace a screenshot of a product',
  proof: 'none',
  input: { params: productRef, body: upload({ screenshot, replacement: file }) },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const { screenshot: replaces, replacement: bytes } = context.body;
    const picture = { kind: 'screenshot', replaces } as const;
    return save(context, { product, bytes, field: 'replacement', picture, of: replaces });
  },
});

const editPicture = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/pictures`,
  summary: 'Describe, move or remove a picture of a product',
  proof: 'none',
  input: {
    params: productRef,
    body: formBody({
      action: z.enum(['remove_icon', 'describe', 'earlier', 'later', 'remove']),
      screenshot: screenshot.default(''),
      alt_text: given(LONGEST_ALT).default(''),
    }),
  },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const { action, screenshot: of, alt_text } = context.body;
    const { value: alt, problem } = validateAlt(alt_text);
    if (action === 'describe' && problem !== null) {
      const problems = { alt_text: explain(problem) };
      return showListingOf(context, product, { typed: { alt_text }, problems, of });
    }
    const by = managerOf(context);
    const input = { productId: product.id, by, edit: toEdit(action, { of, alt }) };
    const changed = await changePictures(context.services.database.em(), input);
    if (!isRefusal(changed)) return back(product, changed.changed);
    if (passRights(changed.refused, 'edit_listing') === 'removed') throw new HttpError('not_found');
    return back(product, false);
  },
});

/** A change without an upload. */
type Edit = Exclude<PictureEdit, { hash: string }>;

function toEdit(
  action: Edit['action'],
  { of: screenshot, alt }: { of: string; alt: string },
): Edit {
  if (action === 'remove_icon') return { action };
  return action === 'describe' ? { action, screenshot, alt } : { action, screenshot };
}

type Upload = {
  product: ManagedProduct;
  bytes: Buffer;
  picture: Parameters<typeof addPicture>[1]['picture'];
  /** The field of the file. */
  field: 'icon' | 'screenshot' | 'replacement';
  typed?: PictureDraft['typed'];
  of?: string;
};

/** Makes the picture in all widths and adds it; what is wrong with it stands at the field. */
async function save(context: ProductCall, asUploaded: Upload): Promise<HttpResponse> {
  const { product, bytes, picture, field, typed = {}, ...place } = asUploaded;
  const refuse = (problem: string) => {
    const problems: PictureDraft['problems'] = {};
    problems[field] = problem;
    return showListingOf(context, product, { typed, problems, ...place });
  };
  const { services, currentUser } = context;
  const { personId } = currentUser;
  await limitUploads(services, { productId: product.id, personId });
  const made = await makeImages(bytes, PICTURE_SIZES[picture.kind], { caller: personId });
  if ('refused' in made) return refuse(PROBLEMS[made.refused]);
  const by = managerOf(context);
  const input = { productId: product.id, by, picture, upload: { bytes, made } };
  const added = await addPicture(services.database.em(), input);
  if (!isRefusal(added)) return back(product, added.changed);
  const refused = passRights(added.refused, 'edit_listing');
  if (refused === 'removed') throw new HttpError('not_found');
  // The screenshot that it would replace is gone.
  return refused === 'not_there' ? back(product, false) : refuse(PROBLEMS[refused]);
}

/** Refuses an upload over the limits of a day, before it is unpacked. */
async function limitUploads(
  { database }: ProductCall['services'],
  upload: { productId: string; personId: string },
): Promise<void> {
  const counted = await countUpload(database.pool, upload);
  if (!isRefusal(counted)) return;
  const { limit, most, retryAfterS } = counted;
  const whose = limit === 'product' ? 'for a product' : 'of a person';
  const hours = writePlural(Math.ceil(retryAfterS / HOUR_S), 'hour');
  const message = `${most} pictures are taken ${whose} within 24 hours. Try again in ${hours}.`;
  throw tooMany(retryAfterS, message);
}

const HOUR_S = 3_600;

const PROBLEMS = {
  no_picture: 'Choose a JPEG, PNG or WebP picture.',
  too_large:
    'Choose a JPEG, PNG or WebP picture with fewer pixels. Unpacked, this one is too large.',
  too_many: 'A product has at most 8 screenshots. Remove one first.',
  taken_down: 'An operator took this picture down. Choose another one.',
};

function back({ slug }: ManagedProduct, isChanged: boolean): HttpResponse {
  const notice = isChanged ? 'saved' : 'unchanged';
  return redirect(withNotice(`${productPath(slug)}/listing`, notice));
}

export const routes = [setIcon, addScreenshot, replaceScreenshot, editPicture];
