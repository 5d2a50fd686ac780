import { z } from 'zod';
import { countQueues } from '../../../domain/alerts/waiting.repository.ts';
import { countProducts } from '../../../domain/catalog/product-search.repository.ts';
import { countPeople } from '../../../domain/identity/operators/people-list.repository.ts';
import { listCredentialIds } from '../../../domain/identity/passkeys/passkey.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { listUnconfirmedOwners } from '../../../domain/pool/operator-views/payouts.repository.ts';
import { loadPlatformFigures } from '../../../domain/product-figures/platform-figures.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { readReadiness } from '../../health/health.routes.ts';
import { matching } from '../../http/fields.ts';
import { page } from '../../http/response.ts';
import { secondPasskeyHint } from '../../account/settings/security.page.ts';
import { defineRoute, OPERATOR_PAGE } from '../../http/route.ts';
import { readFailing } from '../running/failing.ts';
import { OPERATOR, withWaiting } from '../operator.page.ts';
import { overviewPage } from './overview.page.ts';

const DAYS = { 7: 7, 28: 28, 90: 90 } as const;

const showOverview = defineRoute({
  ...OPERATOR_PAGE,
  path: OPERATOR,
  summary: 'Show the operator overview',
  input: {
    query: z.object({
      days: z
        .enum(['7', '28', '90'])
        .catch('28')
        .transform((days) => DAYS[days]),
      currency: matching(/^[A-Z]{3}$/, 3)
        .nullable()
        .catch(null),
    }),
  },
  async handler(context) {
    const em = context.services.database.em();
    const { days, currency } = context.query;
    const at = await now(em);
    const [waiting, people, products, clients, passkeys, failing, owners] = await Promise.all([
      countQueues(em),
      countPeople(em),
      countProducts(em),
      listClients(em, null),
      listCredentialIds(em, context.currentUser.personId),
      readFailing(em),
      listUnconfirmedOwners(em),
    ]);
    const view = overviewPage({
      days,
      figures: await loadPlatformFigures(em, { days, currency, now: at }),
      waiting,
      firstPayouts: owners.length,
      failing,
      readiness: await readReadiness(context.services),
      at,
      counts: { people, products, clients: clients.length },
      hint: secondPasskeyHint(passkeys.length),
    });
    return page(context, withWaiting(view, waiting));
  },
});

export const routes = [showOverview];
