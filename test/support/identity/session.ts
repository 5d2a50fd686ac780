import { startSession } from '../../../domain/identity/session.repository.ts';
import type { TestApi } from '../http/api.ts';
import type { Browser } from '../pages/browser.ts';

/** A browser with a session; signing in is tested elsewhere, and takes its time. */
export async function openSignedIn(
  api: Pick<TestApi, 'browser' | 'database'>,
  { id: personId }: { id: string },
): Promise<Browser> {
  const browser = api.browser();
  const token = await startSession(api.database.em(), { personId, device: 'A test' });
  browser.cookies.set('gatehouse_session', token);
  return browser;
}
