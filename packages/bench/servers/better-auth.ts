// What others run: better-auth's API keys in PostgreSQL, each with its limiter.
import { betterAuth } from 'better-auth';
import { serveAnswers } from './parts/bare.ts';
import { BETTER_AUTH_PATH, createAuthOptions } from './parts/better-auth-options.ts';
import { openOrderedPool } from './parts/child-server.ts';

const auth = betterAuth(createAuthOptions(await openOrderedPool(BETTER_AUTH_PATH)));
await serveAnswers(async (key) => {
  const verdict = await auth.api.verifyApiKey({ body: { key } });
  return verdict.valid ? verdict.key : null;
});
