import test from 'ava';
import {
  decideSale,
  listSaleRequirements,
  type RequirementFacts,
  type SaleFacts,
} from '../../../../domain/billing/checkout/sale-requirements.ts';

const ready: RequirementFacts = {
  state: 'listed',
  delivery: 'entitlement_api',
  hasActivePrice: true,
  hasCommercialOperator: true,
  canSellerCharge: true,
  hasLiveKey: true,
  hasClient: false,
};

const missing = (change: Partial<RequirementFacts>) =>
  listSaleRequirements({ ...ready, ...change })
    .filter(({ isMet }) => !isMet)
    .map(({ code }) => code);

test('nothing is missing of a product that can be sold', (t) => {
  t.deepEqual(missing({}), []);
});

test('each prerequisite is missing by its own name', (t) => {
  t.deepEqual(missing({ state: 'draft' }), ['not_listed']);
  t.deepEqual(missing({ hasActivePrice: false }), ['no_active_price']);
  t.deepEqual(missing({ hasCommercialOperator: false }), ['no_commercial_operator']);
  t.deepEqual(missing({ canSellerCharge: false }), ['payouts_not_ready']);
});

test('a product delivered through the entitlement API also needs a live key or OAuth', (t) => {
  t.deepEqual(missing({ hasLiveKey: false }), ['no_way_to_check']);
  t.deepEqual(missing({ hasLiveKey: false, hasClient: true }), []);
});

test('a product that is sold elsewhere can only be listed', (t) => {
  const facts = { ...ready, delivery: 'affiliate', state: 'draft' } as const;
  t.deepEqual(listSaleRequirements(facts), [{ code: 'not_listed', isMet: false }]);
});

test('the checklist and the buy link never disagree', (t) => {
  const flags = [true, false];
  for (const state of ['draft', 'listed', 'unlisted', 'removed'] as const) {
    for (const hasActivePrice of flags) {
      for (const hasCommercialOperator of flags) {
        for (const canSellerCharge of flags) {
          const facts: SaleFacts = {
            state,
            delivery: 'entitlement_api',
            hasActivePrice,
            hasCommercialOperator,
            canSellerCharge,
          };
          const unmet = missing(facts);
          t.is(unmet.length === 0, decideSale(facts) === null);
          t.is(unmet[0] ?? null, decideSale(facts));
        }
      }
    }
  }
});
