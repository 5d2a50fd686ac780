// The rules between settings.
import { isLoopbackHost } from '../domain/shared/loopback.ts';
import { temporalTlsProblems } from './temporal-tls.ts';

type Environment = Record<string, string | undefined>;

export function findProblems(given: Environment): string[] {
  return [processorProblems, operatorProblems, temporalTlsProblems, baseUrlProblems].flatMap(
    (problemsOf) => problemsOf(given),
  );
}

/** Cookies are Secure unless the address is loopback: over http nobody could sign in. */
function baseUrlProblems({ BASE_URL: text = '' }: Environment): string[] {
  if (!URL.canParse(text)) return [];
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'http:' || isLoopbackHost(hostname)) return [];
  return ['BASE_URL: https is required; http works on a loopback address alone'];
}

function processorProblems(given: Environment): string[] {
  if (given['STRIPE_SECRET_KEY']) {
    return given['STRIPE_WEBHOOK_SECRET']
      ? []
      : ['STRIPE_WEBHOOK_SECRET: required with STRIPE_SECRET_KEY'];
  }
  if (given['ALLOW_SIMULATOR'] !== 'true') {
    return [
      'STRIPE_SECRET_KEY: a payment processor is required (or set ALLOW_SIMULATOR=true, and every page will say that payments are simulated)',
    ];
  }
  const needed = ['SIMULATOR_URL', 'SIMULATOR_SECRET_KEY', 'SIMULATOR_WEBHOOK_SECRET'] as const;
  return needed
    .filter((name) => !given[name])
    .map((name) => `${name}: required with ALLOW_SIMULATOR=true`);
}

/**
 * A stolen password must not open operators' pages on the internet; on a loopback address it may.
 */
function operatorProblems({ OPERATOR_PASSKEY, BASE_URL = '' }: Environment): string[] {
  const hostname = URL.parse(BASE_URL)?.hostname ?? '';
  const isOwnMachine = isLoopbackHost(hostname);
  if (OPERATOR_PASSKEY !== 'optional' || isOwnMachine) return [];
  return ['OPERATOR_PASSKEY: optional only where BASE_URL is an address of this machine'];
}
