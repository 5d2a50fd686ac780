import { z } from 'zod';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  listMemberPrices,
  type MemberPriceView,
} from '../../../domain/billing/memberships/member-price.repository.ts';
import { redirect } from '../../http/response.ts';
import { leaveSignIn, sendToConfirm } from '../start-session.ts';
import { sendToSignIn } from '../return-to.ts';
import { isLinkPreview, isPrefetch } from '../../http/prefetch.ts';
import { defineRoute, OPEN_PAGE } from '../../http/route.ts';
import { openMemberSession } from './member-session.ts';
import { MEMBER, subscribePath, type MemberReason } from './member.page.ts';
import { given } from '../../http/fields.ts';

const word = given(8).optional().catch(undefined);

const subscribe = defineRoute({
  ...OPEN_PAGE,
  path: `${MEMBER}/subscribe`,
  summary: 'Start the hosted checkout for Member',
  limit: 'buy',
  input: { query: z.object({ currency: word, interval: word }) },
  async handler(context) {
    const { ctx, services, query, currentUser } = context;
    if (isPrefetch(ctx)) return { status: 204 };
    if (isLinkPreview(ctx)) return redirect(MEMBER);
    const price = choosePrice(await listMemberPrices(services.database.em()), query);
    if (!price) return explain('currency_not_offered');
    const pending = { returnTo: subscribePath(price), clickId: null };
    if (!currentUser) return sendToSignIn(context, pending);
    if (!currentUser.isEmailVerified) return sendToConfirm(context, pending);
    const location = await openMemberSession({ services, price, currentUser });
    if (isRefusal(location)) return explain(location.refused);
    return leaveSignIn({ services, cookies: context.cookies }, location.url);
  },
});

/** Chooses the first price without a choice. */
function choosePrice(
  prices: MemberPriceView[],
  { currency, interval }: { currency?: string | undefined; interval?: string | undefined },
): MemberPriceView | undefined {
  return prices.find(
    (price) =>
      (!currency || price.currency === currency.toUpperCase()) &&
      (!interval || price.billingInterval === interval),
  );
}

function explain(reason: MemberReason) {
  return redirect(`${MEMBER}?reason=${reason}`);
}

export const routes = [subscribe];
