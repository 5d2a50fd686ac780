import { z } from 'zod';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { recoveryWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { listEndpointOptions } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import {
  findRecovery,
  listRecoveries,
  type RecoveryFilter,
} from '../../../domain/webhooks/recoveries/recovery.repository.ts';
import {
  startRecovery,
  type RecoveryRefusal,
} from '../../../domain/webhooks/recoveries/recovery.command.ts';
import {
  validatePeriod,
  RECOVERY_DAYS,
  type PeriodProblem,
} from '../../../domain/webhooks/recoveries/recovery.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { given, uuid, whole } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { readInstant } from '../date-time-field.ts';
import {
  integrationBlockReason,
  loadManaged,
  managerOf,
  type ProductCall,
} from '../managed-product.ts';
import { withShownAddress } from './endpoint-address.ts';
import { workflowUrl } from '../workflow-url.ts';
import { eventName } from './delivery-query.ts';
import {
  RECOVERY_CHOICES,
  recoveriesPage,
  recoveryPath,
  type RecoveryDraft,
} from './recoveries.page.ts';
import { recoveryPage } from './recovery.page.ts';

const PATH = '/console/products/:ref/recoveries';

const PROBLEMS: Record<PeriodProblem | RecoveryRefusal | 'unreadable' | 'disabled', string> = {
  required: 'Enter a start date.',
  unreadable: 'Enter dates as 2027-01-31T18:00.',
  too_long_ago: `A recovery can go back at most ${RECOVERY_DAYS} days.`,
  not_yet: 'This date is in the future.',
  ends_before_it_starts: 'The end is before the start.',
  disabled: 'This endpoint is disabled. Enable it first, or its deliveries would be held again.',
  already_running: 'Another recovery of this product is running. Wait until it finishes.',
  nothing_found: 'No deliveries match, so there is nothing to recover.',
};

const showRecoveries = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'List recoveries',
  input: { params: productRef, query: z.object({ endpoint: uuid().optional().catch(undefined) }) },
  async handler(context) {
    const { endpoint = '' } = context.query;
    const typed = { endpoint };
    return show(context, await loadManaged(context), { typed, problem: null });
  },
});

const recoveryForm = z.object({
  endpoint: z.literal('').or(uuid().toLowerCase()),
  event: z.literal('').or(eventName),
  status: z.enum(['both', 'dead', 'held']),
  since: whole(32),
  until: whole(32),
});

const startOneRecovery = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Recover deliveries',
  proof: 'none',
  input: { params: productRef, body: { kind: 'form', shape: recoveryForm } },
  async handler(context) {
    const product = await loadManaged(context);
    const blockReason = integrationBlockReason(product);
    if (blockReason !== null) throw new HttpError('forbidden', { message: blockReason });
    const filter = await validate(context, product);
    if (typeof filter === 'string') {
      return show(context, product, { typed: context.body, problem: PROBLEMS[filter] });
    }
    const input = { ...filter, teamId: product.ownerTeamId, by: managerOf(context) };
    const started = await startRecovery(context.services.database.em(), input);
    if (!isRefusal(started)) return redirect(recoveryPath(product, started.recoveryId));
    return show(context, product, { typed: context.body, problem: PROBLEMS[started.refused] });
  },
});

type FormCall = ProductCall & { body: z.output<typeof recoveryForm> };

/** The selection, or the validation messages. */
async function validate(
  { body, services }: FormCall,
  { id: productId }: ManagedProduct,
): Promise<RecoveryFilter | keyof typeof PROBLEMS> {
  const [since, until] = [readInstant(body.since), readInstant(body.until)];
  if (since === 'unreadable' || until === 'unreadable') return 'unreadable';
  const em = services.database.em();
  const problem = validatePeriod({ since, until, now: await now(em) });
  if (problem !== null) return problem;
  const endpointId = body.endpoint || null;
  if (endpointId !== null) {
    const endpoints = await listEndpointOptions(em, productId);
    const chosen = endpoints.find((endpoint) => endpoint.endpointId === endpointId);
    if (!chosen) return 'nothing_found';
    if (chosen.isDisabled) return 'disabled';
  }
  const { statuses } = RECOVERY_CHOICES[body.status];
  return { productId, endpointId, eventName: body.event || null, statuses, since: since!, until };
}

async function show(context: ProductCall, product: ManagedProduct, draft: RecoveryDraft) {
  const em = context.services.database.em();
  const recoveries = await listRecoveries(em, product.id);
  const view = recoveriesPage({
    product,
    endpoints: await listEndpointOptions(em, product.id),
    recoveries: recoveries.map((recovery) => withShownAddress(product, recovery)),
    blockReason: integrationBlockReason(product),
    draft,
    now: await now(em),
    formToken: sessionFormToken(context),
  });
  return page(context, view, draft.problem === null ? {} : { status: 422 });
}

const showRecovery = defineRoute({
  ...SESSION_PAGE,
  path: `${PATH}/:recovery`,
  summary: 'Show a recovery',
  input: { params: productRef.extend({ recovery: given(36) }) },
  async handler(context) {
    const product = await loadManaged(context);
    const recoveryId = z.guid().safeParse(context.params.recovery).data;
    const key = { productId: product.id, recoveryId: recoveryId ?? '' };
    const em = context.services.database.em();
    const recovery = recoveryId === undefined ? null : await findRecovery(em, key);
    if (!recovery) throw new HttpError('not_found');
    const url = workflowUrl(context, recoveryWorkflow(recovery.recoveryId));
    const shown = withShownAddress(product, recovery);
    return page(context, recoveryPage({ product, recovery: shown, workflowUrl: url }));
  },
});

export const routes = [showRecoveries, startOneRecovery, showRecovery];
