/** Why a request to a public address got no complete response. */
export type ErrorClass = 'dns' | 'refused' | 'reset' | 'tls' | 'timeout' | 'policy';

const POLICY = 'GATEHOUSE_POLICY';

const CLASSES: [RegExp, ErrorClass][] = [
  [new RegExp(`^${POLICY}$`), 'policy'],
  [/^(ENOTFOUND|ENODATA|EAI_)/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/, 'refused'],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_)/, 'tls'],
];

export function policyError(): NodeJS.ErrnoException {
  return Object.assign(new Error('not a public address'), { code: POLICY });
}

export function noAddressError(): NodeJS.ErrnoException {
  return Object.assign(new Error('the name has no address'), { code: 'ENODATA' });
}

export function deadlineError(): NodeJS.ErrnoException {
  return Object.assign(new Error('the deadline is over'), { code: 'ETIMEDOUT' });
}

/** The class of a fault, and the address when the system names it. */
export function classifyError(error: unknown): { error: ErrorClass; ip: string | null } {
  const { code, address } = innermost(error);
  const ip = address ?? null;
  const [, found] = CLASSES.find(([pattern]) => pattern.test(code ?? '')) ?? [null, 'reset'];
  return { error: found as ErrorClass, ip };
}

type SystemError = { code?: string; address?: string };

// Several addresses were tried: the first one's fault stands for all.
function innermost(error: unknown): SystemError {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  const system = error as SystemError & { cause?: unknown };
  return system.code === undefined && system.cause ? innermost(system.cause) : system;
}
