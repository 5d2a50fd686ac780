import { z } from 'zod';
import {
  listAudit,
  type AuditFilter,
  type AuditPage,
} from '../../../domain/audit/audit.repository.ts';
import { findPersonOrGone } from '../../../domain/identity/operators/people-list.repository.ts';
import { parseUuid } from '../../../domain/shared/ids.ts';
import { findProduct } from '../../../domain/catalog/storefront-product.query.ts';
import { defineRoute, OPERATOR_PAGE } from '../../http/route.ts';
import type { Services } from '../../services.ts';
import { auditPage, type AuditSearch } from './audit.page.ts';
import { AUDIT } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { place } from '../../http/params.ts';
import { given } from '../../http/fields.ts';

/** A name or an id; anything else is refused. */
const reference = given(48)
  .trim()
  .toLowerCase()
  .refine(
    (text) => text === '' || /^[a-z0-9_-]{3,48}$/.test(text) || parseUuid(text) !== null,
    'must be a name or an id',
  )
  .default('');

const query = z.object({
  action: given(81)
    .trim()
    .toLowerCase()
    .regex(/^[a-z_]{0,40}\.?[a-z_]{0,40}$/, 'must be the start of an action, like client.')
    .default(''),
  person: reference,
  product: reference,
  team: place,
  before: place,
});

const showAudit = defineRoute({
  ...OPERATOR_PAGE,
  path: AUDIT,
  summary: 'Show the audit trail',
  input: { query },
  async handler(context) {
    const found = await search(context.services, context.query);
    return showOperatorPage(context, auditPage({ search: context.query, ...found }));
  },
});

/** Finds no entries for an unknown name. */
async function search(services: Services, given: AuditSearch): Promise<AuditPage> {
  const filter: AuditFilter = { action: given.action, teamId: given.team ?? undefined };
  const em = services.database.em();
  if (given.person !== '') {
    const personId = parseUuid(given.person) ?? (await findPersonOrGone(em, given.person));
    if (personId === null) return { lines: [], next: null };
    filter.personId = personId;
  }
  if (given.product !== '') {
    const productId =
      parseUuid(given.product) ??
      (await findProduct(services.database.pool, given.product.toLowerCase()))?.id;
    if (!productId) return { lines: [], next: null };
    filter.productId = productId;
  }
  return listAudit(em, { filter, before: given.before });
}

export const routes = [showAudit];
