import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { appealAgainst } from '../../../domain/seal/appeal.command.ts';
import { findAppeal, LONGEST_APPEAL } from '../../../domain/seal/appeal.repository.ts';
import { nextReviewAfter } from '../../../domain/seal/review-week.ts';
import { listReviews } from '../../../domain/seal/review.repository.ts';
import { findSeal } from '../../../domain/seal/seal.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { validateLines } from '../../../domain/shared/text.ts';
import { now } from '../../../platform/database/database.ts';
import { given, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { withNotice } from '../../html/notices.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { productRef } from '../../http/params.ts';
import { productPath } from '../console-frame.ts';
import {
  loadManaged,
  managerOf,
  requireAllowed,
  roleBlockReason,
  type ProductCall,
} from '../managed-product.ts';
import { sealPage, type AppealDraft } from './seal.page.ts';

const PATH = '/console/products/:ref/seal';

const showSeal = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show the quality seal of a product',
  input: { params: productRef },
  handler: async (context) => show(context, await loadManaged(context), null),
});

/** Whoever loses the race to appeal finds the other appeal on the page. */
const appealForSeal = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Appeal against a review of the quality seal',
  proof: 'none',
  input: { params: productRef, body: formBody({ text: given(LONGEST_APPEAL) }) },
  async handler(context) {
    const product = await loadManaged(context);
    requireAllowed(product, 'edit_listing');
    const { value: text, problem } = validateLines(context.body.text, LONGEST_APPEAL);
    if (problem) {
      return show(context, product, { typed: context.body, problems: { text: explain(problem) } });
    }
    const { id: productId, ownerTeamId: teamId } = product;
    const appeal = { productId, teamId, text, by: managerOf(context) };
    const appealed = await appealAgainst(context.services.database.em(), appeal);
    const notice = isRefusal(appealed) ? 'unchanged' : 'appeal_sent';
    return redirect(withNotice(`${productPath(product.slug)}/seal`, notice));
  },
});

async function show(context: ProductCall, product: ManagedProduct, draft: AppealDraft | null) {
  const { database, config } = context.services;
  const em = database.em();
  const view = sealPage({
    product,
    seal: await findSeal(em, product.id),
    reviews: await listReviews(em, product.id),
    appeal: await findAppeal(em, product.id),
    nextReviewAt: nextReviewAfter(await now(em)),
    appealBlockReason: roleBlockReason(product, 'edit_listing'),
    draft,
    baseUrl: config.baseUrl,
    formToken: sessionFormToken(context),
  });
  return page(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showSeal, appealForSeal];
