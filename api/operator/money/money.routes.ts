import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  disableCurrency,
  enableCurrency,
  listCurrencies,
} from '../../../domain/catalog/prices/currency.repository.ts';
import { isKnownToProcessor } from '../../../clients/processor/amounts.ts';
import { isCurrencyCode } from '../../../domain/shared/money.ts';
import {
  listPlatformFees,
  setPlatformFee,
} from '../../../domain/billing/platform-fee.repository.ts';
import { redirect } from '../../http/response.ts';
import { actorOf } from '../../console/managed-product.ts';
import { whole, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import {
  defineRoute,
  OPERATOR_FORM,
  OPERATOR_PAGE,
  type SessionContext,
} from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { moneyPage, type MoneyDraft } from './money.page.ts';
import { MONEY } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';

const showMoney = defineRoute({
  ...OPERATOR_PAGE,
  path: MONEY,
  summary: 'Show currencies and the platform fee',
  input: {},
  handler: (context) => show(context),
});

const changeCurrency = defineRoute({
  ...OPERATOR_FORM,
  path: `${MONEY}/currencies`,
  summary: 'Enable or disable a currency',
  proof: 'fresh',
  input: { body: formBody({ action: z.enum(['enable', 'disable']), currency: whole(8) }) },
  async handler(context) {
    const isEnabling = context.body.action === 'enable';
    const typed = context.body.currency.trim().toUpperCase();
    if (!isCurrencyCode(typed)) {
      const problem = 'Enter an ISO 4217 currency code, such as JPY.';
      return show(context, {
        typed: { currency: typed.slice(0, 20) },
        problems: { currency: problem },
      });
    }
    if (isEnabling && !isKnownToProcessor(typed)) {
      const problem = 'The payment processor does not support this currency.';
      return show(context, { typed: { currency: typed }, problems: { currency: problem } });
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
  ...OPERATOR_FORM,
  path: `${MONEY}/fee`,
  summary: 'Set the platform fee',
  proof: 'fresh',
  input: { body: formBody({ basis_points: whole(8) }) },
  async handler(context) {
    const typed = context.body.basis_points.trim();
    const basisPoints = /^\d{1,5}$/.test(typed) ? Number(typed) : null;
    if (basisPoints === null || basisPoints > 10_000) {
      const problem = 'Enter a whole number from 0 to 10,000.';
      return show(context, {
        typed: { basis_points: typed.slice(0, 20) },
        problems: { basis_points: problem },
      });
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

async function show(context: SessionContext, draft: MoneyDraft | null = null) {
  const em = context.services.database.em();
  const view = moneyPage({
    currencies: await listCurrencies(em),
    fees: await listPlatformFees(em),
    draft,
    token: sessionFormToken(context),
  });
  return showOperatorPage(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showMoney, changeCurrency, changeFee];
