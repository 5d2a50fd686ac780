import type { Context } from 'koa';
import { findKeyHolder } from '../../domain/catalog/catalog.store.ts';
import {
  findVisitor,
  startPreSession,
  type Visitor,
} from '../../domain/identity/identity.store.ts';
import { findBearer } from '../../domain/identity/oauth/token.store.ts';
import { isAllowed, type Standing } from '../../domain/teams/permissions.ts';
import { redirect } from '../answer.ts';
import { Failure, unauthorized } from '../errors.ts';
import { preSessionCookie } from '../identity/cookies.ts';
import type { AnyCall, Answer, Credential } from '../route.ts';
import type { Services } from '../services.ts';
import { limitRequest } from './rate-limit.ts';

type Known<Facts = object> = { facts: Facts; credentialId: string | null; scopes?: string[] };

/** Who is calling, as the route asks for it; or the answer that sends a person to sign-in. */
export async function identify(call: AnyCall, needed: Credential): Promise<Known | Answer> {
  switch (needed) {
    case 'key':
      return identifyKey(call);
    case 'token':
      return identifyToken(call);
    case 'key_or_token':
      return bearerOf(call.ctx)?.startsWith('gk_') ? identifyKey(call) : identifyToken(call);
    case 'session':
      return identifySession(call);
    case 'operator':
      return identifyOperator(call);
    case 'visitor':
      return { facts: { visitor: await findCookieVisitor(call) }, credentialId: null };
    default:
      return { facts: {}, credentialId: null };
  }
}

async function identifyKey({ ctx, services }: AnyCall): Promise<Known> {
  const key = bearerOf(ctx);
  if (key === null) throw unauthorized({ wasGiven: false });
  const keyHolder = await findKeyHolder(services.database.pool, key);
  if (keyHolder) return { facts: { keyHolder }, credentialId: `key:${keyHolder.keyId}` };
  await countUnknown(ctx, services);
  throw unauthorized({ wasGiven: true });
}

async function identifyToken({ ctx, services }: AnyCall): Promise<Known> {
  const token = bearerOf(ctx);
  if (token === null) throw unauthorized({ wasGiven: false });
  const answer = await findBearer(services.database.pool, token);
  if (answer.kind === 'bearer') {
    const { bearer } = answer;
    const { tokenId, scopes } = bearer;
    return { facts: { bearer }, credentialId: `token:${tokenId}`, scopes };
  }
  await countUnknown(ctx, services);
  throw answer.kind === 'gone' ? new Failure('not_found') : unauthorized({ wasGiven: true });
}

async function identifySession(call: AnyCall): Promise<Known<{ visitor: Visitor }> | Answer> {
  const visitor = await findCookieVisitor(call);
  if (visitor) return { facts: { visitor }, credentialId: `person:${visitor.personId}` };
  const { ctx, services } = call;
  await countUnknown(ctx, services);
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw unauthorized({ wasGiven: false });
  return sendToSignIn(services, { returnTo: ctx.path, clickId: null });
}

async function identifyOperator(call: AnyCall): Promise<Known | Answer> {
  const known = await identifySession(call);
  if ('status' in known) return known;
  const standings: Standing[] = known.facts.visitor.isOperator ? ['operator'] : [];
  if (!isAllowed(standings, 'run_platform')) throw new Failure('not_found');
  return known;
}

/** Keeps where the person was going on our side; the cookie leads back to it. */
export async function sendToSignIn(
  { database, config }: Services,
  pending: { returnTo: string; clickId: string | null },
): Promise<Answer> {
  const token = await startPreSession(database.em(), pending);
  return redirect('/sign-in', { cookies: [preSessionCookie(config.baseUrl, token)] });
}

async function findCookieVisitor({ cookies, services }: AnyCall) {
  return cookies.session ? findVisitor(services.database.em(), cookies.session) : null;
}

function countUnknown(ctx: Context, services: Services): Promise<void> {
  return limitRequest(ctx, services, { name: 'unknown_credential', credentialId: null });
}

/** From the Authorization header only. */
function bearerOf(ctx: Context): string | null {
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? null;
}
