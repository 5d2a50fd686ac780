import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

/** A decrypt-only key neither encrypts nor signs, and its signatures are refused. */
export type SecretKey = { id: string; key: Buffer; isDecryptOnly?: boolean };

/** The purposes of signatures; each has a key of its own. */
type SigningPurpose =
  | 'session_form'
  | 'pre_session_form'
  | 'mail_link'
  | 'mail_return'
  | 'click'
  | 'device'
  | 'notice'
  | 'entered_address'
  | 'pool_approval';

/** The row and column of an encrypted text, or its cookie and page: it opens in no other. */
export type EncryptedPlace = {
  column: 'webhook_endpoint.encrypted_secret' | 'pool_period.encrypted_key' | 'cookie.shown_once';
  rowId: string;
};

export type Encryptor = {
  /** The id of the encryption key. */
  keyId: string;
  encrypt(text: string, place: EncryptedPlace): string;
  decrypt(encrypted: string, place: EncryptedPlace): string;
};

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG = { authTagLength: 16 };

/** AES-256-GCM with the key's id in front: the first key encrypts, every key opens. */
export function createEncryptor(keys: readonly SecretKey[]): Encryptor {
  const subKeys = new Map(keys.map(({ id, key }) => [id, subKey(key, 'encrypt')]));
  const { id: keyId, key } = firstUsable(keys);
  const current = subKey(key, 'encrypt');
  return {
    keyId,
    encrypt(text, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, current, iv, TAG).setAAD(dataOf(place));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${keyId}:${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')}`;
    },
    decrypt(encryptedText, place) {
      const [id = '', encoded = ''] = encryptedText.split(':');
      const found = subKeys.get(id);
      if (!found) throw new Error(`no encryption key with id ${id}`);
      const bytes = Buffer.from(encoded, 'base64');
      const textAt = IV_BYTES + TAG.authTagLength;
      const decipher = createDecipheriv(CIPHER, found, bytes.subarray(0, IV_BYTES), TAG);
      decipher.setAAD(dataOf(place)).setAuthTag(bytes.subarray(IV_BYTES, textAt));
      return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString();
    },
  };
}

export type TokenSigner = {
  sign(purpose: SigningPurpose, value: string): string;
  isSigned(purpose: SigningPurpose, value: string, token: string): boolean;
};

/** A token that proves knowledge of our key, bound to a purpose and a value. */
export function createTokenSigner(keys: readonly SecretKey[]): TokenSigner {
  const usable = keys.filter(({ isDecryptOnly }) => !isDecryptOnly);
  firstUsable(usable);
  const known = new Map<SigningPurpose, KeyObject[]>();
  const keysFor = (purpose: SigningPurpose) => {
    const found = known.get(purpose) ?? usable.map(({ key }) => subKey(key, purpose));
    known.set(purpose, found);
    return found;
  };
  const sign = (key: KeyObject, value: string) =>
    createHmac('sha256', key).update(value).digest('base64url');
  return {
    sign: (purpose, value) => sign(keysFor(purpose)[0]!, value),
    isSigned: (purpose, value, token) =>
      keysFor(purpose).some((key) => isSameSecret(sign(key, value), token)),
  };
}

function firstUsable(keys: readonly SecretKey[]): SecretKey {
  const found = keys.find(({ isDecryptOnly }) => !isDecryptOnly);
  if (!found) throw new Error('at least one key that encrypts is needed');
  return found;
}

/**
 * HKDF-SHA256: one sub-key tells nothing of the others. Node takes a `KeyObject` in 4 us, the same
 * bytes in 19.
 */
function subKey(key: Buffer, purpose: SigningPurpose | 'encrypt'): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `gatehouse ${purpose}`, 32)));
}

function dataOf({ column, rowId }: EncryptedPlace): Buffer {
  return Buffer.from(`${column}\n${rowId}`);
}

/** Signs a message in parts. */
export function hmacSha256Hex(key: string, ...message: (string | Buffer)[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of message) hmac.update(part);
  return hmac.digest('hex');
}

export function isSameSecret(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** base64url of SHA-256: the S256 code challenge of a verifier (RFC 7636 4.2). */
export function sha256Base64url(text: string): string {
  return hash('sha256', text, 'base64url');
}
