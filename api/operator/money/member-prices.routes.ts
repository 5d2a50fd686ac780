import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { listEnabledCurrencies } from '../../../domain/catalog/prices/currency.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  listMemberPriceVersions,
  setMemberPrice,
  withdrawMemberPrice,
} from '../../../domain/billing/memberships/member-price.repository.ts';
import { redirect } from '../../http/response.ts';
import { actorOf } from '../../console/managed-product.ts';
import { matching, whole, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import {
  defineRoute,
  OPERATOR_FORM,
  OPERATOR_PAGE,
  type SessionContext,
} from '../../http/route.ts';
import { validatePrice, NOT_ENABLED } from '../../console/catalog/typed-price.ts';
import { withNotice } from '../../html/notices.ts';
import { memberPricesPage, type MemberPriceDraft } from './member-prices.page.ts';
import { MEMBER_PRICES } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';

const interval = z.enum(['month', 'year']);

const showMemberPrices = defineRoute({
  ...OPERATOR_PAGE,
  path: MEMBER_PRICES,
  summary: 'Show Member prices',
  input: {},
  handler: (context) => show(context),
});

const saveMemberPrice = defineRoute({
  ...OPERATOR_FORM,
  path: MEMBER_PRICES,
  summary: 'Set a Member price',
  proof: 'fresh',
  input: { body: formBody({ currency: whole(8), amount: whole(24), interval }) },
  async handler(context) {
    const { interval: billingInterval } = context.body;
    const typed = { ...context.body, currency: context.body.currency.trim().toUpperCase() };
    const validated = validatePrice(typed);
    if ('problems' in validated) return show(context, { typed, ...validated });
    const price = { ...validated, billingInterval, byId: context.currentUser.personId };
    const set = await context.services.database.transaction(async (em) => {
      const done = await setMemberPrice(em, price);
      if (isRefusal(done)) return done;
      const detail = { interval: billingInterval, amount_minor: validated.amountMinor };
      await recordAudit(em, {
        by: actorOf(context),
        action: 'member_price.set',
        subject: validated.currency,
        detail: { ...detail, before_minor: done.before },
      });
      return done;
    });
    if (!isRefusal(set)) return redirect(withNotice(MEMBER_PRICES, 'price_set'));
    if (set.refused === 'unchanged') return redirect(withNotice(MEMBER_PRICES, 'unchanged'));
    return show(context, { typed, problems: { currency: NOT_ENABLED } });
  },
});

const removeMemberPrice = defineRoute({
  ...OPERATOR_FORM,
  path: `${MEMBER_PRICES}/withdraw`,
  summary: 'Remove a Member price',
  proof: 'fresh',
  input: { body: formBody({ currency: matching(/^[A-Z]{3}$/, 3), interval }) },
  async handler(context) {
    const { currency, interval: billingInterval } = context.body;
    const before = await context.services.database.transaction(async (em) => {
      const withdrawn = await withdrawMemberPrice(em, { currency, billingInterval });
      if (withdrawn === null) return null;
      const detail = { interval: billingInterval, amount_minor: withdrawn };
      const what = { action: 'member_price.withdrawn', subject: currency, detail } as const;
      await recordAudit(em, { by: actorOf(context), ...what });
      return withdrawn;
    });
    return redirect(withNotice(MEMBER_PRICES, before === null ? 'unchanged' : 'price_withdrawn'));
  },
});

async function show(context: SessionContext, draft: MemberPriceDraft | null = null) {
  const em = context.services.database.em();
  const view = memberPricesPage({
    prices: await listMemberPriceVersions(em),
    currencies: await listEnabledCurrencies(em),
    draft,
    token: sessionFormToken(context),
  });
  return showOperatorPage(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showMemberPrices, saveMemberPrice, removeMemberPrice];
