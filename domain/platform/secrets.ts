import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export type SecretKey = { id: string; key: Buffer };

export type Sealer = {
  seal(text: string): string;
  open(sealed: string): string;
};

/** AES-256-GCM with the key's id in front: the first key seals, every key opens. */
export function createSealer(keys: readonly SecretKey[]): Sealer {
  const sealing = keys[0];
  if (!sealing) throw new Error('at least one sealing key is needed');
  return {
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealing.key, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${sealing.id}:${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')}`;
    },
    open(sealedText) {
      const [id, encoded = ''] = sealedText.split(':');
      const found = keys.find((candidate) => candidate.id === id);
      if (!found) throw new Error(`no sealing key with id ${id}`);
      const bytes = Buffer.from(encoded, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
    },
  };
}

/** A token that proves knowledge of our key, bound to a purpose and a value. */
export function createTokenSigner(keys: readonly SecretKey[]) {
  const sign = (key: Buffer, purpose: string, value: string) =>
    createHmac('sha256', key).update(`${purpose}\n${value}`).digest('base64url');
  const signing = keys[0];
  if (!signing) throw new Error('at least one key is needed');
  return {
    sign: (purpose: string, value: string) => sign(signing.key, purpose, value),
    isSigned: (purpose: string, value: string, token: string) =>
      keys.some(({ key }) => isSameSecret(sign(key, purpose, value), token)),
  };
}

export type TokenSigner = ReturnType<typeof createTokenSigner>;

/** Of a message in parts. */
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
