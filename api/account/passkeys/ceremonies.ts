// WebAuthn: the options for authenticators, and the verification of their responses.
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import type { KnownPasskey } from '../../../domain/identity/passkeys/passkey.repository.ts';
import type { AssertionAnswer, RegistrationAnswer } from './passkey-response.schema.ts';

/** Three hundred modules, a tenth of a start: they load when a passkey is first used. */
const loadWebAuthn = () => import('@simplewebauthn/server');

const ALGORITHMS = [-8, -7, -257]; // EdDSA, ES256, RS256

type Named = Pick<CurrentUser, 'personId' | 'handle' | 'displayName'>;

export async function askForNewPasskey(
  baseUrl: string,
  { person, known }: { person: Named; known: string[] },
) {
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: 'Gatehouse',
    rpID: relyingParty(baseUrl).expectedRPID,
    userID: Buffer.from(person.personId),
    userName: person.handle,
    userDisplayName: person.displayName,
    attestationType: 'none',
    excludeCredentials: known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** The options of a sign-in: any passkey, or the passkeys of a known person. */
export async function askForPasskey(baseUrl: string, known: string[] = []) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID: relyingParty(baseUrl).expectedRPID,
    userVerification: 'required',
    allowCredentials: known.map((id) => ({ id })),
  });
}

/**
 * Returns null for a response to another challenge, from another origin, or without user
 * verification.
 */
export async function readNewPasskey(
  baseUrl: string,
  { answer, challenge }: { answer: RegistrationAnswer; challenge: string },
) {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {} },
    expectedChallenge: challenge,
    ...relyingParty(baseUrl),
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ verified: false, registrationInfo: undefined }));
  if (!verified || !registrationInfo) return null;
  const { id: credentialId, publicKey, counter } = registrationInfo.credential;
  return { credentialId, publicKey, counter, transports: answer.response.transports };
}

/** The authenticator's counter; null for an invalid response. */
export async function readPasskeyUse(
  baseUrl: string,
  use: { answer: AssertionAnswer; challenge: string; passkey: KnownPasskey },
): Promise<{ counter: number } | null> {
  const { answer, challenge, passkey } = use;
  const { userHandle, ...response } = answer.response;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...answer, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    ...relyingParty(baseUrl),
    credential: {
      id: answer.id,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
    },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  const isOwner = !userHandle || decode(userHandle) === passkey.personId;
  if (!verified || !authenticationInfo || !isOwner) return null;
  return { counter: authenticationInfo.newCounter };
}

function relyingParty(baseUrl: string) {
  const { origin, hostname } = new URL(baseUrl);
  return { expectedOrigin: origin, expectedRPID: hostname };
}

function decode(userHandle: string): string {
  return Buffer.from(userHandle, 'base64url').toString();
}
