import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { decideMonth } from '../../../domain/billing/ledger/seller-statement.ts';
import {
  excludeEvidence,
  listExclusions,
  type ExclusionKey,
} from '../../../domain/pool/review/decisions.repository.ts';
import { findPlaces } from '../../../domain/search/places.repository.ts';
import { LONGEST_REFERENCE } from '../../../domain/search/pasted-reference.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { now } from '../../../platform/database/database.ts';
import { cursor, matching, text } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { actorOf } from '../../console/managed-product.ts';
import { withNotice } from '../../html/notices.ts';
import { redirect } from '../../http/response.ts';
import {
  defineRoute,
  OPERATOR_FORM,
  OPERATOR_PAGE,
  type SessionContext,
} from '../../http/route.ts';
import { findProduct } from '../../../domain/catalog/storefront-product.query.ts';
import { LONGEST_REASON } from '../people/decision.page.ts';
import { exclusionsPage, type ExclusionDraft } from './exclusions.page.ts';
import { POOL_EXCLUSIONS } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const key = matching(new RegExp(`^${UUID}_${UUID}_2\\d{3}-(?:0[1-9]|1[0-2])$`), 81);

const writePlace = ({ personId, productId, month }: ExclusionKey) =>
  `${personId}_${productId}_${month.slice(0, 7)}`;

function readPlace(place: string): ExclusionKey {
  const [personId = '', productId = '', month = ''] = place.split('_');
  return { personId, productId, month: `${month}-01` };
}

const shape = z.object({
  person: text(LONGEST_REFERENCE).trim(),
  product: text(48).trim(),
  month: text(7).trim(),
  reason: text(LONGEST_REASON),
});

type ExclusionInput = z.output<typeof shape>;

const showExclusions = defineRoute({
  ...OPERATOR_PAGE,
  path: POOL_EXCLUSIONS,
  summary: 'List evidence that is excluded from the creator pool',
  input: { query: z.object({ before: cursor(key) }) },
  handler: (context) => show(context, { before: context.query.before }),
});

const excludeOneEvidence = defineRoute({
  ...OPERATOR_FORM,
  path: POOL_EXCLUSIONS,
  summary: 'Exclude evidence from the creator pool',
  proof: 'fresh',
  input: { body: { kind: 'form', shape } },
  async handler(context) {
    const typed = context.body;
    const read = await readTyped(context, typed);
    if (read.problems) return show(context, { draft: { typed, problems: read.problems } });
    const { personId, productId, slug, month, reason } = read;
    const byId = context.currentUser.personId;
    const refused = await context.services.database.transaction(async (em) => {
      const exclusion = { personId, productId, month: `${month}-01`, reason, byId };
      const no = await excludeEvidence(em, exclusion);
      if (no) return no;
      const detail = { personId, product: slug, month, reason };
      const entry = { action: 'pool.excluded', subject: productId, detail } as const;
      await recordAudit(em, { by: actorOf(context), ...entry });
      return null;
    });
    if (!refused) return redirect(withNotice(POOL_EXCLUSIONS, 'evidence_excluded'));
    return show(context, { draft: { typed, problems: { month: REFUSALS[refused.refused] } } });
  },
});

const REFUSALS = {
  no_evidence: 'This person has no qualified day with this product in that month.',
  excluded: 'These days are excluded already.',
};

async function readTyped(context: SessionContext, typed: ExclusionInput) {
  const em = context.services.database.em();
  const people = (await findPlaces(em, typed.person)).filter(({ is }) => is === 'person');
  const product = await findProduct(context.services.database.pool, typed.product.toLowerCase());
  const month = decideMonth(typed.month, await now(em));
  const { value: reason, problem } = validateLine(typed.reason, LONGEST_REASON);
  const problems: ExclusionDraft['problems'] = {
    ...(people.length === 1 ? {} : { person: 'No account has this handle, email address or ID.' }),
    ...(product ? {} : { product: 'No product has this slug or ID.' }),
    ...(isRefusal(month) ? { month: 'Enter a month that has begun, such as 2026-11.' } : {}),
    ...(problem === null ? {} : { reason: explain(problem) }),
  };
  if (!product || isRefusal(month) || Object.keys(problems).length > 0) return { problems };
  const { id: productId, slug } = product;
  return { personId: people[0]!.id, productId, slug, month: month.name, reason };
}

async function show(
  context: SessionContext,
  { before = null, draft = null }: { before?: string | null; draft?: ExclusionDraft | null },
) {
  const em = context.services.database.em();
  const { lines, next } = await listExclusions(em, before === null ? null : readPlace(before));
  const token = sessionFormToken(context);
  const after = next && writePlace(next);
  const view = exclusionsPage({ lines, before, next: after, draft, token });
  return showOperatorPage(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showExclusions, excludeOneEvidence];
