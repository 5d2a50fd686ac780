import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  disableCurrency,
  enableCurrency,
  listCurrencies,
} from '../../../domain/catalog/prices/currency.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { isKnownToProcessor } from '../../../clients/processor/amounts.ts';
import { isCurrencyCode } from '../../../domain/shared/money.ts';
import {
  listPlatformFees,
  setPlatformFee,
} from '../../../domain/billing/platform-fee.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { actorOf } from '../../console/managed-product.ts';
import { FORM_ERRORS } from '../../http/errors.ts';
import { whole } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type RouteContext, type HttpResponse } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { moneyPage, type MoneyDraft } from './money.page.ts';
import { MONEY } from '../operator.page.ts';

/** Settings of forms that change money settings. */
export const shared = {
  method: 'POST',
  credential: 'operator',
  limit: 'settings',
  statuses: [303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
} as const;

export type OperatorCall = RouteContext & { currentUser: CurrentUser };

const showMoney = defineRoute({
  ...shared,
  method: 'GET',
  limit: null,
  path: MONEY,
  summary: 'Show currencies and the platform fee',
  input: {},
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  handler: (context) => show(context),
});

const changeCurrency = defineRoute({
  ...shared,
  path: `${MONEY}/currencies`,
  summary: 'Enable or disable a currency',
  proof: 'fresh',
  input: {
    body: {
      kind: 'form',
      shape: z.object({ action: z.enum(['enable', 'disable']), currency: whole(8) }),
    },
  },
  async handler(context) {
    const isEnabling = context.body.action === 'enable';
    const typed = context.body.currency.trim().toUpperCase();
    if (!isCurrencyCode(typed)) {
      const problem = 'Enter an ISO 4217 currency code, such as JPY.';
      return show(context, { draft: { currency: { typed: typed.slice(0, 20), problem } } });
    }
    if (isEnabling && !isKnownToProcessor(typed)) {
      const problem = 'The payment processor does not support this currency.';
      return show(context, { draft: { currency: { typed, problem } } });
    }
    const isChanged = await context.services.database.transaction(async (em) => {
      if (!(await (isEnabling ? enableCurrency(em, typed) : disableCurrency(em, typed)))) {
        return false;
      }
      const action = isEnabling ? 'currency.enabled' : 'currency.disabled';
      await recordAudit(em, { by: actorOf(context), action, subject: typed });
      return true;
    });
    const done = isEnabling ? 'currency_enabled' : 'currency_disabled';
    return redirect(withNotice(MONEY, isChanged ? done : 'unchanged'));
  },
});

const changeFee = defineRoute({
  ...shared,
  path: `${MONEY}/fee`,
  summary: 'Set the platform fee',
  proof: 'fresh',
  input: { body: { kind: 'form', shape: z.object({ basis_points: whole(8) }) } },
  async handler(context) {
    const typed = context.body.basis_points.trim();
    const basisPoints = /^\d{1,5}$/.test(typed) ? Number(typed) : null;
    if (basisPoints === null || basisPoints > 10_000) {
      const problem = 'Enter a whole number from 0 to 10,000.';
      return show(context, { draft: { fee: { typed: typed.slice(0, 20), problem } } });
    }
    const isChanged = await context.services.database.transaction(async (em) => {
      const set = await setPlatformFee(em, { basisPoints, byId: context.currentUser.personId });
      if (!set) return false;
      const detail = { from: set.before, to: basisPoints };
      await recordAudit(em, {
        by: actorOf(context),
        action: 'fee.set',
        subject: 'platform_fee',
        detail,
      });
      return true;
    });
    return redirect(withNotice(MONEY, isChanged ? 'fee_set' : 'unchanged'));
  },
});

async function show(
  context: OperatorCall,
  { draft = {} }: { draft?: MoneyDraft } = {},
): Promise<HttpResponse> {
  const em = context.services.database.em();
  const view = moneyPage({
    currencies: await listCurrencies(em),
    fees: await listPlatformFees(em),
    draft,
    token: sessionFormToken(context),
  });
  return page(context, view, Object.keys(draft).length === 0 ? {} : { status: 422 });
}

export const routes = [showMoney, changeCurrency, changeFee];
