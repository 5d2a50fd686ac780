import { html } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { transferProduct } from '../../../domain/catalog/transfer.command.ts';
import { receivingTeams } from '../../../domain/catalog/transfer.ts';
import { isRevoked } from '../../../domain/identity/operators/builder.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { listTeamsOf, type TeamView } from '../../../domain/teams/team.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import {
  defineRoute,
  type View,
  type SessionContext,
  SESSION_PAGE,
  SESSION_FORM,
} from '../../http/route.ts';
import { confirmation } from '../../html/parts/confirmation.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { withNotice } from '../../html/notices.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { loadManaged, managerOf } from '../managed-product.ts';
import { uuid, formBody } from '../../http/fields.ts';

const PATH = '/console/products/:ref/transfer';

const SENTENCES = [
  'The team gets the product with its keys, clients, endpoints and sales. Team members can do what their roles allow.',
  'From then on, sales and renewals are paid to the payout account of the team. Without a payout account, nobody can buy the product.',
  "You can't transfer the product back to one person.",
];

const REFUSALS = {
  not_allowed: "You can't transfer the product to this team.",
  revoked:
    "Your verification was revoked, so you can't transfer products. Request verification again under Verified maker.",
  moved: 'The product has already been transferred.',
  no_payout_account:
    'This product has subscribers. The team first needs a payout account with payouts enabled.',
  too_many_endpoints:
    'With this product, the team would have more than 100 webhook endpoints. Delete some first.',
};

const showTransfer = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Ask before a product is transferred',
  input: { params: productRef },
  handler: async (context) => show(context, { product: await loadManaged(context, 'transfer') }),
});

const transfer = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Transfer a product to a team',
  proof: 'fresh',
  input: { params: productRef, body: formBody({ team: uuid().toLowerCase() }) },
  async handler(context) {
    const product = await loadManaged(context, 'transfer');
    const { id: productId, ownerTeamId: fromTeamId } = product;
    const input = { productId, fromTeamId, toTeamId: context.body.team, by: managerOf(context) };
    const moved = await transferProduct(context.services.database.em(), input);
    if (isRefusal(moved)) return show(context, { product, problem: REFUSALS[moved.refused] });
    return redirect(withNotice(productPath(product.slug), 'product_transferred'));
  },
});

async function show(
  context: SessionContext,
  { product, problem = null }: { product: ManagedProduct; problem?: string | null },
) {
  const em = context.services.database.em();
  const { personId } = context.currentUser;
  const mine = await listTeamsOf(em, personId);
  const view = transferPage({
    product,
    problem: problem ?? ((await isRevoked(em, personId)) ? REFUSALS.revoked : null),
    teams: receivingTeams(product, mine),
    token: sessionFormToken(context),
  });
  return page(context, view, problem === null ? {} : { status: 422 });
}

function transferPage(props: {
  product: ManagedProduct;
  problem: string | null;
  teams: TeamView[];
  token: string;
}): View {
  const { product, problem, teams, token } = props;
  const path = productPath(product.slug);
  const options = teams.map(({ id, name }) => ({ value: id, label: name }));
  return {
    title: `Transfer ${product.name}`,
    ...productFrame(product, '/transfer', 'Transfer to a team'),
    content: html`
      <div class="slim">
        ${
          teams.length === 0
            ? emptyState({
                sentence: 'You have no team that can take this product.',
                link: { path, label: 'Back' },
              })
            : confirmation({
                action: `${path}/transfer`,
                token,
                button: 'Transfer product',
                sentences: SENTENCES,
                wayOut: { path, label: 'Cancel' },
                fields: [{ label: 'Team', name: 'team', options, problem }],
              })
        }
      </div>
    `,
  };
}

export const routes = [showTransfer, transfer];
