import { z } from 'zod';
import { given } from '../http/fields.ts';

/** The maximum lengths. Longer values are cut before they are hashed. */
export const MAX_LENGTHS = {
  grant_type: 64,
  code: 64,
  redirect_uri: 2_048,
  client_id: 64,
  client_secret: 64,
  code_verifier: 128,
  token: 64,
} as const;

const credentials = {
  client_id: given(MAX_LENGTHS.client_id)
    .optional()
    .meta({ description: 'If not sent by HTTP Basic' }),
  client_secret: given(MAX_LENGTHS.client_secret)
    .optional()
    .meta({ description: 'If not sent by HTTP Basic' }),
};

export const tokenRequest = z
  .object({
    grant_type: z.literal('authorization_code'),
    code: given(MAX_LENGTHS.code).min(1).meta({ description: 'The `gac_` code of the redirect' }),
    redirect_uri: given(MAX_LENGTHS.redirect_uri)
      .min(1)
      .meta({ description: 'The same as in the authorization request' }),
    code_verifier: given(MAX_LENGTHS.code_verifier)
      .optional()
      .meta({ description: 'Required if a `code_challenge` was sent, refused otherwise' }),
    ...credentials,
  })
  .meta({
    id: 'TokenRequest',
    examples: [
      {
        grant_type: 'authorization_code',
        code: 'gac_7Yq2mT0bXw5RkD9sJ4hL8vN1cF6gP3zA5eQ0uB7iO2y1tK4wd',
        redirect_uri: 'https://app.example/callback',
        client_id: 'gcl_4fT9kQ2wX7mB1cV8nZ3rLs',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    ],
  });

export const tokenResponse = z
  .object({
    access_token: z.string().meta({ description: '`gat_...`' }),
    token_type: z.literal('Bearer'),
    expires_in: z
      .int()
      .meta({ description: 'Lifetime in seconds (30 days). There is no refresh token' }),
    scope: z.string().meta({ description: 'The granted scopes, separated by spaces' }),
  })
  .meta({
    id: 'Token',
    examples: [
      {
        access_token: 'gat_3kV9xQ7mB2cW5nZ8rL1sT4yH6jD0fG3pA9eU5iO7bX2qM1w4Rd',
        token_type: 'Bearer',
        expires_in: 2_592_000,
        scope: 'identity entitlements',
      },
    ],
  });

export const revokeRequest = z
  .object({
    token: given(MAX_LENGTHS.token).min(1).meta({ description: 'An access token of this client' }),
    ...credentials,
  })
  .meta({
    id: 'RevokeRequest',
    examples: [
      {
        token: 'gat_3kV9xQ7mB2cW5nZ8rL1sT4yH6jD0fG3pA9eU5iO7bX2qM1w4Rd',
        client_id: 'gcl_4fT9kQ2wX7mB1cV8nZ3rLs',
      },
    ],
  });

export const revokeAnswer = z
  .object({})
  .meta({ id: 'RevokeAnswer', description: 'Empty', examples: [{}] });
