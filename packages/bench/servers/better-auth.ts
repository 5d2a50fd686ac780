// What others run: better-auth's API keys in PostgreSQL, each with its limiter.
import { betterAuth } from 'better-auth';
import { serveAnswers } from './bare.ts';
import { BETTER_AUTH_PATH, createAuthOptions } from './better-auth-options.ts';
import { openOrderedPool } from './order.ts';

const auth = betterAuth(createAuthOptions(await openOrderedPool(BETTER_AUTH_PATH)));
await serveAnswers(async (key) => {
  const verdict = await auth.api.verifyApiKey({ body: { key } });
  return verdict.valid ? verdict.key : null;
});
