import { z } from 'zod';
import { newUuid, publicIdPattern } from '../../../domain/shared/ids.ts';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PeriodRefusal } from '../../../domain/entitlements/grants/grant-period.ts';
import {
  grantAccess,
  listGrants,
  withdrawGrant,
} from '../../../domain/entitlements/grants/grant.repository.ts';
import { findPersonId } from '../../../domain/identity/account.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { now } from '../../../platform/database/database.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { cursor, matching, text, uuid, whole, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { grantsPage, grantsPath, type GrantDraft } from './grants.page.ts';
import { readInstant } from '../date-time-field.ts';
import {
  auditEntryOn,
  holdAllowed,
  grantBlockReason,
  isResponse,
  loadChangeable,
  loadManaged,
  type ProductCall,
} from '../managed-product.ts';

const CHANGING = { blockReasonOf: grantBlockReason, show };

const PATH = '/console/products/:ref/grants';

const grantId = matching(publicIdPattern('grant_'), 32);

const NOBODY: GrantDraft['problems'] = { person: 'No person has this handle or ID.' };
const REFUSALS: Record<PeriodRefusal | 'person_deleted' | 'of_another', GrantDraft['problems']> = {
  person_deleted: NOBODY,
  of_another: { person: 'This form has already granted access elsewhere. Press the button again.' },
  ended_already: { ends_at: 'This date is in the past.' },
  ends_before_it_starts: { ends_at: 'The end is before the start.' },
  too_far: { ends_at: 'Enter a date within 100 years, or leave this empty for no end.' },
};
const UNREADABLE = 'Enter the date as 2027-01-31T18:00.';

const showGrants = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'List grants',
  input: { params: productRef, query: z.object({ before: cursor(grantId).catch(null) }) },
  async handler(context) {
    const { before } = context.query;
    return show(context, await loadManaged(context), { before });
  },
});

const createGrant = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Grant access',
  proof: 'fresh',
  input: {
    params: productRef,
    body: formBody({
      grant: uuid().optional(),
      person: text(36),
      starts_at: whole(32),
      ends_at: whole(32),
    }),
  },
  async handler(context) {
    const product = await loadChangeable(context, CHANGING);
    if (isResponse(product)) return product;
    const problems = await grant(context, product);
    if (problems === null) return redirect(withNotice(grantsPath(product), 'granted'));
    return show(context, product, { draft: { typed: context.body, problems } });
  },
});

const withdrawOneGrant = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/:grant`,
  summary: 'Revoke access',
  proof: 'fresh',
  input: {
    params: productRef.extend({ grant: grantId }),
    body: formBody({ action: z.literal('withdraw') }),
  },
  async handler(context) {
    const product = await loadChangeable(context, CHANGING);
    if (isResponse(product)) return product;
    const key = { productId: product.id, grantId: context.params.grant };
    const isWithdrawn = await context.services.database.transaction(async (em) => {
      await holdAllowed(em, context, { product, action: 'grant' });
      if (!(await withdrawGrant(em, key))) return false;
      const what = { action: 'grant.withdrawn', subject: key.grantId } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      return true;
    });
    if (!isWithdrawn) throw new HttpError('not_found');
    return redirect(withNotice(grantsPath(product), 'grant_withdrawn'));
  },
});

type GrantCall = ProductCall & {
  body: { grant?: string | undefined; person: string; starts_at: string; ends_at: string };
};

/** Returns null after the grant, or the validation messages. A form that is sent twice grants once. */
async function grant(
  context: GrantCall,
  product: ManagedProduct,
): Promise<GrantDraft['problems'] | null> {
  const { grant: id = newUuid(), person, starts_at, ends_at } = context.body;
  const [startsAt, endsAt] = [readInstant(starts_at), readInstant(ends_at)];
  if (startsAt === 'unreadable') return { starts_at: UNREADABLE };
  if (endsAt === 'unreadable') return { ends_at: UNREADABLE };
  const { database } = context.services;
  const personId = await findPersonId(database.em(), person.trim());
  if (personId === null) return NOBODY;
  const key = { productId: product.id, personId };
  const granted = await database.transaction(async (em) => {
    await holdAllowed(em, context, { product, action: 'grant' });
    const grantedBy = context.currentUser.personId;
    const made = await grantAccess(em, key, { id, startsAt, endsAt, grantedBy });
    if (isRefusal(made) || !made.isNew) return made;
    const what = { action: 'grant.made', subject: made.grantId, detail: { personId } } as const;
    await recordAudit(em, { ...auditEntryOn(context, product), ...what });
    return made;
  });
  if (!isRefusal(granted)) return null;
  if (granted.refused === 'product_removed') throw new HttpError('not_found');
  return REFUSALS[granted.refused];
}

async function show(
  context: ProductCall,
  product: ManagedProduct,
  { draft = null, before = null }: { draft?: GrantDraft | null; before?: string | null } = {},
) {
  const search = { productId: product.id, before };
  const em = context.services.database.em();
  const view = grantsPage({
    product,
    ...(await listGrants(em, search)),
    now: await now(em),
    before,
    blockReason: grantBlockReason(product),
    newGrantId: newUuid(),
    draft,
    formToken: sessionFormToken(context),
  });
  return page(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showGrants, createGrant, withdrawOneGrant];
