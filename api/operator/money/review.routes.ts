import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { listProductNames } from '../../../domain/catalog/product-search.repository.ts';
import {
  holdPoolProduct,
  releasePoolProduct,
} from '../../../domain/pool/review/decisions.repository.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { given, uuid, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { actorOf } from '../../console/managed-product.ts';
import { HttpError } from '../../http/errors.ts';
import { pathWith } from '../../html/table.ts';
import { withNotice } from '../../html/notices.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, OPERATOR_FORM } from '../../http/route.ts';
import { LONGEST_REASON } from '../people/decision.page.ts';
import { periodPath } from './pool.page.ts';
import { amountSearch, loadPeriod, periodParams, showPeriodPage } from './period.routes.ts';

const ACTIONS = { hold: 'pool.held', release: 'pool.released' } as const;
const NOTICES = { hold: 'pool_product_held', release: 'pool_product_released' } as const;

const decideOnPoolProduct = defineRoute({
  ...OPERATOR_FORM,
  path: `${periodPath(':period')}/review`,
  summary: 'Hold or release a product in the creator pool',
  proof: 'fresh',
  input: {
    params: periodParams,
    body: formBody({
      action: z.enum(['hold', 'release']),
      product: uuid().toLowerCase(),
      reason: given(LONGEST_REASON).default(''),
      ...amountSearch,
    }),
  },
  async handler(context) {
    const { action, product: productId, find, after } = context.body;
    const { id: periodId } = await loadPeriod(context);
    const named = await listProductNames(context.services.database.em(), [productId]);
    const product = named.get(productId);
    if (!product) throw new HttpError('not_found');
    const { value: reason, problem } = validateLine(context.body.reason, LONGEST_REASON);
    if (problem !== null) {
      const draft = { productId, problem: explain(problem) };
      return showPeriodPage(context, { search: { find, after }, draft });
    }
    const decision = { productId, byId: context.currentUser.personId, reason };
    const isDone = await context.services.database.transaction(async (em) => {
      const decide = action === 'hold' ? holdPoolProduct : releasePoolProduct;
      if (!(await decide(em, decision))) return false;
      const detail = { product: product.slug, period: periodId, reason };
      const by = actorOf(context);
      await recordAudit(em, { by, action: ACTIONS[action], subject: productId, detail });
      return true;
    });
    const path = pathWith(periodPath(periodId), { find, after: after ?? undefined });
    return redirect(withNotice(path, isDone ? NOTICES[action] : 'unchanged'));
  },
});

export const routes = [decideOnPoolProduct];
