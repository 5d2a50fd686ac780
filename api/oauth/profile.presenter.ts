import { z } from 'zod';
import type { EffectiveAccess } from '../../domain/entitlements/effective-access.ts';
import type { Bearer } from '../../domain/oauth/tokens/token-principal.query.ts';
import { entitlement, presentEntitlement } from '../v1/entitlement.presenter.ts';
import { personImageUrl } from '../account/person-image.routes.ts';

export const profile = z
  .object({
    id: z.guid().meta({ description: 'The person identifier: `user_id` in all other calls' }),
    handle: z.string(),
    display_name: z.string(),
    image: z.url(),
    entitlement: entitlement.omit({ user_id: true, test_mode: true }).optional().meta({
      id: 'ProfileEntitlement',
      description: "Only with the scope `entitlements`; to the product of the token's client",
    }),
  })
  .meta({
    id: 'Profile',
    examples: [
      {
        id: '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81',
        handle: 'ada',
        display_name: 'Ada Lovelace',
        image: 'https://gatehouse.example/people/0199f3a8-6c1e-7000-8000-9e0d2b4c6f81/avatar.svg',
        entitlement: {
          product_id: '0199f3a8-6c1e-7000-8000-3b1f5c9a7d20',
          active: true,
          type: 'purchase',
          source: 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB',
          ends_at: null,
        },
      },
    ],
  });

/** The access is null without the scope `entitlements`: `domain/oauth/scope.ts`. */
export function presentProfile(
  { personId, handle, displayName, imageName, productId }: Bearer,
  { access, baseUrl }: { access: EffectiveAccess | null; baseUrl: string },
): z.infer<typeof profile> {
  return {
    id: personId,
    handle,
    display_name: displayName,
    image: personImageUrl(baseUrl, { personId, imageName }),
    ...(access && productId ? { entitlement: presentOwn(access, { productId, personId }) } : {}),
  };
}

function presentOwn(access: EffectiveAccess, key: { productId: string; personId: string }) {
  const {
    user_id: _user,
    test_mode: _mode,
    ...own
  } = presentEntitlement(access, {
    ...key,
    isTest: false,
  });
  return own;
}
