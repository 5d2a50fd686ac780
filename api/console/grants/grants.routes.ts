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
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { FORM_ERRORS, HttpError } from '../../http/errors.ts';
import { matching, text, uuid, whole } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type HttpResponse } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { EMPTY_GRANT, grantsPage, type GrantDraft } from './grants.page.ts';
import { readInstant } from './instant-field.ts';
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

type Said = { draft?: GrantDraft; before?: string | null };

const shared = { credential: 'session', limit: 'settings' } as const;
const PATH = '/console/products/:ref/grants';

const grantId = matching(publicIdPattern('grant_'), 32);

const NOBODY: GrantDraft['problems'] = { person: 'No person has this handle or ID.' };
const REFUSALS: Record<PeriodRefusal | 'person_deleted' | 'of_another', GrantDraft['problems']> = {
  person_deleted: NOBODY,
  of_another: { person: 'This form has already granted access elsewhere. Press the button again.' },
  ended_already: { endsAt: 'This date is in the past.' },
  ends_before_it_starts: { endsAt: 'The end is before the start.' },
  too_far: { endsAt: 'Enter a date within 100 years, or leave this empty for no end.' },
};
const UNREADABLE = 'Enter the date as 2027-01-31T18:00.';

const showGrants = defineRoute({
  ...shared,
  method: 'GET',
  limit: null,
  path: PATH,
  summary: 'List grants',
  input: {
    params: productRef,
    query: z.object({ before: grantId.optional().catch(undefined) }),
  },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(context) {
    const { before = null } = context.query;
    return show(context, await loadManaged(context), { before });
  },
});

const createGrant = defineRoute({
  ...shared,
  method: 'POST',
  path: PATH,
  summary: 'Grant access',
  proof: 'fresh',
  input: {
    params: productRef,
    body: {
      kind: 'form',
      shape: z.object({
        grant: uuid().optional(),
        person: text(36),
        starts_at: whole(32),
        ends_at: whole(32),
      }),
    },
  },
  statuses: [303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
  async handler(context) {
    const product = await loadChangeable(context, CHANGING);
    if (isResponse(product)) return product;
    const { person, starts_at: startsAt, ends_at: endsAt } = context.body;
    const problems = await grant(context, product);
    if (problems === null) return redirect(withNotice(pathOf(product), 'granted'));
    const draft = { typed: { person, startsAt, endsAt }, problems };
    return show(context, product, { draft });
  },
});

const withdrawOneGrant = defineRoute({
  ...shared,
  method: 'POST',
  path: `${PATH}/:grant`,
  summary: 'Revoke access',
  proof: 'fresh',
  input: {
    params: productRef.extend({ grant: grantId }),
    body: { kind: 'form', shape: z.object({ action: z.literal('withdraw') }) },
  },
  statuses: [303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
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
    return redirect(withNotice(pathOf(product), 'grant_withdrawn'));
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
  if (startsAt === 'unreadable') return { startsAt: UNREADABLE };
  if (endsAt === 'unreadable') return { endsAt: UNREADABLE };
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
  said: Said = {},
): Promise<HttpResponse> {
  const { draft = EMPTY_GRANT, before = null } = said;
  const asked = { productId: product.id, before };
  const view = grantsPage({
    product,
    ...(await listGrants(context.services.database.em(), asked)),
    before,
    blockReason: grantBlockReason(product),
    newGrantId: newUuid(),
    draft,
    formToken: sessionFormToken(context),
  });
  return page(context, view, draft === EMPTY_GRANT ? {} : { status: 422 });
}

function pathOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/grants`;
}

export const routes = [showGrants, createGrant, withdrawOneGrant];
