// An authenticator in software: one passkey, with the freedom to answer wrongly.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

type HttpResponse = {
  challenge: string;
  origin: string;
  rpId?: string;
  counter?: number;
  isUserVerified?: boolean;
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export function createAuthenticator(userHandle: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  const shared = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };

  return {
    id,
    /** What a browser would send after making the passkey. */
    register(given: HttpResponse): string {
      const { x, y } = publicKey.export({ format: 'jwk' });
      const point = (part: string | undefined) => Buffer.from(part!, 'base64url');
      // COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}
      const cose = Buffer.concat([
        Buffer.from('a501020326200121', 'hex'),
        Buffer.from('5820', 'hex'),
        point(x),
        Buffer.from('225820', 'hex'),
        point(y),
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 32]), credentialId, cose]);
      const data = Buffer.concat([authenticatorData(given, ATTESTED), attested]);
      // CBOR: {"fmt": "none", "attStmt": {}, "authData": bytes}
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
        data,
      ]);
      return JSON.stringify({
        ...shared,
        response: {
          clientDataJSON: clientData('webauthn.create', given).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      });
    },
    /** What a browser would send after the passkey was used. */
    signIn(given: HttpResponse): string {
      const data = authenticatorData(given, 0);
      const client = clientData('webauthn.get', given);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return JSON.stringify({
        ...shared,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle: Buffer.from(userHandle).toString('base64url'),
        },
      });
    },
  };
}

function authenticatorData(given: HttpResponse, extraFlags: number): Buffer {
  const { origin, rpId = new URL(origin).hostname, counter = 1, isUserVerified = true } = given;
  const counted = Buffer.alloc(4);
  counted.writeUInt32BE(counter);
  const flags = PRESENT | (isUserVerified ? VERIFIED : 0) | extraFlags;
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counted]);
}

function clientData(type: string, { challenge, origin }: HttpResponse): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}
