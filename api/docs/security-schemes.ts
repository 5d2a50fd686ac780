import type { ZodOpenApiSecuritySchemeObject } from 'zod-openapi';
import type { Credential } from '../http/route.ts';

type Requirements = Record<string, string[]>[];

/** A client may also come without Basic: a secret in the body, or none at all. */
export const SECURITY: Partial<Record<Credential, Requirements>> = {
  key: [{ key: [] }],
  token: [{ oauth2: ['identity'] }, { token: [] }],
  key_or_token: [{ oauth2: [] }, { token: [] }, { key: [] }],
  client: [{ client: [] }, {}],
};

export function securitySchemes(baseUrl: string): Record<string, ZodOpenApiSecuritySchemeObject> {
  return {
    key: {
      type: 'http',
      scheme: 'bearer',
      description:
        "A product's API key, `gk_live_...` or `gk_test_...`, from your server only. The console makes it.",
    },
    oauth2: {
      type: 'oauth2',
      description:
        "A person's access token by the authorization code flow with PKCE (S256). It lives for 30 days, and there is no refresh token.",
      flows: {
        authorizationCode: {
          authorizationUrl: `${baseUrl}/oauth/authorize`,
          tokenUrl: `${baseUrl}/api/oauth/token`,
          scopes: {
            identity: 'The person identifier, handle, display name and picture',
            entitlements: "Whether the person has access to the client's product",
          },
        },
      },
    },
    token: {
      type: 'http',
      scheme: 'bearer',
      description: 'The same access token, `gat_...`, where you have one already.',
    },
    client: {
      type: 'http',
      scheme: 'basic',
      description: 'The id and the secret of a confidential OAuth client.',
    },
  };
}
