import { z } from 'zod';
import { takeDownPicture } from '../../../domain/catalog/pictures/picture.command.ts';
import { HASH } from '../../../domain/catalog/pictures/picture.ts';
import { findShownImage } from '../../../domain/catalog/pictures/picture.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { actorOf } from '../../console/managed-product.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { formBody, given, matching } from '../../http/fields.ts';
import { HttpError } from '../../http/errors.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, OPERATOR_FORM, OPERATOR_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { PICTURES } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { LONGEST_PICTURE, picturesPage } from './pictures.page.ts';

/** A hash alone, or in an address. */
const NAMED = /(?:^|\/images\/)([0-9a-f]{32})(?:$|-)/;

const showPictures = defineRoute({
  ...OPERATOR_PAGE,
  path: PICTURES,
  summary: 'Find a picture of a product',
  input: { query: z.object({ picture: given(LONGEST_PICTURE).trim().default('') }) },
  async handler(context) {
    const { picture: find } = context.query;
    const hash = NAMED.exec(find)?.[1];
    const image = hash && (await findShownImage(context.services.database.em(), hash));
    const found = hash && image ? { ...image, hash } : null;
    const token = sessionFormToken(context);
    return showOperatorPage(context, picturesPage({ find, found, token }));
  },
});

const takeDown = defineRoute({
  ...OPERATOR_FORM,
  path: PICTURES,
  summary: 'Take a picture of a product down',
  proof: 'fresh',
  input: { body: formBody({ picture: matching(HASH, 32) }) },
  async handler(context) {
    const { picture: hash } = context.body;
    const input = { hash, by: actorOf(context) };
    const taken = await takeDownPicture(context.services.database.em(), input);
    if (isRefusal(taken) && taken.refused === 'not_found') throw new HttpError('not_found');
    const notice = isRefusal(taken) ? 'unchanged' : 'picture_taken_down';
    return redirect(withNotice(`${PICTURES}?picture=${hash}`, notice));
  },
});

export const routes = [showPictures, takeDown];
