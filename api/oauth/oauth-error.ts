import { z } from 'zod';
import { json } from '../http/response.ts';

// Descriptions are printable ASCII without quotes and backslashes (RFC 6749 5.2).
const ERRORS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unsupported_grant_type: 400,
} as const;

type OauthErrorCode = keyof typeof ERRORS;

export const oauthErrorBody = z
  .object({
    error: z.enum(Object.keys(ERRORS) as [OauthErrorCode, ...OauthErrorCode[]]),
    error_description: z.string().meta({ description: 'For the developer' }),
  })
  .meta({
    id: 'OauthError',
    examples: [
      { error: 'invalid_grant', error_description: 'the code is unknown, expired or used' },
    ],
  });

export function oauthError(error: OauthErrorCode, description: string) {
  const body: z.infer<typeof oauthErrorBody> = { error, error_description: description };
  const challenge = { 'www-authenticate': 'Basic realm="gatehouse", charset="UTF-8"' };
  const answer = json(body, {
    status: ERRORS[error],
    ...(error === 'invalid_client' ? { headers: challenge } : {}),
  });
  return { ...answer, errorCode: error };
}
