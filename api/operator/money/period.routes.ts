import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { LONGEST_NAME } from '../../../domain/catalog/product-fields.ts';
import { listProductNames } from '../../../domain/catalog/product-search.repository.ts';
import { poolPeriodWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { readPoolFile } from '../../../domain/pool/month-close/pool-file.repository.ts';
import { PERIOD_ID, PERIOD_ID_LENGTH } from '../../../domain/pool/period/pool-month.ts';
import {
  countPeriodProducts,
  listAmounts,
  type AmountSearch,
} from '../../../domain/pool/operator-views/amounts.repository.ts';
import {
  listPayouts,
  sumWaitingLines,
} from '../../../domain/pool/operator-views/payouts.repository.ts';
import {
  findPoolPeriod,
  type PeriodView,
  findPreview,
  requestPreview,
  type Preview,
} from '../../../domain/pool/operator-views/periods.repository.ts';
import {
  listReviewed,
  holdPoolProduct,
  releasePoolProduct,
} from '../../../domain/pool/review/decisions.repository.ts';
import { makeApprovalCode } from '../../../domain/pool/period/approval-code.ts';
import { approvePeriod } from '../../../domain/pool/period/approve-period.repository.ts';
import { POOL_FILES } from '../../../domain/pool/period/pool-period.entity.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { normaliseText } from '../../../domain/shared/normalise.ts';
import { now } from '../../../platform/database/database.ts';
import { given, text, NO_FIELDS, uuid, formBody } from '../../http/fields.ts';
import { refreshWhileWaiting, waitingSinceField } from '../../http/refresh-while-waiting.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { actorOf } from '../../console/managed-product.ts';
import { workflowUrl } from '../../console/workflow-url.ts';
import { HttpError } from '../../http/errors.ts';
import { withNotice } from '../../html/notices.ts';
import { gzip, redirect } from '../../http/response.ts';
import {
  defineRoute,
  type RouteContext,
  type SessionContext,
  OPERATOR_FORM,
  OPERATOR_PAGE,
} from '../../http/route.ts';
import { periodPath } from './pool.page.ts';
import { place } from '../../http/params.ts';
import { periodPage, type PeriodProps } from './period.page.ts';
import type { ReviewDraft } from './review-section.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { explain } from '../../account/field-problems.ts';
import { pathWith } from '../../html/parts/paging.ts';
import { LONGEST_REASON } from '../people/decision.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';

const PATH = periodPath(':period');

const periodParams = z.object({ period: given(PERIOD_ID_LENGTH) });

/** Which products of the month are shown. */
const amountSearch = {
  find: text(LONGEST_NAME)
    .transform(
      (typed) => normaliseText(typed.trim(), { form: 'NFC', longest: LONGEST_NAME }) ?? typed,
    )
    .default(''),
  after: place,
};

type PeriodCall = SessionContext & { params: { period: string } };

const showPeriod = defineRoute({
  ...OPERATOR_PAGE,
  path: PATH,
  summary: 'Show a month of the creator pool',
  input: { params: periodParams, query: z.object({ since: waitingSinceField, ...amountSearch }) },
  handler(context) {
    const { since, ...search } = context.query;
    return showPeriodPage(context, { since, search });
  },
});

const approvePoolPeriod = defineRoute({
  ...OPERATOR_FORM,
  path: `${PATH}/approve`,
  summary: 'Approve a month of the creator pool',
  proof: 'fresh',
  input: { params: periodParams, body: NO_FIELDS },
  async handler(context) {
    const { id } = await loadPeriod(context);
    const { personId: byId } = context.currentUser;
    const { ip } = actorOf(context);
    const approved = await context.services.database.transaction((em) =>
      approvePeriod(em, { periodId: id, byId, ip }),
    );
    const said = isRefusal(approved) ? 'period_not_in_review' : 'period_approved';
    return redirect(withNotice(periodPath(id), said));
  },
});

const showApprovalCode = defineRoute({
  ...OPERATOR_FORM,
  path: `${PATH}/approval-code`,
  summary: 'Show a code that approves a month of the creator pool in Temporal',
  proof: 'fresh',
  input: { params: periodParams, body: NO_FIELDS },
  async handler(context) {
    const { id: periodId, status, productsMinor } = await loadPeriod(context);
    if (status !== 'in_review' || productsMinor === null) {
      return redirect(withNotice(periodPath(periodId), 'period_not_in_review'));
    }
    const { database, signer } = context.services;
    const { personId } = context.currentUser;
    const nowMs = (await now(database.em())).getTime();
    const approvalCode = makeApprovalCode({ periodId, personId, productsMinor, nowMs }, (text) =>
      signer.sign('pool_approval', text),
    );
    return showPeriodPage(context, { search: { find: '', after: null }, approvalCode });
  },
});

const previewPeriod = defineRoute({
  ...OPERATOR_FORM,
  path: `${PATH}/preview`,
  summary: 'Make a preview of an open month of the creator pool',
  proof: 'none',
  input: { params: periodParams, body: NO_FIELDS },
  async handler(context) {
    const { id } = await loadPeriod(context);
    const isRequested = await context.services.database.transaction(async (em) => {
      if (!(await requestPreview(em, id))) return false;
      await recordAudit(em, { by: actorOf(context), action: 'pool.previewed', subject: id });
      return true;
    });
    // The page itself says that it is being made.
    return redirect(isRequested ? periodPath(id) : withNotice(periodPath(id), 'preview_refused'));
  },
});

const downloadPoolFile = defineRoute({
  ...OPERATOR_PAGE,
  path: `${PATH}/files/:file`,
  summary: 'Download the snapshot or the statement of a month of the creator pool',
  limit: 'settings',
  input: { params: z.object({ period: given(PERIOD_ID_LENGTH), file: z.enum(POOL_FILES) }) },
  async handler(context) {
    const { database } = context.services;
    const { id, month, currency, ...hashes } = await loadPeriod(context);
    const { file } = context.params;
    // While it is written it is only a part, and it has no hash.
    if (hashes[`${file}Sha256`] === null) throw new HttpError('not_found');
    const parts = readPoolFile(database.em(), { periodId: id, file });
    const first = await parts.next();
    if (first.done) throw new HttpError('not_found');
    const name = `pool-${month.slice(0, 7)}-${currency}-${file}.json.gz`;
    return gzip(name, startWith(first.value, parts));
  },
});

async function* startWith(first: Buffer, others: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* others;
}

/** The period of the path; one that is not there has no page. */
async function loadPeriod({
  services,
  params,
}: RouteContext & { params: { period: string } }): Promise<PeriodView> {
  const isId = PERIOD_ID.test(params.period);
  const period = isId ? await findPoolPeriod(services.database.em(), params.period) : null;
  if (!period) throw new HttpError('not_found');
  return period;
}

type PeriodPageState = {
  since?: number | undefined;
  search: AmountSearch;
  draft?: ReviewDraft;
  approvalCode?: PeriodProps['approvalCode'];
};

async function showPeriodPage(
  context: PeriodCall,
  { since, search, draft, approvalCode = null }: PeriodPageState,
) {
  const em = context.services.database.em();
  const period = await loadPeriod(context);
  const [found, products, reviewed, payouts, waiting, preview] = await Promise.all([
    listAmounts(em, period, search),
    countPeriodProducts(em, period.id),
    listReviewed(em, period.id),
    listPayouts(em, period.id),
    sumWaitingLines(em, period.id),
    period.status === 'open' ? findPreview(em, period.id) : null,
  ]);
  const headers = isAwaited(preview) ? refreshWhileWaiting(context.ctx, since) : {};
  const ids = preview?.figures?.products.map(({ productId }) => productId) ?? [];
  const view = periodPage({
    ...found,
    products,
    search,
    period,
    reviewed,
    payouts,
    waiting,
    preview,
    names: await listProductNames(em, ids),
    isLooking: 'refresh' in headers,
    url: workflowUrl(context, poolPeriodWorkflow(period.id)),
    draft: draft ?? null,
    approvalCode,
    token: sessionFormToken(context),
  });
  return showOperatorPage(context, view, { headers, ...(draft ? { status: 422 } : {}) });
}

function isAwaited(preview: Preview | null): boolean {
  return preview !== null && preview.computedAt === null;
}

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

export const routes = [
  showPeriod,
  approvePoolPeriod,
  showApprovalCode,
  previewPeriod,
  downloadPoolFile,
  decideOnPoolProduct,
];
