import { z } from 'zod';
import { listProductNames } from '../../../domain/catalog/product-search.repository.ts';
import { chooseShelf } from '../../../domain/catalog/search/choose-shelf.command.ts';
import {
  listChosenShelves,
  PLACES,
} from '../../../domain/catalog/search/chosen-shelf.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { explain } from '../../account/field-problems.ts';
import { actorOf } from '../../console/managed-product.ts';
import { withNotice } from '../../html/notices.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { formBody, text } from '../../http/fields.ts';
import { redirect } from '../../http/response.ts';
import {
  defineRoute,
  OPERATOR_FORM,
  OPERATOR_PAGE,
  type SessionContext,
} from '../../http/route.ts';
import { SHELVES } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { shelvesPage, type ShelfDraft } from './shelves.page.ts';

const LONGEST_TITLE = 60;
const LONGEST_LIST = 1_000;
const TOO_MANY = 'Enter at most 12 products.';

const showShelves = defineRoute({
  ...OPERATOR_PAGE,
  path: SHELVES,
  summary: 'Show the shelves of the store that operators fill',
  input: {},
  handler: (context) => show(context, null),
});

const fillShelf = defineRoute({
  ...OPERATOR_FORM,
  path: SHELVES,
  summary: 'Fill a shelf of the store',
  proof: 'none',
  input: {
    body: formBody({
      place: z.enum(['1', '2']).transform(Number),
      title: text(LONGEST_TITLE),
      products: text(LONGEST_LIST),
    }),
  },
  async handler(context) {
    const { place, products } = context.body;
    const title = validateLine(context.body.title, LONGEST_TITLE);
    const typed = { title: title.value, products: products.slice(0, LONGEST_LIST) };
    const refuse = (problems: ShelfDraft['problems']) => show(context, { place, typed, problems });
    if (title.problem) return refuse({ title: explain(title.problem) });
    if (products.length > LONGEST_LIST) return refuse({ products: TOO_MANY });
    const slugs = products
      .toLowerCase()
      .split(/\s+/)
      .filter((slug) => slug !== '');
    const choice = { place, title: title.value, slugs, by: actorOf(context) };
    const chosen = await chooseShelf(context.services.database.em(), choice);
    if (isRefusal(chosen)) return refuse({ products: TOO_MANY });
    if (chosen.missing.length > 0) {
      const named = chosen.missing.slice(0, 3).join(', ');
      return refuse({ products: `No listed product has this slug: ${named}.` });
    }
    return redirect(withNotice(SHELVES, 'shelf_chosen'));
  },
});

async function show(context: SessionContext, draft: ShelfDraft | null) {
  const em = context.services.database.em();
  const chosen = await listChosenShelves(em);
  const names = await listProductNames(
    em,
    chosen.flatMap(({ productIds }) => productIds),
  );
  const shelves = PLACES.map((place) => {
    const { title = '', productIds = [] } = chosen.find((each) => each.place === place) ?? {};
    return { place, title, slugs: productIds.flatMap((id) => names.get(id)?.slug ?? []) };
  });
  const view = shelvesPage({ shelves, draft, token: sessionFormToken(context) });
  return showOperatorPage(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showShelves, fillShelf];
