// `npm run compose:env`: writes the .env of docker-compose.yml once, with random secrets.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../.env', import.meta.url));

/** The text of a new .env: random secrets, and empty settings for the operator. */
export function composeEnvironment(): string {
  const password = () => randomBytes(24).toString('hex');
  return `# Read by docker compose. Keep it secret, and keep a copy: without SECRET_KEYS what it encrypted is lost.

# The address people use, without a path. Behind a proxy that ends TLS: https://...
BASE_URL=http://localhost:3000

# Mail: smtp://user:password@host:587 or smtps://user:password@host:465
SMTP_URL=
# Who it comes from, if not no-reply@ the host of BASE_URL: Name <address>
MAIL_FROM=
# Whom people write to who have lost their account, if not support@ the host of BASE_URL
SUPPORT_EMAIL=

# Payments
STRIPE_SECRET_KEY=
STRIPE_WEBHOOK_SECRET=

# The first key encrypts and signs: id:32 bytes in base64,... A key with :open behind it only opens.
SECRET_KEYS=k1:${randomBytes(32).toString('base64')}

# PostgreSQL takes these when its volume is made; later changes need ALTER ROLE as well.
POSTGRES_PASSWORD=${password()}
GATEHOUSE_DB_PASSWORD=${password()}
TEMPORAL_DB_PASSWORD=${password()}
# Of the role of api and worker; each start sets it.
GATEHOUSE_APP_DB_PASSWORD=${password()}

# Of the role of a trial's payment simulator; each start of a trial sets it.
GATEHOUSE_SIMULATOR_DB_PASSWORD=${password()}

# Shared with the payment simulator of a trial; unused with Stripe.
SIMULATOR_SECRET_KEY=sk_test_${password()}
SIMULATOR_WEBHOOK_SECRET=whsec_${password()}
`;
}

/** False when the file exists: its secrets are in use. */
export function writeComposeEnvironment(file: string): boolean {
  try {
    writeFileSync(file, composeEnvironment(), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

if (import.meta.main) {
  const isWritten = writeComposeEnvironment(FILE);
  console.log(
    isWritten
      ? 'Wrote .env. Set BASE_URL, SMTP_URL and the STRIPE_ settings in it, or run a trial:\n  ALLOW_SIMULATOR=true docker compose --profile trial up --build'
      : '.env is there already and was left alone.',
  );
}
