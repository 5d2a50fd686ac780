import { z } from 'zod';
import { createProduct } from '../../../domain/catalog/new-product.command.ts';
import {
  proposeSlug,
  validateProductName,
  validateSlug,
  validateTagline,
} from '../../../domain/catalog/product-fields.ts';
import { parseUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { page, redirect } from '../../http/response.ts';
import { mark, text } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, type SessionContext, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { loadScope, ME } from '../console-scope.ts';
import { managerOf } from '../managed-product.ts';
import { newProductPage, type ProductDraft } from './new-product.page.ts';
import { HttpError } from '../../http/errors.ts';
import { explainSlug } from './slug-labels.ts';

const PATH = '/console/new-product';

const productForm = z.object({
  name: text(80),
  slug: text(48),
  tagline: text(140),
  owner: text(36),
});

const NOT_CONFIRMED = {
  message: 'Confirm your email address before you create a product.',
  next: { path: '/settings/security', label: 'Send the link again' },
};

const REFUSALS: Record<'slug_taken' | 'not_allowed' | 'too_many', ProductDraft['problems']> = {
  slug_taken: { slug: 'This slug is taken. Choose another one.' },
  not_allowed: { owner: "You can't create products for this team." },
  too_many: { owner: 'You have reached the limit of 100 products. Remove one first.' },
};

const showNewProduct = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show the form for a new product',
  input: { query: z.object({ team: mark }) },
  async handler(context) {
    if (!context.currentUser.isEmailVerified) throw new HttpError('forbidden', NOT_CONFIRMED);
    const { team } = context.query;
    const owner = typeof team === 'string' ? team : ME;
    return show(context, { typed: { owner }, problems: {} });
  },
});

const createDraft = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Create a product',
  proof: 'none',
  input: { body: { kind: 'form', shape: productForm } },
  async handler(context) {
    const { typed, problems } = validate(context.body);
    if (Object.values(problems).some(Boolean)) return show(context, { typed, problems });
    const { name, slug, tagline, owner } = typed;
    const teamId = owner === ME ? null : parseUuid(owner);
    if (owner !== ME && teamId === null) {
      return show(context, { typed, problems: REFUSALS.not_allowed });
    }
    const isProposed = context.body.slug.trim() === '';
    const draft = { name, slug, tagline, teamId, isProposed, by: managerOf(context) };
    const created = await createProduct(context.services.database.em(), draft);
    if (!isRefusal(created)) {
      return redirect(withNotice(productPath(created.slug), 'product_created'));
    }
    if (created.refused === 'not_confirmed') throw new HttpError('forbidden', NOT_CONFIRMED);
    return show(context, { typed, problems: REFUSALS[created.refused] });
  },
});

function validate(body: z.infer<typeof productForm>) {
  const name = validateProductName(body.name);
  const slug = validateSlug(body.slug.trim() === '' ? proposeSlug(name.value) : body.slug);
  const tagline = validateTagline(body.tagline);
  const { owner } = body;
  const typed = { name: name.value, slug: slug.value, tagline: tagline.value, owner };
  const problems = {
    name: explain(name.problem),
    slug: name.problem === null ? explainSlug(slug.problem) : null,
    tagline: explain(tagline.problem),
  };
  return { typed, problems };
}

async function show(context: SessionContext, draft: ProductDraft) {
  const scope = await loadScope(context);
  const teams = scope.teams.filter(({ role }) => isAllowed([role], 'edit_listing'));
  const view = newProductPage({ draft, teams, scope, formToken: sessionFormToken(context) });
  const isRefused = Object.values(draft.problems).some(Boolean);
  return page(context, view, isRefused ? { status: 422 } : {});
}

export const routes = [showNewProduct, createDraft];
