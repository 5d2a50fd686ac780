import { z } from 'zod';

const credentials = {
  client_id: z.string().optional().meta({ description: 'Where HTTP Basic does not carry it' }),
  client_secret: z.string().optional().meta({ description: 'Where HTTP Basic does not carry it' }),
};

export const tokenRequest = z.object({
  grant_type: z.literal('authorization_code'),
  code: z.string().meta({ description: 'The `gac_` code of the redirect' }),
  redirect_uri: z.string().meta({ description: 'The same as in the authorization request' }),
  code_verifier: z
    .string()
    .optional()
    .meta({ description: 'Needed where a `code_challenge` was sent, refused where none was' }),
  ...credentials,
});

export const tokenResponse = z
  .object({
    access_token: z.string().meta({ description: '`gat_...`' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds: 30 days. There is no refresh token' }),
    scope: z.string().meta({ description: 'The granted scopes, separated by spaces' }),
  })
  .meta({ id: 'Token' });

export const revokeRequest = z.object({
  token: z.string().meta({ description: 'An access token of this client' }),
  ...credentials,
});
