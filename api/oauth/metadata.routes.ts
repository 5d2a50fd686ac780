import { z } from 'zod';
import { json } from '../http/response.ts';
import { defineRoute } from '../http/route.ts';

const methods = z.array(z.enum(['client_secret_basic', 'client_secret_post', 'none']));

const AUTH_METHODS: z.infer<typeof methods> = ['client_secret_basic', 'client_secret_post', 'none'];

const shape = z.object({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  revocation_endpoint: z.url(),
  service_documentation: z.url(),
  scopes_supported: z.array(z.string()),
  response_types_supported: z.array(z.enum(['code'])),
  response_modes_supported: z.array(z.enum(['query'])),
  grant_types_supported: z.array(z.enum(['authorization_code'])),
  code_challenge_methods_supported: z.array(z.enum(['S256'])),
  token_endpoint_auth_methods_supported: methods,
  revocation_endpoint_auth_methods_supported: methods,
});

const metadata = shape.meta({
  id: 'AuthorizationServer',
  examples: [describeServer('https://gatehouse.example')],
});

const showMetadata = defineRoute({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Get the server metadata',
  credential: 'public',
  limit: null,
  isCrossOrigin: true,
  input: {},
  documentation: {
    statuses: [200],
    errors: ['internal_error'],
    operationId: 'getServerMetadata',
    tag: 'Identity',
    description:
      'Says where the endpoints are and what they support (RFC 8414). OAuth libraries read it by themselves.',
    output: metadata,
  },
  handler: ({ services }) => json(describeServer(services.config.baseUrl)),
});

function describeServer(issuer: string): z.infer<typeof shape> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/api/oauth/token`,
    revocation_endpoint: `${issuer}/api/oauth/revoke`,
    service_documentation: `${issuer}/docs`,
    scopes_supported: ['identity', 'entitlements'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  };
}

export const routes = [showMetadata];
