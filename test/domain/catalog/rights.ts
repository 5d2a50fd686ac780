import test from 'ava';
import { decideCredentialRights } from '../../../domain/catalog/credential-trial.ts';
import { decideProductRights } from '../../../domain/teams/suspension.ts';
import type { ProductRole } from '../../../domain/teams/permissions.ts';

const product = (role: ProductRole, changes = {}) => ({
  roles: [role],
  delivery: 'entitlement_api',
  state: 'draft',
  isSuspended: false,
  ...changes,
});

const CREDENTIALS: [Parameters<typeof decideCredentialRights>[0], boolean, object][] = [
  [null, true, { refused: 'not_found' }],
  [product('owner', { state: 'removed' }), true, { refused: 'not_found' }],
  [product('owner', { delivery: 'affiliate' }), true, { refused: 'sold_elsewhere' }],
  [product('developer'), true, { isTrial: false }],
  [product('verified_lone_builder'), true, { isTrial: false }],
  [product('lone_builder'), true, { isTrial: true }],
  [product('lone_builder'), false, { refused: 'not_verified' }],
  [product('viewer'), true, { refused: 'not_allowed' }],
  [product('operator'), true, { refused: 'not_allowed' }],
  [product('owner', { isSuspended: true }), true, { isTrial: false }],
];

test('the role, the address and the delivery decide who changes credentials', (t) => {
  for (const [asked, isEmailVerified, expected] of CREDENTIALS) {
    const rights = decideCredentialRights(asked, { isEmailVerified });
    t.deepEqual<object, object>(rights, expected, JSON.stringify(asked));
  }
});

test('a suspended team does nothing that sells, but an operator lists its product', (t) => {
  const owner = product('owner', { isSuspended: true });
  const operator = product('operator', { isSuspended: true });
  t.deepEqual(decideProductRights(null, 'price'), { refused: 'not_found' });
  t.deepEqual(decideProductRights(product('viewer'), 'price'), { refused: 'not_allowed' });
  t.deepEqual(decideProductRights(owner, 'price'), { refused: 'suspended' });
  t.is(decideProductRights(owner, 'edit_listing'), owner);
  t.is(decideProductRights(operator, 'list'), operator);
});
