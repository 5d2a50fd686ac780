// Reads the credentials of a client: HTTP Basic, or the body (RFC 6749 2.3.1).

export type Fields = Readonly<Record<string, string | null>>;

export type ClientCredentials = {
  clientId: string | null;
  secret: string | null;
  /** Two ways at once, or two different clients. */
  isConflicting: boolean;
};

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;
const NOBODY = { clientId: null, secret: null, isConflicting: false };

export function readClientCredentials(authorization: string, fields: Fields): ClientCredentials {
  const named = fields['client_id'] ?? null;
  const secret = fields['client_secret'] ?? null;
  if (authorization === '') return { clientId: named, secret, isConflicting: false };
  const basic = readBasic(authorization);
  if (!basic) return NOBODY;
  const isConflicting = secret !== null || (named !== null && named !== basic.clientId);
  return { ...basic, isConflicting };
}

/** Both halves are form-encoded by the standard; ours read the same where a client does not encode. */
function readBasic(authorization: string): { clientId: string; secret: string | null } | null {
  const encoded = BASIC.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(decodeBase64(encoded)) ?? [];
  if (!id || secret === undefined) return null;
  try {
    return { clientId: decodeForm(id), secret: decodeForm(secret) || null };
  } catch {
    return null;
  }
}

function decodeBase64(encoded = ''): string {
  return Buffer.from(encoded, 'base64').toString();
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
