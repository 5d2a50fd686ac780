import { findVisitor, type Visitor } from '../../domain/identity/identity.repository.ts';
import { isAllowed, type ProductRole } from '../../domain/teams/permissions.ts';
import { page } from '../response.ts';
import { Failure, unauthorized } from '../errors.ts';
import { operatorPasskeyPage } from '../account/confirmation/operator-passkey.page.ts';
import { keepPending, sendToSignIn } from '../account/pending.ts';
import type { AnyCall, Answer, Credential } from '../route.ts';
import { headersOf } from './headers.ts';
import { countUnknown } from './rate-limit.ts';
import { PASSKEY_POLICY } from './security-headers.ts';

export type Known<Facts = object> = {
  facts: Facts;
  credentialId: string | null;
  scopes?: string[];
};

/** What is no key and no token. */
export type OtherCredential = Exclude<Credential, 'key' | 'token' | 'key_or_token'>;

/** Who is calling, where no key or token says it; or the answer that sends a person to sign-in. */
export async function identify(call: AnyCall, needed: OtherCredential): Promise<Known | Answer> {
  switch (needed) {
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

async function identifySession(call: AnyCall): Promise<Known<{ visitor: Visitor }> | Answer> {
  const visitor = await findCookieVisitor(call);
  if (visitor) return { facts: { visitor }, credentialId: `person:${visitor.personId}` };
  const { ctx, services } = call;
  await countUnknown(ctx, services);
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw unauthorized({ wasGiven: false });
  return sendToSignIn(call, { returnTo: ctx.path, clickId: null });
}

async function identifyOperator(call: AnyCall): Promise<Known | Answer> {
  const known = await identifySession(call);
  if ('status' in known) return known;
  const { visitor } = known.facts;
  if (visitor.lacksPasskey) return askForOperatorPasskey({ ...call, visitor });
  const roles: ProductRole[] = visitor.isOperator ? ['operator'] : [];
  if (!isAllowed(roles, 'run_platform')) throw new Failure('not_found');
  return known;
}

/** Leads back to a page; a form has to be sent again. */
async function askForOperatorPasskey(call: AnyCall & { visitor: Visitor }): Promise<Answer> {
  const { ctx } = call;
  headersOf(ctx)['content-security-policy'] = PASSKEY_POLICY;
  const view = await operatorPasskeyPage(call);
  const pending = { returnTo: ctx.path, clickId: null };
  const cookie = ctx.method === 'GET' ? await keepPending(call, pending) : null;
  return page(call, view, { status: 403, cookies: cookie === null ? [] : [cookie] });
}

async function findCookieVisitor({ cookies, services }: AnyCall) {
  const { session: token } = cookies;
  const { isOperatorPasskeyRequired: isPasskeyRequired } = services.config;
  if (!token) return null;
  return findVisitor(services.database.em(), { token, isPasskeyRequired });
}
