// What a reader pastes into a shell: a value of their own stands in a variable, all else is filled in.
import type { ClientKind } from '../../../domain/oauth/clients/redirect-uri.ts';

type ReaderFacts = { baseUrl: string; personId: string };

export const keepKey = "export GATEHOUSE_KEY='gk_test_...'";

export function checkCommand({ baseUrl, personId }: ReaderFacts): string {
  return `curl -s -H "Authorization: Bearer $GATEHOUSE_KEY" \\
  '${baseUrl}/api/v1/entitlements?user_id=${personId}'`;
}

/** Runs the gate of the guide, with the key that the shell keeps. */
export function gateCommand(runner: string, { baseUrl, personId }: ReaderFacts): string {
  return `GATEHOUSE=${baseUrl} USER_ID=${personId} ${runner}`;
}

export function reportCommand({ baseUrl, personId }: ReaderFacts): string {
  const body = JSON.stringify({ kind: 'activity', user_id: personId });
  return `curl -s -H "Authorization: Bearer $GATEHOUSE_KEY" \\
  -H 'Content-Type: application/json' -d '${body}' \\
  '${baseUrl}/api/v1/usage'`;
}

type Client = { baseUrl: string; id: string; kind: ClientKind; redirectUri: string };

/** Prints the address that a browser opens; the shell keeps the verifier for the exchange. */
export function authorizeCommand({ baseUrl, id, redirectUri }: Client): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    scope: 'identity entitlements',
    state: 'try',
    code_challenge_method: 'S256',
  });
  return `VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
echo '${baseUrl}/oauth/authorize?${quoted(query.toString())}&code_challenge='"$CHALLENGE"`;
}

export function exchangeCommand({ baseUrl, id, kind, redirectUri }: Client): string {
  const proof = kind === 'confidential' ? `-u '${id}':"$CLIENT_SECRET"` : `-d 'client_id=${id}'`;
  return `CODE='gac_...'
${kind === 'confidential' ? "CLIENT_SECRET='gcs_...'\n" : ''}curl -s ${proof} \\
  -d grant_type=authorization_code -d "code=$CODE" -d "code_verifier=$VERIFIER" \\
  --data-urlencode '${quoted(`redirect_uri=${redirectUri}`)}' \\
  '${baseUrl}/api/oauth/token'`;
}

export function profileCommand({ baseUrl }: { baseUrl: string }): string {
  return `TOKEN='gat_...'
curl -s -H "Authorization: Bearer $TOKEN" '${baseUrl}/api/v1/me'`;
}

export const signInSetUp =
  'mkdir sign-in && cd sign-in && npm init -y && npm install openid-client';

export function signInCommand(runner: string, { baseUrl, id, kind, redirectUri }: Client): string {
  const secret = kind === 'confidential' ? " CLIENT_SECRET='gcs_...'" : '';
  return `STORE=${baseUrl} CLIENT_ID=${id}${secret} \\
  REDIRECT_URI='${quoted(redirectUri)}' ${runner}`;
}

export function receiveCommand(runner: string, url: string | null): string {
  const port = (url !== null && URL.canParse(url) && new URL(url).port) || '4001';
  // A shell fills in a variable of the same line too early.
  const start = runner.includes('$PORT') ? runner.replace('$PORT', port) : `PORT=${port} ${runner}`;
  return `export WEBHOOK_SECRET='whsec_...'
${start}`;
}

/** A redirect URI may have a quote in it, which would end the word. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
